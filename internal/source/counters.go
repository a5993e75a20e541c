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
func (w CounterRequest) OpenCounters(ctx context.Context, streams *iostreams.IO, from Source) (*Counters, error) {
	var printed []string
	source, err := w.open(ctx, streams, from, &printed)
	if err != nil {
		from.Close()
		return nil, err
	}
	return &Counters{source, strings.Join(printed, "; "), func() {
		_ = CloseSource(ctx, source)
		from.Close()
	}}, nil
}

// Open opens the counters of all servers of a source as one. The source stays open after the counters are closed with CloseSource.
func (w CounterRequest) Open(ctx context.Context, streams *iostreams.IO, from Source) (esxtop.Source, error) {
	var printed []string
	return w.open(ctx, streams, from, &printed)
}

func (w CounterRequest) open(ctx context.Context, streams *iostreams.IO, from Source, printed *[]string) (esxtop.Source, error) {
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
			Source: w.From, Request: w.Request, History: w.History, OtherHosts: all - len(c.hosts), Local: w.Local,
			OnTraffic: func(words string) {
				p.Done()
				fmt.Fprintln(streams.Err, iostreams.Sanitize(words))
				*printed = append(*printed, words)
			},
		})
		if err != nil {
			for _, s := range sources {
				_ = CloseSource(ctx, s)
			}
			return nil, err
		}
		sources = append(sources, w.warm(s, c))
	}
	return esxtop.Merge(sources...), nil
}

// warm makes a source that keeps nothing itself begin with history, where history is wanted.
func (w CounterRequest) warm(s esxtop.Source, c chosenHosts) esxtop.Source {
	if w.History == 0 || s.About().Origin != esxtop.Service {
		return s
	}
	return warmUp(s, w.Request, func(ctx context.Context, r esxtop.Request) (esxtop.Source, error) {
		o := measure.CounterOptions{Source: measure.CountersPerformance, Request: r, History: min(w.History, Recent)}
		return c.roster.OpenCounters(ctx, c.hosts, o)
	})
}

// chooseOn finds the hosts that are meant, on one server or several.
func chooseOn(ctx context.Context, from Source, t inventory.Targets) ([]chosenHosts, error) {
	switch s := from.(type) {
	case *Server:
		c, err := chooseHosts(ctx, s.Session, tree.Scope{Hosts: t.Hosts, Clusters: t.Clusters})
		return []chosenHosts{c}, err
	case *Fleet:
		return s.chooseHosts(ctx, t)
	}
	return nil, fmt.Errorf("%T has no counters", from)
}

// CounterRequest is which counters of which hosts are wanted.
type CounterRequest struct {
	Targets inventory.Targets
	From    CounterSource
	Request esxtop.Request
	History time.Duration
	Local   bool // the server runs on this machine
}

// Counters is an open source of counters.
type Counters struct {
	esxtop.Source

	Printed string // the output printed before they were opened: a screen hides it
	close   func()
}

// Close ends everything that the counters need.
func (c *Counters) Close() { c.close() }
