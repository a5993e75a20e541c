package wording

import (
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/advice"
)

// docs is the address of the pages of docs/.
const docs = "https://github.com/vperf/vperf/blob/main/docs/"

// GuidePage returns the page of docs/ with the sections of a category's rules.
func GuidePage(c advice.Category) string { return "rules/" + string(c) + ".md" }

// Docs returns the address of a rule's documentation; the guide has no section for a user's own rule.
func Docs(r *advice.Rule) string {
	if r.FromUser() {
		return ""
	}
	return docs + GuidePage(r.Category) + "#" + r.ID
}

// Question returns the address of an open question's description.
func Question(id string) string { return docs + "open-questions.md#" + Clean(id) }

// Clean makes text from other sources safe for a terminal.
func Clean(s string) string { return iostreams.Sanitize(s) }

// OneLine removes the line breaks from a text.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
