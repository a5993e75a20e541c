// Package svg draws the output of a command on a terminal as an SVG: one text element for each run of characters with the same
// style. The picture needs no fonts, scripts or files from elsewhere.
package svg

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Sizes in pixels.
const (
	charWidth  = 8
	lineHeight = 18
	margin     = 16
	titleBar   = 32
	fontSize   = 13
)

// AsOf is the time that every picture shows instead of the time at which its command ran.
var AsOf = time.Date(2026, time.November, 20, 9, 30, 0, 0, time.UTC)

var (
	timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	style     = regexp.MustCompile(`\x1b\[([0-9;]*)m`)
	run       = regexp.MustCompile(`\S+( \S+)*`) // each is drawn at its own place, so that columns of a table keep theirs in any font
)

// look is how characters are drawn.
type look struct {
	colour    string // "" is the terminal's own
	bold, dim bool
}

// Draw returns a picture of a terminal after a command printed output, which may have colours (ANSI escape sequences).
func Draw(command, output string) []byte {
	output = timestamp.ReplaceAllString(output, AsOf.Format(time.RFC3339))
	lines := strings.Split(strings.TrimRight(output, "\r\n"), "\n")
	for i, l := range lines {
		lines[i] = visible(l)
	}
	lines = append([]string{"\x1b[2m$\x1b[22m " + command}, lines...)
	columns := 0
	for _, l := range lines {
		columns = max(columns, utf8.RuneCountInString(style.ReplaceAllString(l, "")))
	}
	width, height := 2*margin+columns*charWidth, titleBar+len(lines)*lineHeight+margin

	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(command))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#16191f"/>`+"\n", width, height)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="16" r="6" fill="%s"/>`+"\n", margin+6+20*i, colour)
	}
	fmt.Fprintf(&b, `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d" fill="#d5dae3" xml:space="preserve">`+"\n", fontSize)
	var now look // a style may go on over the end of a line
	for i, l := range lines {
		now = drawLine(&b, now, l, titleBar+(i+1)*lineHeight-4)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// visible returns what stays of a line on which progress was shown and erased before the result.
func visible(line string) string {
	line = strings.TrimRight(line, "\r")
	if i := strings.LastIndex(line, "\r\x1b[K"); i >= 0 {
		line = line[i+len("\r\x1b[K"):]
	}
	return line
}

// drawLine draws one line at the height y and returns the style at its end.
func drawLine(b *bytes.Buffer, now look, line string, y int) look {
	column := 0
	for {
		m := style.FindStringSubmatchIndex(line)
		text := line
		if m != nil {
			text = line[:m[0]]
		}
		for _, r := range run.FindAllStringIndex(text, -1) {
			drawRun(b, now, text[r[0]:r[1]], column+utf8.RuneCountInString(text[:r[0]]), y)
		}
		if m == nil {
			return now
		}
		column += utf8.RuneCountInString(text)
		now, line = now.with(line[m[2]:m[3]]), line[m[1]:]
	}
}

func drawRun(b *bytes.Buffer, l look, text string, column, y int) {
	attrs := ""
	if l.colour != "" {
		attrs += ` fill="` + l.colour + `"`
	}
	if l.bold {
		attrs += ` font-weight="700"`
	}
	if l.dim {
		attrs += ` fill-opacity="0.65"`
	}
	n := utf8.RuneCountInString(text)
	fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs"%s>%s</text>`+"\n",
		margin+column*charWidth, y, n*charWidth, attrs, html.EscapeString(text))
}

var colours = map[int]string{31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea"}

// with returns the look after an escape sequence with these codes, such as "1;31".
func (l look) with(codes string) look {
	for code := range strings.SplitSeq(codes, ";") {
		n, err := strconv.Atoi(code)
		switch {
		case err != nil || n == 0:
			l = look{}
		case n == 1:
			l.bold = true
		case n == 2:
			l.dim = true
		case n == 22:
			l.bold, l.dim = false, false
		case n == 39:
			l.colour = ""
		case colours[n] != "":
			l.colour = colours[n]
		}
	}
	return l
}
