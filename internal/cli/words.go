package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// oneOf refuses a word that is none of a list, with the near ones.
func oneOf[T ~string](kind, word string, all []T) error {
	if slices.Contains(all, T(word)) {
		return nil
	}
	names := stringsOf(all)
	hint := ""
	if near := inventory.Near(word, names); len(near) > 0 {
		hint = fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return fmt.Errorf("no %s %q%s; there are %s", kind, word, hint, strings.Join(names, ", "))
}

func join[T ~string](words []T) string { return strings.Join(stringsOf(words), ", ") }

func stringsOf[T ~string](words []T) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
