package doc

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/vperf/vperf/internal/iostreams"
)

// Escaped escapes text for any Markdown renderer. Pipes and angle brackets become entities, because a backslash before them
// has different effects inside and outside tables. A zero-width character keeps @name from mentioning a user and #1 from
// linking to a ticket. Slashes and dots become entities, so that addresses do not become links. An exclamation mark makes an
// image only before a bracket, which is already escaped, and an @ before a blank mentions nobody. Invisible characters are shown
// as escapes.
func Escaped(s string) string {
	s = markup.Replace(visible(iostreams.Sanitize(s)))
	return www.ReplaceAllString(s, "$1&#46;")
}

var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~", `\~`, "$", `\$`,
	"& ", "& ", "&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;",
	"@ ", "@ ", "@", "@&#8203;", "#", "#&#8203;", "://", ":&#47;&#47;",
)

var www = regexp.MustCompile(`(?i)(www)\.`)

// visible shows characters that have no width, such as a zero-width space, as escapes.
func visible(s string) string {
	hidden := func(r rune) bool { return unicode.Is(unicode.Cf, r) }
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if hidden(r) {
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Code returns text as code: its fence is longer than any row of backticks in it.
func Code(s string) string {
	s = visible(iostreams.Sanitize(s))
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	fence := "``"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + " " + s + " " + fence
}

// printable makes code safe for a terminal, and keeps its line breaks.
func printable(code string) string {
	lines := strings.Split(code, "\n")
	for i, l := range lines {
		lines[i] = iostreams.Sanitize(l)
	}
	return strings.Join(lines, "\n")
}
