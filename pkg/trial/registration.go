package trial

import (
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Schema is the version of the registration and of the blocks in the journal.
const Schema = "vperf.trial/v1"

// Defaults of a registration.
const (
	DefaultAlpha     = .05 // two-sided
	DefaultMinEffect = .05 // 5 %
	DefaultInterval  = 20 * time.Second
)

// Unit is what a coin is thrown for: a host, a VM, a LUN on all its hosts, or a cluster.
type Unit struct {
	Kind  inventory.Scope `json:"kind"`
	ID    string          `json:"id"` // the managed object id; of a LUN: the name of the device
	Name  string          `json:"name"`
	Hosts []string        `json:"hosts"` // ids of the hosts whose frames show it
}

// Registration is everything that is decided before the first block. It goes into the journal before any change.
type Registration struct {
	Schema   string           `json:"schema"`
	Rule     string           `json:"rule"`
	Question string           `json:"question"` // in words: "Does numa-io lower the used CPU per Gb/s of host01?"
	Design   inventory.Design `json:"design"`
	Units    []Unit           `json:"units"`

	Outcome   Outcome   `json:"outcome"`          // the primary one, which decides
	Others    []Outcome `json:"others,omitempty"` // described, and never decide
	MinEffect float64   `json:"minEffect"`        // the smallest effect that matters, as a fraction: .05
	Alpha     float64   `json:"alpha"`            // two-sided error probability: .05
	Guards    []Guard   `json:"guards,omitempty"`

	Seed     uint64        `json:"seed"`
	Block    time.Duration `json:"-"` // length of a block; blockSeconds in JSON
	Settle   time.Duration `json:"-"` // first part of a block, which is not measured; settleSeconds in JSON
	Interval time.Duration `json:"-"` // of samples; intervalSeconds in JSON
	Pairs    int           `json:"pairs"`
	Schedule []Pair        `json:"schedule,omitempty"` // of switching designs
	Lot      []bool        `json:"lot,omitempty"`      // of randomised designs: the units that get the change

	Baseline Baseline `json:"baseline"`
}

// Outcomes returns the primary outcome and the others, in the order of [UnitBlock.Outcomes].
func (r *Registration) Outcomes() []Outcome {
	return append([]Outcome{r.Outcome}, r.Others...)
}

// Objects returns the objects that the frames of a trial need.
func (r *Registration) Objects() esxtop.Objects {
	need := esxtop.ObjectsOf(esxtop.Host) // shows that the host took a sample
	for _, o := range r.Outcomes() {
		need |= o.objects()
	}
	for i := range r.Guards {
		need |= r.Guards[i].Term.objects()
	}
	return need.WithParents()
}
