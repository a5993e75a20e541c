package report

import (
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
)

// grid writes a table with columns. On a narrow terminal it drops the optional columns; if the table is still too wide, it
// writes each row as a line of words, so that no figure is cut.
func (p *page) grid(g *view.Grid) {
	widths := gridWidths(g)
	for _, spare := range g.Spare {
		if i := slices.Index(g.Head, spare); i >= 0 && !p.fits(widths) {
			g.Drop(i)
			widths = gridWidths(g)
		}
	}
	if !p.fits(widths) {
		for _, row := range g.Rows {
			p.hanging(objectIndent, detailIndent, "%s", wording.Clean(gridLine(g, row)))
		}
		return
	}
	p.row(g.Head, widths, p.term.Style.Dim)
	for _, row := range g.Rows {
		p.row(row, widths, asIs)
	}
}

func gridWidths(g *view.Grid) []int {
	widths := make([]int, len(g.Head))
	for _, row := range append([][]string{g.Head}, g.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], doc.Width(wording.Clean(cell)))
		}
	}
	return widths
}

// gap is the number of blanks between columns.
const gap = 2

func (p *page) fits(widths []int) bool {
	total := objectIndent - gap
	for _, n := range widths {
		total += n + gap
	}
	return p.term.Width <= 0 || total <= p.term.Width
}

func (p *page) row(cells []string, widths []int, style func(string) string) {
	var b strings.Builder
	for i, cell := range cells {
		cell = wording.Clean(cell)
		b.WriteString(cell)
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-doc.Width(cell)+gap))
		}
	}
	p.line(objectIndent, "%s", style(strings.TrimRight(b.String(), " ")))
}

// gridLine returns a row as one line of words: the first cell, then each other cell with its heading.
func gridLine(g *view.Grid, row []string) string {
	var parts []string
	for i, cell := range row[1:] {
		if cell != "" {
			parts = append(parts, g.Head[i+1]+" "+cell)
		}
	}
	return row[0] + ": " + strings.Join(parts, "; ")
}
