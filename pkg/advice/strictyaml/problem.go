package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in a file of rules or waivers.
type Problem struct {
	File    string
	Line    int // from 1
	Column  int // from 1
	Message string
}

// String formats the problem as compilers do, so that editors can jump to it.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Errors are all mistakes found in a set of rule files, or in a file of waivers.
type Errors []Problem

// Error lists the problems, one for each line.
func (p Errors) Error() string {
	lines := make([]string, len(p))
	for i, x := range p {
		lines[i] = x.String()
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems as an error, sorted by file and position, or nil if there are none.
func (p Errors) Err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return p
}
