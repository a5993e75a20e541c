package esxtop

import (
	"slices"
	"strings"
)

// Panel is a screen of esxtop: c is CPU.
type Panel struct {
	Key    byte
	Title  string
	Object Object   // whose rows it shows
	With   []Object // whose rows stand among those: NFS volumes among the devices
	Expand []Object // rows below those, when one is expanded
	Fields []Field  // in esxtop's order; a field's letter is its place
	Sorts  map[byte]string

	needs []*Metric // a row without any of them is not shown; nil: all rows are
}

// Field is what f turns on and off in a panel: one column or a few.
type Field struct {
	Letter  byte
	Title   string
	Columns []Column
	shown   bool // unless the user says otherwise
}

// Column is a metric on the screen, or what tells rows apart. A metric of a child object makes a column of each child:
// GST_ND0 and GST_ND1, %C0 and %C1.
type Column struct {
	Label     string
	Metric    *Metric // nil: the attribute is shown
	Other     *Metric // of rows whose object does not have Metric
	Attribute Attribute
	Each      Object // below the panel's rows: every one of it makes a column; Host: the column is the row's own
	Decimals  int    // as esxtop prints it
}

// Attribute is what a row is called, rather than what was measured of it.
type Attribute int

// Attributes of rows.
const (
	NoAttribute Attribute = iota
	RowID                 // of the row itself: ID, PORT-ID, a device's name
	RowGID                // of the row on top: the group of a world, the adapter of a path; of itself where it is on top
	RowLeader             // LWID
	RowName               // NAME
	RowHost               // the host, where several are shown
	RowOwner              // the name of the row on top: VMNAME
	RowChild              // the name of a row below another; none of one on top: PATH
)

// Panels lists the screens in the order of esxtop's configuration file. Nobody changes one.
func Panels() []*Panel { return slices.Clone(panels) }

// PanelOf finds a panel by its key; nil where there is none.
func PanelOf(key byte) *Panel {
	if i := slices.IndexFunc(panels, func(p *Panel) bool { return p.Key == key }); i >= 0 {
		return panels[i]
	}
	return nil
}

// DefaultFields is the panel's field string as esxtop's configuration file has it: capitals are shown.
func (p *Panel) DefaultFields() string {
	var b strings.Builder
	for _, f := range p.Fields {
		letter := f.Letter
		if !f.shown {
			letter += 'a' - 'A'
		}
		b.WriteByte(letter)
	}
	return b.String()
}

// Field finds a field by its letter, in either case; nil where the panel has none.
func (p *Panel) Field(letter byte) *Field {
	i := int(letter|0x20) - 'a'
	if i < 0 || i >= len(p.Fields) {
		return nil
	}
	return &p.Fields[i]
}

// Shows reports whether a row is for the panel: the memory panel has only groups that own memory.
func (p *Panel) Shows(r *Row) bool {
	return p.needs == nil || slices.ContainsFunc(p.needs, func(m *Metric) bool { _, ok := r.Value(m); return ok })
}

// Of is the metric that a row of an object has in the column; nil: none.
func (c Column) Of(o Object) *Metric {
	for _, m := range []*Metric{c.Metric, c.Other} {
		if m != nil && m.slot[o] > 0 {
			return m
		}
	}
	return nil
}

// Needs are the objects that a source is asked for to fill the panel.
func (p *Panel) Needs(shown []Column, expanded bool) Objects {
	needs := ObjectsOf(Host, PCPU, Node, Group, p.Object) | ObjectsOf(p.With...)
	if expanded {
		needs |= ObjectsOf(p.Expand...)
	}
	if p == powerPanel {
		needs |= ObjectsOf(PState)
	}
	for _, c := range shown {
		needs |= ObjectsOf(c.Each)
	}
	return needs
}

var panels = []*Panel{cpuPanel, memoryPanel, adapterPanel, devicePanel, vmDiskPanel, networkPanel, interruptPanel, powerPanel, vsanPanel}

// fields gives a panel's fields their letters. Which ones are shown is told as a configuration file does: ABcD.
func fields(shown string, list ...Field) []Field {
	for i := range list {
		list[i].Letter = byte('A' + i)
		list[i].shown = shown[i] == list[i].Letter
	}
	return list
}

func titled(title string, columns ...Column) Field { return Field{Title: title, Columns: columns} }

func named(label string, a Attribute) Column { return Column{Label: label, Attribute: a} }

// of makes columns of metrics under the names that the catalogue has.
func of(ids ...string) []Column {
	columns := make([]Column, 0, len(ids))
	for _, id := range ids {
		m := Lookup(id)
		columns = append(columns, Column{Label: m.Column, Metric: m, Decimals: m.decimals()})
	}
	return columns
}

// labelled is a metric under another name than the catalogue's.
func labelled(label, id string, decimals int) Column {
	return Column{Label: label, Metric: Lookup(id), Decimals: decimals}
}

// each is a metric with a column for every row of an object below the panel's.
func each(label, id string, o Object) Column {
	c := labelled(label, id, Lookup(id).decimals())
	c.Each = o
	return c
}

// or gives columns a second metric, in their order; an empty id is none.
func or(columns []Column, ids ...string) []Column {
	for i, id := range ids {
		columns[i].Other = Lookup(id)
	}
	return columns
}

// decimals are those of esxtop's screen: two, but none where it counts things or tells what was set.
func (m *Metric) decimals() int {
	switch {
	case m.Objects[0].Parent() == PCPU && m.Objects[0] != PCPU: // states of a CPU
		return 0
	case m.ID == "numa.local" || m.ID == "disk.usedQueue" || strings.HasPrefix(m.ID, "mem.active"):
		return 0
	case m.Kind != Gauge:
		return 2
	}
	switch m.Unit {
	case Number, MHz, Watt, LinkMbps, Bytes:
		return 0
	}
	return 2
}
