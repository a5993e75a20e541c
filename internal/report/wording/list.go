package wording

import (
	"fmt"
	"strings"
)

// SomeOf lists the first few names, safe for a terminal.
func SomeOf(names []string) string { return Clean(SomeNames(names)) }

// SomeNames lists the first few names, unchanged.
func SomeNames(names []string) string {
	shown := names[:min(MostNamed, len(names))]
	s := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// MostNamed is the number of values of a list that fit in a line.
const MostNamed = 3

// FewOf joins the first items of a list in one line, and adds the number of the others.
func FewOf(all []string, most int, between string) string {
	if len(all) <= most+1 {
		return strings.Join(all, between)
	}
	return strings.Join(all[:most], between) + fmt.Sprintf(" and %d more", len(all)-most)
}
