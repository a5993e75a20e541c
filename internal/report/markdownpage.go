package report

import (
	"bufio"
	"fmt"
	"strings"
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
