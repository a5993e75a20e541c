package report

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// wrap breaks text at spaces so that no line is longer than width; lines after the first begin with indent. A width of
// 0 means no limit. A word longer than a line stands alone: names are never cut.
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

// columns is the room that text takes on a terminal; colour takes none.
func columns(text string) int { return utf8.RuneCountInString(colourCodes.ReplaceAllString(text, "")) }
