package exporter

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
)

// TestRunOnTheFleet: a target that runs has data soon, asks for as long as it is there, and logs out when it goes.
func TestRunOnTheFleet(t *testing.T) {
	s := onStage(t)
	goroutines := runtime.NumGoroutine()
	sessions := s.sessions()
	e := New(Options{})
	require.NoError(t, e.Configure([]TargetConfig{{Name: "demo", Address: "demo.lab", Dial: s.dial, Modules: []module.Name{module.Basic}}}))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	target := e.Target("demo")
	require.Eventually(t, func() bool { return target.Status().Up }, time.Minute, 20*time.Millisecond, "%v", target.Trace(time.Hour))
	st := target.Status()
	require.Empty(t, st.Trouble)
	require.Equal(t, 1, st.Logins)
	require.Equal(t, sessions+1, s.sessions())
	require.Positive(t, st.Costs["QueryPerf"].Calls)
	require.Len(t, target.Discover(), 16)

	require.NoError(t, e.Configure(nil))
	require.Eventually(t, func() bool { return s.sessions() == sessions }, time.Minute, 20*time.Millisecond, "it logs out")
	after := target.Status()
	require.False(t, after.Up)
	for method, cost := range st.Costs {
		require.GreaterOrEqual(t, after.Costs[method].Calls, cost.Calls, "costs never go back: %s", method)
	}
	cancel()
	require.NoError(t, <-ended)
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 }, time.Minute, 20*time.Millisecond,
		"%d goroutines, before %d", runtime.NumGoroutine(), goroutines)
}

// sessions is how many there are at the fleet, logged in and not out again.
func (s *stage) sessions() int {
	calls := s.fleet.Calls()
	return calls["Login"] - calls["Logout"]
}

func TestHostsToDiscover(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Filter: Filter{Include: []Pattern{{Name: "host01*"}, {Path: "/*/host/*/host02.demo.local"}}}})
	s.drive(t, target)
	groups := target.Discover()
	require.Len(t, groups, 2)
	require.Equal(t, []string{"host01.demo.local"}, groups[0].Targets)
	meta := groups[0].Labels
	for _, name := range []string{"cluster", "datacenter", "build"} {
		require.NotEmpty(t, meta["__meta_vsphere_"+name], name)
	}
	require.Equal(t, "demo", meta["__meta_vsphere_target"])
	require.Equal(t, "host01.demo.local", meta["__meta_vsphere_host"])
	require.Equal(t, "poweredOn", meta["__meta_vsphere_power_state"])
	require.Equal(t, "connected", meta["__meta_vsphere_connection"])
	require.Equal(t, "false", meta["__meta_vsphere_maintenance"])
	require.True(t, strings.HasPrefix(meta["__meta_vsphere_moid"], "host-"), meta)
	require.Contains(t, meta["__meta_vsphere_path"], "/host01.demo.local")
	require.NotContains(t, meta, "__meta_vsphere_unknown")
}

// TestFilterOnTheFleet: an excluded host with exported VMs is sampled, but not exported itself.
func TestFilterOnTheFleet(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: Filter{Include: []Pattern{{Name: "web-*"}}}})
	st := s.drive(t, target)
	require.NoError(t, st.round(t.Context(), st.source))
	here := target.snapshot().here
	require.Empty(t, here.hosts)
	require.NotEmpty(t, here.asked)
	require.Less(t, len(here.asked), here.whole)
	for name := range series(t, textOf(t, target)) {
		switch {
		case strings.HasPrefix(name, "vperf_"):
		default:
			require.Contains(t, name, `vm="web-`)
		}
	}
	require.NotEmpty(t, byMoID(series(t, textOf(t, target)), "esxi_vm_cpu_ready_seconds_total"))
}
