package wording

import (
	"fmt"
	"strconv"
	"strings"
)

func Count(n int, what string) string { return fmt.Sprintf("%d %s", n, Plural(n, what)) }

// plural is a word as so many of it are called.
func Plural(n int, what string) string {
	switch {
	case n == 1:
		return what
	case strings.HasSuffix(what, "ch"):
		return what + "es"
	}
	return what + "s"
}

// are is "1 thing is" or "2 things are"; without a thing, "1 is" or "2 are".
func Are(n int, what string) string {
	verb := " are"
	if n == 1 {
		verb = " is"
	}
	if what == "" {
		return strconv.Itoa(n) + verb
	}
	return Count(n, what) + verb
}
