package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// cells returns the width of text in terminal columns.
func cells(s string) int {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] < 0x20 {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// cut shortens text to some columns.
func cut(s string, width int) string {
	if cells(s) <= width {
		return s
	}
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(s, width, "")
}

// pad cuts text or fills it up to a width.
func pad(s string, width int, left bool) string {
	s = cut(s, width)
	blank := strings.Repeat(" ", max(width-cells(s), 0))
	if left {
		return s + blank
	}
	return blank + s
}

// elide shortens text in its middle: names of devices and VMs often differ at their ends only.
func elide(s string, width int) string {
	n := cells(s)
	if n <= width || width < 8 {
		return s
	}
	tail := (width - 1) / 3
	end := ansi.TruncateLeft(s, n-tail, "")
	if cells(end) > tail { // half of a wide rune
		end = ansi.TruncateLeft(s, n-tail+1, "")
	}
	return cut(s, width-1-tail) + "…" + end
}
