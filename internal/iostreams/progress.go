package iostreams

import (
	"fmt"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// redrawEvery keeps a thousand hosts a second from becoming a thousand
	// lines a second through somebody's SSH session.
	redrawEvery = 100 * time.Millisecond

	// estimateAfter is the delay before the first estimate of the remaining time: shorter work needs none.
	estimateAfter = 2 * time.Second

	// quietAfter is the time without an update after which the line also shows how long that has been: a server may hang.
	quietAfter = 5 * time.Second

	// quietEvery is how often that time is redrawn.
	quietEvery = time.Second

	// usualWidth is the width of terminals that do not report one.
	usualWidth = 80

	eraseLine = "\r\x1b[K"
)

// Progress is one line on Err that shows the current work and is then erased.
// While nothing is updated it counts the seconds, so that a user can tell a
// server that hangs from work that goes on. If Err is not a terminal it prints
// nothing, to keep logs clean. Its methods are safe for concurrent use.
type Progress struct {
	streams *IO // nil if Err is not a terminal
	label   string

	began time.Time

	mu      sync.Mutex
	drawn   time.Time
	line    string    // without the time since the last update
	updated time.Time // the last time that line changed
	quiet   *time.Timer
	done    bool
}

// StartProgress shows label, to be followed by Done.
func (s *IO) StartProgress(label string) *Progress {
	p := &Progress{label: Sanitize(label), began: time.Now()}
	if s.errTTY && !s.dumb() && !s.noProgress {
		p.streams = s
		p.mu.Lock()
		defer p.mu.Unlock()
		p.line, p.updated = p.label, p.began
		p.draw(p.line)
		p.quiet = time.AfterFunc(quietAfter, p.tick)
	}
	return p
}

// tick redraws the line with the time since it last changed.
func (p *Progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	if quiet := time.Since(p.updated); quiet >= quietAfter {
		p.draw(p.line + ", waiting for " + Brief(quiet.Truncate(time.Second)))
	}
	p.quiet.Reset(quietEvery)
}

// Update shows text behind the label, unless the line has just been drawn: the
// next Update replaces the skipped text soon.
func (p *Progress) Update(text string) {
	if p.streams == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done || time.Since(p.drawn) < redrawEvery {
		return
	}
	if line := p.label + " " + Sanitize(text); line != p.line {
		p.line, p.updated = line, time.Now()
		p.draw(line)
	}
}

// Count shows that done of all items are done and, once it can be estimated, the remaining time.
func (p *Progress) Count(done, all int) {
	text := fmt.Sprintf("%d of %d", done, all)
	if took := time.Since(p.began); took >= estimateAfter && done > 0 && done < all {
		left := took * time.Duration(all-done) / time.Duration(done)
		text += ", about " + Brief(max(left.Round(time.Second), time.Second)) + " left"
	}
	p.Update(text)
}

// Done erases the line. Calling it again, or Update after it, does nothing.
func (p *Progress) Done() {
	if p.streams == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.done {
		p.quiet.Stop()
		fmt.Fprint(p.streams.Err, eraseLine)
	}
	p.done = true
}

// draw replaces the line. It never fills the last column, because a terminal
// that wraps there has two lines and only one of them would be erased.
func (p *Progress) draw(line string) {
	width := p.streams.errWidth()
	if width <= 0 {
		width = usualWidth
	}
	p.drawn = time.Now()
	fmt.Fprint(p.streams.Err, eraseLine, cut(line, width-1))
}

// cut shortens line to a number of characters. It counts runes, not columns: a
// name in wide characters may wrap, which costs a stale line and nothing else.
func cut(line string, most int) string {
	switch {
	case utf8.RuneCountInString(line) <= most:
		return line
	case most < 1:
		return ""
	}
	return string([]rune(line)[:most-1]) + "…"
}

// HideProgress shows no progress any more: other lines on Err would mix with it.
func (s *IO) HideProgress() { s.noProgress = true }
