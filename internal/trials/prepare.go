package trials

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/eventlog"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// Prepared is a trial whose units, baseline and schedule are known. Nothing is written yet.
type Prepared struct {
	Registration *trial.Registration
	Conditions   Conditions
	Prospects    []trial.Prospect // by outcome; the first is the primary one
	// Around replaces what the trial switches and reads, in tests. It is optional.
	Around func(trial.Estate) trial.Estate

	server   *source.Server
	plan     *tuning.Plan
	units    []unit
	samples  *source.EverySample
	clusters map[string][]string
	began    time.Time // by the server's clock, when it was prepared
}

// Close ends the reading of samples.
func (p *Prepared) Close(ctx context.Context) { p.samples.Close(ctx) }

// Prepare finds the units that a plan changes, reads the hour before, and fixes everything else that must be fixed before the first
// block. It writes nothing.
func Prepare(ctx context.Context, server *source.Server, plan *tuning.Plan, snapshot *inventory.Snapshot, ask Ask) (*Prepared, error) {
	units, err := unitsOf(plan, snapshot, ask.How.Unit)
	if err != nil {
		return nil, err
	}
	ask.Outcomes = slices.DeleteFunc(slices.Clone(ask.Outcomes), func(o trial.Outcome) bool { return !o.Suits(ask.How.Unit) })
	ask.Outcomes = measurable(ask.How.Design, ask.Outcomes)
	if len(ask.Outcomes) == 0 {
		return nil, fmt.Errorf("there is no outcome for %s that can be measured on a %s", ask.Rule, ask.How.Unit)
	}
	if _, _, err := ask.block(); err != nil {
		return nil, err
	}
	p := &Prepared{server: server, plan: plan, units: units, clusters: clusterHosts(snapshot), Registration: ask.registration(units)}
	p.Conditions = Conditions{
		Simulated: ask.Simulated, Source: ask.Source, Title: ask.Title, Reason: ask.How.Reason, Changes: changesOf(plan),
		Hosts: hostConditions(snapshot, hostsOf(units)), Published: ask.Published, Params: ask.Params,
	}
	if host, err := serviceHost(&p.Registration.Outcome, units); err != nil {
		return nil, err
	} else if host != "" {
		if p.Conditions.Unwatched, err = watchable(p.Registration); err != nil {
			return nil, err
		}
	}
	if p.samples, err = server.EverySample(ctx, hostsOf(units), p.Registration.Objects()); err != nil {
		return nil, err
	}
	if err := p.measure(ctx, &ask); err != nil {
		p.Close(ctx)
		return nil, err
	}
	if err := p.openService(ctx); err != nil {
		p.Close(ctx)
		return nil, err
	}
	return p, nil
}

func (a *Ask) registration(units []unit) *trial.Registration {
	block, settle, _ := a.block() // Prepare has returned its error
	witness := ""
	if o := trial.Witness(a.Rule, a.Outcomes); o != nil {
		witness = o.ID
	}
	return &trial.Registration{
		Schema: trial.Schema, Rule: a.Rule, Question: a.question(units), Design: a.How.Design, Units: plainUnits(units),
		Outcome: a.Outcomes[0], Others: a.Outcomes[1:], Witness: witness, MinEffect: a.MinEffect, Alpha: a.Alpha, Guards: a.Guards,
		Seed: a.Seed, Block: block, Settle: settle, Interval: source.Interval,
	}
}

// question is what the trial answers, in words.
func (a *Ask) question(units []unit) string {
	o, does := a.Outcomes[0], "lower"
	if o.Better == trial.Up {
		does = "raise"
	}
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.Name
	}
	on := strings.Join(names, ", ")
	if len(names) > most {
		on = strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return fmt.Sprintf("Does %s %s %s by %.3g %% or more, on %s?", a.Rule, does, lowerFirst(o.Title), a.MinEffect*100, on)
}

// most is how many units a question names.
const most = 4

// lowerFirst lowers the first letter of a title, unless it begins with an abbreviation.
func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// measure reads the hour before, and derives from it how long the trial takes.
func (p *Prepared) measure(ctx context.Context, ask *Ask) error {
	rounds, err := p.hourBefore(ctx)
	if err != nil {
		return err
	}
	r := p.Registration
	baseline := r.Measure
	if r.Outcome.Counters == serviceOnly {
		baseline = func(rounds []*esxtop.Round) (trial.Baseline, error) { return measureGuards(r, rounds) }
	}
	if r.Baseline, err = baseline(rounds); err != nil {
		return err
	}
	request := trial.PlanRequest{
		Units: r.Units, Outcomes: r.Outcomes(), MinEffect: r.MinEffect, Alpha: r.Alpha, Block: r.Block, Settle: r.Settle,
		Interval: r.Interval, For: ask.For,
	}
	p.Prospects = trial.PlanFor(request, rounds)
	if r.Design == inventory.DesignRandomised {
		ask.drawLot(r)
		return nil
	}
	if r.Pairs, r.Spare = ask.pairs(p.Prospects[0], r); r.Planned()*len(r.Units) < leastPairs {
		return &TooShortError{Least: 2 * r.Block * time.Duration((leastPairs+len(r.Units)-1)/len(r.Units))}
	}
	request.For = 2 * time.Duration(r.Planned()) * r.Block // what each outcome sees in this trial, which the primary one made so long
	p.Prospects = trial.PlanFor(request, rounds)
	explainService(p.Prospects)
	r.Schedule = trial.NewSchedule(r.Seed, r.Pairs, len(r.Units))
	return nil
}

// pairs returns the number of pairs of blocks, and how many of them are spare: as many as there is time for, or as the noise
// needs and spare ones for those that will be dropped.
func (a *Ask) pairs(p trial.Prospect, r *trial.Registration) (pairs, spare int) {
	if a.For > 0 {
		return int(a.For / (2 * r.Block)), 0
	}
	if p.Outcome.Counters == serviceOnly {
		p.Pairs = pairsUnknown
	}
	units, longest := len(r.Units), int(a.Longest/(2*r.Block))
	planned := min((max(p.Pairs, leastPairs)+units-1)/units, longest)
	pairs = min(planned+trial.SparePairs(planned), longest)
	return pairs, pairs - planned
}

// pairsUnknown is how many pairs a trial has whose noise is not known. It ends earlier if the answer is clear.
const pairsUnknown = 12

// leastPairs is the fewest differences that can reach p ≤ 0.05: two of the 64 signs of six pairs are as extreme.
const leastPairs = 6

// TooShortError means that there is no time for enough blocks.
type TooShortError struct{ Least time.Duration }

// Error says how much time it takes.
func (e *TooShortError) Error() string {
	return fmt.Sprintf("a trial takes %d pairs of blocks at least, for which these objects need %d minutes", leastPairs, int(e.Least.Minutes()))
}

// ErrNoHistory means that the hosts have too few samples of the last hour.
var ErrNoHistory = errors.New("the hosts have too few samples of the last hour to plan a trial by")

// leastHistory is how many samples of the hour before a plan needs: a quarter of an hour.
const leastHistory = 45

// clockDrift is how far a host's clock may be from the server's, before blocks would be cut at the wrong moment.
const clockDrift = 45 * time.Second

// hourBefore reads the samples that the hosts have kept, until those of now.
func (p *Prepared) hourBefore(ctx context.Context) ([]*esxtop.Round, error) {
	now, err := p.server.Session.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the server's clock: %w", err)
	}
	p.began = now
	var rounds []*esxtop.Round
	for {
		round, err := p.samples.Next(ctx)
		if err != nil {
			return nil, err
		}
		if !round.Time.IsZero() {
			rounds = append(rounds, round)
		}
		if !round.Past || !round.Time.Before(now.Add(-source.Interval)) {
			break
		}
	}
	if len(rounds) < leastHistory {
		return nil, fmt.Errorf("%w: %d of %d", ErrNoHistory, len(rounds), int(source.Kept/source.Interval))
	}
	return rounds, p.sameClock(now, rounds[len(rounds)-1])
}

// sameClock returns an error if the samples of a host are from another time than the server's.
func (p *Prepared) sameClock(now time.Time, newest *esxtop.Round) error {
	for _, f := range newest.Frames {
		if d := f.Time.Sub(now); d > clockDrift || d < -clockDrift-2*source.Interval {
			return fmt.Errorf("the clock of %s differs from the server's by %s: a trial could not tell which samples belong to a block; set the time of the host by NTP",
				f.Host, d.Round(time.Second))
		}
	}
	return nil
}

// Design returns how the setting can be measured.
func (p *Prepared) Design() inventory.Design { return p.Registration.Design }

// Lasts returns how long the trial takes at most, with all spare pairs.
func (p *Prepared) Lasts() time.Duration {
	return 2 * time.Duration(p.Registration.Pairs) * p.Registration.Block
}

func clusterHosts(s *inventory.Snapshot) map[string][]string {
	found := map[string][]string{}
	for _, v := range s.VCenters {
		for _, c := range v.Clusters {
			found[c.ID], _ = c.HostIDs.Value()
		}
	}
	return found
}

func (p *Prepared) events() trial.Events {
	return &events{
		reader: eventlog.NewReader(p.server.Session), units: p.units, clusters: p.clusters, away: patience{clock: p.server.Clock()},
		moved: p.samples.RosterChanged,
	}
}
