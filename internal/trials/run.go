package trials

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// Finished is a trial that has ended, and what became of the settings.
type Finished struct {
	Run     string
	Result  *trial.Result
	Outcome *tuning.Outcome
}

// Consent decides whether a change stays in force. It is asked once, after the verdict, and only if [trial.Result.MayKeep].
type Consent func(*trial.Result) bool

// Run makes the trial. It restores the settings in every case but one: [trial.Result.MayKeep], the user agrees, and ctx has not ended. An
// error beside a result means that the trial, or restoring, failed.
func (p *Prepared) Run(
	ctx context.Context, estate tuning.Estate, runs *tuning.Runs, options tuning.Options, tell func(trial.Progress), keep Consent,
) (*Finished, error) {
	registration, err := json.Marshal(entry{Registration: p.Registration, Conditions: &p.Conditions})
	if err != nil {
		return nil, fmt.Errorf("registering the trial: %w", err)
	}
	run, err := tuning.OpenSwitching(ctx, estate, runs, p.plan, options, registration)
	if err != nil {
		return nil, err
	}
	on := trial.Estate{
		Switch: &switcher{
			run: run, units: p.units, now: p.server.Session.Now, away: patience{clock: p.server.Clock()},
		}, Samples: p.samples, Events: p.events(),
	}
	if p.Around != nil {
		on = p.Around(on)
	}
	result, failed := trial.Run(ctx, p.Registration, on, func(progress trial.Progress) error {
		tell(progress)
		if progress.Kind != trial.BlockDone {
			return nil
		}
		return note(run, entry{Block: progress.Block})
	})
	f := &Finished{Run: run.Run(), Result: result}
	kept := failed == nil && result.MayKeep() && keep(result) && ctx.Err() == nil
	if result != nil {
		failed = errors.Join(failed, note(run, entry{Result: result}))
	}
	kept = kept && failed == nil
	outcome, err := run.Close(ctx, kept)
	f.Outcome = outcome
	if failed == nil && err == nil && !kept {
		failed = foreign(outcome)
	}
	if failed != nil && err == nil {
		return f, &tuning.FailedError{Err: failed, Undone: restored(outcome)}
	}
	return f, errors.Join(failed, err)
}

// foreign returns an error for values that somebody else changed after the last block, or nil.
func foreign(o *tuning.Outcome) error {
	var all []error
	for _, r := range o.Results {
		if r.State == tuning.StateForeign {
			all = append(all, fmt.Errorf("%s: %s: %s", r.Target.Name, r.Key(), r.Why))
		}
	}
	return errors.Join(all...)
}

// restored reports whether all settings have their old values.
func restored(o *tuning.Outcome) bool {
	return o.Count(tuning.StateUndone, tuning.StateUntouched, tuning.StateSame, tuning.StateFailed) == len(o.Results)
}

func note(run *tuning.Switching, e entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("recording the trial: %w", err)
	}
	return run.Note(text)
}
