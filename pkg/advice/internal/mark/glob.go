package mark

import (
	"regexp"
	"strings"
)

// Glob is a pattern of names: * matches any text, ? matches one character, all other characters match themselves,
// ignoring case. Unlike in a shell, * also matches slashes, so that a pattern can be the beginning of a path, and
// brackets are literal, because names contain them.
type Glob struct {
	text    string
	pattern *regexp.Regexp // nil where the text has no wildcard
}

var wildcards = strings.NewReplacer(`\*`, ".*", `\?`, ".")

// NewGlob parses a pattern; "" is no pattern.
func NewGlob(text string) Glob {
	if !strings.ContainsAny(text, "*?") {
		return Glob{text: text}
	}
	quoted := regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD"))
	return Glob{text, regexp.MustCompile("(?is)^" + wildcards.Replace(quoted) + "$")}
}

// given reports whether there is a pattern.
func (g Glob) given() bool { return g.text != "" }

// Exact reports whether the pattern has no wildcard.
func (g Glob) Exact() bool { return g.pattern == nil }

// Matches reports whether the pattern matches one of the names.
func (g Glob) Matches(names ...string) bool {
	for _, n := range names {
		if g.Exact() && strings.EqualFold(g.text, n) || !g.Exact() && g.pattern.MatchString(n) {
			return true
		}
	}
	return false
}
