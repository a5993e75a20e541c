package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

type value = inventory.Fact[inventory.Value]

// move is changes of one step that go to the server in one call, forth or back.
type move struct {
	step   int
	target Target
	back   bool
	turns  []turn
}

// turn is one change of a move.
type turn struct {
	Address
	before, after value // as the plan has them
	inverse       Inverse
	activation    inventory.Activation // as rules and the server ask for it
	rules         []string

	from   value        // what must be there
	to     []value      // what may be there afterwards, all with one meaning
	write  []Assignment // what is sent
	extras []Assignment // going back: what must be there beside from, as far as it is known
	held   Result       // going back: what it was
}

// needsOff says whether the server would refuse the move as long as the target runs.
func (m *move) needsOff() bool {
	return slices.ContainsFunc(m.turns, func(t turn) bool { return t.activation == inventory.ActivationPowerOff })
}

// waits is what a value waits for once it is written. What is written to a VM that is off is in force when it starts.
func waits(a inventory.Activation, target Target, running bool) inventory.Activation {
	switch {
	case a == inventory.ActivationLive, a == inventory.ActivationNextPowerOn, isVM(target) && !running:
		return ""
	}
	return a
}

// do makes a move: looks, writes down what it is about to do, does it, looks again and writes down what it sees. Once it
// has begun it goes on to its end, whatever ctx says.
func (w *work) do(ctx context.Context, m move, c Condition) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	live, err := w.read(ctx, m.target, m.addresses())
	if err != nil {
		return err
	}
	if m, err = w.compare(m, live, c); err != nil || len(m.turns) == 0 {
		return err
	}
	if err := w.record(m.intent(c)); err != nil {
		return err
	}
	w.tell(m.step, m.target, m.sentence())
	wrote := w.estate.Settings.Write(ctx, m.target, m.assignments())
	if wrote == nil {
		if err := w.record(Record{Kind: RecordAcknowledged, Step: m.step, Target: &m.target}); err != nil {
			return err
		}
	}
	if err := w.settle(ctx, m, c, wrote); err != nil {
		return err
	}
	return w.post(ctx, m)
}

// addresses are all settings that a move concerns.
func (m *move) addresses() []Address {
	var all []Address
	add := func(a Address) {
		if !slices.ContainsFunc(all, func(b Address) bool { return a.Key() == b.Key() }) {
			all = append(all, a)
		}
	}
	for _, t := range m.turns {
		add(t.Address)
		for _, a := range slices.Concat(t.inverse.Write, t.write) {
			add(a.Address)
		}
	}
	return all
}

// assignments are what a move sends. Where two turns write one setting, the turn of that setting decides.
func (m *move) assignments() []Assignment {
	var all []Assignment
	for _, own := range []bool{true, false} {
		for _, t := range m.turns {
			for _, a := range t.write {
				sent := slices.ContainsFunc(all, func(b Assignment) bool { return a.Address.Key() == b.Address.Key() })
				if !sent && own == (a.Address.Key() == t.Key()) {
					all = append(all, a)
				}
			}
		}
	}
	return all
}

// values are live values by address.
type values map[string]value

func (w *work) read(ctx context.Context, target Target, addresses []Address) (values, error) {
	return read(ctx, w.estate.Settings, target, addresses)
}

func read(ctx context.Context, s Settings, target Target, addresses []Address) (values, error) {
	facts, err := s.Read(ctx, target, addresses)
	if err == nil && len(facts) != len(addresses) {
		err = errors.New("the answer does not fit the question")
	}
	if err != nil {
		return nil, fmt.Errorf("reading settings of %s: %w", target.Name, err)
	}
	all := values{}
	for i, a := range addresses {
		all[a.Key()] = facts[i]
	}
	return all, nil
}

// anyOf reports whether a value means the same as one of several.
func anyOf(a Address, v value, all []value) bool {
	return slices.ContainsFunc(all, func(b value) bool { return Same(a, v, b) })
}

// compare holds what is there against what must be there. Forth, a value that moved ends the run; back, it is somebody
// else's now and left alone.
func (w *work) compare(m move, live values, c Condition) (move, error) {
	if m.back {
		return w.compareBack(m, live, c)
	}
	for _, t := range m.turns {
		if now := live[t.Key()]; !Same(t.Address, now, t.from) {
			why := fmt.Sprintf("%s of %s is %s now, no longer %s: somebody else is changing it", t.Key(), m.target.Name, show(now), show(t.from))
			return m, errors.Join(errors.New(why), w.record(m.saying(RecordSkipped, StateUntouched, why)))
		}
	}
	return m, nil
}

func (w *work) compareBack(m move, live values, c Condition) (move, error) {
	var todo []turn
	var kept, back []Entry
	for _, t := range m.turns {
		now, home := live[t.Key()], t.isHome(live)
		switch {
		case home:
			back = append(back, Entry{Address: t.Address, Now: now, State: StateUndone, Why: "it is back already", Waits: waitsBack(m.target, t, c)})
		case !Same(t.Address, now, t.from) && !anyOf(t.Address, now, t.to):
			kept = append(kept, t.keep(fmt.Sprintf("it is %s now: somebody else changed it after the run wrote %s", show(now), show(t.from))))
		default:
			if moved := t.movedExtra(live); moved != "" {
				kept = append(kept, t.keep(moved))
				continue
			}
			todo = append(todo, t)
		}
	}
	m.turns = todo
	for _, r := range []Record{{Kind: RecordRollbackDone, Changes: back}, {Kind: RecordSkipped, Changes: kept}} {
		if len(r.Changes) == 0 {
			continue
		}
		r.Step, r.Target, r.Booted, r.Running = m.step, &m.target, c.Booted, c.Running
		if err := w.record(r); err != nil {
			return m, err
		}
		for _, e := range r.Changes {
			w.tell(m.step, m.target, e.Key()+": "+e.Why)
		}
	}
	return m, nil
}

// isHome reports a turn back of which everything is as it should be afterwards.
func (t *turn) isHome(live values) bool {
	return anyOf(t.Address, live[t.Key()], t.to) && !slices.ContainsFunc(t.write, func(a Assignment) bool {
		return a.Address.Key() != t.Key() && !Same(a.Address, live[a.Address.Key()], a.Value)
	})
}

// movedExtra says which value beside the turn's own somebody else has changed since, where going back would write it.
func (t *turn) movedExtra(live values) string {
	for _, extra := range t.extras {
		now := live[extra.Address.Key()]
		if Same(extra.Address, now, extra.Value) {
			continue
		}
		i := slices.IndexFunc(t.write, func(a Assignment) bool { return a.Address.Key() == extra.Address.Key() })
		if i < 0 || Same(extra.Address, now, t.write[i].Value) {
			continue
		}
		return fmt.Sprintf("%s, which goes back with it, is %s now: somebody else changed it since", extra.Address.Key(), show(now))
	}
	return ""
}

// keep is what is said of a turn back that is not made. What it waits for it still waits for.
func (t *turn) keep(why string) Entry {
	return Entry{Address: t.Address, State: StateKept, Waits: t.held.Waits, Why: why}
}

// intent is what is durable before the write, and all that recovery and going back need.
func (m *move) intent(c Condition) Record {
	r := Record{Kind: RecordIntent, Step: m.step, Target: &m.target, Booted: c.Booted, Running: c.Running}
	state := StateDoing
	if m.back {
		r.Kind, state = RecordRollbackIntent, StateUndoing
	}
	for _, t := range m.turns {
		inverse := t.inverse
		r.Changes = append(r.Changes, Entry{
			Address: t.Address, Before: t.before, After: t.after, Inverse: &inverse, State: state, Waits: waits(t.activation, m.target, c.Running),
		})
	}
	return r
}

// saying is a record that says the same of every change of a move.
func (m *move) saying(kind RecordKind, state State, why string) Record {
	r := Record{Kind: kind, Step: m.step, Target: &m.target}
	for _, t := range m.turns {
		r.Changes = append(r.Changes, Entry{Address: t.Address, State: state, Waits: t.held.Waits, Why: why})
	}
	return r
}

// settle looks what a write has done, whatever the server said about it, and writes it down.
func (w *work) settle(ctx context.Context, m move, c Condition, wrote error) error {
	unsure := errors.Is(wrote, ErrUnsure) || errors.Is(wrote, context.DeadlineExceeded) || errors.Is(wrote, context.Canceled)
	live, err := w.readBack(ctx, m, unsure)
	record := Record{Kind: RecordVerified, Step: m.step, Target: &m.target}
	if m.back {
		record.Kind = RecordRollbackDone
	}
	var wrong []string
	for _, t := range m.turns {
		entry, trouble := w.judge(m, t, live, c, wrote)
		record.Changes = append(record.Changes, entry)
		if trouble != "" {
			wrong = append(wrong, trouble)
		}
		if !m.back {
			record.Extras = append(record.Extras, t.extrasIn(live)...)
		}
	}
	switch {
	case err != nil:
		wrong = []string{err.Error()}
	case wrote != nil && !unsure:
		wrong = nil // the server's own words say it better
	}
	if unsure {
		wrote = nil // what was read is the answer
	}
	if wrote == nil && len(wrong) == 0 {
		return w.record(record)
	}
	failure := fmt.Errorf("%s: %w", m.sentence(), errors.Join(wrote, sentences(wrong)))
	record.Kind, record.Text = RecordFailed, failure.Error()
	return errors.Join(failure, w.record(record))
}

func sentences(all []string) error {
	if len(all) == 0 {
		return nil
	}
	return errors.New(strings.Join(all, "; "))
}

// extrasIn are values that going back would write beside the change's own.
func (t *turn) extrasIn(live values) []Extra {
	var all []Extra
	for _, a := range t.inverse.Write {
		if a.Address.Key() != t.Key() {
			all = append(all, Extra{Of: t.Key(), Assignment: Assignment{Address: a.Address, Value: live[a.Address.Key()]}})
		}
	}
	return all
}

// judge says what became of one change of a move, and what is wrong about it.
func (w *work) judge(m move, t turn, live values, c Condition, wrote error) (Entry, string) {
	now := live[t.Key()]
	entry := Entry{Address: t.Address, Now: now, Waits: waits(t.activation, m.target, c.Running)}
	_, state, reason := now.Get()
	switch {
	case state == inventory.StateUnread:
		entry.State = StateDoing
		if m.back {
			entry.State = StateUndoing
		}
		return entry, t.Key() + " could not be read back: " + reason
	case m.back && t.isHome(live):
		entry.State, entry.Waits = StateUndone, waitsBack(m.target, t, c)
		return entry, ""
	case m.back && anyOf(t.Address, now, append(t.to, t.from)):
		entry.Now, entry.State, entry.Waits = t.from, t.held.State, t.held.Waits
		return entry, swallowed(t, now, wrote)
	case !m.back && anyOf(t.Address, now, t.to):
		entry.State = written(entry.Waits)
		return entry, ""
	case !m.back && Same(t.Address, now, t.from):
		entry.State, entry.Waits = StateFailed, ""
		return entry, swallowed(t, now, wrote)
	}
	// The server said yes, so the value is its answer to us. Otherwise it may be anybody's.
	entry.State = StateWrong
	if wrote != nil {
		entry.State = StateForeign
	}
	entry.Waits = ""
	return entry, fmt.Sprintf("%s reads %s, which is neither what was there nor what was written (%s)", t.Key(), show(now), show(t.to[0]))
}

func swallowed(t turn, now value, wrote error) string {
	said := "the server said yes"
	if wrote != nil {
		said = "the server's answer was lost"
	}
	return fmt.Sprintf("%s and nothing changed: %s is still %s", said, t.Key(), show(now))
}

// written is the state of a value that was read back.
func written(waits inventory.Activation) State {
	if waits == "" {
		return StateDone
	}
	return StatePending
}

// waitsBack is what a change that was taken back waits for. One that never came into force waits for nothing.
func waitsBack(target Target, t turn, c Condition) inventory.Activation {
	inForce := restarted(t.held.asOf, c) // what was written last
	switch {
	case t.held.State == StatePending && !inForce, t.held.State == StateUndone && inForce:
		return ""
	}
	return waits(t.activation, target, c.Running)
}

// restarted reports whether a target was started after it was written to. Boot times are compared with each other where
// that goes, since the clocks of two machines differ.
func restarted(then asOf, now Condition) bool {
	switch {
	case !now.Running:
		return false
	case !then.running:
		return true
	case !then.booted.IsZero():
		return now.Booted.After(then.booted)
	}
	return now.Booted.After(then.written)
}

// readBack reads what a write has done. It tries again for some seconds where it cannot read; and where the server's answer
// was lost, since the write may still be on its way.
func (w *work) readBack(ctx context.Context, m move, unsure bool) (values, error) {
	const pause = time.Second
	for left := 5; ; left-- {
		live, err := w.read(ctx, m.target, m.addresses())
		if left == 0 || !m.unclear(live, err, unsure) {
			return live, err
		}
		wait(ctx, pause)
	}
}

func (m *move) unclear(live values, err error, unsure bool) bool {
	return err != nil || slices.ContainsFunc(m.turns, func(t turn) bool {
		now := live[t.Key()]
		_, state, _ := now.Get()
		return state == inventory.StateUnread || unsure && Same(t.Address, now, t.from)
	})
}

// show is a value for people.
func show(f value) string {
	v, state, reason := f.Get()
	switch {
	case state == inventory.StateAbsent:
		return "not set"
	case state == inventory.StateUnread:
		return "unread (" + reason + ")"
	case v.Text == "" || strings.TrimSpace(v.Text) != v.Text:
		return strconv.Quote(v.Text)
	}
	return v.Text
}

// sentence says what a move does.
func (m *move) sentence() string {
	var parts []string
	for _, t := range m.turns {
		parts = append(parts, fmt.Sprintf("%s from %s to %s", t.Key(), show(t.from), show(t.to[0])))
	}
	verb := "setting "
	if m.back {
		verb = "taking back "
	}
	return fmt.Sprintf("%s%s of %s", verb, strings.Join(parts, ", "), m.target.Name)
}

// post leaves a trace on the object. That it cannot is no failure, and said once.
func (w *work) post(ctx context.Context, m move) error {
	var rules []string
	for _, t := range m.turns {
		rules = append(rules, t.rules...)
	}
	slices.Sort(rules)
	text := fmt.Sprintf("vperf run %s: %s (rule %s)", w.run.ID, m.sentence(), strings.Join(slices.Compact(rules), ", "))
	for _, why := range []string{w.terms.Reason, w.terms.Ticket} {
		if why != "" {
			text += "; " + why
		}
	}
	err := w.estate.Events.Post(ctx, m.target, text)
	if err == nil || w.muted {
		return nil
	}
	w.muted = true
	return w.warn(m.step, m.target, "no event was left on %s: %v; of other objects this is not said again", m.target.Name, err)
}
