package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/typed"
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

// finish flushes the buffer; the argument what names the output in an error.
func finish(b *bufio.Writer, what string) error {
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", what, err)
	}
	return nil
}
