package trial

import "fmt"

// Sight says whether counters show that the switched change took effect.
type Sight string

// Sights.
const (
	SeenYes    Sight = "yes"
	SeenNot    Sight = "no sign of it"
	SeenUnable Sight = "cannot be seen"
)

// TookEffect says whether the change took effect, by a counter that must move with it. That a setting was written and read back does
// not say so: running adapters may keep the old value, and a limit may bind nobody.
type TookEffect struct {
	Seen    Sight  `json:"seen"`
	Outcome string `json:"outcome,omitempty"` // whose counter shows it
	Why     string `json:"why"`
}

// Witness returns the outcome that shows whether a change of the rule took effect, or nil if no counter does.
func Witness(rule string, list []Outcome) *Outcome {
	for i := range list {
		if list[i].shows(rule) {
			return &list[i]
		}
	}
	return nil
}

// tookEffect looks for the sign in the results of the outcomes.
func (r *Registration) tookEffect(res *Result) *TookEffect {
	if r.Witness == "" {
		return &TookEffect{Seen: SeenUnable, Why: "no counter is known that must move with this change"}
	}
	for i, o := range r.Outcomes() {
		if o.ID != r.Witness {
			continue
		}
		e, p := res.Estimate, res.P
		if i > 0 {
			e, p = res.Others[i-1].Estimate, res.Others[i-1].P
		}
		return o.sight(e, p, r.Alpha)
	}
	return &TookEffect{Seen: SeenUnable, Outcome: r.Witness, Why: "it was not measured"}
}

func (o *Outcome) sight(e Estimate, p, alpha float64) *TookEffect {
	t := &TookEffect{Outcome: o.ID}
	moved := e.Mean > 0 && o.Moves == Up || e.Mean < 0 && o.Moves == Down
	switch {
	case e.N < fewestPairs:
		t.Seen, t.Why = SeenUnable, fmt.Sprintf("%s was measured %d times, and %d are needed", o.ID, e.N, fewestPairs)
	case moved && p <= alpha:
		t.Seen, t.Why = SeenYes, fmt.Sprintf("%s goes %s with the change, p %.2g", o.ID, o.Moves, p)
	default:
		t.Seen, t.Why = SeenNot, fmt.Sprintf("%s does not go %s with the change, p %.2g", o.ID, o.Moves, p)
	}
	return t
}
