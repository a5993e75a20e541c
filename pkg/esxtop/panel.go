package esxtop

import "slices"

// Panel is a screen of esxtop: c is CPU.
type Panel struct {
	Key    byte
	Title  string
	Object Object   // whose rows it shows
	With   []Object // objects whose rows are listed among them: NFS volumes among the devices
	Expand []Object // rows below those, when one is expanded
	Fields []Field  // in esxtop's order; a field's letter is its place
	Sorts  map[byte]string

	needsIDs []string
	needs    []*Metric // a row without any of them is not shown; nil: all rows are
	header   Objects   // the objects for the lines above its table, in addition to those of all panels
	shown    string    // the field string of esxtop's defaults
}

// Field is an item that f turns on and off in a panel: one or more columns.
type Field struct {
	Letter  byte
	Title   string
	Columns []Column
}

// Column is a metric on the screen, or an attribute of the row. A metric of a child object makes a column for each
// child: GST_ND0 and GST_ND1, %C0 and %C1.
type Column struct {
	Label     string
	Metric    *Metric // nil: the attribute is shown
	Other     *Metric // of rows whose object does not have Metric
	Attribute Attribute
	Each      Object // below the panel's rows: every one of it makes a column; Host: the column is the row's own
	Decimals  int    // as esxtop prints it
}

// Attribute is identifying data of a row, not a measurement.
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

// DefaultFields returns the panel's field string as in esxtop's configuration file: capitals are shown.
func (p *Panel) DefaultFields() string { return p.shown }

// Field finds a field by its letter, in either case; nil if the panel has none.
func (p *Panel) Field(letter byte) *Field {
	i := int(letter|0x20) - 'a'
	if i < 0 || i >= len(p.Fields) {
		return nil
	}
	return &p.Fields[i]
}

// Shows reports whether the panel shows a row: the memory panel has only groups that own memory.
func (p *Panel) Shows(r *Row) bool {
	return p.needs == nil || slices.ContainsFunc(p.needs, func(m *Metric) bool { _, ok := r.Value(m); return ok })
}

// Of returns the column's metric for rows of an object; nil: none.
func (c Column) Of(o Object) *Metric {
	for _, m := range []*Metric{c.Metric, c.Other} {
		if m != nil && m.slot[o] > 0 {
			return m
		}
	}
	return nil
}

// Needs returns the objects needed to fill the panel.
func (p *Panel) Needs(shown []Column, expanded bool) Objects {
	needs := ObjectsOf(Host, PCPU, Node, Group, p.Object) | ObjectsOf(p.With...) | p.header
	if expanded {
		needs |= ObjectsOf(p.Expand...)
	}
	for _, c := range shown {
		needs |= ObjectsOf(c.Each)
	}
	return needs
}

// decimals returns the decimals of esxtop's screen: two, but none for numbers and settings.
func (m *Metric) decimals() int {
	switch {
	case m.digits != nil:
		return *m.digits
	case m.Kind != Gauge:
		return 2
	}
	switch m.Unit {
	case Number, MHz, Watt, LinkMbps, Bytes:
		return 0
	}
	return 2
}
