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

// Explain adds to CEL's message what the writer probably meant; names are those that the expression can start with.
func Explain(message, source string, names []string) string {
	message = celContainers.ReplaceAllString(message, "")
	if strings.Contains(message, "did you mean") {
		return message // CEL had an idea of its own
	}
	if m := undefined.FindStringSubmatch(message); m != nil {
		return message + inventory.DidYouMean(m[1], allFieldNames())
	}
	m := undeclared.FindStringSubmatch(message)
	switch {
	case m == nil:
		return message
	case bareWord.MatchString(source):
		return message + fmt.Sprintf(`; a text needs quotes of its own: '"%s"'`, source)
	case m[1] == VarFindings:
		return message + ": only a diagnosis, which has explains, knows what became of other rules"
	case slices.Contains([]string{"has", "dyn", "type"}, m[1]):
		return message + "; it would answer for facts that nobody read"
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
