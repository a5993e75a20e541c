package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// Verify reads every setting that a run changed, and reports whether it is still as the run left it. If a pending value
// is still set after a restart, Verify records it as proven. If the run's journal is broken, the outcome contains what
// could be verified, and the error says what is wrong with the journal.
func Verify(ctx context.Context, e Estate, runs *Runs, id string) (*Outcome, error) {
	run, err := runs.Get(id)
	if err != nil {
		return nil, err
	}
	t := Options{}
	if err := t.mayStart(e, run.Server); err != nil {
		return nil, err
	}
	if run.breakage != nil {
		w := &work{estate: e, run: run}
		seen, _, err := w.reread(ctx)
		return &Outcome{Run: id, Results: seen, Warnings: run.Warnings}, errors.Join(run.breakage, err)
	}
	held := runs.locks("verification of run "+id, &t)
	defer held.releaseAll()
	if err := held.take(ofRun(id)); err != nil {
		return nil, err
	}
	w, err := runs.open(e, runs.load(id), t)
	if err != nil {
		return nil, err
	}
	seen, proofs, err := w.reread(ctx)
	for _, proof := range proofs {
		err = errors.Join(err, w.record(proof))
	}
	return &Outcome{Run: id, Results: seen, Warnings: w.run.Warnings}, errors.Join(err, w.journal.close())
}

// reread returns the run's changes with their current values, and new proofs to record.
func (w *work) reread(ctx context.Context) ([]Result, []Record, error) {
	seen := slices.Clone(w.run.Results)
	var written []Result
	for _, c := range seen {
		if c.wrote() {
			written = append(written, c)
		}
	}
	if len(written) == 0 {
		return seen, nil, nil
	}
	found, err := surveyTargets(ctx, w.estate.Settings, targets(written, func(c Result) Target { return c.Target }))
	if err != nil {
		return seen, nil, err
	}
	live := w.liveOf(ctx, written, found)
	var proofs []Record
	for i := range seen {
		c := &seen[i]
		if !c.wrote() || c.open() || c.State == StateForeign {
			continue
		}
		condition := found[c.Target.Key()]
		if why := replaced(c.Target, condition); why != "" {
			c.State, c.Why = StateGone, why
			continue
		}
		if proof := c.see(live[c.Target.Key()][c.Key()], condition); proof != nil {
			proofs = append(proofs, *proof)
		}
	}
	return seen, proofs, nil
}

// liveOf reads the settings of each target in one request. Settings that could not be read are unread, with the reason.
func (w *work) liveOf(ctx context.Context, written []Result, found survey) map[string]values {
	all := map[string]values{}
	for _, target := range targets(written, func(c Result) Target { return c.Target }) {
		if replaced(target, found[target.Key()]) != "" {
			continue
		}
		var addresses []Address
		for _, c := range written {
			if c.Target.Key() == target.Key() {
				addresses = append(addresses, c.Address)
			}
		}
		live, err := w.read(ctx, target, addresses)
		if err != nil {
			live = values{}
			for _, a := range addresses {
				live[a.Key()] = inventory.Unread[inventory.Value](err.Error())
			}
		}
		all[target.Key()] = live
	}
	return all
}

// see updates a result with the value that was read, and returns a record if that value proves the change.
func (c *Result) see(now value, condition Condition) *Record {
	_, state, reason := now.Get()
	switch {
	case state == inventory.StateUnread:
		c.State, c.Why = StateUnread, reason
		return nil
	case !Same(c.Address, now, c.Now):
		c.Why = fmt.Sprintf("after the run it was %s, now it is %s", formatFact(c.Now), formatFact(now))
		c.State, c.Now = StateDrifted, now
		return nil
	case c.Waits == "" || !restarted(c.asOf, condition):
		return nil
	}
	proof, _ := c.proof(now)
	c.State, c.Waits = proof.Changes[0].State, ""
	return &proof
}
