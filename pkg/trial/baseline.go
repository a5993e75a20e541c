package trial

import "github.com/vperf/vperf/pkg/esxtop"

// Baseline is the hour before a trial, by unit.
type Baseline struct {
	Units []UnitBaseline `json:"units,omitempty"`
}

// UnitBaseline is the baseline of one unit.
type UnitBaseline struct {
	Outcomes []float64       `json:"outcomes"` // Σ cost / Σ work by outcome, as people see it
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
func (r *Registration) Measure(rounds []*esxtop.Round) Baseline { panic("not written yet") }
