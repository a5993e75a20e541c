package condition

import (
	"regexp"
	"strings"
)

// NamePattern is a pattern with its text, for who wants to know why.
type NamePattern struct {
	text   string
	regexp *regexp.Regexp
}

var wildcards = strings.NewReplacer(`\*`, ".*", `\?`, ".")

func NewNamePattern(text string) NamePattern {
	quoted := regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD"))
	return NamePattern{text, regexp.MustCompile("(?is)^" + wildcards.Replace(quoted) + "$")}
}
