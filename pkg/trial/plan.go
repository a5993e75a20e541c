package trial

import (
	"fmt"
	"math"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Prospect is what a trial with one outcome can see, as far as one hour of samples shows.
type Prospect struct {
	Outcome     Outcome  `json:"outcome"`
	Missing     string   `json:"missing,omitempty"` // why it cannot be measured; empty: it can
	Mean        float64  `json:"mean"`              // of the baseline, as people see it
	SD          float64  `json:"sd"`                // of differences of adjacent blocks, on the scale of the form
	Differences int      `json:"differences"`       // of adjacent blocks that do not overlap, that SD comes from
	Needed      int      `json:"needed"`            // differences that find MinEffect with 80 % probability, over all units
	Hours       []Hours  `json:"hours"`             // with 1, 2, 4 and 8 units
	Pairs       int      `json:"pairs"`             // of blocks, in the time that is available or else needed
	Smallest    float64  `json:"smallest"`          // effect that they find with 80 % probability, as a fraction; 0: none
	Power       float64  `json:"power"`             // probability that they find an effect of MinEffect
	Notes       []string `json:"notes,omitempty"`
}

// Hours is the time that a trial takes with a number of units.
type Hours struct {
	Units int     `json:"units"`
	Pairs int     `json:"pairs"` // of blocks
	Hours float64 `json:"hours"`
}

// PlanRequest is the question of [PlanFor]. Zero fields have the defaults of a registration.
type PlanRequest struct {
	Units     []Unit
	Outcomes  []Outcome
	MinEffect float64
	Alpha     float64
	Block     time.Duration
	Settle    time.Duration
	Interval  time.Duration
	For       time.Duration // the time that is available; 0: as much as is needed
}

// fewestDifferences of adjacent blocks give a standard deviation worth its name.
const fewestDifferences = 4

// PlanFor says of each outcome how noisy it is, how long a trial takes and what it can see, from an hour of samples.
func PlanFor(q PlanRequest, baseline []*esxtop.Round) []Prospect {
	if q.MinEffect == 0 {
		q.MinEffect = DefaultMinEffect
	}
	if q.Alpha == 0 {
		q.Alpha = DefaultAlpha
	}
	if q.Interval == 0 {
		q.Interval = DefaultInterval
	}
	list := make([]Prospect, len(q.Outcomes))
	for i, o := range q.Outcomes {
		list[i] = q.prospect(o, baseline)
	}
	return list
}

func (q *PlanRequest) prospect(o Outcome, baseline []*esxtop.Round) (p Prospect) {
	p.Outcome = o
	for _, u := range q.Units {
		if !o.Suits(u.Kind) {
			p.Missing = fmt.Sprintf("it cannot be measured on a %s", u.Kind)
			return p
		}
	}
	r := &Registration{Units: q.Units, Outcome: o, Block: q.Block, Settle: q.Settle, Interval: q.Interval}
	m, err := NewMeter(r)
	if err != nil {
		p.Missing = err.Error()
		return p
	}
	m.take(baseline)
	base, squares, n := 0., 0., 0
	for u := range q.Units {
		whole := valueOf(&o, m.samples[u], 0)
		if !whole.Known {
			p.Missing = fmt.Sprintf("%s has no %s: no samples, or no work was done", q.Units[u].Name, o.ID)
			return p
		}
		base += o.Form.Shown(whole.Value) / float64(len(q.Units))
		block := p.blockFor(m.samples[u], q)
		s, k := m.adjacent(u, block, q.Settle)
		squares, n = squares+s, n+k
		p.Differences += int(span(m.samples[u])/block) - 1
	}
	p.Mean = base
	if n == 0 {
		p.Missing = fmt.Sprintf("the samples do not fill two blocks of %s", q.Block)
		return p
	}
	p.SD = math.Sqrt(squares / float64(n))
	q.promise(&p)
	return p
}

func span(samples []RawSample) time.Duration {
	if len(samples) == 0 {
		return 0
	}
	return samples[len(samples)-1].Time.Sub(samples[0].Time) + seconds(samples[0].Seconds)
}

// blockFor returns the length of the blocks that the noise is measured with: shorter ones than those of the trial if too
// few fit into the baseline. Their noise is not smaller, so that the plan does not promise too much.
func (p *Prospect) blockFor(samples []RawSample, q *PlanRequest) time.Duration {
	longest := span(samples) / (fewestDifferences + 1)
	if q.Block <= longest || longest < q.Settle+2*q.Interval {
		return q.Block
	}
	if len(p.Notes) == 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("the noise is that of blocks of %s: the samples do not reach back far enough for blocks of %s",
			longest.Round(time.Second), q.Block))
	}
	return longest
}

// adjacent adds the squares of the differences of adjacent blocks, one pair of blocks from each sample on.
func (m *Meter) adjacent(unit int, block, settle time.Duration) (squares float64, n int) {
	samples := m.samples[unit]
	value := func(begin time.Time) (Value, bool) {
		in := within(samples, begin.Add(settle), begin.Add(block))
		if lostSamples(in, "", begin.Add(settle), begin.Add(block), m.r.Interval) > 0 {
			return Value{}, false
		}
		v := valueOf(&m.outcomes[0].Outcome, in, 0)
		return v, v.Known
	}
	for i := range samples {
		begin := samples[i].Time.Add(-seconds(samples[i].Seconds))
		a, ok := value(begin)
		b, ok2 := value(begin.Add(block))
		if ok && ok2 {
			squares, n = squares+(a.Value-b.Value)*(a.Value-b.Value), n+1
		}
	}
	return squares, n
}

// within returns the samples whose whole interval is between two moments.
func within(samples []RawSample, from, end time.Time) (in []RawSample) {
	for _, s := range samples {
		if !s.Time.Add(-seconds(s.Seconds)).Before(from) && !s.Time.After(end) {
			in = append(in, s)
		}
	}
	return in
}

// promise computes what a trial with this noise can see. Where effects depend on the load, they vary from pair to pair, which adds
// to the noise of the baseline as much as it is in proportion to the effect.
func (q *PlanRequest) promise(p *Prospect) {
	scale := Estimate{Form: p.Outcome.Form, Base: p.Mean}
	effect := scale.scale(q.MinEffect) // as an increase: as a logarithm, the smaller one
	varies := p.Outcome.EffectVaries
	noise := math.Hypot(p.SD, varies*effect)
	p.Needed = pairsNeeded(noise, effect)
	for _, units := range []int{1, 2, 4, 8} {
		p.Hours = append(p.Hours, q.hours(units, p.Needed))
	}
	units := len(q.Units)
	p.Pairs = q.hours(units, p.Needed).Pairs
	if q.For > 0 {
		p.Pairs = int(q.For / (2 * q.Block))
	}
	n := p.Pairs * units
	p.Power = power(noise, effect, n, p.Differences, q.Alpha)
	if n >= fewestPairs {
		p.Smallest = math.Abs(scale.Fraction(smallestEffect(p.SD, varies, n)))
	} else {
		p.Notes = append(p.Notes, fmt.Sprintf("%d differences are too few: the fewest that can decide are %d", n, fewestPairs))
	}
	if varies > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("effects on it depend on the load: the plan allows for a standard deviation from pair to pair of %.0f %% of the effect", 100*varies))
	}
	if p.Differences < fewestDifferences {
		p.Notes = append(p.Notes, fmt.Sprintf("the noise comes from %d differences of blocks only: the plan is rough", p.Differences))
	}
	if p.Outcome.Form == Difference && p.Mean == 0 {
		p.Notes = append(p.Notes, "the baseline is 0: effects are in "+p.Outcome.Unit)
	}
}

func (q *PlanRequest) hours(units, differences int) Hours {
	pairs := (differences + units - 1) / units
	return Hours{Units: units, Pairs: pairs, Hours: float64(pairs) * 2 * q.Block.Hours()}
}
