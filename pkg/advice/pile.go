package advice

import "slices"

// pile collects findings. There may be a hundred thousand of half a kilobyte each, so they are copied only once.
type pile [][]Finding

const pileHeight = 256

func (p *pile) add(f Finding) {
	last := len(*p) - 1
	if last < 0 || len((*p)[last]) == pileHeight {
		*p = append(*p, make([]Finding, 0, pileHeight))
		last++
	}
	(*p)[last] = append((*p)[last], f)
}

// join returns the findings, and empties the pile.
func (p *pile) join() []Finding {
	all := slices.Concat(*p...)
	*p = nil
	return all
}

// sortFindings sorts indexes first, and then moves each finding once and without a second list.
func sortFindings(all []Finding) {
	order := make([]int, len(all)) // the index of the finding that belongs at each place
	for i := range order {
		order[i] = i
	}
	byFinding := func(a, b int) int { return compareFindings(&all[a], &all[b]) }
	if slices.IsSortedFunc(order, byFinding) {
		return
	}
	slices.SortStableFunc(order, byFinding)
	for i := range order {
		first, at := all[i], i
		for order[at] != i {
			from := order[at]
			all[at], order[at] = all[from], at
			at = from
		}
		all[at], order[at] = first, at
	}
}
