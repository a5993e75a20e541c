package advice

import (
	"regexp"
	"strings"
)

// glob is a pattern of names: * is any text, ? is one character, all else is itself, and capitals do not count. Unlike a
// shell's, * crosses slashes, so that paths can be given by their beginning; brackets mean themselves, since they stand in
// names.
type glob struct {
	text    string
	pattern *regexp.Regexp // nil where the text has no wildcard
}

var wildcards = strings.NewReplacer(`\*`, ".*", `\?`, ".")

func newGlob(text string) glob {
	if !strings.ContainsAny(text, "*?") {
		return glob{text: text}
	}
	quoted := regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD"))
	return glob{text, regexp.MustCompile("(?is)^" + wildcards.Replace(quoted) + "$")}
}

// given reports a pattern that is there at all.
func (g glob) given() bool { return g.text != "" }

// exact reports a pattern that can only mean one name.
func (g glob) exact() bool { return g.pattern == nil }

// matches reports whether one of the names is meant.
func (g glob) matches(names ...string) bool {
	for _, n := range names {
		if g.exact() && strings.EqualFold(g.text, n) || !g.exact() && g.pattern.MatchString(n) {
			return true
		}
	}
	return false
}
