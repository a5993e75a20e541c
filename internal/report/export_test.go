package report

import (
	"io"

	"github.com/vperf/vperf/internal/report/view"
)

// StoryTable writes the story that tickets have, as a terminal would: what tests look for has no markup in it.
func StoryTable(w io.Writer, v *view.View, t Terminal) error {
	return adviceTable(w, v, v.Text(), t)
}

// Sentences are the first of a text, as many as there is room for.
var Sentences = view.Sentences
