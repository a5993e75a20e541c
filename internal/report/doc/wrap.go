package doc

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
	start := len(text) - len(strings.TrimLeft(text, " "))
	words := strings.Split(text[start:], " ")
	lines := []string{text[:start] + words[0]}
	used := Width(lines[0])
	for _, word := range words[1:] {
		last, n := &lines[len(lines)-1], Width(word)
		if used+1+n > width {
			*last = strings.TrimRight(*last, " ")
			lines, used = append(lines, indent+word), Width(indent)+n
			continue
		}
		*last += " " + word
		used += 1 + n
	}
	return strings.Join(lines, "\n")
}

var colourCodes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Width returns the width of text on a terminal; colour codes take no room.
func Width(text string) int { return utf8.RuneCountInString(colourCodes.ReplaceAllString(text, "")) }
