package report

import (
	"slices"
	"strings"
)

// grid writes a table with columns. Where the terminal is too narrow for it spare columns go, and where that is not enough each
// row is a line of words: figures are not cut.
func (p *page) grid(g *grid) {
	widths := g.widths()
	for _, spare := range g.spare {
		if i := slices.Index(g.head, spare); i >= 0 && !p.fits(widths) {
			g.drop(i)
			widths = g.widths()
		}
	}
	if !p.fits(widths) {
		for _, row := range g.rows {
			p.hanging(objectIndent, detailIndent, "%s", clean(g.line(row)))
		}
		return
	}
	p.row(g.head, widths, p.term.Style.Dim)
	for _, row := range g.rows {
		p.row(row, widths, asIs)
	}
}

func (g *grid) widths() []int {
	widths := make([]int, len(g.head))
	for _, row := range append([][]string{g.head}, g.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(clean(cell)))
		}
	}
	return widths
}

// gap is between columns.
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
		cell = clean(cell)
		b.WriteString(cell)
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-columns(cell)+gap))
		}
	}
	p.line(objectIndent, "%s", style(strings.TrimRight(b.String(), " ")))
}

// line is a row in words: the first cell, and each other with its head.
func (g *grid) line(row []string) string {
	var parts []string
	for i, cell := range row[1:] {
		if cell != "" {
			parts = append(parts, g.head[i+1]+" "+cell)
		}
	}
	return row[0] + ": " + strings.Join(parts, "; ")
}
