package measure

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/esxtop"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

var everySample = PerformanceOptions{Request: esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host, esxtop.Group)}, EverySample: true}

// books records the samples that were returned, by the id of a host or a VM.
type books map[string][]time.Time

// take records a round and checks the rows of its frames.
func (b books) take(t *testing.T, r *esxtop.Round) {
	t.Helper()
	for _, f := range r.Frames {
		require.False(t, f.Time.After(r.Time))
		rows := 0
		for _, o := range []esxtop.Object{esxtop.Host, esxtop.Group} {
			list := f.Rows(o)
			rows += len(list)
			for i := range list {
				b[list[i].MoID] = append(b[list[i].MoID], f.Time)
			}
		}
		require.Positive(t, rows, "a frame is of something")
	}
}

// requireEach requires that each sample of an entity arrived once and in order, between two times.
func (b books) requireEach(t *testing.T, moid string, from, to time.Time) {
	t.Helper()
	var want []time.Time
	for at := from; !at.After(to); at = at.Add(perfInterval) {
		want = append(want, at)
	}
	require.Equal(t, want, b[moid], moid)
}

func (b books) rounds(t *testing.T, source *performance, n int) (last *esxtop.Round) {
	t.Helper()
	for range n {
		last = nextRound(t, source)
		b.take(t, last)
		source.stale.Store(false) // the simulator has a different roster
	}
	return last
}

// vmOfHost returns the id of a host's VM.
func vmOfHost(h *perfHost, i int) string { return fmt.Sprintf("%s-vm-%02d", h.moid, i) }

// move changes the roster so that a VM is on another host; nil: powered on on no host.
func (p *perfServer) move(source *performance, moid string, to *perfHost) {
	r := source.roster
	r.mu.Lock()
	defer r.mu.Unlock()
	vm := RosterVM{MoID: moid, Name: moid, Power: "poweredOn", VCPUs: 2}
	for h, list := range r.vms {
		var left []RosterVM
		for _, v := range list {
			if v.MoID != moid {
				left = append(left, v)
			}
		}
		r.vms[h] = left
	}
	if to != nil {
		r.vms[to.moid] = append(r.vms[to.moid], vm)
	}
}

// TestEverySampleAfterAnOutage of ten minutes: the samples arrive in bounded pieces.
func TestEverySampleAfterAnOutage(t *testing.T) {
	for name, strike := range map[string]func(p *perfServer){
		"it fails":              func(p *perfServer) { p.broken = true },
		"the connection breaks": func(p *perfServer) { p.breaks = true },
	} {
		t.Run(name, func(t *testing.T) {
			p := servePerf(t, 3)
			source := p.open(t, 4, everySample)
			source.session.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
			b := books{}
			first := b.rounds(t, source, 2).Time.Add(-perfInterval)
			p.set(func() { strike(p) })
			for range 30 {
				r := b.rounds(t, source, 1)
				require.Empty(t, r.Frames)
				require.Len(t, r.Troubles, 3)
				require.NotEmpty(t, r.Troubles[0].MoID)
			}
			p.set(func() { p.broken, p.breaks = false, false })
			source.atOnce = 7 * (3*source.plan.host.series + 12*source.plan.vm.series)
			p.calls()
			last := b.rounds(t, source, 1)
			require.Less(t, len(source.rounds), 7, "no more is read than that")
			for last.Time.Before(p.clock.now().Add(-perfInterval)) {
				last = b.rounds(t, source, 1)
			}
			last = b.rounds(t, source, 12) // some hosts were not asked for a while
			require.Empty(t, last.Troubles)
			for _, h := range source.hosts {
				b.requireEach(t, h.moid, first, last.Time)
				for i := range 4 {
					b.requireEach(t, vmOfHost(h, i), first, last.Time)
				}
			}
		})
	}
}

// TestHostThatIsBehindCatchesUp at once, in a fleet so large that its samples come in pieces: failed calls must not cost
// the other hosts a call, and nothing waits for samples that are not due.
func TestHostThatIsBehindCatchesUp(t *testing.T) {
	for name, every := range map[string]bool{"every sample": true, "rounds": false} {
		t.Run(name, func(t *testing.T) {
			p := servePerf(t, 6)
			o := everySample
			o.EverySample = every
			source := p.open(t, 4, o)
			plan := source.planOf(t)
			source.atOnce, source.atLeast, source.size.most = 1, 1, plan.host.series+4*plan.vm.series
			b := books{}
			first := b.rounds(t, source, 3).Time.Add(-2 * perfInterval)
			behind := source.hosts[2].moid
			p.set(func() { p.sick[behind] = true })
			require.Len(t, b.rounds(t, source, 2).Troubles, 1)
			p.set(func() { clear(p.sick) })
			last := b.rounds(t, source, 1)
			for n := 0; !source.pace.more || len(source.rounds) > 0; n++ {
				require.Less(t, n, 8)
				last = b.rounds(t, source, 1)
			}
			if every {
				require.Len(t, last.Troubles, 1, "its newest sample is missing")
				require.NoError(t, last.Troubles[0].Err, "it did not fail")
			}
			asked := p.clock.now()
			p.calls()
			for n := 0; source.pace.more; n++ {
				require.Less(t, n, 4, "it catches up")
				last = b.rounds(t, source, 1)
			}
			require.LessOrEqual(t, len(p.calls()), 2, "only that host is asked")
			require.Less(t, p.clock.now().Sub(asked), perfInterval/2, "nothing waits")
			require.Empty(t, last.Troubles)
			for range 3 {
				last = b.rounds(t, source, 1)
				require.Len(t, last.Frames, 6)
				require.Empty(t, last.Troubles)
			}
			require.LessOrEqual(t, len(p.calls()), 3*6)
			for _, h := range source.hosts {
				if every {
					b.requireEach(t, h.moid, first, last.Time)
					b.requireEach(t, vmOfHost(h, 3), first, last.Time)
				}
			}
		})
	}
}

// fewCalls lets a number of queries through in each round, and ends the time for the round when they have been answered.
type fewCalls struct {
	next soap.RoundTripper
	left atomic.Int32
	open sync.RWMutex // locked for reading by the queries that it lets through
	end  context.CancelCauseFunc
}

func (f *fewCalls) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	if _, is := req.(*soapwire.QueryPerfBody); !is {
		return f.next.RoundTrip(ctx, req, res)
	}
	f.open.RLock()
	if f.left.Add(-1) >= 0 {
		defer f.open.RUnlock()
		return f.next.RoundTrip(ctx, req, res)
	}
	f.open.RUnlock()
	f.open.Lock()
	defer f.open.Unlock()
	f.end(&slowError{perfPatience})
	return context.Cause(ctx)
}

// TestSlowServerReturnsEveryHost: if the time of each round is enough for half of the hosts only, all of them have their turn, and no
// sample is lost.
func TestSlowServerReturnsEveryHost(t *testing.T) {
	p := servePerf(t, 12)
	source := p.open(t, 2, everySample)
	plan := source.planOf(t)
	source.atOnce, source.size.now, source.size.most = 1, plan.host.series+2*plan.vm.series, plan.host.series+2*plan.vm.series
	few := &fewCalls{next: source.session.Transport()}
	source.session.SetTransport(few)
	source.within = func(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		if limit == source.patience+source.brief {
			few.end = cancel
			few.left.Store(7)
		}
		return ctx, func() { cancel(nil) }
	}
	b := books{}
	for range 60 {
		b.rounds(t, source, 1)
	}
	now := p.clock.now()
	for _, h := range source.hosts {
		samples := b[h.moid]
		require.NotEmpty(t, samples, "%s starves", h.name)
		require.Less(t, now.Sub(samples[len(samples)-1]), 9*perfInterval, "%s starves", h.name)
		b.requireEach(t, h.moid, samples[0], samples[len(samples)-1])
	}
}

// TestEverySampleOfAMovedVM: also of a VM that left a hung host.
func TestEverySampleOfAMovedVM(t *testing.T) {
	p := servePerf(t, 4)
	source := p.open(t, 2, everySample)
	b := books{}
	first := b.rounds(t, source, 1).Time
	from, to := source.hosts[1], source.hosts[2]
	p.move(source, vmOfHost(from, 0), to)
	b.rounds(t, source, 2)
	p.set(func() {
		p.hangs[from.moid] = true
		p.nowHere = map[string]string{vmOfHost(from, 0): to.moid}
	})
	b.rounds(t, source, 4)
	moved := vmOfHost(from, 1)
	p.set(func() { p.nowHere[moved] = to.moid })
	require.NotContains(t, b[moved], b[to.moid][len(b[to.moid])-1])
	p.move(source, moved, to)
	last := b.rounds(t, source, 8)
	for len(source.rounds) > 0 {
		last = b.rounds(t, source, 1)
	}
	b.requireEach(t, vmOfHost(from, 0), first, last.Time)
	require.Len(t, b[moved], len(b[to.moid]), "what it lacked came, too")
	require.ElementsMatch(t, b[to.moid], b[moved], "each once")
	require.Equal(t, from.moid, last.Troubles[0].MoID)
}

// TestEverySampleOfAVMThatWasOff: the samples that the host kept arrive in frames without other rows.
func TestEverySampleOfAVMThatWasOff(t *testing.T) {
	p := servePerf(t, 3)
	source := p.open(t, 2, everySample)
	b := books{}
	first := b.rounds(t, source, 1).Time
	home := source.hosts[0]
	vm := vmOfHost(home, 0)
	p.move(source, vm, nil)
	b.rounds(t, source, 5)
	require.Len(t, b[vm], 1)
	p.move(source, vm, home)
	p.calls()
	r := nextRound(t, source)
	require.Len(t, p.calls(), 1)
	b.take(t, r)
	require.Equal(t, first.Add(perfInterval), r.Time)
	require.Len(t, r.Frames, 1)
	require.False(t, r.Frames[0].Has(esxtop.Host))
	require.Len(t, r.Frames[0].Rows(esxtop.Group), 1)
	last := b.rounds(t, source, 8)
	b.requireEach(t, vm, first, last.Time)
	b.requireEach(t, home.moid, first, last.Time)
	b.requireEach(t, vmOfHost(home, 1), first, last.Time)
}

// TestFirstSamplesOfANewVM: the first samples date from about when the VM was first seen, not from an hour before.
func TestFirstSamplesOfANewVM(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 1, everySample)
	b := books{}
	b.rounds(t, source, 10)
	p.move(source, "vm-new", source.hosts[0])
	last := b.rounds(t, source, 3)
	b.requireEach(t, "vm-new", last.Time.Add(-2*perfInterval), last.Time)
}

// TestFirstSamplesAfterABadStart: the time without answers is included.
func TestFirstSamplesAfterABadStart(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 2, everySample)
	p.broken = true
	began := p.clock.now().Truncate(perfInterval)
	b := books{}
	b.rounds(t, source, 3)
	p.set(func() { p.broken = false })
	last := b.rounds(t, source, 14)
	for _, h := range source.hosts {
		b.requireEach(t, h.moid, began, last.Time)
		b.requireEach(t, vmOfHost(h, 0), began, last.Time)
	}
}

// TestRefusedVM: a refused VM costs its batch one round at most. Its host is listed with an error and still returns frames.
func TestRefusedVM(t *testing.T) {
	for name, strike := range map[string]func(p *perfServer, vm string){
		"it fails":    func(p *perfServer, vm string) { p.sick[vm] = true },
		"it hangs":    func(p *perfServer, vm string) { p.hangs[vm] = true },
		"not allowed": func(p *perfServer, vm string) { p.denied[vm] = true },
	} {
		t.Run(name, func(t *testing.T) {
			p := servePerf(t, 2)
			source := p.open(t, 12, everySample)
			source.size.now = 6 * source.planOf(t).vm.series
			source.size.most = source.size.now
			b := books{}
			first := b.rounds(t, source, 1).Time
			bad := source.hosts[0]
			vm := vmOfHost(bad, 5)
			p.set(func() { strike(p, vm) })
			r := b.rounds(t, source, 1)
			require.Len(t, r.Frames, 2, "the others answered")
			require.Len(t, r.Troubles, 1)
			require.Equal(t, bad.moid, r.Troubles[0].MoID)
			require.Error(t, r.Troubles[0].Err)
			vms, _ := r.Frames[0].Of(metricVMs)
			require.InDelta(t, 12, vms, 0, "as many as there are, and not as answered")
			for range 12 {
				r = b.rounds(t, source, 1)
				require.NotEmpty(t, r.Frames)
			}
			require.Len(t, r.Troubles, 1, "it is still so")
			p.calls()
			b.rounds(t, source, 4)
			require.LessOrEqual(t, len(p.calls()), 4*6+4, "it is asked for seldom")
			p.set(func() { clear(p.sick); clear(p.hangs); clear(p.denied) })
			last := r
			for range 24 {
				last = b.rounds(t, source, 1)
			}
			for len(source.rounds) > 0 {
				last = b.rounds(t, source, 1)
			}
			require.Empty(t, last.Troubles)
			for _, h := range source.hosts {
				require.Len(t, b[h.moid], int(last.Time.Sub(first)/perfInterval)+1)
				for i := range 12 {
					require.ElementsMatch(t, b[h.moid], b[vmOfHost(h, i)], vmOfHost(h, i))
				}
			}
		})
	}
}

// TestTwoVMsOfOneName: VMs with the same name are kept apart.
func TestTwoVMsOfOneName(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 2, everySample)
	r := source.roster
	h := source.hosts[0].moid
	r.vms[h][1].Name = r.vms[h][0].Name
	b := books{}
	last := b.rounds(t, source, 4)
	for i := range 2 {
		b.requireEach(t, vmOfHost(source.hosts[0], i), last.Time.Add(-3*perfInterval), last.Time)
	}
}

// TestVanishedVMsAreForgotten once no host keeps samples of them.
func TestVanishedVMsAreForgotten(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 3, everySample)
	nextRound(t, source)
	require.Len(t, source.vms, 6)
	p.move(source, vmOfHost(source.hosts[0], 0), nil)
	nextRound(t, source)
	require.Len(t, source.vms, 6, "it may come back")
	for range 185 {
		nextRound(t, source)
	}
	require.Len(t, source.vms, 5)
}

// TestEverySampleWithALongInterval: with a long interval no sample is omitted.
func TestEverySampleWithALongInterval(t *testing.T) {
	p := servePerf(t, 2)
	o := everySample
	o.Request.Interval = time.Minute
	source := p.open(t, 1, o)
	b := books{}
	first := b.rounds(t, source, 1).Time
	p.calls()
	last := b.rounds(t, source, 12)
	require.LessOrEqual(t, len(p.calls()), 8)
	b.requireEach(t, source.hosts[0].moid, first, last.Time)
}

// TestOneCallForEach256: calls contain whole hosts, and there are no more calls than one per 256 entities.
func TestOneCallForEach256(t *testing.T) {
	for _, vms := range []int{1, 30, 125, 200, 255, 256, 400} {
		p := newPerfPlan(esxtop.ObjectsOf(esxtop.Host, esxtop.Group), nil, everyCounter())
		p.host.series, p.vm.series = 24, 24
		var hosts []*perfHost
		for range 64 {
			hosts = append(hosts, perfHostOf(make([]RosterVM, vms)...))
		}
		list := batches(asksOf(hosts, p), p, mostSeries)
		entities := 64 * (1 + vms)
		require.LessOrEqual(t, len(list), (entities+255)/256, vms)
		for _, b := range list {
			require.Less(t, b.entities(), 256+1+vms)
		}
	}
}

// TestLargestPiece: as many samples as the total allows, and at least one.
func TestLargestPiece(t *testing.T) {
	for _, test := range []struct {
		series []int // by number of missing samples
		values int
		want   int
	}{
		{[]int{0, 100}, 100, 1},
		{[]int{0, 100}, 1, 1},
		{[]int{0, 0, 0, 100}, 299, 2},
		{[]int{0, 0, 0, 100}, 300, 3},
		{[]int{0, 100, 0, 10}, 129, 2},
		{[]int{0, 100, 0, 10}, 130, 3},
		{[]int{0, 0}, 10, 1},
	} {
		got := largestPiece(test.series, test.values)
		require.Equal(t, test.want, got, "%v of %d", test.series, test.values)
	}
}

// strikes simulates faults of a single VM; it reports whether it has answered.
func (p *perfServer) strikes(w http.ResponseWriter, kind, moid string) bool {
	switch {
	case p.sick[moid]:
		vspheretest.Fault(w, "something is wrong", "SystemError", `<reason>sick</reason>`)
	case p.denied[moid]:
		vspheretest.Fault(w, "no", "NoPermission", `<object type="`+kind+`">`+moid+`</object><privilegeId>System.Read</privilegeId>`)
	default:
		return false
	}
	return true
}
