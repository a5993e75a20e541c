package trial

import (
	"fmt"
	"math"
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Rules of guards.
const (
	hardFactor  = 1.5 // times the 99th percentile of the baseline
	hardSamples = 2   // above it, one after the other
	hardMemory  = 36  // samples without the change that the limit follows: those of three blocks. More would hide a doubling
	softLeast   = .10 // of the baseline, above the units without the change
	softSDs     = 3   // standard deviations of the baseline's blocks
	softBlocks  = 2   // one after the other
)

// watch follows the guards of a trial.
type watch struct {
	r        *Registration
	limits   [][]float64 // of hard guards, by unit and guard; infinite: none
	calm     [][]float64 // newest samples without the change, by unit × guards + guard
	readings []GuardReading
	streak   map[sampleOf]int // samples above the limit
	above    map[[2]int]int   // blocks above the controls, by unit and guard
	trips    []Trip
}

type sampleOf struct {
	unit, guard int
	host        string
}

func newWatch(r *Registration) *watch {
	w := &watch{r: r, above: map[[2]int]int{}, limits: make([][]float64, len(r.Units)), calm: make([][]float64, len(r.Units)*len(r.Guards))}
	for u := range r.Units {
		for g := range r.Guards {
			limit := r.hardLimit(u, g)
			w.limits[u] = append(w.limits[u], limit)
			w.readings = append(w.readings, GuardReading{Guard: r.Guards[g].ID, Unit: u, Limit: finite(limit)})
		}
	}
	return w
}

// finite keeps a limit in the range of JSON.
func finite(x float64) float64 { return max(-math.MaxFloat64, min(math.MaxFloat64, x)) }

// baseline returns a guard's baseline; without one, Samples is 0.
func (r *Registration) baseline(unit, guard int) GuardBaseline {
	if unit < len(r.Baseline.Units) && guard < len(r.Baseline.Units[unit].Guards) {
		return r.Baseline.Units[unit].Guards[guard]
	}
	return GuardBaseline{}
}

// hardLimit is the user's limit; or else 1.5 times the 99th percentile of the baseline, but at least the guard's floor,
// below which its counter is harmless.
func (r *Registration) hardLimit(unit, guard int) float64 {
	g, base := &r.Guards[guard], r.baseline(unit, guard)
	if g.Limit != nil {
		return *g.Limit
	}
	limit := max(g.floor(), hardFactor*base.P99)
	if limit == 0 {
		return math.Inf(1)
	}
	return limit
}

// GuardLimit returns above what a guard trips on a unit; of a guard with Below, below what. ok is false if it has no such limit.
func (r *Registration) GuardLimit(unit, guard int) (limit float64, ok bool) {
	limit = r.hardLimit(unit, guard)
	return limit, !math.IsInf(limit, 0)
}

// floor is the guard's own or the warning threshold of the catalogue.
func (g *Guard) floor() float64 {
	if g.Floor > 0 {
		return g.Floor
	}
	if m := esxtop.Lookup(g.Term.Metric); m != nil && m.Threshold != nil && !m.Threshold.Below {
		return m.Threshold.Warn
	}
	return 0
}

// begin starts a block: a streak does not go on in it.
func (w *watch) begin(*Block) { w.streak = map[sampleOf]int{} }

// sample evaluates the guards on a sample of a unit. It returns a trip if one ends the trial.
func (w *watch) sample(b *Block, unit int, s *RawSample) (trip *Trip) {
	for g := range w.r.Guards {
		guard, v, limit := &w.r.Guards[g], s.Guards[g], w.limits[unit][g]
		at := &w.readings[unit*len(w.r.Guards)+g]
		at.Value, at.Known = v, v != unknown
		key := sampleOf{unit, g, s.Host}
		if v == unknown || !b.Treated[unit] || s.Time.Add(-seconds(s.Seconds)).Before(b.Begin) {
			w.streak[key] = 0
			continue
		}
		if guard.Starts && guard.Limit == nil && v > 0 && w.started(unit, g) {
			trip = w.tripped(g, unit, "starts", v, 0)
			continue
		}
		if v > limit && !guard.Below || v < limit && guard.Below {
			w.streak[key]++
		} else {
			w.streak[key] = 0
		}
		if w.streak[key] >= hardSamples {
			trip = w.tripped(g, unit, "hard", v, limit)
		}
	}
	return trip
}

// learn raises the limits of hard guards to 1.5 times what the last blocks without the change showed, if that is more than the hour before:
// load that comes and goes with the time of day raises a counter with the change and without it. Blocks that are dropped teach nothing,
// and the limits of users stay.
func (w *watch) learn(b *Block) {
	for u := range b.Units {
		if b.Treated[u] || b.Units[u].Dropped != "" {
			continue
		}
		for g := range w.r.Guards {
			at := u*len(w.r.Guards) + g
			for _, s := range b.Units[u].Samples {
				if v := s.Guards[g]; v != unknown {
					w.calm[at] = append(w.calm[at], v)
				}
			}
			w.calm[at] = w.calm[at][max(0, len(w.calm[at])-hardMemory):]
			w.limits[u][g] = w.limit(u, g)
			w.readings[at].Limit = finite(w.limits[u][g])
		}
	}
}

// limit is the hard limit of a guard by the hour before and the newest samples without the change.
func (w *watch) limit(unit, guard int) float64 {
	limit, seen := w.r.hardLimit(unit, guard), hardFactor*percentile(w.calm[unit*len(w.r.Guards)+guard], .99)
	switch g := &w.r.Guards[guard]; {
	case g.Limit != nil:
		return limit
	case !math.IsInf(limit, 0):
		return max(limit, seen)
	case g.Starts && seen > 0: // it has started without the change
		return seen
	}
	return limit
}

// started reports whether any value is new: there was none in the hour before, and none in the last blocks without the change.
func (w *watch) started(unit, guard int) bool {
	b := w.r.baseline(unit, guard)
	return b.Samples > 0 && b.Max == 0 && !slices.ContainsFunc(w.calm[unit*len(w.r.Guards)+guard], func(v float64) bool { return v > 0 })
}

// soft compares the units with the change in a block with those without it. Where all units have the same state, there
// is nothing to compare with.
func (w *watch) soft(b *Block) (trip *Trip) {
	for g := range w.r.Guards {
		if w.r.Guards[g].Limit != nil {
			continue
		}
		controls, n := 0., 0
		for u := range b.Units {
			if x, ok := w.relative(b, u, g); ok && !b.Treated[u] {
				controls, n = controls+x, n+1
			}
		}
		for u := range b.Units {
			x, ok := w.relative(b, u, g)
			if !ok || !b.Treated[u] || n == 0 {
				continue
			}
			base := w.r.baseline(u, g)
			limit := max(softLeast, softSDs*base.BlockSD/base.Mean)
			if excess := x - controls/float64(n); excess <= limit {
				w.above[[2]int{u, g}] = 0
			} else if w.above[[2]int{u, g}]++; w.above[[2]int{u, g}] >= softBlocks {
				trip = w.tripped(g, u, "soft", excess, limit)
			}
		}
	}
	return trip
}

// relative returns a guard's mean in a block as a multiple of the unit's baseline.
func (w *watch) relative(b *Block, unit, guard int) (float64, bool) {
	u, base := &b.Units[unit], w.r.baseline(unit, guard)
	if u.Dropped != "" || guard >= len(u.Guards) || u.Guards[guard] == unknown || base.Mean <= 0 {
		return 0, false
	}
	return u.Guards[guard] / base.Mean, true
}

func (w *watch) tripped(guard, unit int, how string, v, limit float64) *Trip {
	g, name := &w.r.Guards[guard], w.r.Units[unit].Name
	t := &Trip{Guard: g.ID, How: how, Unit: unit, Value: v, Limit: limit}
	switch {
	case how == "starts":
		t.Text = fmt.Sprintf("%s on %s starts: %.3g %s, and 0 before the trial", g.Title, name, v, g.Unit)
	case how == "soft":
		t.Text = fmt.Sprintf("%s on %s is %.0f %% of its baseline above units without the change in two blocks, limit %.0f %%", g.Title, name, 100*v, 100*limit)
	case g.Below:
		t.Text = fmt.Sprintf("%s on %s is %.3g %s, below %.3g, in two samples", g.Title, name, v, g.Unit, limit)
	default:
		t.Text = fmt.Sprintf("%s on %s is %.3g %s, above %.3g, in two samples", g.Title, name, v, g.Unit, limit)
	}
	return t
}
