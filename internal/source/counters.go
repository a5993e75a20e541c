package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Kept is how long hosts keep what they measured every 20 seconds.
const Kept = vsphere.KeptSamples

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

// goodbye is for how long hosts may take to forget us.
const goodbye = 5 * time.Second

// Leave closes a source, so that hosts forget what they keep for us, whatever ended us. A host that does not answer changes no
// result.
func Leave(ctx context.Context, source esxtop.Source) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	return source.Close(ending)
}

func (w Wish) open(ctx context.Context, streams *iostreams.IO, from Source, told *[]string) (esxtop.Source, error) {
	p := streams.StartProgress("looking who is there")
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
		return nil, errors.New("there is no host to look at")
	}
	var sources []esxtop.Source
	for _, c := range choices {
		s, err := c.roster.OpenCounters(ctx, c.hosts, vsphere.CounterOptions{
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
		sources = append(sources, s)
	}
	return esxtop.Merge(sources...), nil
}

// chooseOn finds the hosts that are meant, on one server or several.
func chooseOn(ctx context.Context, from Source, t inventory.Targets) ([]choice, error) {
	switch s := from.(type) {
	case *Server:
		c, err := chooseHosts(ctx, s.Session, vsphere.Scope{Hosts: t.Hosts, Clusters: t.Clusters})
		return []choice{c}, err
	case *Fleet:
		return s.chooseHosts(ctx, t)
	}
	return nil, fmt.Errorf("%T has no counters", from)
}

func chooseHosts(ctx context.Context, s *vsphere.Session, scope vsphere.Scope) (c choice, err error) {
	if c.roster, err = s.Roster(ctx); err != nil {
		return c, err
	}
	c.hosts, err = c.roster.Choose(scope)
	return c, err
}

// chooseHosts finds hosts among those of all servers. A server that fails is left out and named.
func (f *Fleet) chooseHosts(ctx context.Context, t inventory.Targets) ([]choice, error) {
	if !t.Everything() {
		if err := f.aim(ctx, t); err != nil {
			return nil, err
		}
	}
	found := make([]choice, len(f.members))
	f.each(func(m *member) {
		found[slices.Index(f.members, m)], m.failed = chooseHosts(ctx, m.session, vsphere.Scope{Hosts: m.hosts})
	})
	if err := f.outlook(ctx); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(c choice) bool { return len(c.hosts) == 0 }), nil
}

// Wish is which counters of which hosts are wanted.
type Wish struct {
	Targets inventory.Targets
	From    vsphere.CounterSource
	Request esxtop.Request
	History time.Duration
	Near    bool // the server runs on this machine
}

// Counters is an open source of counters.
type Counters struct {
	esxtop.Source

	Told  string // what was printed before they were opened: a screen hides it
	close func()
}

// Close ends everything that the counters need.
func (c *Counters) Close() { c.close() }

// choice is the hosts that are meant on one server.
type choice struct {
	roster *vsphere.Roster
	hosts  []vsphere.RosterHost
}
