package wording

import (
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/advice"
)

// docs is where the pages of docs/ are.
const docs = "https://github.com/vperf/vperf/blob/main/docs/"

// GuidePage is the page of docs/ where each rule of a category has a section.
func GuidePage(c advice.Category) string { return "rules/" + string(c) + ".md" }

// Docs is where to read about a rule; the guide has no section for a user's own.
func Docs(r *advice.Rule) string {
	if r.FromUser() {
		return ""
	}
	return docs + GuidePage(r.Category) + "#" + r.ID
}

// Clean makes text that somebody else chose safe for a terminal.
func Clean(s string) string { return iostreams.Sanitize(s) }

// OneLine is text with its line breaks taken out.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
