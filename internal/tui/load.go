package tui

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// loadMetrics are, by panel, the metrics that show load best. The first one that the source has orders the rows of a panel that
// opens by load.
var loadMetrics = map[byte][]string{
	'c': {"cpu.used", "cpu.run"},
	'm': {"mem.consumed", "mem.granted", "mem.size"},
	'd': {"disk.commands", "disk.reads"},
	'u': {"disk.commands", "disk.reads"},
	'v': {"vdisk.commands", "vdisk.writes"},
	'n': {"net.rateTx", "net.packetsTx"},
	'i': {"int.count"},
	'p': {"pcpu.util", "pcpu.used"},
	'x': {"dom.reads"},
}

// ByLoad returns the settings that the interactive screens open with: VMs only, the busiest first. esxtop itself opens on all
// groups by id, and so do the plain tables.
func (s Settings) ByLoad() Settings {
	s.byLoad, s.VMsOnly = true, true
	return s
}

// orderOf returns the order of a table's rows: the user's choice, or load.
func (s Settings) orderOf(t *table) Sort {
	if chosen, ok := s.Sorts[t.panel.Key]; ok || !s.byLoad {
		return chosen
	}
	ids := loadMetrics[t.panel.Key]
	for _, id := range ids {
		if c := t.columnOf(Sort{Metric: id}); c != nil && t.hasValues(c, t.rows) {
			return Sort{Metric: id}
		}
	}
	return Sort{Metric: ids[0]}
}

// hasValues reports whether any of the rows has a value in a column.
func (t *table) hasValues(c *column, rows []line) bool {
	return slices.ContainsFunc(rows, func(l line) bool {
		r := t.row(l, c)
		return r != nil && hasValue(r, c.Of(r.Object))
	})
}

func hasValue(r *esxtop.Row, m *esxtop.Metric) bool {
	if m == nil {
		return false
	}
	if m.Kind == esxtop.Text {
		_, ok := r.Text(m)
		return ok
	}
	_, ok := r.Value(m)
	return ok
}

// sortColumn is the column that orders the rows; nil: names or ids do.
func (t *table) sortColumn() *column {
	if t.order.Metric == "" {
		return nil
	}
	metric := esxtop.Lookup(t.order.Metric)
	for i := range t.columns {
		if c := &t.columns[i]; c.Metric == metric && c.child == t.order.Child {
			return c
		}
	}
	return t.columnOf(t.order)
}

// sortsBy reports whether a column orders the rows.
func (t *table) sortsBy(c *column) bool {
	if t.order.Metric != "" {
		return c.Metric != nil && c.Metric.ID == t.order.Metric && c.child == t.order.Child
	}
	by := t.order.Attribute
	return c.Metric == nil && (c.Attribute == by || by == esxtop.NoAttribute && c.Attribute == esxtop.RowID)
}

// sortText names the order of the rows, with an arrow: down is from the highest value.
func (t *table) sortText() string {
	return t.sortName() + " " + arrow(t.sortsDown())
}

// sortsDown reports whether the highest value, or the last name, comes first.
func (t *table) sortsDown() bool { return (t.order.Metric != "") != t.order.Reversed }

func (t *table) sortName() string {
	if c := t.sortColumn(); c != nil {
		return c.Label
	}
	for i := range t.columns {
		if c := &t.columns[i]; t.sortsBy(c) {
			return c.Label
		}
	}
	return "ID"
}

func arrow(down bool) string {
	if down {
		return "▼"
	}
	return "▲"
}
