package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// counters is a source of counters and how to be done with it.
type counters struct {
	esxtop.Source
	close func()
	told  string // before they were opened: a screen hides it
}

// open opens what the user asked for: captures, or hosts of a server or a few.
func (o *topOptions) open(ctx context.Context, f *Factory, r esxtop.Request) (*counters, error) {
	if len(o.Replay) > 0 {
		c, err := openCaptures(ctx, f.IO, o.Replay, r)
		return c, usage(err, o.Source.command)
	}
	return openCounters(ctx, f, &o.Source, counterWish{
		targets: o.Targets, from: measure.CounterSource(o.From), request: r, history: o.history(),
	})
}

// history is wanted where somebody looks on: what a figure did before is there from the start.
func (o *topOptions) history() time.Duration {
	if o.Batch || o.Plain {
		return 0
	}
	return kept
}

// kept is how long hosts keep what they measured every 20 seconds.
const kept = measure.KeptSamples

// counterWish is which counters of which hosts are wanted.
type counterWish struct {
	targets inventory.Targets
	from    measure.CounterSource
	request esxtop.Request
	history time.Duration
}

// openCounters opens the counters of all servers that are meant, as one source.
func openCounters(ctx context.Context, f *Factory, from *sourceOptions, w counterWish) (*counters, error) {
	opened, err := from.open(ctx, f)
	if err != nil {
		return nil, err
	}
	var told []string
	source, err := w.of(ctx, f.IO, opened.Source, from.Demo, &told)
	if err != nil {
		opened.close()
		return nil, err
	}
	return &counters{source, func() {
		part(ctx, source)
		opened.close()
	}, strings.Join(told, "; ")}, nil
}

// goodbye is for how long hosts may take to forget us.
const goodbye = 5 * time.Second

// part tells hosts to forget what they keep for us, whatever ended us. That one does not listen changes no result.
func part(ctx context.Context, source esxtop.Source) {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	_ = source.Close(ending)
}

// choice is the hosts that are meant on one server.
type choice struct {
	roster *measure.Roster
	hosts  []measure.RosterHost
}

func (w counterWish) of(ctx context.Context, io *iostreams.IO, from audit.Source, demo bool, told *[]string) (esxtop.Source, error) {
	p := io.StartProgress("looking who is there")
	defer p.Done()
	choices, err := w.choose(ctx, from)
	if err != nil {
		return nil, err
	}
	all := 0
	for _, c := range choices {
		all += len(c.hosts)
	}
	if all == 0 {
		return nil, errors.New("there is no host to look at")
	}
	var sources []esxtop.Source
	for _, c := range choices {
		s, err := c.roster.OpenCounters(ctx, c.hosts, measure.CounterOptions{
			Source: w.from, Request: w.request, History: w.history, Beside: all - len(c.hosts), Near: demo,
			Tell: func(words string) {
				p.Done()
				fmt.Fprintln(io.Err, iostreams.Sanitize(words))
				*told = append(*told, words)
			},
		})
		if err != nil {
			for _, s := range sources {
				part(ctx, s)
			}
			return nil, err
		}
		sources = append(sources, s)
	}
	return esxtop.Merge(sources...), nil
}

// choose finds the hosts that are meant, on one server or a few.
func (w counterWish) choose(ctx context.Context, from audit.Source) ([]choice, error) {
	switch s := from.(type) {
	case server:
		c, err := chooseHosts(ctx, s.session, tree.Scope{Hosts: w.targets.Hosts, Clusters: w.targets.Clusters})
		return []choice{c}, err
	case *fleet:
		return s.chooseHosts(ctx, w.targets)
	}
	return nil, fmt.Errorf("%T has no counters", from)
}

func chooseHosts(ctx context.Context, s *session.Session, scope tree.Scope) (c choice, err error) {
	if c.roster, err = measure.ReadRoster(ctx, s); err != nil {
		return c, err
	}
	c.hosts, err = c.roster.Choose(scope)
	return c, err
}

// chooseHosts finds hosts among those of all servers. A server that fails is left out and named.
func (f *fleet) chooseHosts(ctx context.Context, t inventory.Targets) ([]choice, error) {
	if !t.Everything() {
		if err := f.aim(ctx, t); err != nil {
			return nil, err
		}
	}
	found := make([]choice, len(f.members))
	f.each(func(m *member) {
		found[slices.Index(f.members, m)], m.failed = chooseHosts(ctx, m.session, tree.Scope{Hosts: m.hosts})
	})
	if err := f.outlook(ctx); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(c choice) bool { return len(c.hosts) == 0 }), nil
}
