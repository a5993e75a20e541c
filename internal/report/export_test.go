package report

import "io"

// StoryTable writes the story that tickets have, as a terminal would: what tests look for has no markup in it.
func StoryTable(w io.Writer, a Advice, t Terminal) error { return adviceTable(w, a, storyOf(a), t) }

// Sentences are the first of a text, as many as there is room for.
var Sentences = sentences
