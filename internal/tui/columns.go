package tui

import (
	"github.com/vperf/vperf/pkg/esxtop"
)

const (
	cellWidth = 8  // of figures, with the blank before them
	nameWidth = 16 // of NAME
	wideText  = 37 // of a device's name: naa. and 32 digits
)

// textColumns are those of words that esxtop gives more room; a negative width starts at the left.
var textColumns = map[string]int{
	"USED-BY": 22, "TEAM-PNIC": 11, "DNAME": -17, "DEVICES": -32, "AFFINITY_BIT_MASK": 18, "AUNITS": 8,
	"NWLD": 6, "NUMBLKS": 12, "ADAPTR": -9, "DEVICE": -wideText, "PATH": -21, "PATH/WORLD/PARTITION": -21,
	"VMNAME": -nameWidth - 1, "VDEVNAME": -13, "ROLE": -17, "PORT-ID": 10, "UP": 4, "FDUPLX": 7,
}

func placed(c esxtop.Column, s Settings, fixed bool) column {
	width, left := cellWidth, false
	if w, special := textColumns[c.Label]; special {
		width, left = max(w, -w), w < 0
	}
	if c.Attribute == esxtop.RowID || c.Attribute == esxtop.RowLeader {
		width = max(width, 9)
	}
	if c.Label == "GID" {
		width = 9
	}
	switch c.Attribute {
	case esxtop.RowName, esxtop.RowOwner:
		width, left = nameWidth+1, true
		if s.NameWidth > 0 {
			width = s.NameWidth + 1
		}
	}
	return column{Column: c, width: max(width, len(c.Label)+1), left: left, fixed: fixed}
}

// hostWidth is the width of the column HOST: the longest host's name, within reason.
func hostWidth(fl *fleet) int {
	w := len("HOST")
	for _, h := range fl.hosts {
		w = max(w, cells(clean(h)))
	}
	return min(w, 20) + 2 // a blank before it, and room for the mark of a late host behind
}

// Widths of the fixed columns on a narrow screen.
const (
	leastName    = 12 // as long as that makes room for leadFigures
	leastShrunk  = 9
	leadFigures  = 6
	leastFigures = 2
)

// shrunk takes room from the fixed columns of a narrow screen until the others have room: for six figures while names keep twelve
// cells, for two figures in any case.
func shrunk(columns []column, width int) []column {
	out := append([]column(nil), columns...)
	shrinkTo(out, width-figuresWidth(columns, leadFigures)-1, leastName+1)
	shrinkTo(out, width-figuresWidth(columns, leastFigures)-1, leastShrunk)
	return out
}

// figuresWidth is the width of the first few scrolling columns.
func figuresWidth(columns []column, count int) (width int) {
	for i := range columns {
		if !columns[i].fixed && count > 0 {
			width += columns[i].width
			count--
		}
	}
	return width
}

// shrinkTo takes cells from the widest fixed column until all of them take no more than room.
func shrinkTo(columns []column, room, least int) {
	for {
		sum, widest := 0, -1
		for i := range columns {
			if c := &columns[i]; c.fixed {
				sum += c.width
				if c.width > least && (widest < 0 || c.width > columns[widest].width) {
					widest = i
				}
			}
		}
		if widest < 0 || sum <= room {
			return
		}
		columns[widest].width--
	}
}

// column is a column of the table. A column of child objects becomes one column for each child.
type column struct {
	esxtop.Column
	child string // id of the row below; empty: the row's own figure
	width int    // with the blank before it
	left  bool   // its text is aligned left
	fixed bool   // it identifies rows, so it stays while others scroll
}
