package guide

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// sheet is a Markdown file under construction.
type sheet struct {
	path  string // below docs/
	w     bytes.Buffer
	raise int // number of levels its headings are above those in the single-file guide
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

// titled writes a list under its own title, or nothing if the list is empty.
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

// prose returns a rule's text as one line of Markdown. Rules are plain text, so it escapes <device> and sched.*; text between
// backquotes stays.
func prose(s string) string {
	parts := strings.Split(oneLine(s), "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = markup.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// linkTo links to a heading anywhere in the guide; linked finds its file.
func linkTo(title string) string { return "[" + title + "](#" + anchor(title) + ")" }

var notInAnchors = regexp.MustCompile(`[^a-z0-9 _-]`)

// anchor returns the GitHub anchor of a heading.
func anchor(title string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

var (
	headings  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	innerLink = regexp.MustCompile(`\[([^\]\n]+)\]\(#([a-z0-9_-]+)\)`)
)

// linked returns the texts of the sheets and points each link to the sheet with its heading. A link without a heading becomes
// code, because handwritten texts may name a rule that is not in the library.
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

// relative returns the relative link between two files, or "" within one file.
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
