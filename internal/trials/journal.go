package trials

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// entry is what a record of kind trial holds: one of its fields.
type entry struct {
	Registration *trial.Registration `json:"registration,omitempty"`
	Conditions   *Conditions         `json:"conditions,omitempty"`
	Block        *trial.Block        `json:"block,omitempty"`
	Result       *trial.Result       `json:"result,omitempty"`
}

// Recorded is a trial as its journal has it.
type Recorded struct {
	Run          *tuning.Run
	Registration *trial.Registration
	Conditions   Conditions
	Blocks       []trial.Block // a block that a late event dropped is there once, as it was last
	Result       *trial.Result
	Kept         bool // the trial ended with the change in force: its journal has that end
	Ended        bool // Result is that of the journal; otherwise it was computed from the blocks there are
}

// NoTrialError is returned for a run that is no trial.
type NoTrialError struct{ Run, Broken string } // Broken: what is wrong with its files

// Error says what to look for instead.
func (e *NoTrialError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("run %s is no trial: %s", e.Run, e.Broken), ": ")
}

// Load returns the trial of a run. A trial that was cut short has the result that its blocks give.
func Load(run *tuning.Run) (*Recorded, error) {
	t := &Recorded{Run: run}
	for _, record := range run.Records {
		if record.Kind == tuning.RecordRunEnd && record.Result == tuning.ResultKept {
			t.Kept = true
		}
		if len(record.Trial) == 0 {
			continue
		}
		var e entry
		if err := json.Unmarshal(record.Trial, &e); err != nil {
			return nil, fmt.Errorf("reading record %d of run %s: %w", record.Seq, run.ID, err)
		}
		t.take(e)
	}
	if t.Registration == nil {
		return nil, &NoTrialError{run.ID, run.Broken}
	}
	if t.Registration.Schema != trial.Schema {
		return nil, fmt.Errorf("the trial of run %s has the format %q; this version of vperf reads %s", run.ID, t.Registration.Schema, trial.Schema)
	}
	if t.Result == nil {
		t.Result = trial.Analyse(t.Registration, t.Blocks)
	}
	if t.Waiting() {
		t.Result.Verdict = trial.Undecided
	}
	return t, nil
}

// Waiting reports whether a lot was drawn that nobody has judged yet.
func (t *Recorded) Waiting() bool {
	return t.Registration.Design == inventory.DesignRandomised && !t.Ended
}

func (t *Recorded) take(e entry) {
	switch {
	case e.Registration != nil:
		t.Registration = e.Registration
		if e.Conditions != nil {
			t.Conditions = *e.Conditions
		}
	case e.Block != nil:
		same := func(b trial.Block) bool { return b.Pair == e.Block.Pair && b.Half == e.Block.Half }
		if i := slices.IndexFunc(t.Blocks, same); i >= 0 {
			t.Blocks[i] = *e.Block
		} else {
			t.Blocks = append(t.Blocks, *e.Block)
		}
	case e.Result != nil:
		t.Result, t.Ended = e.Result, true
	}
}

// IsTrial reports whether a run is a trial.
func IsTrial(run *tuning.Run) bool {
	return slices.ContainsFunc(run.Records, func(r tuning.Record) bool { return len(r.Trial) > 0 })
}
