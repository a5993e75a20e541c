package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// OpenCounters opens the counters of all servers of a source as one, and closes the source with them.
func (w Wish) OpenCounters(ctx context.Context, streams *iostreams.IO, from Source) (*Counters, error) {
	var told []string
	source, err := w.open(ctx, streams, from, &told)
	if err != nil {
		from.Close()
		return nil, err
	}
	return &Counters{source, strings.Join(told, "; "), func() {
		_ = Leave(ctx, source)
		from.Close()
	}}, nil
}

func (w Wish) open(ctx context.Context, streams *iostreams.IO, from Source, told *[]string) (esxtop.Source, error) {
	p := streams.StartProgress("listing hosts and VMs")
	defer p.Done()
	choices, err := chooseOn(ctx, from, w.Targets)
	if err != nil {
		return nil, err
	}
	all := 0
	for _, c := range choices {
		all += len(c.hosts)
	}
	if all == 0 {
		return nil, errors.New("there is no host to measure")
	}
	var sources []esxtop.Source
	for _, c := range choices {
		s, err := c.roster.OpenCounters(ctx, c.hosts, measure.CounterOptions{
			Source: w.From, Request: w.Request, History: w.History, Beside: all - len(c.hosts), Near: w.Near,
			Tell: func(words string) {
				p.Done()
				fmt.Fprintln(streams.Err, iostreams.Sanitize(words))
				*told = append(*told, words)
			},
		})
		if err != nil {
			for _, s := range sources {
				_ = Leave(ctx, s)
			}
			return nil, err
		}
		sources = append(sources, w.warm(s, c))
	}
	return esxtop.Merge(sources...), nil
}

// warm makes a source that keeps nothing itself begin with history, where history is wanted.
func (w Wish) warm(s esxtop.Source, c choice) esxtop.Source {
	if w.History == 0 || s.About().Origin != esxtop.Service {
		return s
	}
	return warmUp(s, w.Request, func(ctx context.Context, r esxtop.Request) (esxtop.Source, error) {
		o := measure.CounterOptions{Source: measure.CountersPerformance, Request: r, History: min(w.History, Recent)}
		return c.roster.OpenCounters(ctx, c.hosts, o)
	})
}

// chooseOn finds the hosts that are meant, on one server or several.
func chooseOn(ctx context.Context, from Source, t inventory.Targets) ([]choice, error) {
	switch s := from.(type) {
	case *Server:
		c, err := chooseHosts(ctx, s.Session, tree.Scope{Hosts: t.Hosts, Clusters: t.Clusters})
		return []choice{c}, err
	case *Fleet:
		return s.chooseHosts(ctx, t)
	}
	return nil, fmt.Errorf("%T has no counters", from)
}

// Wish is which counters of which hosts are wanted.
type Wish struct {
	Targets inventory.Targets
	From    CounterSource
	Request esxtop.Request
	History time.Duration
	Near    bool // the server runs on this machine
}

// Counters is an open source of counters.
type Counters struct {
	esxtop.Source

	Told  string // the output printed before they were opened: a screen hides it
	close func()
}

// Close ends everything that the counters need.
func (c *Counters) Close() { c.close() }
