package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// ShortestWatch has two intervals of the PerformanceManager in it.
const ShortestWatch = 40 * time.Second

// leastKept is the minimum history to read from hosts, even if the user asked for less: it costs no wait, and rules need at least
// three samples.
const leastKept = time.Minute

// extraHistory is the extra history to request, because the last interval may be incomplete. It avoids waiting for the interval to end.
const extraHistory = Interval

// extraWait is for how much longer than asked counters are waited for.
const extraWait = 3 * time.Minute

// LimitWatchForTest sets how long a watch of a test program takes at most.
func LimitWatchForTest(d time.Duration) { watchLimitForTest = d }

var watchLimitForTest time.Duration // 0 outside tests

// measure watches hosts of one server during a window. If the server keeps samples, measure reads them instead of waiting.
func (how Watch) measure(
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
		Source: cmp.Or(how.From, CountersAuto), Local: how.Local, Replay: how.Replay, ByHost: true,
		Request: esxtop.Request{Objects: w.Needs(), Figures: how.figures(w), Interval: how.interval(long)}, History: min(max(long, leastKept)+extraHistory, Kept),
	})
	if err != nil {
		return fmt.Errorf("measuring counters: %w", err)
	}
	defer func() { _ = CloseSource(ctx, source) }()
	if source.About().Origin == esxtop.Performance {
		long = max(long, leastKept)
	}
	w.Expect(int(long/max(source.About().Interval, time.Second)) + 2) // the first, and one that is late
	p := streams.StartProgress(how.description())
	defer p.Done()
	take := w.Add
	if how.Frames != nil {
		take = func(f *esxtop.Frame) { w.Add(f); how.Frames(f) }
	}
	quiet := quietHosts{hosts: c.hosts}
	spanned, err := watch(ctx, quiet.listen(source), long, take, func(s string) { p.Update(s + quiet.progress()) })
	if err != nil {
		return fmt.Errorf("measuring counters: %w", quiet.explain(err))
	}
	p.Done()
	switch {
	case how.Replay == nil && spanned < long && !StoppedEarly(ctx):
		fmt.Fprintf(streams.Err, "vperf: warning: the counters cover %s of %s: the server gave no more samples in time\n", iostreams.Brief(spanned.Round(time.Second)), iostreams.Brief(long))
	case StoppedEarly(ctx):
		fmt.Fprintf(streams.Err, "vperf: warning: stopped after %s of %s: the results cover only that time\n", iostreams.Brief(spanned.Round(time.Second)), iostreams.Brief(long))
	}
	how.note(streams, source.About(), quiet.messages())
	w.Put(v)
	return nil
}

// Replayed samples are at most as far apart as those that hosts keep. Of a short time there are replaySamples of them.
const (
	replaySamples = 6
	replayStep    = 5 * time.Second
)

// figures returns the figures that the window and hot spots need.
func (how Watch) figures(w *live.Window) *esxtop.MetricSet {
	all := w.Figures()
	if how.Frames != nil {
		hotspot.AddFigures(all, w.Needs())
	}
	return all
}

func (how Watch) description() string {
	if how.Replay != nil {
		return "replaying counters"
	}
	return "measuring counters"
}

// interval returns the time between samples; 0 leaves it to the source. A replay takes fewer samples than a watch.
func (how Watch) interval(long time.Duration) time.Duration {
	if how.Replay == nil {
		return 0
	}
	return min(max((long/replaySamples).Truncate(replayStep), replayStep), Interval)
}

// note reports gaps in the counters. An audit does not report their origin; it lists the rules that it could not evaluate.
func (how Watch) note(streams *iostreams.IO, about esxtop.About, quiet []string) {
	notify := how.Note
	if notify == nil {
		notify = func(s string) { fmt.Fprintf(streams.Err, "vperf: warning: %s\n", iostreams.Sanitize(s)) }
	} else if about.Note != "" {
		if about.Origin == esxtop.Performance {
			about.Note = "counters come from the PerformanceManager, which has fewer than esxtop: " + about.Note
		}
		notify(about.Note)
	}
	for _, s := range quiet {
		notify(s)
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

// watch takes frames until they span the duration, or the user ends the watch early. The time that counts is that of the samples:
// those that a server has kept come at once.
func watch(ctx context.Context, source esxtop.Source, long time.Duration, take func(*esxtop.Frame), notify func(string)) (spanned time.Duration, err error) {
	longest := cmp.Or(watchLimitForTest, long+extraWait)
	limit, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	var seen atomic.Int64
	defer EarlyStopOf(ctx).Watching(func() bool {
		enough := time.Duration(seen.Load()) >= ShortestWatch
		if enough {
			cancel()
		}
		return enough
	})()
	taken, of := time.Duration(0), map[string]time.Duration{} // of some hosts, and of each; spanned is of all
	for last := (time.Time{}); spanned < long; {
		round, err := source.Next(limit)
		if err != nil && limit.Err() != nil && ctx.Err() == nil {
			spanned = taken // the hosts that had no turn are reported
		}
		switch {
		case errors.Is(err, io.EOF), limit.Err() != nil && ctx.Err() == nil && spanned > 0:
			return spanned, nil
		case err != nil && limit.Err() != nil && ctx.Err() == nil:
			return spanned, fmt.Errorf("%w within %s", errNoSamples, iostreams.Brief(longest))
		case err != nil && ctx.Err() != nil && spanned > 0:
			return spanned, fmt.Errorf("%w after %s of %s, which is too short for reliable results", ErrInterrupted, iostreams.Brief(spanned.Round(time.Second)), iostreams.Brief(long))
		case err != nil:
			return spanned, err
		}
		interval := time.Duration(0)
		for _, f := range round.Frames {
			if of[f.MoID] < long { // a host that had its turn before others may have more
				take(f)
			}
			of[f.MoID] += f.Interval
			interval = max(interval, f.Interval)
		}
		if interval > 0 && round.Time.After(last) {
			taken, last = taken+interval, round.Time
		}
		if !round.More {
			spanned = taken
			seen.Store(int64(spanned))
		}
		notify(watchedText(spanned, long))
	}
	return spanned, nil
}

var errNoSamples = errors.New("no samples")

// watchedText is how far watching is, and the way out as soon as there is one.
func watchedText(spanned, long time.Duration) string {
	left := max(0, long-spanned).Round(time.Second)
	s := fmt.Sprintf("%s of %s, %s left", iostreams.Brief(spanned.Round(time.Second)), iostreams.Brief(long), iostreams.Brief(left))
	if spanned >= ShortestWatch && spanned < long {
		s += "; Ctrl-C stops early and uses the data so far"
	}
	return s
}

// chosenHosts is the hosts that are meant on one server.
type chosenHosts struct {
	roster *measure.Roster
	hosts  []measure.RosterHost
}

func chooseHosts(ctx context.Context, s *session.Session, scope tree.Scope) (c chosenHosts, err error) {
	if c.roster, err = measure.ReadRoster(ctx, s); err != nil {
		return c, err
	}
	c.hosts, err = c.roster.Choose(scope)
	return c, err
}

// CloseSource closes a source, even after ctx ends, so that hosts discard the state they keep for vperf. A host that does not respond
// does not affect results.
func CloseSource(ctx context.Context, source esxtop.Source) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return source.Close(ending)
}

// closeTimeout is the time limit for closing a source.
const closeTimeout = 5 * time.Second
