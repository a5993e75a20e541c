package tui

import tea "charm.land/bubbletea/v2"

// layout is where the table is on the screen. The zero value is no table.
type layout struct {
	head int // the line of the column names
	rows int // how many lines of rows follow
	view view
}

const wheelRows = 3

// wheel scrolls by a few rows, as the arrow keys do.
func (m *model) wheel(b tea.MouseButton) {
	key, times := "down", wheelRows
	switch b {
	case tea.MouseWheelUp:
		key = "up"
	case tea.MouseWheelLeft:
		key, times = "left", 1
	case tea.MouseWheelRight:
		key, times = "right", 1
	case tea.MouseWheelDown:
	default:
		return
	}
	if _, fields := m.page.(fieldPage); fields || m.page != nil && times == 1 || m.prompt != nil {
		return
	}
	for range times {
		m.press(key, "")
	}
}

// click sorts by a column whose name is clicked, moves the cursor to a cell, or explains the cell that already has it.
func (m *model) click(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft || m.prompt != nil {
		return nil
	}
	m.message, m.fleeting = "", 0
	if p, ok := m.page.(clickable); ok {
		var cmd tea.Cmd
		m.page, cmd = p.click(m, at.Y)
		return cmd
	}
	column := m.layout.columnAt(at.X)
	row := m.topRow + at.Y - m.layout.head - 1
	switch {
	case m.layout.rows == 0 || column < 0:
	case at.Y == m.layout.head:
		m.column = column
		m.settle()
		m.sortHere()
	case at.Y < m.layout.head || at.Y > m.layout.head+m.layout.rows || row >= len(m.table.rows):
	case row == m.at && column == m.column:
		m.page = m.explain()
	default:
		m.at, m.column, m.moved = row, column, true
		m.settle()
	}
	return nil
}

// clickable is a page with lines to click on.
type clickable interface {
	click(m *model, line int) (page, tea.Cmd)
}

// columnAt is the place in the table of the column at a cell of the screen; -1: there is none.
func (l layout) columnAt(x int) int {
	if x < 0 {
		return -1
	}
	for i, c := range l.view.columns {
		if x < c.width {
			return l.view.at[i]
		}
		x -= c.width
	}
	return -1
}
