package wording

import (
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/advice"
)

// guide is where every rule has a section of its own.
const guide = "https://github.com/vperf/vperf/blob/main/docs/best-practices.md#"

// Docs is where to read about a rule; the guide has no section for a user's own.
func Docs(r *advice.Rule) string {
	if r.FromUser() {
		return ""
	}
	return guide + r.ID
}

// Clean makes text that somebody else chose safe for a terminal.
func Clean(s string) string { return iostreams.Sanitize(s) }

// OneLine is text with its line breaks taken out.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
