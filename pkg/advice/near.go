package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// didYouMean is ` (did you mean "x"?)` for the nearest word, or "" when none is near.
func didYouMean[T ~string](s string, all []T) string {
	if near := Near(s, all); len(near) > 0 {
		return fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return ""
}

// Near lists at most three words that s was probably meant to be, nearest first.
func Near[T ~string](s string, all []T) []T {
	type scored struct {
		word T
		far  int
	}
	var found []scored
	for _, w := range all {
		far := distance(strings.ToLower(s), strings.ToLower(string(w)))
		if far <= max(2, len(s)/3) || len(s) > 2 && strings.Contains(strings.ToLower(string(w)), strings.ToLower(s)) {
			found = append(found, scored{w, far})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.far, b.far) })
	var words []T
	for _, f := range found[:min(3, len(found))] {
		words = append(words, f.word)
	}
	return words
}

// distance is the number of inserted, removed or replaced bytes between a and b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
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
