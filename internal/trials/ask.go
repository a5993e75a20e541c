package trials

import (
	"cmp"
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// Ask is what a user wants to know, and what a rule says about the way to find out.
type Ask struct {
	Rule, Title string
	How         inventory.Trial // what the rule's settings allow
	Outcomes    []trial.Outcome // that suit the rule; the first one decides
	Guards      []trial.Guard
	MinEffect   float64 // a fraction
	Alpha       float64
	Seed        uint64
	Block       time.Duration // 0: as the setting needs
	For         time.Duration // 0: as long as the noise needs
	Longest     time.Duration // without For: at most
	Published   []Published
	Params      []string // of the rule, that the user set
	Simulated   bool     // the server is a demo fleet
	Source      []string // the arguments that name the server
}

// ShortBlockError means that the user wants blocks in which there is too little to measure.
type ShortBlockError struct{ Block, Settle time.Duration }

// Error names the shortest block.
func (e *ShortBlockError) Error() string {
	return fmt.Sprintf("--block %s is too short: write --block %s or longer; the first %s of a block of this setting are not measured, and the rest needs %s",
		e.Block, e.Settle+leastMeasured, e.Settle, leastMeasured)
}

// block returns the length of a block, and of its part that is not measured.
func (a *Ask) block() (block, settle time.Duration, err error) {
	block, settle = a.How.Block, a.How.Settle
	for _, o := range a.Outcomes[:min(1, len(a.Outcomes))] {
		settle = max(settle, timeConstants*o.TimeConstant)
	}
	if a.Block > 0 && a.Block < settle+leastMeasured {
		err = &ShortBlockError{a.Block, settle}
	}
	return cmp.Or(a.Block, max(block, settle+leastMeasured)), settle, err
}

// timeConstants is how many time constants of the setting are not measured: with fewer, the carry-over hides an effect.
const timeConstants = 3

// leastMeasured is the shortest measured part of a block.
const leastMeasured = 2 * time.Minute
