package capture

import (
	"fmt"
	"strings"
)

// some names a few of many.
func some(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d others", len(names)-few)
}
