// Package columns wraps and aligns text for a terminal.
package columns

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Wrap breaks text at spaces so that no line is longer than width; lines after the first begin with indent. A width of 0
// means no limit. A word longer than a line gets its own line: names are never cut.
func Wrap(text, indent string, width int) string {
	if width <= 0 {
		return text
	}
	var b strings.Builder
	used := 0
	for i, word := range strings.Split(text, " ") {
		n := Width(word)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + indent)
			used = Width(indent)
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

// Width returns the width of text on a terminal; colour codes take no room.
func Width(text string) int { return utf8.RuneCountInString(colourCodes.ReplaceAllString(text, "")) }

// Widths returns the width of the widest cell of each column.
func Widths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	return widths
}

// Align aligns the cells of rows.
func Align(rows [][]string) []string {
	widths := Widths(rows)
	aligned := make([]string, len(rows))
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-Width(cell)+2))
			}
		}
		aligned[n] = b.String()
	}
	return aligned
}
