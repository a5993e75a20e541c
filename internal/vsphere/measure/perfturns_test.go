package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// sampleOf identifies the samples of a VM.
type sampleOf struct {
	vm string
	at time.Time
}

// takePass returns all samples of a pass, each of which must come once, its rounds, and the last of them.
func takePass(t *testing.T, source *performance) (samples map[sampleOf]float64, rounds int, last *esxtop.Round) {
	t.Helper()
	samples = map[sampleOf]float64{}
	for last == nil || last.More {
		last = nextRound(t, source)
		rounds++
		for vm, v := range readies(last) {
			require.NotContains(t, samples, sampleOf{vm, last.Time})
			samples[sampleOf{vm, last.Time}] = v
		}
		require.Less(t, rounds, 1000, "a pass ends")
	}
	return samples, rounds, last
}

// TestByHost: reading hosts in turns returns the same samples as reading them by time, and asks each host once.
func TestByHost(t *testing.T) {
	const hosts, vms = 6, 3
	history := PerformanceOptions{Request: groups.Request, History: 5 * time.Minute}
	p := servePerf(t, hosts)
	byTime := p.open(t, vms, history)
	want, rounds := map[sampleOf]float64{}, 15
	for range rounds {
		r := nextRound(t, byTime)
		require.False(t, r.More)
		for vm, v := range readies(r) {
			want[sampleOf{vm, r.Time}] = v
		}
	}
	require.Len(t, want, hosts*vms*rounds)

	history.ByHost = true
	source := p.open(t, vms, history)
	plan := source.planOf(t)
	source.atOnce = 2 * rounds * (plan.host.series + vms*plan.vm.series)
	p.calls()
	samples, n, last := takePass(t, source)
	require.Equal(t, want, samples)
	require.Equal(t, rounds*hosts/2, n, "two hosts in a turn")
	require.Len(t, p.calls(), hosts/2)
	require.Empty(t, last.Troubles)
	require.Equal(t, newPerfClock().now(), p.clock.now(), "available samples are not waited for")

	now, _, last := takePass(t, source)
	require.Len(t, now, hosts*vms, "then come the samples of now")
	require.Empty(t, last.Troubles)
	require.Less(t, p.clock.now().Sub(newPerfClock().now()), perfInterval, "which are asked for when they are due")
}

// TestByHostOfOneLargeHost: a host with more samples than a turn may have gets more turns.
func TestByHostOfOneLargeHost(t *testing.T) {
	p := servePerf(t, 3)
	source := p.open(t, 4, PerformanceOptions{Request: groups.Request, History: 5 * time.Minute, ByHost: true})
	plan := source.planOf(t)
	source.atOnce = 7 * (plan.host.series + 4*plan.vm.series)
	samples, _, last := takePass(t, source)
	require.Len(t, samples, 3*4*15)
	require.Empty(t, last.Troubles)
}

// TestByHostWithTrouble: hosts whose first query failed together with that of a hung host have another turn. Only the hung one has
// no samples, and is named at the end of the pass.
func TestByHostWithTrouble(t *testing.T) {
	p := servePerf(t, 6)
	source := p.open(t, 3, PerformanceOptions{Request: groups.Request, History: 5 * time.Minute, ByHost: true})
	plan := source.planOf(t)
	source.atOnce = 3 * 15 * (plan.host.series + 3*plan.vm.series)
	bad := source.hosts[1]
	p.set(func() { p.hangs[bad.moid] = true })
	samples, _, last := takePass(t, source)
	require.Len(t, samples, 5*3*15)
	require.Len(t, last.Troubles, 1)
	require.Contains(t, troubles(last)[bad.name], "no answer within")
}

// TestByHostSavesTraffic: names of series come once for all samples.
func TestByHostSavesTraffic(t *testing.T) {
	bytes := func(byHost bool) (received int64) {
		p := servePerf(t, 4)
		source := p.open(t, 20, PerformanceOptions{Request: groups.Request, History: 5 * time.Minute, ByHost: byHost})
		if plan := source.planOf(t); !byHost { // as much at once as of one host
			source.atOnce = 15 * (plan.host.series + 20*plan.vm.series)
		}
		for n := 0; n < 4*20*15; {
			n += len(readies(nextRound(t, source)))
		}
		return source.session.Costs()["QueryPerf"].Received
	}
	require.Less(t, 3*bytes(true), bytes(false))
}
