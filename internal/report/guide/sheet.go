package guide

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// sheet is a file of Markdown in the making.
type sheet struct {
	path  string // below docs/
	w     bytes.Buffer
	raise int // by how many levels its headings are above those of the whole guide in one file
}

func (s *sheet) heading(level int, title string) {
	s.say("%s %s", strings.Repeat("#", level-s.raise), title)
}

// say writes one paragraph.
func (s *sheet) say(format string, args ...any) {
	fmt.Fprintf(&s.w, format+"\n\n", args...)
}

func (s *sheet) list(items []string) {
	for _, i := range items {
		fmt.Fprintf(&s.w, "- %s\n", i)
	}
	if len(items) > 0 {
		s.w.WriteByte('\n')
	}
}

// titled writes a list of what a rule says under a title of its own, or nothing.
func (s *sheet) titled(title string, items []string) {
	if len(items) == 0 {
		return
	}
	s.say("**%s**", title)
	s.prose(items)
}

func (s *sheet) prose(items []string) {
	safe := make([]string, len(items))
	for i, item := range items {
		safe[i] = prose(item)
	}
	s.list(safe)
}

var markup = strings.NewReplacer("<", "&lt;", "*", `\*`)

// prose is a rule's text as one line of Markdown. Rules are plain text, in which <device> and sched.* mean themselves;
// what they put between backquotes stays.
func prose(s string) string {
	parts := strings.Split(oneLine(s), "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = markup.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// linkTo is a link to a heading of the guide, wherever it is: linked finds its file.
func linkTo(title string) string { return "[" + title + "](#" + anchor(title) + ")" }

var notInAnchors = regexp.MustCompile(`[^a-z0-9 _-]`)

// anchor is what a heading is linked by on GitHub.
func anchor(title string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

var (
	headings  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	innerLink = regexp.MustCompile(`\[([^\]\n]+)\]\(#([a-z0-9_-]+)\)`)
)

// linked gives the texts of sheets, with links that lead to the sheet that has the heading. A link to a heading that none
// has becomes code: hand-written texts may name a rule that somebody left out of the library.
func linked(sheets []*sheet) [][]byte {
	at := map[string]string{}
	for _, s := range sheets {
		for _, m := range headings.FindAllSubmatch(s.w.Bytes(), -1) {
			at[anchor(string(m[1]))] = s.path
		}
	}
	out := make([][]byte, len(sheets))
	for i, s := range sheets {
		out[i] = innerLink.ReplaceAllFunc(s.w.Bytes(), func(link []byte) []byte {
			m := innerLink.FindSubmatch(link)
			to, known := at[string(m[2])]
			if !known {
				return []byte("`" + string(m[1]) + "`")
			}
			return []byte("[" + string(m[1]) + "](" + relative(s.path, to) + "#" + string(m[2]) + ")")
		})
	}
	return out
}

// relative is how one file links to another; empty within one.
func relative(from, to string) string {
	if from == to {
		return ""
	}
	rel, err := filepath.Rel(path.Dir(from), to)
	if err != nil {
		return to
	}
	return filepath.ToSlash(rel)
}
