package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Terminal describes the output device. The zero value is a file or a pipe.
type Terminal struct {
	TTY   bool // the output is interactive
	Width int  // columns; 0 is no limit
	Style iostreams.Style
	Typed typed.Source // of the invocation, for the commands that are printed
}

// Show writes a document for the device.
func (t Terminal) Show(w io.Writer, d doc.Document) error { return d.Terminal(w, t.Width, t.Style) }

type page struct {
	w             *bufio.Writer
	term          Terminal
	unreadObjects map[inventory.Ref]bool // completely unread objects
	whole         bool                   // long lists are complete
}

// line writes indented text and aligns wrapped lines with it.
func (p *page) line(indent int, format string, args ...any) {
	p.hanging(indent, indent, format, args...)
}

func (p *page) hanging(indent, next int, format string, args ...any) {
	s := strings.Repeat(" ", indent) + fmt.Sprintf(format, args...)
	p.w.WriteString(doc.Wrap(s, strings.Repeat(" ", next), p.term.Width))
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
		p.line(objectIndent, "%s", i)
	}
}

// finish flushes the buffer; the argument what names the output in an error.
func finish(b *bufio.Writer, what string) error {
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
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
