package trial

import (
	"encoding/json"
	"errors"
	"fmt"
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

// Unit is what a coin is thrown for: a host, a VM, a pool, a LUN on all its hosts, a cluster, or a distributed switch
// with all its hosts.
type Unit struct {
	Kind  inventory.Scope `json:"kind"`
	ID    string          `json:"id"` // the managed object id; of a LUN: the name of the device
	Name  string          `json:"name"`
	Hosts []string        `json:"hosts"`         // ids of the hosts whose frames show it
	VMs   []string        `json:"vms,omitempty"` // of a pool: the ids of its VMs
}

// Registration is everything that is decided before the first block. It goes into the journal before any change.
type Registration struct {
	Schema   string           `json:"schema"`
	Rule     string           `json:"rule"`
	Question string           `json:"question"` // in words: "Does numa-io lower the used CPU per Gb/s of host01?"
	Design   inventory.Design `json:"design"`
	Units    []Unit           `json:"units"`

	Outcome   Outcome   `json:"outcome"`           // the primary one, which decides
	Others    []Outcome `json:"others,omitempty"`  // described, and never decide
	Witness   string    `json:"witness,omitempty"` // id of the outcome that shows whether the change took effect; empty: none does
	MinEffect float64   `json:"minEffect"`         // the smallest effect that matters, as a fraction: .05
	Alpha     float64   `json:"alpha"`             // two-sided error probability: .05
	Guards    []Guard   `json:"guards,omitempty"`

	Seed     uint64        `json:"seed"`
	Block    time.Duration `json:"-"`                  // length of a block; blockSeconds in JSON
	Settle   time.Duration `json:"-"`                  // first part of a block, which is not measured; settleSeconds in JSON
	Interval time.Duration `json:"-"`                  // of samples; intervalSeconds in JSON
	Pairs    int           `json:"pairs"`              // of blocks, at most
	Spare    int           `json:"spare,omitempty"`    // of Pairs: the last ones, made only if earlier ones are dropped
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

type plainRegistration Registration

// registrationJSON writes durations in seconds.
type registrationJSON struct {
	*plainRegistration
	Block    float64 `json:"blockSeconds"`
	Settle   float64 `json:"settleSeconds"`
	Interval float64 `json:"intervalSeconds"`
}

// MarshalJSON writes durations in seconds.
func (r Registration) MarshalJSON() ([]byte, error) {
	return json.Marshal(registrationJSON{(*plainRegistration)(&r), r.Block.Seconds(), r.Settle.Seconds(), r.Interval.Seconds()})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Registration) UnmarshalJSON(text []byte) error {
	in := registrationJSON{plainRegistration: (*plainRegistration)(r)}
	err := json.Unmarshal(text, &in)
	r.Block, r.Settle, r.Interval = seconds(in.Block), seconds(in.Settle), seconds(in.Interval)
	return err
}

// Check reports what is wrong with the registration of a switching design.
func (r *Registration) Check() error {
	switch {
	case !r.Design.Switches():
		return fmt.Errorf("design %s does not switch", r.Design)
	case len(r.Units) == 0:
		return errors.New("no unit to switch")
	case len(r.Baseline.Units) > 0 && len(r.Baseline.Units) != len(r.Units):
		return fmt.Errorf("a baseline of %d units for %d", len(r.Baseline.Units), len(r.Units))
	case r.MinEffect <= 0 || r.MinEffect >= 1:
		return fmt.Errorf("minimum effect %g: want more than 0 and less than 1", r.MinEffect)
	case r.Alpha <= 0 || r.Alpha >= 1:
		return fmt.Errorf("error probability %g: want more than 0 and less than 1", r.Alpha)
	case r.Interval <= 0:
		return errors.New("no sampling interval")
	case r.Settle < settleFactor*r.Outcome.TimeConstant:
		return fmt.Errorf("the first %s of a block are dropped, but the effect on %s takes %s to settle: drop %s or more",
			r.Settle, r.Outcome.ID, r.Outcome.TimeConstant, settleFactor*r.Outcome.TimeConstant)
	case r.Block < r.Settle+2*r.Interval:
		return fmt.Errorf("a block of %s leaves fewer than two samples after %s", r.Block, r.Settle)
	case r.Spare < 0 || r.Spare >= r.Pairs && r.Pairs > 0:
		return fmt.Errorf("%d of %d pairs are spare", r.Spare, r.Pairs)
	case r.Pairs <= 0 || len(r.Schedule) != r.Pairs:
		return fmt.Errorf("%d pairs and a schedule of %d", r.Pairs, len(r.Schedule))
	}
	for i, p := range r.Schedule {
		if len(p.First) != len(r.Units) {
			return fmt.Errorf("pair %d has %d coins for %d units", i+1, len(p.First), len(r.Units))
		}
	}
	return r.checkTerms()
}

// settleFactor is how many time constants of the effect a block drops: with one, a true 10 % reads 8.9 %.
const settleFactor = 3

func (r *Registration) checkTerms() error {
	for _, o := range r.Outcomes() {
		if _, err := bindTerms(o.Cost); err != nil {
			return fmt.Errorf("outcome %s: %w", o.ID, err)
		}
		if _, err := bindTerms(o.Work); err != nil {
			return fmt.Errorf("outcome %s: %w", o.ID, err)
		}
		for _, u := range r.Units {
			if !o.Suits(u.Kind) {
				return fmt.Errorf("outcome %s cannot be measured on a %s: %s", o.ID, u.Kind, u.Name)
			}
		}
	}
	for _, g := range r.Guards {
		if _, err := g.Term.bind(); err != nil {
			return fmt.Errorf("guard %s: %w", g.ID, err)
		}
	}
	return nil
}
