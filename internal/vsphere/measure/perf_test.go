package measure

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/esxtop"
)

// perfClock is the fake time of a fleet and a source: waiting takes no real time.
type perfClock struct {
	mu   sync.Mutex
	time time.Time
}

func newPerfClock() *perfClock {
	return &perfClock{time: time.Date(2026, 11, 20, 12, 0, 7, 0, time.UTC)}
}

func (c *perfClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *perfClock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(d)
}

func (c *perfClock) after(d time.Duration) <-chan time.Time {
	c.forward(d)
	done := make(chan time.Time)
	close(done)
	return done
}

// performanceOf returns a source of all hosts, with the given clock if it is not nil.
func performanceOf(t *testing.T, s *session.Session, clock *perfClock, o PerformanceOptions) *performance {
	t.Helper()
	roster, err := ReadRoster(t.Context(), s)
	require.NoError(t, err)
	hosts, err := roster.Choose(tree.Scope{})
	require.NoError(t, err)
	if clock != nil {
		o.Clock = Clock{clock.now, clock.after}
	}
	p := newPerformance(roster, hosts, o)
	p.jitter = func(time.Duration) time.Duration { return 0 }
	require.NoError(t, p.start(t.Context(), o.History))
	t.Cleanup(func() { require.NoError(t, p.Close(context.WithoutCancel(t.Context()))) })
	return p
}

func nextRound(t *testing.T, p *performance) *esxtop.Round {
	t.Helper()
	r, err := p.Next(t.Context())
	require.NoError(t, err)
	return r
}

// readies returns the ready times of every VM of a round, by host and VM.
func readies(r *esxtop.Round) map[string]float64 {
	m, all := esxtop.Lookup("cpu.ready"), map[string]float64{}
	for _, f := range r.Frames {
		rows := f.Rows(esxtop.Group)
		for i := range rows {
			if v, ok := rows[i].Value(m); ok {
				all[f.MoID+" "+rows[i].ID] = v
			}
		}
	}
	return all
}

func troubles(r *esxtop.Round) map[string]string {
	all := map[string]string{}
	for _, t := range r.Troubles {
		all[t.Host] = ""
		if t.Err != nil {
			all[t.Host] = t.Err.Error()
		}
	}
	return all
}

var groups = PerformanceOptions{Request: esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Group)}}

// TestEachSampleOnce: whatever the server's delay, form and order, rounds come 20 seconds apart with the values of their time.
func TestEachSampleOnce(t *testing.T) {
	p := servePerf(t, 3)
	for name, shape := range map[string]func(p *perfServer){
		"as a vCenter":       func(*perfServer) {},
		"newest first":       func(p *perfServer) { p.newest = true },
		"no CSV":             func(p *perfServer) { p.noCSV = true },
		"lists all the same": func(p *perfServer) { p.lists = true },
		"start included":     func(p *perfServer) { p.again = true },
		"off the grid":       func(p *perfServer) { p.shift = 7 },
		"12 s late":          func(p *perfServer) { p.lag = 12 * time.Second },
		"25 s late":          func(p *perfServer) { p.lag = 25 * time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			p.lag, p.shift, p.newest, p.noCSV, p.lists, p.again = 0, 0, false, false, false, false
			shape(p)
			p.calls()
			source := p.open(t, 2, groups)
			var last time.Time
			for range 12 {
				r := nextRound(t, source)
				require.Empty(t, troubles(r))
				require.Len(t, r.Frames, 3)
				require.Len(t, readies(r), 6)
				if !last.IsZero() {
					require.Equal(t, 20*time.Second, r.Time.Sub(last))
				}
				last = r.Time
				for of, v := range readies(r) {
					require.InDelta(t, float64(r.Time.Unix()/20%100)/20_000*100, v, 1e-9, of)
				}
				require.False(t, r.Past)
			}
			require.Less(t, p.clock.now().Sub(last), p.lag+8*time.Second, "it comes soon after it is there")
			require.LessOrEqual(t, len(p.calls()), 12+8, "few are asked for too early")
		})
	}
}

// TestFirstRoundIsComplete: hosts that are asked before their next sample and others that are asked after it come in the same first
// round, and so do the VMs of a host. The missed sample of a host comes with the next ones.
func TestFirstRoundIsComplete(t *testing.T) {
	p := servePerf(t, 4)
	source := p.open(t, 2, PerformanceOptions{Request: esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host, esxtop.Group)}})
	late, head, tail := source.hosts[1].moid, source.hosts[2].moid, source.hosts[3].moid
	p.behind = map[string]bool{late: true, head: true, tail + "-vm-01": true}
	for i := range 2 {
		p.behind[fmt.Sprintf("%s-vm-%02d", late, i)] = true
	}
	first := nextRound(t, source)
	require.Len(t, first.Frames, 4)
	require.Len(t, readies(first), 8)
	require.Empty(t, troubles(first))
	for _, f := range first.Frames {
		require.Equal(t, f.MoID == late, f.Time.Before(first.Time))
		require.Len(t, f.Rows(esxtop.Host), 1)
		_, known := f.Of(esxtop.Lookup("pcpu.utilAvg"))
		require.True(t, known, "it is the host's frame")
	}

	p.set(func() { p.behind = nil })
	missed := nextRound(t, source)
	require.Equal(t, first.Time, missed.Time)
	require.Len(t, missed.Frames, 1)
	require.Equal(t, late, missed.Frames[0].MoID)
	require.Len(t, nextRound(t, source).Frames, 4)
}

// TestHistory: stored samples come first, oldest first, in pieces.
func TestHistory(t *testing.T) {
	p := servePerf(t, 3)
	source := p.open(t, 4, PerformanceOptions{Request: groups.Request, History: time.Hour})
	var list []*esxtop.Round
	for len(list) == 0 || list[len(list)-1].Past {
		list = append(list, nextRound(t, source))
	}
	require.Len(t, list, 181)
	for i, r := range list {
		require.Equal(t, i < 180, r.Past)
		require.Len(t, readies(r), 12)
		require.Empty(t, r.Troubles)
		require.Equal(t, list[0].Time.Add(time.Duration(i)*20*time.Second), r.Time)
	}
}

// TestLargeHistoryComesInPieces: history is split by time, so that no answer is large and the first rounds come soon.
func TestLargeHistoryComesInPieces(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 3, PerformanceOptions{Request: groups.Request, History: 5 * time.Minute})
	source.atOnce = 4 * (2 + 6*source.planOf(t).vm.series)
	first := nextRound(t, source)
	require.Len(t, source.rounds, 3, "the rest is not read yet")
	for i := range 14 {
		r := nextRound(t, source)
		require.True(t, r.Past)
		require.Len(t, r.Frames, 2)
		require.Len(t, readies(r), 6)
		require.Equal(t, first.Time.Add(time.Duration(i+1)*20*time.Second), r.Time)
	}
	require.Len(t, p.calls(), 4)
	require.Equal(t, newPerfClock().now(), p.clock.now(), "available samples are not waited for")
}

// TestHistoryOfAYoungHost: the history begins with the first sample.
func TestHistoryOfAYoungHost(t *testing.T) {
	p := servePerf(t, 2)
	p.since = p.clock.now().Add(-time.Minute)
	source := p.open(t, 3, PerformanceOptions{Request: groups.Request, History: 5 * time.Minute})
	source.atOnce = 4 * (2 + 6*source.planOf(t).vm.series)
	r := nextRound(t, source)
	require.Len(t, r.Frames, 2)
	require.False(t, r.Time.Before(p.since))
	require.Less(t, r.Time.Sub(p.since), 20*time.Second)
	require.Len(t, p.calls(), 4)
}

// TestNobodyAnswers: there is a round in each interval even if no host answers.
func TestNobodyAnswers(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 1, groups)
	nextRound(t, source)
	p.set(func() { p.broken = true })
	nextRound(t, source)
	began := p.clock.now()
	for range 3 {
		r := nextRound(t, source)
		require.Empty(t, r.Frames)
		require.Len(t, r.Troubles, 2)
		require.False(t, r.Troubles[0].Since.IsZero())
	}
	require.GreaterOrEqual(t, p.clock.now().Sub(began), time.Minute)
}

// planOf returns the plan of the source's queries.
func (p *performance) planOf(t *testing.T) *perfPlan {
	t.Helper()
	require.NoError(t, p.prepare(t.Context()))
	return p.plan
}

// TestRefusedSize: a batch that is too large is halved, and the size is remembered.
func TestRefusedSize(t *testing.T) {
	p := servePerf(t, 8)
	p.most = 25 // entities; a host has 10
	source := p.open(t, 10, PerformanceOptions{Request: esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host, esxtop.Group)}})
	r := nextRound(t, source)
	require.Empty(t, troubles(r))
	require.Len(t, readies(r), 80)
	require.Equal(t, 88, p.calls()[0])
	for range 3 {
		r = nextRound(t, source)
		require.Len(t, readies(r), 80)
		require.Equal(t, []int{22, 22, 22, 22}, p.calls(), "whole hosts, and none refused")
	}
}

// TestHostTooLargeForACall: a host whose query is too large for the server is queried in several calls.
func TestHostTooLargeForACall(t *testing.T) {
	p := servePerf(t, 3)
	p.most = 4
	source := p.open(t, 10, groups)
	for range 3 {
		r := nextRound(t, source)
		require.Empty(t, troubles(r))
		require.Len(t, readies(r), 30)
	}
}

// TestNothingIsSmallEnough: if even the smallest query is too large, the VMs are not queried one by one.
func TestNothingIsSmallEnough(t *testing.T) {
	for name, test := range map[string]struct {
		shape func(p *perfServer)
		most  int
	}{
		"too large":          {func(p *perfServer) { p.most = -1 }, 15},
		"for another reason": {func(p *perfServer) { p.broken = true }, 15},
	} {
		t.Run(name, func(t *testing.T) {
			p := servePerf(t, 3)
			test.shape(p)
			source := p.open(t, 20, groups)
			r := nextRound(t, source)
			require.Empty(t, r.Frames)
			require.Len(t, troubles(r), 3)
			require.LessOrEqual(t, len(p.calls()), test.most)
			require.Len(t, troubles(nextRound(t, source)), 3)
		})
	}
}

// TestHungHost: a hung host costs only its own samples. The other hosts' samples arrive one round later once, and then on time.
func TestHungHost(t *testing.T) {
	p := servePerf(t, 6)
	source := p.open(t, 3, groups)
	nextRound(t, source)
	bad := source.hosts[2]
	p.set(func() { p.hangs[bad.moid] = true })
	p.calls()

	r := nextRound(t, source)
	require.Empty(t, r.Frames)
	require.Len(t, troubles(r), 6)
	require.Contains(t, troubles(r)[bad.name], "no answer within")

	r = nextRound(t, source) // the missed samples
	require.Len(t, r.Frames, 5)
	missed := r.Time
	r = nextRound(t, source)
	require.Equal(t, missed.Add(20*time.Second), r.Time)
	require.Len(t, r.Frames, 5)
	require.Contains(t, troubles(r)[bad.name], "no answer within")
	require.Equal(t, bad.seen, r.Troubles[0].Since)
	p.calls()

	for range 8 {
		r = nextRound(t, source)
		require.Len(t, r.Frames, 5)
		require.Contains(t, troubles(r)[bad.name], "no answer within")
	}
	require.LessOrEqual(t, len(p.calls()), 8+4, "the hung one is asked seldom")

	p.set(func() { p.hangs = map[string]bool{} })
	seen := map[time.Time]int{}
	for range 24 {
		r = nextRound(t, source)
		for _, f := range r.Frames {
			if f.MoID == bad.moid {
				seen[f.Time]++
			}
		}
	}
	require.Empty(t, r.Troubles)
	for at, n := range seen {
		require.Equal(t, 1, n, at)
	}
	require.GreaterOrEqual(t, len(seen), 15, "what it has kept comes, too")
}

// TestGoneVM: a VM that is gone does not affect the others of its batch.
func TestGoneVM(t *testing.T) {
	p := servePerf(t, 3)
	source := p.open(t, 3, groups)
	host := source.hosts[0].moid
	p.gone[host+"-vm-01"] = true
	r := nextRound(t, source)
	require.Empty(t, r.Troubles)
	require.Len(t, readies(r), 8)
	require.NotContains(t, readies(r), host+" "+host+"-vm-01")
	require.True(t, source.stale.Load(), "the roster is to be read again")
}

// TestGoneHost: a host that is gone is an error of its own; its batch continues without it.
func TestGoneHost(t *testing.T) {
	p := servePerf(t, 3)
	source := p.open(t, 2, PerformanceOptions{Request: esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host, esxtop.Group)}})
	p.gone[source.hosts[1].moid] = true
	r := nextRound(t, source)
	require.Len(t, r.Frames, 2)
	require.Len(t, r.Troubles, 1)
	require.Contains(t, troubles(r)[source.hosts[1].name], "managed object not found")
}

// TestCountersOfAnotherServer: a server that was reinstalled has other counter ids, which are read again.
func TestCountersOfAnotherServer(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 1, groups)
	nextRound(t, source)
	p.set(func() { p.ids = true })
	source.counters["cpu.ready.summation"] = 99_999
	var r *esxtop.Round
	for range 3 {
		r = nextRound(t, source)
	}
	require.Len(t, readies(r), 2)
	require.Empty(t, r.Troubles)
	require.NotEqual(t, int32(99_999), source.counters["cpu.ready.summation"])
}

// TestMissingValues: -1 means no value; a VM without any value still has a row.
func TestMissingValues(t *testing.T) {
	p := servePerf(t, 2)
	p.value = func(int64) string { return "-1" }
	source := p.open(t, 2, groups)
	r := nextRound(t, source)
	require.Len(t, r.Frames, 2)
	require.Empty(t, readies(r))
	require.Len(t, r.Frames[0].Rows(esxtop.Group), 2)
}

// TestOnlyWhatIsAsked: only the counters of the requested objects and their owners are queried.
func TestOnlyWhatIsAsked(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 1, PerformanceOptions{Request: esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.PCPU)}})
	r := nextRound(t, source)
	require.True(t, r.Frames[0].Has(esxtop.PCPU))
	require.False(t, r.Frames[0].Has(esxtop.Group))
	require.NotContains(t, p.requestsOf(t)[0], "VirtualMachine")

	source.Configure(esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.World)})
	r = nextRound(t, source)
	require.False(t, r.Frames[0].Has(esxtop.PCPU))
	require.True(t, r.Frames[0].Has(esxtop.Group), "the worlds' owner")
	worlds := r.Frames[0].Rows(esxtop.World)
	require.Len(t, worlds, 2)
	require.Equal(t, 0, worlds[1].Parent)
	require.Equal(t, "vcpu 1", worlds[1].Name)
}

// TestLongerInterval: a longer interval returns the last sample of each interval.
func TestLongerInterval(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 1, PerformanceOptions{Request: esxtop.Request{Interval: 50 * time.Second, Objects: groups.Request.Objects}})
	require.Equal(t, time.Minute, source.About().Interval)
	first := nextRound(t, source)
	for i := range 3 {
		require.Equal(t, first.Time.Add(time.Duration(i+1)*time.Minute), nextRound(t, source).Time)
	}
	source.Configure(esxtop.Request{Interval: time.Second})
	require.Equal(t, 20*time.Second, source.About().Interval)
}

// TestClose: Close ends a waiting Next and all later calls.
func TestClose(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 1, groups)
	nextRound(t, source)
	source.clock.After = func(time.Duration) <-chan time.Time { return nil }
	ended := make(chan error)
	go func() {
		_, err := source.Next(context.Background())
		ended <- err
	}()
	require.NoError(t, source.Close(t.Context()))
	require.ErrorIs(t, <-ended, io.EOF)
}
