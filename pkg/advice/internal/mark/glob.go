package mark

import (
	"regexp"
	"strings"
)

// Glob is a pattern of names: * is any text, ? is one character, all else is itself, and capitals do not count. Unlike a
// shell's, * crosses slashes, so that paths can be given by their beginning; brackets mean themselves, since they stand in
// names.
type Glob struct {
	text    string
	pattern *regexp.Regexp // nil where the text has no wildcard
}

var wildcards = strings.NewReplacer(`\*`, ".*", `\?`, ".")

// NewGlob reads a pattern; "" is none.
func NewGlob(text string) Glob {
	if !strings.ContainsAny(text, "*?") {
		return Glob{text: text}
	}
	quoted := regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD"))
	return Glob{text, regexp.MustCompile("(?is)^" + wildcards.Replace(quoted) + "$")}
}

// given reports a pattern that is there at all.
func (g Glob) given() bool { return g.text != "" }

// Exact reports a pattern that can only mean one name.
func (g Glob) Exact() bool { return g.pattern == nil }

// Matches reports whether one of the names is meant.
func (g Glob) Matches(names ...string) bool {
	for _, n := range names {
		if g.Exact() && strings.EqualFold(g.text, n) || !g.Exact() && g.pattern.MatchString(n) {
			return true
		}
	}
	return false
}
