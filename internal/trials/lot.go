package trials

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// wholeDay is what a randomised design compares: shorter periods have other loads.
const wholeDay = 24 * time.Hour

// drawLot decides which units get the change. The pairs of a randomised design are days before and days after it.
func (a *Ask) drawLot(r *trial.Registration) {
	r.Block, r.Settle = wholeDay, 0
	r.Pairs = max(1, int(a.For/(2*wholeDay)))
	r.Lot = trial.DrawLot(r.Seed, len(r.Units))
}

// Draw registers a randomised trial in a journal, with the lot and the plan. It changes nothing.
func (p *Prepared) Draw(estate tuning.Estate, runs *tuning.Runs, options tuning.Options) (run string, err error) {
	r := p.Registration
	switch {
	case r.Design != inventory.DesignRandomised:
		return "", fmt.Errorf("design %s draws no lot", r.Design)
	case len(r.Units) < 2:
		return "", &tuning.RefusedError{Why: []string{"a lot needs 2 units at least: name more hosts"}}
	}
	for _, u := range r.Units {
		if u.Kind != inventory.ScopeHost && u.Kind != inventory.ScopeVM {
			return "", &tuning.RefusedError{Why: []string{fmt.Sprintf("a lot is drawn between hosts or VMs only, and %s is a %s", u.Name, u.Kind)}}
		}
	}
	registration, err := json.Marshal(entry{Registration: r, Conditions: &p.Conditions})
	if err != nil {
		return "", fmt.Errorf("registering the trial: %w", err)
	}
	return tuning.Draw(estate, runs, p.plan, options, registration)
}

// TooEarlyError reports that the days after the changes are not over.
type TooEarlyError struct{ From time.Time }

// Error says from when on the trial can be judged.
func (e *TooEarlyError) Error() string {
	return fmt.Sprintf("the days after the changes are not over: the trial can be judged from %s on", e.From.UTC().Format("2006-01-02 15:04 MST"))
}

// Resume judges a randomised trial: it checks that exactly the drawn units have the change, compares whole days after it with whole days
// before the lot, and records the result. A [tuning.RefusedError] lists units that are not as the lot says; nothing is recorded then.
func Resume(ctx context.Context, server *source.Server, estate tuning.Estate, runs *tuning.Runs, options tuning.Options, run *tuning.Run) (*Recorded, error) {
	t, err := Load(run)
	if err != nil {
		return nil, err
	}
	if t.Registration.Design != inventory.DesignRandomised || run.Plan == nil {
		return nil, fmt.Errorf("run %s has drawn no lot: only a randomised trial is resumed", run.ID)
	}
	if err := checkLot(ctx, estate, t); err != nil {
		return nil, err
	}
	now, err := server.Session.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the server's clock: %w", err)
	}
	changed, recorded, err := lastChange(ctx, runs, t)
	if err != nil {
		return nil, err
	}
	length := time.Duration(t.Registration.Pairs) * wholeDay
	if from := changed.Add(settleBefore + length); now.Before(from) {
		return nil, &TooEarlyError{from}
	}
	if err := t.measureDays(ctx, server, now.Add(-length), now); err != nil {
		return nil, err
	}
	t.Result = trial.Analyse(t.Registration, t.Blocks)
	if !recorded {
		t.Result.Notes = append(t.Result.Notes, "vperf did not make the changes: that they were in force during the last days is not recorded")
	}
	t.Ended = true
	return t, t.noteDays(estate, runs, options)
}

// checkLot returns an error if the changes are not where the lot put them.
func checkLot(ctx context.Context, estate tuning.Estate, t *Recorded) error {
	values, err := tuning.Values(ctx, estate, t.Run.Plan)
	if err != nil {
		return err
	}
	var why, unread []string
	for i, u := range t.Registration.Units {
		for _, step := range t.Run.Plan.Steps {
			if step.Target.ID != u.ID {
				continue
			}
			switch v := values[step.ID]; {
			case v.Unread:
				unread = append(unread, u.Name+": "+v.Text)
			case t.Registration.Lot[i] && !v.Made:
				why = append(why, fmt.Sprintf("%s was drawn and does not have the change: %s", u.Name, v.Text))
			case !t.Registration.Lot[i] && !v.Old:
				why = append(why, fmt.Sprintf("%s was not drawn and its values have changed: %s", u.Name, v.Text))
			}
		}
	}
	if len(unread) > 0 {
		return fmt.Errorf("checking who has the change: settings cannot be read: %s; try again later", strings.Join(unread, "; "))
	}
	if len(why) > 0 {
		return &tuning.RefusedError{Why: append(why, "the trial cannot claim anything: make the settings as the lot says, and wait for whole days")}
	}
	return nil
}

// lastChange returns when the last drawn unit got the change, by the journals of this machine, and whether they know it of each.
func lastChange(ctx context.Context, runs *tuning.Runs, t *Recorded) (at time.Time, recorded bool, err error) {
	all, err := runs.List()
	if err != nil {
		return at, false, err
	}
	at, recorded = t.Run.Began, true
	for i, u := range t.Registration.Units {
		if !t.Registration.Lot[i] {
			continue
		}
		of := time.Time{}
		for _, run := range all {
			if run.Server.UUID != t.Run.Server.UUID || run.Began.Before(t.Run.Began) {
				continue
			}
			for k := range run.Results {
				c := &run.Results[k]
				if c.Target.ID != u.ID || c.State != tuning.StateDone && c.State != tuning.StateProven && c.State != tuning.StatePending {
					continue
				}
				if c.Waits != "" {
					return at, false, &tuning.RefusedError{Why: []string{fmt.Sprintf("the change of %s is not in force yet (%s): %s", u.Name, c.Waits, typed.Of(ctx).Command("history", "verify", run.ID))}}
				}
				if c.Since.After(of) {
					of = c.Since
				}
			}
		}
		if of.IsZero() {
			recorded = false
		} else if of.After(at) {
			at = of
		}
	}
	return at, recorded, nil
}

// measureDays reads the whole days before the lot and those from a moment on, and makes a block of each.
func (t *Recorded) measureDays(ctx context.Context, server *source.Server, from, until time.Time) error {
	rollups, roster, err := server.Rollups(ctx)
	if err != nil {
		return err
	}
	r := *t.Registration
	r.Units = slices.Clone(r.Units)
	before := t.Run.Began.Add(-until.Sub(from))
	at, ok := rollups.Reaching(until.Sub(before))
	if !ok {
		return fmt.Errorf("the server keeps no rollups back to %s, before the lot was drawn", before.UTC().Format(time.DateTime))
	}
	var hosts, vms []string
	for i := range r.Units {
		u := &r.Units[i]
		if u.Kind == inventory.ScopeVM {
			vms, u.Hosts = append(vms, u.ID), hostsOfVM(roster, u.ID)
		}
		hosts = union(hosts, u.Hosts)
	}
	if err := collected(&r, rollups, at); err != nil {
		return err
	}
	q, err := rollupQuery(&r, at, hosts, vms)
	if err != nil {
		return err
	}
	q.From, q.Until = before.Add(-at.Interval), until
	rounds, err := rollups.Read(ctx, q)
	if err != nil {
		return err
	}
	r.Interval, r.Guards, r.Baseline = at.Interval, nil, trial.Baseline{}
	m, err := trial.NewMeter(&r)
	if err != nil {
		return err
	}
	for _, round := range rounds {
		for _, f := range round.Frames {
			m.Add(f)
		}
	}
	t.Blocks = nil
	for half, begin := range []time.Time{before, from} {
		for day := range r.Pairs {
			b := m.Block(begin.Add(time.Duration(day)*wholeDay), begin.Add(time.Duration(day+1)*wholeDay), 0)
			b.Pair, b.Half, b.Treated = day, half, make([]bool, len(r.Units))
			if half == 1 {
				copy(b.Treated, r.Lot)
			}
			t.Blocks = append(t.Blocks, b)
		}
	}
	return nil
}

// collected drops outcomes of which there are no rollups; the one that decides must have some.
func collected(r *trial.Registration, rollups *source.Rollups, at source.RollupInterval) error {
	missing := func(o trial.Outcome) error {
		figures, err := o.Figures()
		for _, f := range figures {
			err = errors.Join(err, rollups.Collected(source.RollupFigure(f), at))
		}
		return err
	}
	if err := missing(r.Outcome); err != nil {
		return fmt.Errorf("outcome %s: %w", r.Outcome.ID, err)
	}
	r.Others = slices.DeleteFunc(slices.Clone(r.Others), func(o trial.Outcome) bool { return missing(o) != nil })
	return nil
}

// noteDays records the blocks and the result.
func (t *Recorded) noteDays(estate tuning.Estate, runs *tuning.Runs, options tuning.Options) error {
	var notes []entry
	for i := range t.Blocks {
		notes = append(notes, entry{Block: &t.Blocks[i]})
	}
	for _, e := range append(notes, entry{Result: t.Result}) {
		text, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("recording the trial: %w", err)
		}
		if err := tuning.NoteDrawn(estate, runs, t.Run.ID, options, text); err != nil {
			return err
		}
	}
	return nil
}
