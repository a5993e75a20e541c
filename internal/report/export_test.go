package report

import (
	"io"

	"github.com/vperf/vperf/internal/report/view"
)

// StoryTable writes the text of tickets as a terminal would, so that tests can search it without markup.
func StoryTable(w io.Writer, v *view.View, t Terminal) error {
	return t.Show(w, advised(v, v.Text()))
}

// Sentences returns the first sentences of a text, as many as fit.
var Sentences = view.Sentences
