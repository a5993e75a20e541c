package wording

import (
	"fmt"
	"strings"
)

// SomeOf names the first few, safe for a terminal.
func SomeOf(names []string) string { return Clean(SomeNames(names)) }

// SomeNames names the first few, as they are.
func SomeNames(names []string) string {
	shown := names[:min(MostNamed, len(names))]
	s := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// MostNamed are as many values of a list as a line has room for.
const MostNamed = 3

// FewOf are the first of a list in one line, and how many more there are.
func FewOf(all []string, most int, between string) string {
	if len(all) <= most+1 {
		return strings.Join(all, between)
	}
	return strings.Join(all[:most], between) + fmt.Sprintf(" and %d more", len(all)-most)
}
