package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

var (
	undeclared    = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
	undefined     = regexp.MustCompile(`^undefined field '([^']*)'`)
	celContainers = regexp.MustCompile(` \(in container '[^']*'\)`)
	bareWord      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

// Explain adds a hint to CEL's message; names are those that the expression can start with.
func Explain(message, source string, names []string) string {
	message = celContainers.ReplaceAllString(message, "")
	if strings.Contains(message, "did you mean") {
		return message // CEL has its own hint
	}
	if m := undefined.FindStringSubmatch(message); m != nil {
		return message + inventory.DidYouMean(m[1], allFieldNames())
	}
	m := undeclared.FindStringSubmatch(message)
	switch {
	case m == nil:
		return message
	case bareWord.MatchString(source):
		return message + fmt.Sprintf(`; a text needs its own quotes: '"%s"'`, source)
	case m[1] == VarFindings:
		return message + ": only a diagnosis, which has explains, can read the outcomes of other rules"
	case slices.Contains([]string{"has", "dyn", "type"}, m[1]):
		return message + "; it would give unread facts a value"
	}
	return message + inventory.DidYouMean(m[1], names)
}

func allFieldNames() []string {
	var names []string
	for _, t := range FactTypes {
		for i := range t.NumField() {
			if n := FieldName(t.Field(i)); n != "" {
				names = append(names, n)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
