package trial

// SparePairs returns how many pairs to register beside the planned ones, which replace dropped pairs: a tenth of them, and at least 2.
func SparePairs(planned int) int { return max(2, (planned+9)/10) }

// Planned returns how many pairs have to count until the trial ends.
func (r *Registration) Planned() int { return r.Pairs - r.Spare }

// Expected returns how many pairs of blocks the trial takes if no more than so many differences are dropped.
func (r *Registration) Expected(dropped int) int {
	units := max(1, len(r.Units))
	return min(r.Pairs, r.Planned()+(dropped+units-1)/units)
}

// complete reports whether as many differences count as are planned. That depends on drops and never on what was measured, so
// that the randomisation test stays exact.
func (r *Registration) complete(res *Result) bool { return res.Used >= r.Planned()*len(r.Units) }

// Dropped returns how many differences of pairs with both blocks do not count.
func (r *Registration) Dropped(blocks []Block) (n int) {
	for _, p := range r.pairResults(r.pairs(blocks), 0) {
		if p.Dropped != "" {
			n++
		}
	}
	return n
}
