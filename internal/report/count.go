package report

import (
	"fmt"
	"strconv"
	"strings"
)

func count(n int, what string) string { return fmt.Sprintf("%d %s", n, plural(n, what)) }

// plural is a word as so many of it are called.
func plural(n int, what string) string {
	switch {
	case n == 1:
		return what
	case strings.HasSuffix(what, "ch"):
		return what + "es"
	}
	return what + "s"
}

// are is "1 thing is" or "2 things are"; without a thing, "1 is" or "2 are".
func are(n int, what string) string {
	verb := " are"
	if n == 1 {
		verb = " is"
	}
	if what == "" {
		return strconv.Itoa(n) + verb
	}
	return count(n, what) + verb
}
