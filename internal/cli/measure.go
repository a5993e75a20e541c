package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// shortestMeasure has two intervals of the PerformanceManager in it.
const shortestMeasure = 40 * time.Second

// leastKept is how much is taken of what hosts have kept, however little was asked for: it costs no wait, and of fewer than three
// samples rules say nothing.
const leastKept = time.Minute

// perhaps is what the last interval may lack: asked for so much more history, nobody waits for it to end.
const perhaps = 20 * time.Second

func checkFor(long time.Duration, file string) error {
	switch {
	case long == 0:
		return nil
	case file != "":
		return errors.New("--for and --from exclude each other: counters are measured on a server")
	case long < shortestMeasure:
		return fmt.Errorf("--for: %s is too short to judge by: %s at least", brief(long), brief(shortestMeasure))
	case long > kept:
		return fmt.Errorf("--for: %s is too long: 1h at most, as hosts keep what they measured for an hour", brief(long))
	}
	return nil
}

// counterWatch says how counters are watched. The zero value is what an audit does.
type counterWatch struct {
	from measure.CounterSource
	near bool                // the server is this machine's
	also func(*esxtop.Frame) // sees the frames too, of several servers at once; nil: nobody
	tell func(string)        // hears what a reader has to know of the counters, of several servers at once; nil: it is a warning
}

// watching is a source whose counters are watched in another way. A file has none.
func watching(from audit.Source, w counterWatch) audit.Source {
	switch s := from.(type) {
	case server:
		s.watch = w
		return s
	case *fleet:
		s.watch = w
	}
	return from
}

// Measure watches the hosts that are in the snapshot, or have a VM in it.
func (s server) Measure(ctx context.Context, snapshot *inventory.Snapshot, long time.Duration, counters []string) error {
	for _, v := range snapshot.VCenters {
		if err := s.watch.measure(ctx, s.io, s.session, v, long, live.For(counters)); err != nil {
			return err
		}
	}
	return nil
}

// Measure watches the hosts of all servers at once. A server whose counters cannot be had goes without.
func (f *fleet) Measure(ctx context.Context, _ *inventory.Snapshot, long time.Duration, counters []string) error {
	f.each(func(m *member) {
		if err := f.watch.measure(ctx, f.io, m.session, m.found, long, live.For(counters)); err != nil && ctx.Err() == nil {
			f.warn("context %s has no counters: %s", m.endpoint.Name, printable(err))
		}
	})
	return ctx.Err()
}

// measure watches hosts of one server through a window. Where the server keeps what was measured, that is taken instead of waiting.
func (how counterWatch) measure(
	ctx context.Context, streams *iostreams.IO, session *session.Session, v *inventory.VCenter, long time.Duration, w *live.Window,
) error {
	c, err := chooseHosts(ctx, session, tree.Scope{Hosts: hostsOf(v)})
	if err != nil {
		return fmt.Errorf("measuring counters: %w", err)
	}
	if len(c.hosts) == 0 {
		return nil
	}
	source, err := c.roster.OpenCounters(ctx, c.hosts, measure.CounterOptions{
		Source: cmp.Or(how.from, measure.CountersAuto), Near: how.near,
		Request: esxtop.Request{Objects: w.Needs()}, History: min(max(long, leastKept)+perhaps, kept),
	})
	if err != nil {
		return fmt.Errorf("measuring counters: %w", err)
	}
	defer part(ctx, source)
	if source.About().Origin == esxtop.Performance {
		long = max(long, leastKept)
	}
	w.Expect(int(long/max(source.About().Interval, time.Second)) + 2) // the first, and one that is late
	p := streams.StartProgress("measuring")
	defer p.Done()
	take := w.Add
	if how.also != nil {
		take = func(f *esxtop.Frame) { w.Add(f); how.also(f) }
	}
	silent := silence{hosts: c.hosts}
	spanned, err := watch(ctx, silent.hear(source), long, take, p.Update)
	if err != nil {
		return fmt.Errorf("measuring counters: %w", err)
	}
	p.Done()
	if enoughOf(ctx).wasSaid() {
		fmt.Fprintf(streams.Err, "vperf: warning: stopped after %s of %s: this is what was seen until then\n", brief(spanned.Round(time.Second)), brief(long))
	}
	how.note(streams, source.About(), silent.words())
	w.Put(v)
	return nil
}

// note says what the counters lack. An audit does not say where they came from: what it could not judge it says.
func (how counterWatch) note(streams *iostreams.IO, about esxtop.About, silent []string) {
	tell := how.tell
	if tell == nil {
		tell = func(s string) { fmt.Fprintf(streams.Err, "vperf: warning: %s\n", iostreams.Sanitize(s)) }
	} else if about.Note != "" {
		if about.Origin == esxtop.Performance {
			about.Note = "counters are those of the PerformanceManager, which keeps less than esxtop shows: " + about.Note
		}
		tell(about.Note)
	}
	for _, s := range silent {
		tell(s)
	}
}

// hostsOf are the ids of the hosts in scope.
func hostsOf(v *inventory.VCenter) []string {
	seen := map[string]bool{}
	var ids []string
	add := func(id string) {
		if id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for _, h := range v.Hosts {
		if h.Unread == "" {
			add(h.ID)
		}
	}
	for _, vm := range v.VMs {
		id, _ := vm.HostID.Value()
		add(id)
	}
	return ids
}

// watch takes frames until they span so long, or somebody has seen enough of them. The time that counts is that of the samples:
// those that a server has kept come at once.
func watch(ctx context.Context, source esxtop.Source, long time.Duration, take func(*esxtop.Frame), tell func(string)) (spanned time.Duration, err error) {
	limit, cancel := context.WithTimeout(ctx, long+patience*time.Minute)
	defer cancel()
	var seen atomic.Int64
	defer enoughOf(ctx).watching(func() bool {
		enough := time.Duration(seen.Load()) >= shortestMeasure
		if enough {
			cancel()
		}
		return enough
	})()
	for last := (time.Time{}); spanned < long; {
		round, err := source.Next(limit)
		switch {
		case errors.Is(err, io.EOF), limit.Err() != nil && ctx.Err() == nil && spanned > 0:
			return spanned, nil
		case err != nil && ctx.Err() != nil && spanned > 0:
			return spanned, fmt.Errorf("%w after %s of %s, which is too little to judge by", errInterrupted, brief(spanned.Round(time.Second)), brief(long))
		case err != nil:
			return spanned, err
		}
		longest := time.Duration(0)
		for _, f := range round.Frames {
			take(f)
			longest = max(longest, f.Interval)
		}
		if round.Time.After(last) {
			spanned, last = spanned+longest, round.Time
			seen.Store(int64(spanned))
		}
		tell(watchedText(spanned, long))
	}
	return spanned, nil
}

// watchedText is how far watching is, and the way out as soon as there is one.
func watchedText(spanned, long time.Duration) string {
	s := fmt.Sprintf("%s of %s", brief(spanned.Round(time.Second)), brief(long))
	if spanned >= shortestMeasure && spanned < long {
		s += "; Ctrl-C judges by what was seen"
	}
	return s
}
