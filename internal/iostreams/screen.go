package iostreams

import (
	"fmt"
	"strings"
	"time"
)

// Screen is some lines on Err that are drawn over again while something goes on, and erased at its end. It shows nothing if Err is
// not a terminal. It must not be used by several goroutines at once.
type Screen struct {
	streams *IO // nil if Err is not a terminal
	lines   int // that are drawn
	drawn   time.Time
	done    bool
}

// StartScreen returns a screen without lines.
func (s *IO) StartScreen() *Screen {
	if s.errTTY && !s.dumb() && !s.noProgress {
		return &Screen{streams: s}
	}
	return new(Screen)
}

// Shown reports whether anybody sees the screen.
func (c *Screen) Shown() bool { return c.streams != nil }

// Width is how many columns a line may have. It never fills the last column, because a terminal that wraps there has a line more than
// can be erased.
func (c *Screen) Width() int {
	width := usualWidth
	if c.streams != nil {
		if own := c.streams.errWidth(); own > 0 {
			width = own
		}
	}
	return width - 1
}

// Draw replaces the lines, unless they have just been drawn.
func (c *Screen) Draw(lines []string) {
	if c.streams == nil || c.done || time.Since(c.drawn) < redrawEvery {
		return
	}
	c.drawn = time.Now()
	var b strings.Builder
	c.home(&b)
	for _, line := range lines {
		b.WriteString(line + eraseRest + "\n")
	}
	b.WriteString(eraseBelow)
	c.lines = len(lines)
	fmt.Fprint(c.streams.Err, b.String())
}

// Done erases the lines. Drawing after it does nothing.
func (c *Screen) Done() {
	if c.streams == nil || c.done {
		return
	}
	c.done = true
	var b strings.Builder
	c.home(&b)
	b.WriteString(eraseBelow)
	fmt.Fprint(c.streams.Err, b.String())
}

const (
	eraseRest  = "\x1b[K" // of the line
	eraseBelow = "\x1b[J" // of the screen
)

// home moves the cursor to the first of the lines.
func (c *Screen) home(b *strings.Builder) {
	b.WriteByte('\r')
	if c.lines > 0 {
		fmt.Fprintf(b, "\x1b[%dA", c.lines)
	}
}
