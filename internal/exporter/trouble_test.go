package exporter

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// TestEsxtopServiceIsApart: its figures are added to the others, and its failures do not affect them.
func TestEsxtopServiceIsApart(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic, module.NUMA, module.Esxtop}, EsxtopHosts: []string{"HOST05.*"}, Filter: oneCluster})
	st := s.drive(t, target)
	require.NoError(t, st.round(t.Context(), st.source))
	require.False(t, collector(target, "esxtop").Success)
	require.Contains(t, textOf(t, target), `vperf_collector_success{collector="esxtop"} 0`)

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- st.followEsxtop(ctx) }()
	require.Eventually(t, func() bool { return collector(target, "esxtop").Success }, time.Minute, 20*time.Millisecond, "%v", target.Trace(time.Hour))
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	c := collector(target, "esxtop")
	require.Equal(t, 1, c.Expected)
	require.Equal(t, 1, c.Collected)
	page := series(t, textOf(t, target, module.NUMA))
	nodes := 0
	for name := range page {
		if strings.HasPrefix(name, "esxi_numa_node_") {
			require.Contains(t, name, `host="host05.demo.local"`)
			nodes++
		}
	}
	require.Positive(t, nodes)

	s.breaks(func(method string) bool {
		return strings.Contains(method, "Execute") || strings.Contains(method, "QueryServiceList")
	})
	require.Error(t, st.followEsxtop(t.Context()))
	require.True(t, collector(target, "performance").Success)
	require.NoError(t, st.round(t.Context(), st.source))
	require.True(t, target.Status().Up)
}

func TestNoHostForTheEsxtopService(t *testing.T) {
	target := idle(t, TargetConfig{EsxtopHosts: []string{"nobody"}})
	require.ErrorIs(t, (&link{Target: target}).followEsxtop(t.Context()), errNoEsxtopHost)
}

// TestServerWithoutCounters has an inventory and a configuration all the same.
func TestServerWithoutCounters(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic, module.Cluster}})
	l, err := target.connect(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var queries atomic.Int32
	s.breaks(func(method string) bool {
		if method == "QueryPerf" {
			queries.Add(1)
		}
		return method == "QueryPerf"
	})
	st := &stepper{link: l, t: t}
	st.source, err = l.open(ctx)
	require.NoError(t, err)
	for range 5 {
		require.NoError(t, st.round(ctx, st.source), "the session is good for other things")
	}
	require.Positive(t, queries.Load())
	require.False(t, collector(target, "performance").Success)
	require.True(t, collector(target, "inventory").Success)
	st.survey()
	page := textOf(t, target)
	require.Contains(t, page, "vperf_up 0\n")
	require.Contains(t, page, "esxi_host_info{")
	require.Contains(t, page, "esxi_cluster_info{")
	cancel()
	st.end()
}

// TestWhatASessionIsGivenUpFor.
func TestWhatASessionIsGivenUpFor(t *testing.T) {
	down := &session.ConnectError{Host: "vc1", Operation: "reading from", Why: "connection refused"}
	l := &link{}
	for range maxFailedRounds - 1 {
		require.NoError(t, l.lost(false, down))
	}
	require.NoError(t, l.lost(false, nil), "the server answers, if not with counters")
	for range maxFailedRounds - 1 {
		require.NoError(t, l.lost(false, down))
	}
	require.NoError(t, l.lost(true, down), "counters come, if nothing else")
	for range maxFailedRounds - 1 {
		require.NoError(t, l.lost(false, down))
	}
	require.ErrorIs(t, l.lost(false, down), errNoAnswer)
	require.Error(t, (&link{}).lost(true, &session.LoginError{Host: "vc1", User: "audit"}), "a refused password is no good any more")
}

func TestPauses(t *testing.T) {
	none := func(time.Duration) time.Duration { return 0 }
	most := func(d time.Duration) time.Duration { return d }
	var r retry
	down := &session.ConnectError{}
	var got []time.Duration
	for range 4 {
		got = append(got, r.after(down, none))
	}
	require.Equal(t, []time.Duration{20 * time.Second, 40 * time.Second, time.Minute, time.Minute}, got)
	require.Equal(t, time.Minute, r.after(down, most))
	require.Equal(t, 11*time.Minute, r.after(&session.LoginError{User: "a"}, most))
	require.Equal(t, time.Minute, r.after(&session.LoginError{}, most), "without a user name no account can be locked")
}

func TestTraceForgetsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := idle(t, TargetConfig{})
		for n := range tracesKept + 3 {
			target.trace.debug("thing %d", n)
			time.Sleep(time.Second)
		}
		all := target.Trace(time.Hour)
		require.Len(t, all, tracesKept)
		require.Contains(t, all[0], "thing 3")
		require.Len(t, target.Trace(10*time.Second), 10)
	})
}

// TestWhoIsThereGrowsOld: after a long outage, connections and power states are unknown. Service discovery keeps the
// last known hosts, so that its users do not lose their targets with vCenter.
func TestWhoIsThereGrowsOld(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}})
	st := s.drive(t, target)
	require.NoError(t, st.round(t.Context(), st.source))
	connected := func() bool { return strings.Contains(textOf(t, target), "esxi_host_connected{") }
	require.True(t, connected())
	s.clock.forward(2*watchEvery - 2*interval)
	require.True(t, connected(), "it was read not long ago")
	s.clock.forward(3 * interval)
	require.False(t, connected())
	require.NotContains(t, textOf(t, target), "esxi_vm_")
	require.NotEmpty(t, target.Discover())
	require.NoError(t, st.round(t.Context(), st.source))
	require.True(t, connected())
}

// TestNothingToTellOf: a filter that excludes everything is reported, because a target without figures looks like a
// server that is down.
func TestNothingToTellOf(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: Filter{Include: []Pattern{{Name: "no such host"}}}})
	st := s.drive(t, target)
	require.NoError(t, st.round(t.Context(), st.source))
	require.Equal(t, noneKept, target.Status().Trouble)
	require.False(t, collector(target, collectorPerformance).Success)
}

func TestLostHosts(t *testing.T) {
	up := source.Host{MoID: "host-1", Name: "esx01", Power: "poweredOn"}
	lost := source.Host{MoID: "host-2", Name: "esx02", Power: "unknown", Down: "host not responding"}
	standby := source.Host{MoID: "host-3", Name: "esx03", Power: "standBy", Down: "host disconnected"}
	p := present{asked: []source.Host{up, standby}, vms: map[string][]source.VM{"host-2": make([]source.VM, 3)}}
	require.Empty(t, p.lost())
	p.asked = append(p.asked, lost)
	require.Equal(t, "esx02 with 3 VMs: host not responding", p.lost())
	p.asked = append(p.asked, lost)
	require.Equal(t, "esx02 with 3 VMs: host not responding; and 1 more", p.lost())
}

// TestEsxtopThatIsRefused expects the hosts nevertheless.
func TestEsxtopThatIsRefused(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, EsxtopHosts: []string{"host0*"}})
	st := s.drive(t, target)
	st.esxtopFailed(s.clock.Now(), errNoAnswer)
	require.Equal(t, 9, collector(target, collectorEsxtop).Expected)
	require.Contains(t, textOf(t, target), `vperf_collector_entities_expected{collector="esxtop"} 9`)
}
