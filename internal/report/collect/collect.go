package collect

import "slices"

// Map returns the result of of for each item.
func Map[A, B any](all []A, of func(A) B) []B {
	out := make([]B, len(all))
	for i, x := range all {
		out[i] = of(x)
	}
	return out
}

// AddOnce appends x to a short list, unless the list contains it.
func AddOnce[T comparable](all []T, x T) []T {
	if slices.Contains(all, x) {
		return all
	}
	return append(all, x)
}

// Distinct holds distinct words in the order in which they were added. It suits long lists, such as those of a large fleet.
type Distinct struct {
	Words []string
	seen  map[string]bool
}

// Add adds a word, unless it is present.
func (d *Distinct) Add(word string) {
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	if !d.seen[word] {
		d.seen[word] = true
		d.Words = append(d.Words, word)
	}
}
