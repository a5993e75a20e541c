package condition

import (
	"regexp"
	"strings"
)

// NamePattern matches the names of objects that must not be changed. It keeps its text, which the reason quotes.
type NamePattern struct {
	text   string
	regexp *regexp.Regexp
}

var wildcards = strings.NewReplacer(`\*`, ".*", `\?`, ".")

// NewNamePattern compiles a pattern: * matches any text and ? one character. Case is ignored.
func NewNamePattern(text string) NamePattern {
	quoted := regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD"))
	return NamePattern{text, regexp.MustCompile("(?is)^" + wildcards.Replace(quoted) + "$")}
}
