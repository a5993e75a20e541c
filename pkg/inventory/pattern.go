package inventory

import (
	"path"
	"strings"
)

// IsPattern reports whether a target is a shell pattern, such as db-* or host0[1-4].
func IsPattern(target string) bool { return strings.ContainsAny(target, "*?[") }

// MatchPattern reports whether a name matches a shell pattern, ignoring case; * does not match a slash. The only error
// is path.ErrBadPattern.
func MatchPattern(pattern, name string) (bool, error) {
	return path.Match(strings.ToLower(pattern), strings.ToLower(name))
}
