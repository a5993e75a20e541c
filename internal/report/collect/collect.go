package collect

import "slices"

// Map is a list of what becomes of each.
func Map[A, B any](all []A, of func(A) B) []B {
	out := make([]B, len(all))
	for i, x := range all {
		out[i] = of(x)
	}
	return out
}

// AddOnce adds something to a short list, unless it is there.
func AddOnce[T comparable](all []T, x T) []T {
	if slices.Contains(all, x) {
		return all
	}
	return append(all, x)
}

// Distinct is words in the order in which they came, each once; of a large fleet there are many.
type Distinct struct {
	Words []string
	seen  map[string]bool
}

// Add adds a word, unless it is there.
func (d *Distinct) Add(word string) {
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	if !d.seen[word] {
		d.seen[word] = true
		d.Words = append(d.Words, word)
	}
}
