// Package audit is the one path from facts to findings: it reads the facts that the rules need, then evaluates the rules.
// All commands use it, so that all of them get the same findings.
package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Source is where facts come from: servers, or a saved snapshot.
type Source interface {
	// Read gets the needed facts of the targets; no targets means the whole inventory. Facts
	// that take a call to each host may be left unread with the reason inventory.PerHost.
	Read(ctx context.Context, targets inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error)
}

// Filler is a source that can go back for facts that take a call to each host.
type Filler interface {
	// Fill reads the facts that Read skipped, for the given hosts of the snapshot only. The facts of a host that cannot be
	// asked stay unread, with the reason; an error means that the context ended.
	Fill(ctx context.Context, s *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error
}

// Measurer is a source whose counters can be watched.
type Measurer interface {
	// Measure adds counters, measured over the duration long, to hosts and VMs of the snapshot: at least those given, or all if
	// nil. It skips hosts without available counters; an error means that no host had any, or that the context ended.
	Measure(ctx context.Context, s *inventory.Snapshot, long time.Duration, counters []string) error
}

// Request selects what to audit.
type Request struct {
	Targets inventory.Targets
	// For is how long counters are watched for the rules that judge by them; 0: not at all.
	For time.Duration
	// Counters says that all of them are wanted, and not just those that rules look at.
	Counters bool
	// Everything reads all facts, and not only those that rules need, so that the snapshot can be compared with others.
	Everything bool
	// ResultOnly says that only the result is used: the facts of a server may be released once it has been evaluated, and
	// the snapshot has no objects then.
	ResultOnly bool
	// Measured is called when counters have been measured, and before rules are evaluated; nil: nothing is called.
	Measured func()
	Rules    *advice.Ruleset
	Options  advice.Options
	// Waivers turn fails into waived ones. If nil, no finding is waived, not even by objects themselves.
	Waivers *advice.Waivers
	// Baseline marks the fails that were there before; nil: all are new.
	Baseline *advice.Baseline
}

func (r Request) needs() inventory.Needs {
	n := r.Rules.Needs(r.Options)
	if r.Waivers != nil {
		n.Add(r.Waivers.Needs(r.Rules))
	}
	return n
}

// Audit holds the facts and the results of the rules.
type Audit struct {
	Snapshot *inventory.Snapshot
	Result   *advice.Result
}

// Run reads the facts that the rules need, evaluates the rules and removes accepted findings.
func Run(ctx context.Context, from Source, r Request) (*Audit, error) {
	if several, ok := from.(Several); ok && r.separable() {
		return runParts(ctx, several, r)
	}
	s, result, err := judge(ctx, from, r)
	if err != nil {
		return nil, err
	}
	if r.Waivers != nil {
		r.Waivers.Apply(result, s, r.Rules)
	}
	if r.Baseline != nil {
		r.Baseline.Apply(result, s, r.Rules)
	}
	return &Audit{s, result}, nil
}

// judge reads facts and evaluates rules. It fetches facts that need per-host calls during evaluation, and only from hosts
// whose results depend on them: other hosts add no calls.
func judge(ctx context.Context, from Source, r Request) (*inventory.Snapshot, *advice.Result, error) {
	s, err := read(ctx, from, r)
	if err != nil {
		return nil, nil, err
	}
	if err := measure(ctx, from, s, r); err != nil {
		return nil, nil, err
	}
	if r.Measured != nil {
		r.Measured()
	}
	filler, _ := from.(Filler)
	r.Options.Fill = fill(filler, s)
	result, err := advice.Evaluate(ctx, s, r.Rules, r.Options)
	if err != nil {
		return nil, nil, fmt.Errorf("evaluating rules: %w", err)
	}
	return s, result, nil
}

// fill returns the function that reads the facts of gaps from a snapshot's hosts; nil if the source cannot.
func fill(from Filler, s *inventory.Snapshot) func(context.Context, []advice.Gap) error {
	if from == nil {
		return nil
	}
	return func(ctx context.Context, gaps []advice.Gap) error {
		hosts := undecided(s, gaps)
		if len(hosts) == 0 {
			return nil
		}
		return from.Fill(ctx, s, hosts, lacking(gaps))
	}
}

// read gets the facts of the request in the first round, or all facts in both rounds.
func read(ctx context.Context, from Source, r Request) (*inventory.Snapshot, error) {
	if r.Everything {
		return Everything(ctx, from, r.Targets)
	}
	return from.Read(ctx, r.Targets, r.needs())
}

// measure watches counters if the request asks for it and a rule uses them.
func measure(ctx context.Context, from Source, s *inventory.Snapshot, r Request) error {
	if r.For <= 0 || !slices.ContainsFunc(r.Rules.Rules(), func(rule *advice.Rule) bool { return len(rule.Live()) > 0 }) {
		return nil
	}
	if r.Counters {
		return Measure(ctx, from, s, r.For, nil)
	}
	return Measure(ctx, from, s, r.For, r.Rules.Live())
}

// Measure watches these counters of a snapshot's hosts and VMs for so long, nil is all of them; 0 is not at all.
func Measure(ctx context.Context, from Source, s *inventory.Snapshot, long time.Duration, counters []string) error {
	if long <= 0 {
		return nil
	}
	m, ok := from.(Measurer)
	if !ok {
		return errors.New("measuring counters: they come from a server, not from a saved snapshot")
	}
	return m.Measure(ctx, s, long, counters)
}

// Everything reads every fact vperf knows of, in both rounds.
func Everything(ctx context.Context, from Source, t inventory.Targets) (*inventory.Snapshot, error) {
	needs := inventory.Everything()
	s, err := from.Read(ctx, t, needs)
	if err != nil {
		return nil, err
	}
	filler, ok := from.(Filler)
	if !ok {
		return s, nil
	}
	var hosts []*inventory.Host
	for _, v := range s.VCenters {
		for _, h := range v.Hosts {
			if h.Unread == "" {
				hosts = append(hosts, h)
			}
		}
	}
	return s, filler.Fill(ctx, s, hosts, needs)
}

// hostID is the id of the host that an object is, or is a device of: ids of devices begin with their host's.
type hostID struct{ vcenter, id string }

func hostOf(o inventory.Ref) hostID {
	id, _, _ := strings.Cut(o.ID, "/")
	return hostID{o.VCenter, id}
}

// undecided lists the hosts that gaps are of.
func undecided(s *inventory.Snapshot, gaps []advice.Gap) []*inventory.Host {
	of := map[hostID]bool{}
	for _, g := range gaps {
		of[hostOf(g.Object)] = true
	}
	var hosts []*inventory.Host
	for _, v := range s.VCenters {
		for _, h := range v.Hosts {
			if of[hostOf(h.Ref())] {
				hosts = append(hosts, h)
			}
		}
	}
	return hosts
}

// lacking are the facts that gaps are of.
func lacking(gaps []advice.Gap) inventory.Needs {
	var n inventory.Needs
	for _, g := range gaps {
		n.AddFact(g.Fact)
	}
	return n
}
