package trial

// CoursePoint is what a trial said after some of its pairs.
type CoursePoint struct {
	Pairs    int      `json:"pairs"` // differences that counted by then
	Estimate Estimate `json:"estimate"`
	P        float64  `json:"p"`
	E        float64  `json:"e"`
}

// Course returns what the trial of a switching design said after each difference that counts, in the order in which they are
// analysed. If there are more than most, it returns so many at even distances, and always the last.
func (r *Registration) Course(res *Result, most int) []CoursePoint {
	used := differences(res.Pairs, -1)
	if !r.Design.Switches() || len(used) == 0 || most <= 0 {
		return nil
	}
	n := min(most, len(used))
	list, e := make([]CoursePoint, n), eValues(used)
	for i := range list {
		k := (i + 1) * len(used) / n
		list[i] = CoursePoint{Pairs: k, Estimate: newEstimate(used[:k], r.Outcome.Form, r.base(0)), P: signFlip(used[:k], r.Seed), E: e[k-1]}
	}
	return list
}
