package tuning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// Switching is the run of a trial: it switches the steps of a plan on and off, many times, so that both states can be
// measured. Its methods must not be called concurrently. Close ends it; a Switching that was not closed is an
// interrupted run, of which [Recover] restores the values from before.
type Switching struct {
	w      *work
	held   *locks
	found  survey
	closed bool
}

// OpenSwitching begins the run of a trial, with all steps of the plan off. It makes the same checks, takes the same locks
// and needs the same approvals as [Apply], and returns the same errors; no setting is written yet. In addition, every
// change must take effect at once, and its old value must be one that can be written back exactly.
//
// The registration is the first note of the trial. It is valid JSON, which this package does not interpret.
func OpenSwitching(ctx context.Context, e Estate, runs *Runs, p *Plan, t Options, registration json.RawMessage) (*Switching, error) {
	if !json.Valid(registration) {
		return nil, errors.New("registering a trial: the registration is not valid JSON")
	}
	t.PowerCycle, t.HostReboot = false, false // nothing in a trial needs them
	if err := t.mayStart(e, p.Server); err != nil {
		return nil, err
	}
	id, err := runs.newID(t.now())
	if err != nil {
		return nil, err
	}
	held := runs.locks("trial "+id, &t)
	s, err := openSwitching(ctx, e, runs, held, p, t, id, registration)
	if err != nil {
		held.releaseAll()
		return nil, err
	}
	return s, nil
}

func openSwitching(ctx context.Context, e Estate, runs *Runs, held *locks, p *Plan, t Options, id string, registration json.RawMessage) (*Switching, error) {
	if err := held.take(append(ofPlan(p, &t), ofRun(id))...); err != nil {
		return nil, err
	}
	if err := settleOthers(ctx, e, runs, held, p, &t); err != nil {
		return nil, err
	}
	operations, found, err := preflight(ctx, e, p, &t)
	if err != nil {
		return nil, err
	}
	if why := notSwitchable(operations); len(why) > 0 {
		return nil, &RefusedError{Why: why}
	}
	w, err := runs.begin(e, p, t, id)
	if err != nil {
		return nil, err
	}
	w.reportDoubts(found)
	if err := w.record(Record{Kind: RecordTrial, Trial: registration}); err != nil {
		return nil, closing(w, err)
	}
	if err := w.remember(ctx, found.hosts()...); err != nil {
		return nil, errors.Join(err, w.end("failed", err.Error()))
	}
	return &Switching{w: w, held: held, found: found}, nil
}

// notSwitchable returns the reasons why operations cannot be switched on and off.
func notSwitchable(operations []operation) []string {
	if len(operations) == 0 {
		return []string{"there is nothing to switch: every setting has the wanted value already"}
	}
	var why []string
	seen := map[string]bool{}
	for _, m := range operations {
		for _, t := range m.edits {
			refuse := func(reason string, args ...any) {
				why = append(why, fmt.Sprintf("%s of %s cannot be switched on and off: ", t.Key(), m.target.Name)+fmt.Sprintf(reason, args...))
			}
			switch key := m.target.Key() + " " + t.Key(); {
			case seen[key]:
				refuse("the plan changes it twice")
			case t.activation != inventory.ActivationLive:
				refuse("it does not take effect at once (%s)", t.activation)
			case !t.exactlyBack():
				refuse("its old value cannot be written back exactly")
			case Same(t.Address, t.before, t.after):
				refuse("it has the wanted value already")
			}
			seen[m.target.Key()+" "+t.Key()] = true
		}
	}
	return why
}

// exactlyBack reports whether the inverse of a switch writes its old value and nothing else.
func (t *edit) exactlyBack() bool {
	return t.inverse.Kind == inventory.InverseExact && len(t.inverse.Write) == 1 && t.inverse.Write[0].Key() == t.Key() &&
		Same(t.Address, t.inverse.Write[0].Value, t.before)
}

// Run returns the id of the run.
func (s *Switching) Run() string { return s.w.run.ID }

// Note adds a note to the trial's journal, such as a block or the verdict. It is durable when Note returns.
func (s *Switching) Note(note json.RawMessage) error {
	if s.closed {
		return errClosed
	}
	if !json.Valid(note) {
		return errors.New("noting in the journal of a trial: the note is not valid JSON")
	}
	err := s.w.record(Record{Kind: RecordTrial, Trial: note})
	if err == nil {
		s.w.run.Records[len(s.w.run.Records)-1].Trial = nil // the caller has it
	}
	return err
}

var errClosed = errors.New("the trial has ended")

// Set switches steps on or off. The key of on is [Step.ID]; steps that it does not contain stay as they are. First, Set
// reads the values of all steps, also those that stay: if one differs from the value that the run left, Set returns a
// [ForeignError] and writes nothing. So Set with a nil map checks the values. Then it switches one step after the other:
// it compares the value again, records the intent, writes, reads the value back and records the result.
//
// After an error, some steps may be switched and others not. If Set returns a ForeignError, or an error because a value
// is not as written or unknown, then only Close can follow. Otherwise, Set may be called again.
func (s *Switching) Set(ctx context.Context, on map[int]bool) error {
	if s.closed {
		return errClosed
	}
	w := s.w
	if err := w.mayBegin(ctx); err != nil {
		return err
	}
	steps, err := s.toSwitch(on)
	if err != nil {
		return err
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	first := slices.ContainsFunc(steps, func(step *Step) bool { return s.results(step)[0].writes == 0 })
	for i, step := range steps {
		if err := w.mayBegin(ctx); err != nil {
			return err
		}
		// Nothing was written since check, so its values are new enough for the first step.
		if err := s.flip(ctx, step, on[step.ID], i > 0); err != nil {
			return fmt.Errorf("switching %s: %w", step.Target.Name, err)
		}
		if first && (i == 0 || i == len(steps)-1) {
			if err := s.healthy(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// results returns the results of a step's changes.
func (s *Switching) results(step *Step) []*Result {
	var all []*Result
	for i := range s.w.run.Results {
		if c := &s.w.run.Results[i]; c.Step == step.ID {
			all = append(all, c)
		}
	}
	return all
}

// toSwitch returns the steps that are not in the wanted state, in the order of the plan.
func (s *Switching) toSwitch(on map[int]bool) ([]*Step, error) {
	steps := s.w.run.Plan.Steps
	for id := range on {
		if id < 1 || id > len(steps) {
			return nil, fmt.Errorf("switching step %d: the plan has steps 1 to %d", id, len(steps))
		}
	}
	var all []*Step
	for i := range steps {
		step := &steps[i]
		want, named := on[step.ID]
		is := false
		for _, c := range s.results(step) {
			switch c.State {
			case StateDone:
				is = true
			case StateUntouched, StateUndone, StateFailed:
			default:
				return nil, fmt.Errorf("%s of %s cannot be switched any more: it is %s; end the trial", c.Key(), c.Target.Name, c.State)
			}
		}
		if named && want != is {
			all = append(all, step)
		}
	}
	return all, nil
}

// check compares the live values of all steps with those that the run left.
func (s *Switching) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	var changed []string
	steps := s.w.run.Plan.Steps
	for _, target := range targets(steps, func(step Step) Target { return step.Target }) {
		var addresses []Address
		var own []*Step
		for i := range steps {
			if steps[i].Target.Key() == target.Key() {
				own = append(own, &steps[i])
				for _, c := range steps[i].Changes {
					addresses = append(addresses, c.Address)
				}
			}
		}
		live, err := s.w.read(ctx, target, addresses)
		if err != nil {
			return err
		}
		for _, step := range own {
			found, err := s.foreign(step, live)
			if err != nil {
				return err
			}
			changed = append(changed, found...)
		}
	}
	if len(changed) > 0 {
		return &ForeignError{Moved: changed}
	}
	return nil
}

// foreign lists and records the changes of a step whose live values are not those that the run left.
func (s *Switching) foreign(step *Step, live values) (changed []string, err error) {
	record := Record{Kind: RecordSkipped, Step: step.ID, Target: &step.Target}
	for _, c := range s.results(step) {
		now := live[c.Key()]
		if _, state, reason := now.Get(); state == inventory.StateUnread {
			return nil, fmt.Errorf("%s of %s cannot be read: %s", c.Key(), c.Target.Name, reason)
		}
		if Same(c.Address, now, c.left()) {
			continue
		}
		why := c.foreignText(now)
		entry := Entry{Address: c.Address, State: c.State, Waits: c.Waits, Why: why}
		switch {
		case c.State == StateDone:
			entry.State = StateKept // restored if it is the run's value again at the end
		case c.writes > 0:
			entry.State = StateForeign
		}
		record.Changes = append(record.Changes, entry)
		changed = append(changed, fmt.Sprintf("%s of %s: %s", c.Key(), c.Target.Name, why))
	}
	if len(changed) == 0 {
		return nil, nil
	}
	return changed, s.w.record(record)
}

// flip switches one step. If again is true, it compares the live values before.
func (s *Switching) flip(ctx context.Context, step *Step, on, again bool) error {
	w := s.w
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	m := s.operation(step, on)
	if again {
		live, err := w.read(ctx, m.target, m.addresses())
		if err != nil {
			return err
		}
		changed, err := s.foreign(step, live)
		if err != nil {
			return err
		}
		if len(changed) > 0 {
			return &ForeignError{Moved: changed}
		}
	}
	first := s.results(step)[0].writes == 0
	if err := w.carryOut(ctx, m, s.found[step.Target.Key()]); err != nil || !first {
		return err
	}
	return w.postText(ctx, &m, fmt.Sprintf("begins to switch %s until the trial ends", m.between()))
}

// operation returns the operation that switches a step.
func (s *Switching) operation(step *Step, on bool) operation {
	m := operation{step: step.ID, target: step.Target, rollback: true}
	if on {
		m = operationOf(step)
	}
	for i, c := range s.results(step) {
		if !on {
			m.edits = append(m.edits, c.rollbackEdit())
		}
		t := &m.edits[i]
		t.activation, t.from, t.again = inventory.ActivationLive, c.left(), c.writes > 0
	}
	return m
}

// healthy returns an error if a host is worse than when the trial began.
func (s *Switching) healthy(ctx context.Context) error {
	worse, err := s.w.worseHosts(ctx, slices.DeleteFunc(s.found.hosts(), func(id string) bool { return id == "" }))
	if err != nil {
		return fmt.Errorf("making sure that nothing got worse: %w", err)
	}
	return sentences(worse)
}
