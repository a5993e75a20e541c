package tui

import "github.com/vperf/vperf/pkg/esxtop"

// rebuild recomputes the table and keeps the cursor on its row and column.
func (m *model) rebuild() {
	m.all = collect(m.shown(), m.set)
	rows := m.all
	if m.only != "" {
		rows = collect(m.scene(), m.set)
	}
	m.table = rows.arranged(m.set, m.filter, m.expanded)
	m.table.lead(m.set)
	m.table.shortenHosts(m.scene().hosts)
	m.table.hideMissing(rows, m.valued)
	m.announceMissing()
	for i, l := range m.table.rows {
		if m.moved && l.key() == m.key {
			m.at = i
			break
		}
	}
	found := false
	for i, c := range m.table.columns {
		if c.Label == m.label {
			m.column, found = i, true
			break
		}
	}
	if !found && m.label == "" {
		m.column = m.firstColumn()
	}
	m.settle()
}

// firstColumn returns the initial column of the cursor: the sort column, or the first figure.
func (m *model) firstColumn() int {
	first := -1
	for i := range m.table.columns {
		c := &m.table.columns[i]
		switch {
		case c.Metric != nil && m.table.sortsBy(c):
			return i
		case first < 0 && c.Metric != nil && c.Metric.Kind != esxtop.Text && c.Decimals > 0:
			first = i
		}
	}
	return max(first, 0)
}

// settle keeps the cursor in the table and remembers its row and column.
func (m *model) settle() {
	m.at = min(max(m.at, 0), max(len(m.table.rows)-1, 0))
	m.column = min(max(m.column, 0), max(len(m.table.columns)-1, 0))
	if m.at < len(m.table.rows) {
		m.key = m.table.rows[m.at].key()
		if len(m.table.columns) > 0 {
			m.label = m.table.columns[m.column].Label
		}
	}
}

// under is the line under the cursor, and its column.
func (m *model) under() (line, *column, bool) {
	if m.at >= len(m.table.rows) || m.column >= len(m.table.columns) {
		return line{}, nil, false
	}
	return m.table.rows[m.at], &m.table.columns[m.column], true
}
