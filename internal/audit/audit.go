// Package audit is the one path from facts to findings: what the rules need is read, then the rules are held against
// it. Whatever wants findings goes this way, so that all of them see the same.
package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Source is where facts come from: servers, or a saved snapshot.
type Source interface {
	// Read gets the facts needed of what targets name; no targets means everything. Facts
	// that take a call to each host may be left unread with the reason inventory.PerHost.
	Read(ctx context.Context, targets inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error)
}

// Filler is a source that can go back for facts that take a call to each host.
type Filler interface {
	// Fill reads what Read left out, of these hosts of the snapshot only. A host that cannot be asked keeps its facts
	// unread, with the reason; an error means that the context ended.
	Fill(ctx context.Context, s *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error
}

// Request says what to audit.
type Request struct {
	Targets inventory.Targets
	Rules   *advice.Ruleset
	Options advice.Options
	// Waivers turn fails into waived ones; nil: nothing is waived, whatever objects carry.
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

// Audit is what was read and what the rules say of it.
type Audit struct {
	Snapshot *inventory.Snapshot
	Result   *advice.Result
}

// Run reads what the rules need, evaluates them and takes out what people accept.
func Run(ctx context.Context, from Source, r Request) (*Audit, error) {
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

// judge reads and evaluates. Facts that take a call to each host are fetched in a second round, and only from the hosts
// that could not be judged without: the number of calls does not grow with hosts that nobody needs to ask.
func judge(ctx context.Context, from Source, r Request) (*inventory.Snapshot, *advice.Result, error) {
	needs := r.needs()
	s, err := from.Read(ctx, r.Targets, needs)
	if err != nil {
		return nil, nil, err
	}
	result, err := evaluate(ctx, s, r)
	if err != nil {
		return nil, nil, err
	}
	hosts := undecided(s, result)
	filler, ok := from.(Filler)
	if !ok || len(hosts) == 0 {
		return s, result, nil
	}
	if err := filler.Fill(ctx, s, hosts, lacking(result)); err != nil {
		return nil, nil, err
	}
	result, err = evaluate(ctx, s, r)
	return s, result, err
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

func evaluate(ctx context.Context, s *inventory.Snapshot, r Request) (*advice.Result, error) {
	result, err := advice.Evaluate(ctx, s, r.Rules, r.Options)
	if err != nil {
		return nil, fmt.Errorf("evaluating rules: %w", err)
	}
	return result, nil
}

// undecided lists the hosts that have a fact which an unknown outcome lacks and a call to the host would give.
func undecided(s *inventory.Snapshot, r *advice.Result) []*inventory.Host {
	var hosts []*inventory.Host
	for _, v := range s.VCenters {
		for _, h := range v.Hosts {
			if slices.ContainsFunc(r.Unread, func(g advice.Gap) bool { return g.Reason == inventory.PerHost && isOf(g.Object, h) }) {
				hosts = append(hosts, h)
			}
		}
	}
	return hosts
}

// lacking are the facts that a call to a host would give and an outcome is unknown without.
func lacking(r *advice.Result) inventory.Needs {
	var n inventory.Needs
	for _, g := range r.Unread {
		if g.Reason == inventory.PerHost {
			n.AddFact(g.Fact)
		}
	}
	return n
}

// isOf reports whether an object is the host or one of its devices, whose ids begin with the host's.
func isOf(o inventory.Ref, h *inventory.Host) bool {
	own := h.Ref()
	return o.VCenter == own.VCenter && (o.ID == own.ID || strings.HasPrefix(o.ID, own.ID+"/"))
}
