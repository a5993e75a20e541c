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

// String is the problem as compilers print it, so that editors can jump to it.
func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Errors are all the mistakes found in a set of rule files, or in a file of waivers.
type Errors []Problem

// Error lists the problems, one a line.
func (p Errors) Error() string {
	lines := make([]string, len(p))
	for i, x := range p {
		lines[i] = x.String()
	}
	return strings.Join(lines, "\n")
}

// Err is the problems as an error in the order of the files, or nil when there are none.
func (p Errors) Err() error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return p
}
