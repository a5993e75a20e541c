package main

import (
	"fmt"
	"strings"
)

// kind says where a line of text is.
type kind int

const (
	comment kind = iota // a comment in Go
	literal             // a string in Go that is a sentence or a part of one
	rule                // prose in a YAML file
	page                // Markdown
	board               // titles and descriptions of dashboards
	kinds
)

var kindNames = [kinds]string{"Go comments", "Go strings", "YAML", "Markdown", "dashboards"}

// tally counts lines, and the suspicious ones among them, by kind.
type tally struct{ lines, suspicious [kinds]int }

func (t *tally) add(k kind, suspicious bool) {
	t.lines[k]++
	if suspicious {
		t.suspicious[k]++
	}
}

func (t *tally) String() string {
	var b strings.Builder
	var lines, suspicious int
	row := func(name string, suspicious, lines int) {
		if lines > 0 {
			fmt.Fprintf(&b, "%-12s %6d of %6d lines  %4.1f %%\n", name, suspicious, lines, 100*float64(suspicious)/float64(lines))
		}
	}
	for k := range kinds {
		row(kindNames[k], t.suspicious[k], t.lines[k])
		lines += t.lines[k]
		suspicious += t.suspicious[k]
	}
	row("all", suspicious, lines)
	return b.String()
}
