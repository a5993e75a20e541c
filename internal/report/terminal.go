package report

import (
	"bufio"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Terminal describes the output device. The zero value is a file or a pipe.
type Terminal struct {
	TTY   bool // the output is interactive
	Width int  // columns; 0 is no limit
	Style iostreams.Style
}

type page struct {
	w             *bufio.Writer
	term          Terminal
	unreadObjects map[inventory.Ref]bool // completely unread objects
	whole         bool                   // long lists are complete
	brief         bool                   // each change of a plan takes one line
}

// line writes indented text and aligns wrapped lines with it.
func (p *page) line(indent int, format string, args ...any) {
	p.hanging(indent, indent, format, args...)
}

func (p *page) hanging(indent, next int, format string, args ...any) {
	s := strings.Repeat(" ", indent) + fmt.Sprintf(format, args...)
	p.w.WriteString(wrap(s, strings.Repeat(" ", next), p.term.Width))
	p.w.WriteByte('\n')
}

const (
	objectIndent = 2
	detailIndent = 4
)

func (p *page) section(title string, items []string) {
	if len(items) == 0 {
		return
	}
	p.w.WriteByte('\n')
	p.line(0, "%s", p.term.Style.Bold(title))
	for _, i := range items {
		p.line(explainIndent, "%s", i)
	}
}

func (p *page) warnings(all []string) {
	for _, w := range all {
		p.hanging(0, objectIndent, "%s %s", p.term.Style.Yellow("warning:"), wording.Clean(w))
	}
}

// wrap breaks text at spaces so that no line is longer than width; lines after the first begin with indent. A width of 0
// means no limit. A word longer than a line gets its own line: names are never cut.
func wrap(text, indent string, width int) string {
	if width <= 0 {
		return text
	}
	var b strings.Builder
	used := 0
	for i, word := range strings.Split(text, " ") {
		n := columns(word)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + indent)
			used = columns(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

var colourCodes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// columns returns the width of text on a terminal; colour codes take no room.
func columns(text string) int { return utf8.RuneCountInString(colourCodes.ReplaceAllString(text, "")) }

// finish flushes the buffer; the argument what names the output in an error.
func finish(b *bufio.Writer, what string) error {
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}

// columnWidths returns the width of the widest cell of each column.
func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(cell))
		}
	}
	return widths
}

// inColumns aligns the cells of rows.
func inColumns(rows [][]string) []string {
	widths := columnWidths(rows)
	lines := make([]string, len(rows))
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-columns(cell)+2))
			}
		}
		lines[n] = b.String()
	}
	return lines
}

// severityWord returns a severity in its colour.
func severityWord(s iostreams.Style, of advice.Severity) string {
	word := strings.ToUpper(string(of))
	switch {
	case of.AtLeast(advice.High):
		return s.Red(word)
	case of == advice.Medium:
		return s.Yellow(word)
	}
	return word
}
