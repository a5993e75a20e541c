package trial

import (
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Prospect is what a trial with one outcome can see, as far as one hour of samples tells.
type Prospect struct {
	Outcome     Outcome  `json:"outcome"`
	Missing     string   `json:"missing,omitempty"` // why it cannot be measured; empty: it can
	Mean        float64  `json:"mean"`              // of the baseline, as people see it
	SD          float64  `json:"sd"`                // of differences of adjacent blocks, on the scale of the form
	Differences int      `json:"differences"`       // that SD comes from
	Pairs       int      `json:"pairs"`             // needed in all: differences over all units
	Hours       []Hours  `json:"hours"`             // with 1, 2, 4 and 8 units
	Smallest    float64  `json:"smallest"`          // effect that is found with 80 % probability in the time that is available, as a fraction
	Power       float64  `json:"power"`             // probability that an effect of MinEffect is found in that time
	Notes       []string `json:"notes,omitempty"`
}

// Hours is the time that a trial takes with a number of units.
type Hours struct {
	Units int     `json:"units"`
	Pairs int     `json:"pairs"` // of blocks
	Hours float64 `json:"hours"`
}

// PlanRequest is the question of [PlanFor].
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

// PlanFor says of each outcome how noisy it is, how long a trial takes and what it can see, from an hour of samples.
func PlanFor(q PlanRequest, baseline []*esxtop.Round) []Prospect { panic("not written yet") }
