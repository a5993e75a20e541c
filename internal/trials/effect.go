package trials

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// EffectAsk is the question what a recorded change brought.
type EffectAsk struct {
	Outcomes  []trial.Outcome // the first one that can be measured decides
	Named     bool            // the user named the first one: no other decides
	For       time.Duration   // the length of each period; 0: as long as possible, a day at most
	Simulated bool
}

// longestPeriod is how long the periods before and after a change are unless the user gives a time.
const longestPeriod = 24 * time.Hour

// shortestPeriod is the shortest period that is compared, in samples of its interval.
const shortestPeriod = 12

// effect is the comparison of a change in the making.
type effect struct {
	ask         EffectAsk
	run         *tuning.Run
	server      *source.Server
	rollups     *source.Rollups
	units       []trial.Unit
	begun, done time.Time // of the change: the first write, and the last one that was read back
	now         time.Time // by the server's clock
	length      time.Duration
	interval    source.RollupInterval // its Kept is 0 for the samples of the last hour
	r           *trial.Registration
	notes       []string
}

// Effect compares the time before the changes of a run with the time after them. It proves nothing: whatever else changed is in the
// difference.
func Effect(ctx context.Context, server *source.Server, run *tuning.Run, ask EffectAsk) (*Recorded, error) {
	e := &effect{ask: ask, run: run, server: server}
	var err error
	if e.now, err = server.Session.Now(ctx); err != nil {
		return nil, fmt.Errorf("reading the server's clock: %w", err)
	}
	var roster *source.Roster
	if e.rollups, roster, err = server.Rollups(ctx); err != nil {
		return nil, err
	}
	for _, step := range []func() error{func() error { return e.findUnits(ctx, roster) }, e.choosePeriods, e.register} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	rounds, err := e.read(ctx)
	if err != nil {
		return nil, err
	}
	return e.compare(rounds)
}

// findUnits returns the hosts or VMs on which changes of the run are in force.
func (e *effect) findUnits(ctx context.Context, roster *source.Roster) error {
	waits := 0
	for i := range e.run.Results {
		c := &e.run.Results[i]
		switch {
		case c.State != tuning.StateDone && c.State != tuning.StateProven:
			continue
		case c.Waits != "":
			waits++
			continue
		}
		if e.done.Before(c.Since) {
			e.done = c.Since
		}
		u := trial.Unit{Kind: c.Target.Kind, ID: c.Target.ID, Name: c.Target.Name}
		if slices.ContainsFunc(e.units, func(o trial.Unit) bool { return o.ID == u.ID }) {
			continue
		}
		switch u.Kind {
		case inventory.ScopeHost:
			u.Hosts = []string{u.ID}
		case inventory.ScopeVM:
			if u.Hosts = hostsOfVM(roster, u.ID); len(u.Hosts) == 0 {
				return fmt.Errorf("VM %s is no longer there", u.Name)
			}
		default:
			return fmt.Errorf("the effect of a change of %s %s cannot be compared: only those of hosts and VMs can", u.Kind, u.Name)
		}
		e.units = append(e.units, u)
	}
	switch {
	case len(e.units) == 0 && waits > 0:
		return fmt.Errorf("the changes of run %s are not in force yet: %s", e.run.ID, typed.Of(ctx).Command("history", "verify", e.run.ID))
	case len(e.units) == 0:
		return fmt.Errorf("run %s has left no change in force, so there is nothing to compare", e.run.ID)
	}
	e.begun = e.done
	for _, record := range e.run.Records {
		if record.Kind == tuning.RecordIntent && record.Time.Before(e.begun) {
			e.begun = record.Time
		}
	}
	if kind := e.units[0].Kind; slices.ContainsFunc(e.units, func(u trial.Unit) bool { return u.Kind != kind }) {
		return fmt.Errorf("run %s changed both hosts and VMs: their outcomes cannot be compared together", e.run.ID)
	}
	return nil
}

func hostsOfVM(roster *source.Roster, id string) []string {
	for _, h := range roster.Hosts() {
		if slices.ContainsFunc(roster.VMs(h.MoID), func(vm source.VM) bool { return vm.MoID == id }) {
			return []string{h.MoID}
		}
	}
	return nil
}

// choosePeriods chooses the length of both periods, and whether samples or rollups fill them.
func (e *effect) choosePeriods() error {
	since, before := e.now.Sub(e.done), source.Kept-e.now.Sub(e.begun)
	if since < 0 {
		return fmt.Errorf("the change was made at %s by the clock of this machine, which is later than the server's clock", e.done.Format(time.RFC3339))
	}
	available := since - settleBefore
	if e.ask.For > 0 && e.ask.For > available {
		return fmt.Errorf("only %s have passed since the change: --for %s needs as much time after it as before, and %s in which it settles",
			since.Round(time.Second), e.ask.For, settleBefore)
	}
	const short = shortestPeriod * source.Interval
	if recent := min(available, before); recent >= short && e.ask.For <= recent {
		e.length, e.interval = cmp.Or(e.ask.For, recent), source.RollupInterval{Interval: source.Interval}
		return e.longEnough()
	}
	e.length = cmp.Or(e.ask.For, max(0, min(available, longestPeriod)))
	reach := e.now.Sub(e.begun) + e.length
	var ok bool
	if e.interval, ok = e.rollups.Reaching(reach); !ok {
		return fmt.Errorf("%s, and both periods reach back %s: %s", e.keeps(), reach.Round(time.Minute), "give a shorter --for, or ask a vCenter that keeps more")
	}
	return e.longEnough()
}

// settleBefore is the time after a change that is not compared.
const settleBefore = 5 * time.Minute

func (e *effect) longEnough() error {
	if n := int(e.length / e.interval.Interval); n < shortestPeriod {
		return fmt.Errorf("%s on each side of the change is too short: it has %d samples of %s, and a comparison takes %d. %s",
			e.length.Round(time.Second), n, e.interval.Interval, shortestPeriod, e.keeps())
	}
	return nil
}

// keeps says how long the server keeps which rollups.
func (e *effect) keeps() string {
	if len(e.rollups.Intervals) == 0 {
		return "The server keeps no rollups"
	}
	var parts []string
	for _, i := range e.rollups.Intervals {
		parts = append(parts, fmt.Sprintf("%s for %s", i.Interval, i.Kept))
	}
	text := "The server keeps samples of 20s for an hour, and rollups of " + strings.Join(parts, ", ")
	if e.rollups.Intervals[0].Level == 0 {
		text += "; a host keeps no others, a vCenter does"
	}
	return text
}

// register chooses the outcomes that the samples have.
func (e *effect) register() error {
	kind := e.units[0].Kind
	var known []trial.Outcome
	var missing []error
	for i, o := range e.ask.Outcomes {
		err := e.measurable(&o, kind)
		switch {
		case err == nil:
			known = append(known, o)
		case i == 0 && e.ask.Named:
			return fmt.Errorf("outcome %s: %w", o.ID, err)
		case o.Suits(kind):
			missing = append(missing, fmt.Errorf("outcome %s: %w", o.ID, err))
		}
	}
	if len(known) == 0 {
		return errors.Join(append([]error{fmt.Errorf("no outcome of these changes can be measured on a %s", kind)}, missing...)...)
	}
	for _, err := range missing {
		e.notes = append(e.notes, err.Error())
	}
	names := make([]string, len(e.units))
	for i, u := range e.units {
		names[i] = u.Name
	}
	rules := RulesOf(e.run)
	e.r = &trial.Registration{
		Schema: trial.Schema, Rule: strings.Join(rules, ", "), Design: inventory.DesignBeforeAfter, Units: e.units,
		Question: fmt.Sprintf("What changed on %s with run %s?", strings.Join(names, ", "), e.run.ID),
		Outcome:  known[0], Others: known[1:], MinEffect: trial.DefaultMinEffect, Alpha: trial.DefaultAlpha,
		Block: e.length, Interval: e.interval.Interval,
	}
	return nil
}

// RulesOf returns the rules that the changes of a run follow, each once.
func RulesOf(run *tuning.Run) (list []string) {
	for _, c := range run.Results {
		for _, rule := range c.Rules {
			if !slices.Contains(list, rule) {
				list = append(list, rule)
			}
		}
	}
	return list
}

// measurable reports why an outcome cannot be measured.
func (e *effect) measurable(o *trial.Outcome, kind inventory.Scope) error {
	if !o.Suits(kind) {
		return fmt.Errorf("it cannot be measured on a %s", kind)
	}
	figures, err := o.Figures()
	if err != nil {
		return err
	}
	if o.Counters == "esxtop" {
		return errors.New("it needs the Esxtop service, which keeps nothing of the past")
	}
	if e.interval.Kept == 0 {
		return nil
	}
	for _, f := range figures {
		if err := e.rollups.Collected(source.RollupFigure(f), e.interval); err != nil {
			return err
		}
	}
	return nil
}

// read returns the samples of both periods.
func (e *effect) read(ctx context.Context) ([]*esxtop.Round, error) {
	var hosts, vms []string
	for _, u := range e.units {
		hosts = union(hosts, u.Hosts)
		if u.Kind == inventory.ScopeVM {
			vms = append(vms, u.ID)
		}
	}
	if e.interval.Kept == 0 {
		return e.readSamples(ctx, hosts)
	}
	q, err := rollupQuery(e.r, e.interval, hosts, vms)
	if err != nil {
		return nil, err
	}
	q.From, q.Until = e.begun.Add(-e.length-e.interval.Interval), e.done.Add(settleBefore+e.length+e.interval.Interval)
	return e.rollups.Read(ctx, q)
}

func rollupQuery(r *trial.Registration, at source.RollupInterval, hosts, vms []string) (source.RollupQuery, error) {
	q := source.RollupQuery{Hosts: hosts, VMs: vms, Interval: at}
	for _, o := range r.Outcomes() {
		figures, err := o.Figures()
		if err != nil {
			return q, err
		}
		for _, f := range figures {
			if !slices.Contains(q.Figures, source.RollupFigure(f)) {
				q.Figures = append(q.Figures, source.RollupFigure(f))
			}
		}
	}
	return q, nil
}

func (e *effect) readSamples(ctx context.Context, hosts []string) (rounds []*esxtop.Round, err error) {
	samples, err := e.server.EverySample(ctx, hosts, e.r.Objects())
	if err != nil {
		return nil, err
	}
	defer samples.Close(ctx)
	for {
		round, err := samples.Next(ctx)
		if err != nil {
			return nil, err
		}
		if len(round.Frames) > 0 {
			rounds = append(rounds, round)
		}
		if !round.Past || !round.Time.Before(e.now.Add(-source.Interval)) {
			return rounds, nil
		}
	}
}

// compare makes the two periods' blocks, and compares them.
func (e *effect) compare(rounds []*esxtop.Round) (*Recorded, error) {
	m, err := trial.NewMeter(e.r)
	if err != nil {
		return nil, err
	}
	for _, round := range rounds {
		for _, f := range round.Frames {
			m.Add(f)
		}
	}
	after := e.done.Add(settleBefore)
	blocks := []trial.Block{m.Block(e.begun.Add(-e.length), e.begun, 0), m.Block(after, after.Add(e.length), 0)}
	for i := range blocks {
		blocks[i].Half = i
		blocks[i].Treated = slices.Repeat([]bool{i == 1}, len(e.units))
	}
	t := &Recorded{Run: e.run, Registration: e.r, Blocks: blocks, Ended: true}
	t.Result = trial.BeforeAfterOf(e.r, blocks)
	t.Result.Notes = append(t.Result.Notes, e.notes...)
	t.Result.Notes = append(t.Result.Notes, fmt.Sprintf("%s before %s is compared with %s from %s on, by samples of %s",
		e.length.Round(time.Second), e.begun.UTC().Format(time.DateTime), e.length.Round(time.Second), after.UTC().Format(time.DateTime), e.interval.Interval))
	t.Conditions = Conditions{Simulated: e.ask.Simulated, Title: e.r.Rule}
	for i := range e.run.Results {
		c := &e.run.Results[i]
		t.Conditions.Changes = append(t.Conditions.Changes, Changed{Target: c.Target.Name, Setting: c.Key(), Untreated: shown(c.Before), Treated: shown(c.After)})
	}
	return t, nil
}
