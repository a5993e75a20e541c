package report

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
)

// The first screen of advice has 40 lines, as that of an audit, and one of them is a message on stderr. Three recommendations with
// evidence and fix leave room for others.
const (
	screenLines = 39
	screenFull  = 3
)

// adviceScreen writes the counts, the first recommendations with their evidence and fix, and as many others in one line each as
// fit a screen.
func adviceScreen(w io.Writer, s view.Text, t Terminal) error {
	var screen bytes.Buffer
	p := &page{w: bufio.NewWriter(&screen), term: t}
	p.line(0, "%s", t.Style.Bold(p.cut(wording.Clean(s.Verdict), t.Width)))
	for _, l := range append(s.Counts, s.About) {
		p.line(0, "%s", p.cut(wording.Clean(l), t.Width))
	}
	entries := s.Sections[0].Entries
	full := min(len(entries), screenFull)
	for _, e := range entries[:full] {
		p.w.WriteByte('\n')
		p.screenEntry(e)
	}
	if err := finish(p.w, "advice"); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	b.Write(screen.Bytes())
	p.w = b
	p.screenRest(entries[full:], screenLines-bytes.Count(screen.Bytes(), []byte("\n")))
	return finish(b, "advice as a screen")
}

// screenEntry writes a recommendation with one line of evidence; --all has all of it.
func (p *page) screenEntry(e view.Entry) {
	p.hanging(0, detailIndent, "%s", p.entryHead(e))
	for _, l := range e.Lines {
		p.hanging(detailIndent, detailIndent+2, "%s", wording.Clean(l))
	}
	for _, f := range e.Fields {
		if f.Label == "because" {
			f.Lines = []string{p.cut(wording.Clean(f.Lines[0]), p.term.Width-detailIndent-labelWidth)}
		}
		p.field(f)
	}
}

// screenRest lists the other recommendations on the remaining lines, and suggests commands.
func (p *page) screenRest(rest []view.Entry, lines int) {
	next := []string{
		"--all shows everything: misconfigurations, explained symptoms, missing data",
		p.term.Typed.Command("explain", "RULE") + ": reasons and sources; " + p.term.Typed.Command("plan", "--rule", "RULE") + ": the change",
	}
	lines -= 2 // blank lines
	for _, l := range next {
		lines -= 1 + strings.Count(doc.Wrap(l, "", p.term.Width-detailIndent), "\n")
	}
	if len(rest) > 0 {
		p.w.WriteByte('\n')
	}
	shown := len(rest)
	if shown > lines {
		shown = max(lines-1, 0) // and a line that counts the others
	}
	for _, e := range rest[:shown] {
		if len(e.Lines) > 0 {
			e.Title += ": " + e.Lines[0]
		}
		p.line(0, "%s", p.cutStyled(e))
	}
	if n := len(rest) - shown; n > 0 {
		p.line(0, "… and %d more", n)
	}
	p.w.WriteByte('\n')
	for _, l := range next {
		p.hanging(objectIndent, detailIndent, "%s", l)
	}
}

// cutStyled returns the head of an entry on one line. It cuts only the title, so that codes of colours stay complete.
func (p *page) cutStyled(e view.Entry) string {
	title := wording.Clean(wording.OneLine(e.Title))
	e.Title = ""
	before := doc.Width(p.entryHead(e))
	e.Title = p.cut(title, p.term.Width-before)
	return p.entryHead(e)
}
