package capture

import (
	"fmt"
	"strings"
)

// firstNames lists the first few of many names.
func firstNames(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d others", len(names)-few)
}
