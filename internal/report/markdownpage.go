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

// literal makes text mean itself wherever Markdown is read. Pipes and angle brackets are entities, since a backslash
// before them counts differently inside and outside of tables; a character of no width keeps @name from calling a
// person and #1 from naming a ticket; slashes and dots as entities keep addresses from becoming links. An exclamation mark makes an
// image only before a bracket, which has its backslash already, and an @ before a blank calls nobody.
func literal(s string) string { return literals.Replace(wording.Clean(s)) }

var literals = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~", `\~`, "$", `\$`,
	"& ", "& ", "&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;",
	"@ ", "@ ", "@", "@&#8203;", "#", "#&#8203;", "://", ":&#47;&#47;", "www.", "www&#46;",
)
