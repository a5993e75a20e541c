package trialreport

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/doc"
)

// printer writes lines that are wrapped at the width of a terminal.
type printer struct {
	w    *bufio.Writer
	term report.Terminal
}

func newPrinter(w io.Writer, t report.Terminal) *printer {
	return &printer{w: bufio.NewWriter(w), term: t}
}

const hang = 2 // further lines of a paragraph

// line writes a paragraph.
func (p *printer) line(indent int, format string, args ...any) {
	text := strings.Repeat(" ", indent) + fmt.Sprintf(format, args...)
	p.w.WriteString(doc.Wrap(text, strings.Repeat(" ", indent+hang), p.term.Width))
	p.w.WriteByte('\n')
}

// named writes a paragraph with its name; nothing for an empty text.
func (p *printer) named(name, text string) {
	if text != "" {
		p.line(0, "%s %s", p.term.Style.Bold(name+":"), text)
	}
}

// blank writes an empty line.
func (p *printer) blank() { p.w.WriteByte('\n') }

// table writes rows in columns, the first one as their heading.
func (p *printer) table(rows [][]string) {
	if len(rows) < 2 {
		return
	}
	for i, line := range doc.Align(rows) {
		if line = strings.TrimRight(line, " "); i == 0 {
			line = p.term.Style.Dim(line)
		}
		p.w.WriteString(line)
		p.w.WriteByte('\n')
	}
}

func (p *printer) end(what string) error {
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}

// fits reports whether rows in columns are no wider than the terminal.
func (p *printer) fits(rows [][]string) bool {
	if p.term.Width <= 0 {
		return true
	}
	total := 0
	for _, w := range doc.Widths(rows) {
		total += w + 2
	}
	return total-2 <= p.term.Width
}

// rightAligned pads the cells of columns from the left.
func rightAligned(rows [][]string, which ...int) [][]string {
	widths := doc.Widths(rows)
	for _, row := range rows {
		for _, i := range which {
			if i < len(row) {
				row[i] = strings.Repeat(" ", widths[i]-doc.Width(row[i])) + row[i]
			}
		}
	}
	return rows
}
