package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
)

type markdownPage struct {
	w     *bufio.Writer
	whole bool // every finding has a row
}

func (m *markdownPage) heading(word string) {
	fmt.Fprintf(m.w, "\n## %s\n\n", strings.ToUpper(word[:1])+word[1:])
}

func (m *markdownPage) row(cells ...string) {
	fmt.Fprintf(m.w, "| %s |\n", strings.Join(cells, " | "))
}

// literal escapes text for any Markdown renderer. Pipes and angle brackets become entities, because a backslash before them
// has different effects inside and outside tables. A zero-width character keeps @name from mentioning a user and #1 from
// linking to a ticket. Slashes and dots become entities, so that addresses do not become links. An exclamation mark makes an
// image only before a bracket, which is already escaped, and an @ before a blank mentions nobody.
func literal(s string) string { return literals.Replace(wording.Clean(s)) }

var literals = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~", `\~`, "$", `\$`,
	"& ", "& ", "&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;",
	"@ ", "@ ", "@", "@&#8203;", "#", "#&#8203;", "://", ":&#47;&#47;", "www.", "www&#46;",
)

// MarkdownText escapes untrusted text for a Markdown document.
func MarkdownText(s string) string { return literal(s) }
