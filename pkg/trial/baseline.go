package trial

import (
	"math"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Baseline is the hour before a trial, by unit.
type Baseline struct {
	Units []UnitBaseline `json:"units,omitempty"`
}

// UnitBaseline is the baseline of one unit.
type UnitBaseline struct {
	Outcomes []float64       `json:"outcomes"` // by outcome, as people see it; 0: unknown
	Guards   []GuardBaseline `json:"guards,omitempty"`
}

// GuardBaseline is the baseline of a guard's counter.
type GuardBaseline struct {
	P99     float64 `json:"p99"`     // 99th percentile of the samples
	Max     float64 `json:"max"`     // largest sample
	Mean    float64 `json:"mean"`    // of the samples
	BlockSD float64 `json:"blockSD"` // standard deviation of the block means
	Samples int     `json:"samples"` // 0: unknown
}

// Measure computes the baseline of a registration's outcomes and guards from an hour of samples.
func (r *Registration) Measure(rounds []*esxtop.Round) (Baseline, error) {
	m, err := NewMeter(r)
	if err != nil {
		return Baseline{}, err
	}
	m.take(rounds)
	b := Baseline{Units: make([]UnitBaseline, len(r.Units))}
	for u := range r.Units {
		whole := m.unitBlock(m.samples[u])
		for i, v := range whole.Outcomes {
			shown := 0.
			if v.Known {
				shown = m.outcomes[i].Form.Shown(v.Value)
			}
			b.Units[u].Outcomes = append(b.Units[u].Outcomes, shown)
		}
		for g := range r.Guards {
			b.Units[u].Guards = append(b.Units[u].Guards, guardBaseline(m.samples[u], g, r.Block))
		}
	}
	return b, nil
}

// take adds all frames of some rounds.
func (m *Meter) take(rounds []*esxtop.Round) {
	for _, round := range rounds {
		for _, f := range round.Frames {
			m.Add(f)
		}
	}
}

func guardBaseline(samples []RawSample, guard int, block time.Duration) (b GuardBaseline) {
	var list, blocks []float64
	for i := 0; i < len(samples); {
		from, j := i, i
		for j < len(samples) && samples[j].Time.Sub(samples[from].Time) < block {
			j++
		}
		if v := meanKnown(samples[from:j], func(s *RawSample) float64 { return s.Guards[guard] }); v != unknown {
			blocks = append(blocks, v)
		}
		i = j
	}
	for i := range samples {
		if v := samples[i].Guards[guard]; v != unknown {
			list, b.Max = append(list, v), max(b.Max, v)
		}
	}
	if b.Samples = len(list); b.Samples > 0 {
		b.P99, b.Mean, b.BlockSD = percentile(list, .99), mean(list), math.Sqrt(variance(blocks))
	}
	return b
}
