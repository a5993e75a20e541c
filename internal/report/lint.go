package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
)

// LintSchema is the version of the JSON form of rule problems.
const LintSchema = "vperf.lint/v1"

// Lint holds the errors and warnings of rule files.
type Lint struct {
	Mistakes []strictyaml.Problem
	Warnings []strictyaml.Problem
}

// The levels of a problem.
const (
	levelError   = "error"
	levelWarning = "warning"
)

type jsonLint struct {
	Schema   string        `json:"schema"`
	Problems []jsonProblem `json:"problems"`
}

type jsonProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1
	Level   string `json:"level"`
	Message string `json:"message"`
}

// problems lists errors and warnings in file order.
func (l Lint) problems() []jsonProblem {
	all := []jsonProblem{}
	for _, of := range []struct {
		level string
		list  []strictyaml.Problem
	}{{levelError, l.Mistakes}, {levelWarning, l.Warnings}} {
		for _, p := range of.list {
			all = append(all, jsonProblem{p.File, p.Line, p.Column, of.level, p.Message})
		}
	}
	slices.SortStableFunc(all, func(a, b jsonProblem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return all
}

// LintJSON lists problems as JSON.
func LintJSON(w io.Writer, l Lint) error {
	return writeJSON(w, "the problems", jsonLint{LintSchema, l.problems()})
}

// LintText lists problems in the format of compilers, so that editors can jump to them.
func LintText(w io.Writer, l Lint) error {
	b := bufio.NewWriter(w)
	for _, p := range l.problems() {
		message := p.Message
		if p.Level == levelWarning {
			message = "warning: " + message
		}
		fmt.Fprintln(b, wording.Clean(strictyaml.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: message}.String()))
	}
	return finish(b, "the problems")
}
