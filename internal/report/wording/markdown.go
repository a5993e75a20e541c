package wording

import (
	"regexp"
	"strings"

	"github.com/vperf/vperf/internal/report/doc"
)

// Markdown escapes text for any Markdown renderer.
func Markdown(s string) string { return doc.Escaped(s) }

// MarkdownItem escapes text that starts a list item, so that it starts no list, line or block of its own.
func MarkdownItem(s string) string {
	s = Markdown(strings.TrimSpace(s))
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") || strings.HasPrefix(s, "=") {
		return `\` + s
	}
	return numbered.ReplaceAllString(s, `$1\$2`)
}

var numbered = regexp.MustCompile(`^(\d+)([.)])`)

// MarkdownCode returns text as code.
func MarkdownCode(s string) string { return doc.Code(s) }
