package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Near lists at most five words similar to s, the likeliest first. A word is similar if at most two letters, or a third
// of them, are wrong (two swapped letters count as two), or if it contains s.
func Near(s string, words []string) []string {
	type guess struct {
		word string
		far  int
	}
	var found []guess
	typed := strings.ToLower(s)
	allowed := max(min(2, len(typed)-1), len([]rune(typed))/3)
	for _, w := range words {
		lower := strings.ToLower(w)
		far := distance([]rune(lower), []rune(typed))
		if len(typed) > 1 && strings.Contains(lower, typed) {
			far = min(far, 1)
		}
		if w != "" && far <= allowed {
			found = append(found, guess{w, far})
		}
	}
	slices.SortStableFunc(found, func(a, b guess) int { return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.word, b.word)) })
	var near []string
	for _, g := range slices.Compact(found) {
		near = append(near, g.word)
	}
	return near[:min(5, len(near))]
}

// DidYouMean returns ` (did you mean "x"?)` for the word most similar to typed, or "" if there is none.
func DidYouMean[T ~string](typed string, all []T) string {
	words := make([]string, len(all))
	for i, w := range all {
		words[i] = string(w)
	}
	if near := Near(typed, words); len(near) > 0 {
		return fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return ""
}

// distance returns the Levenshtein distance: the number of letters to insert, delete or replace.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
