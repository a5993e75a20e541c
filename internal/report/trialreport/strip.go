package trialreport

import (
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/pkg/trial"
)

// cell is the state of one block of one unit.
type cell rune

// Cells. Each is another character, so that a strip can be read without colour.
const (
	cellTreated   cell = '█'
	cellUntreated cell = '░'
	cellDropped   cell = '×'
	cellToCome    cell = '·'
	cellSpare     cell = '-'
)

// legendText explains the cells of a trial.
func legendText(r *trial.Registration) string {
	text := "█ with the change  ░ without  × does not count  · to come"
	if r.Spare > 0 {
		text += "  - spare"
	}
	return text
}

// expectedPairs returns how many pairs the trial takes if nothing more is dropped.
func expectedPairs(r *trial.Registration, blocks []trial.Block) int {
	return r.Expected(r.Dropped(blocks))
}

// strip returns the cells of a unit: two for each pair of the schedule.
func strip(r *trial.Registration, blocks []trial.Block, unit int) []cell {
	cells, expected := make([]cell, 2*r.Pairs), expectedPairs(r, blocks)
	for i := range cells {
		cells[i] = cellToCome
		if i >= 2*expected {
			cells[i] = cellSpare
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if at := 2*b.Pair + b.Half; at < len(cells) && unit < len(b.Treated) && cells[at] != cellDropped {
			cells[at] = cellUntreated
			if b.Treated[unit] {
				cells[at] = cellTreated
			}
		}
		if unit < len(b.Units) && b.Units[unit].Dropped != "" && 2*b.Pair+1 < len(cells) {
			cells[2*b.Pair], cells[2*b.Pair+1] = cellDropped, cellDropped
		}
	}
	return cells
}

// drawStrip draws the cells around the current one in a width. at is the column of the current cell, or -1.
func drawStrip(cells []cell, current, width int, s iostreams.Style) (text string, at int) {
	gap := 1 // a space between pairs
	if len(cells)+len(cells)/2 > width {
		gap = 0
	}
	from, to := 0, len(cells)
	if gap == 0 && len(cells) > width {
		from, to = window(len(cells), current, width-2)
	}
	var b strings.Builder
	at = -1
	if from > 0 {
		b.WriteRune('…')
	}
	for i := from; i < to; i++ {
		if gap > 0 && i > from && i%2 == 0 {
			b.WriteByte(' ')
		}
		if i == current {
			at = doc.Width(b.String())
		}
		b.WriteString(cells[i].colour(s))
	}
	if to < len(cells) {
		b.WriteRune('…')
	}
	return b.String(), at
}

// window returns the part of a strip to draw if not all of it has room: three quarters of it are the past.
func window(cells, current, width int) (from, to int) {
	width = max(width, 2)
	from = max(0, min(current-width*3/4, cells-width))
	from -= from % 2
	return from, min(cells, from+width)
}

func (c cell) colour(s iostreams.Style) string {
	switch text := string(rune(c)); c {
	case cellTreated:
		return s.Green(text)
	case cellDropped:
		return s.Yellow(text)
	case cellToCome, cellSpare:
		return s.Dim(text)
	default:
		return text
	}
}

// count returns how many cells of units are in each state.
func count(r *trial.Registration, blocks []trial.Block, from int) (treated, untreated, dropped int) {
	for u := from; u < len(r.Units); u++ {
		for _, c := range strip(r, blocks, u) {
			switch c {
			case cellTreated:
				treated++
			case cellUntreated:
				untreated++
			case cellDropped:
				dropped++
			}
		}
	}
	return treated, untreated, dropped
}
