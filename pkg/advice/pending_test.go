package advice_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

var written = time.Date(2026, 11, 20, 22, 14, 0, 0, time.UTC)

// waits returns a pending change of host01 that its rule asked for.
func waits() advice.Waiting {
	return advice.Waiting{
		Rule: "my-rule", VCenter: "vc", Kind: inventory.ScopeHost, ID: "host-1", Path: "/dc/host/host01",
		Activation: inventory.ActivationHostReboot, Since: written, Run: "20261120T2214-1",
	}
}

func judged(t *testing.T, text string, s *inventory.Snapshot, o advice.Options) *advice.Result {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, User: true})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	r, err := advice.Evaluate(t.Context(), s, set, o)
	require.NoError(t, err)
	return r
}

const waitingWords = "host reboot, written 2026-11-20 22:14 by run 20261120T2214-1"

func TestWhatWaitsStaysAFinding(t *testing.T) {
	const remedy = "remedy: [{set: power-policy, to: '\"static\"'}]\n"
	policy := func(s string) func(*inventory.Host) {
		return func(h *inventory.Host) { h.Cores, h.PowerPolicy = inventory.Known(int64(2)), inventory.Known(s) }
	}
	for name, c := range map[string]struct {
		host  func(*inventory.Host)
		wait  func(*advice.Waiting)
		want  advice.Outcome
		words string
	}{
		"not started since": {func(h *inventory.Host) { h.BootTime = inventory.Known(written.Add(-time.Hour)) }, nil, advice.Fail, waitingWords},
		"started then":      {func(h *inventory.Host) { h.BootTime = inventory.Known(written) }, nil, advice.Fail, waitingWords},
		"started since":     {func(h *inventory.Host) { h.BootTime = inventory.Known(written.Add(time.Second)) }, nil, advice.Pass, ""},
		"started since, by a clock that is behind": {
			func(h *inventory.Host) { h.BootTime = inventory.Known(written.Add(-time.Hour)) },
			func(w *advice.Waiting) { w.Booted = written.Add(-48 * time.Hour) }, advice.Pass, "",
		},
		"not started since, by a clock that is ahead": {
			func(h *inventory.Host) { h.BootTime = inventory.Known(written.Add(time.Hour)) },
			func(w *advice.Waiting) { w.Booted = written.Add(time.Hour) }, advice.Fail, waitingWords,
		},
		"unknown boot time":      {nil, nil, advice.Fail, waitingWords},
		"by the endpoint's UUID": {nil, func(w *advice.Waiting) { w.VCenter = "uuid" }, advice.Fail, waitingWords},
		"of another endpoint":    {nil, func(w *advice.Waiting) { w.VCenter = "vc2" }, advice.Pass, ""},
		"of another rule":        {nil, func(w *advice.Waiting) { w.Rule = "other" }, advice.Pass, ""},
		"of another host":        {nil, func(w *advice.Waiting) { w.ID = "host-9" }, advice.Pass, ""},
		"of a NIC of the host":   {nil, func(w *advice.Waiting) { w.Object = "/dc/host/host01/vmnic0" }, advice.Pass, ""},
		"of no known run":        {nil, func(w *advice.Waiting) { w.Run = "" }, advice.Fail, "host reboot, written 2026-11-20 22:14"},
		"a reload":               {nil, func(w *advice.Waiting) { w.Activation = inventory.ActivationDriverReload; w.Run = "" }, advice.Fail, "driver reload, so host reboot, written 2026-11-20 22:14"},
		"fails for all that":     {policy("static"), nil, advice.Fail, waitingWords},
		"was taken back":         {policy("dynamic"), nil, advice.Fail, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := smallFleet()
			h := s.VCenters[0].Hosts[0]
			s.VCenters[0].ID = "uuid"
			s.VCenters[0].Hosts = s.VCenters[0].Hosts[:1]
			if c.host != nil {
				c.host(h)
			}
			w := waits()
			if c.wait != nil {
				c.wait(&w)
			}
			r := judged(t, goodRule+remedy+"evidence: {cores: host.cores}\n", s, advice.Options{All: true, Waiting: []advice.Waiting{w}})
			require.Equal(t, map[advice.Outcome]int{c.want: 1}, r.Counts)
			f := r.Findings[0]
			require.Equal(t, c.words, f.Pending)
			require.NotEmpty(t, f.Evidence)
			require.Equal(t, c.want == advice.Fail && c.words == "", len(f.Remedies) > 0, "a written change is not proposed again")
		})
	}
}

// TestWhatWaitsIsKept: without All, a pass is dropped, unless it is pending.
func TestWhatWaitsIsKept(t *testing.T) {
	s := smallFleet()
	s.VCenters[0].Hosts = s.VCenters[0].Hosts[:1]
	twice := []advice.Waiting{waits(), waits()}
	r := judged(t, goodRule+"evidence: {cores: host.cores}\n", s, advice.Options{Waiting: twice})
	require.Len(t, r.Findings, 1)
	require.Equal(t, waitingWords, r.Findings[0].Pending, "said once")
	require.NotEmpty(t, r.Findings[0].Evidence)
	require.True(t, r.Worst(advice.Info), "it closes a gate")
}

// TestADeviceOfWhatWasWrittenWaits: devices match by id, because their host or VM may have been renamed.
func TestADeviceOfWhatWasWrittenWaits(t *testing.T) {
	const rule = `id: my-rule
title: t
category: network
scope: vnic
severity: low
want: vnic.type == "e1000"
why: w
`
	s := smallFleet()
	vm := s.VCenters[0].VMs[0]
	s.VCenters[0].VMs = s.VCenters[0].VMs[:1]
	w := advice.Waiting{
		Rule: "my-rule", VCenter: "vc", Kind: inventory.ScopeVM, ID: "vm-1", Path: "/dc/vm/old-name",
		Object: "/dc/vm/old-name/Network adapter 1", Activation: inventory.ActivationPowerCycle, Since: written,
	}
	judge := func() advice.Outcome {
		return judged(t, rule, s, advice.Options{All: true, Waiting: []advice.Waiting{w}}).Findings[0].Outcome
	}
	require.Equal(t, advice.Fail, judge())
	vm.BootTime = inventory.Absent[time.Time]()
	require.Equal(t, advice.Fail, judge(), "off, and not started since")
	vm.BootTime = inventory.Known(written.Add(time.Minute))
	require.Equal(t, advice.Pass, judge())
	vm.BootTime = inventory.Known(written)
	w.Object = "/dc/vm/old-name/Network adapter 2"
	require.Equal(t, advice.Pass, judge(), "another NIC")
}

func TestBootTimesAreReadOnlyWhenSomethingWaits(t *testing.T) {
	set, err := library(t).Select(advice.Selection{Rules: []string{"cpu-limit"}})
	require.NoError(t, err)
	needs := func(rule string, kind inventory.Scope) inventory.Needs {
		return set.Needs(advice.Options{Waiting: []advice.Waiting{{Rule: rule, Kind: kind}}})
	}
	none, other, vm, host := set.Needs(advice.Options{}), needs("rss", inventory.ScopeHost), needs("cpu-limit", inventory.ScopeVM), needs("cpu-limit", inventory.ScopeHost)
	require.False(t, none.Any("VM.bootTime", "Host.bootTime"))
	require.False(t, other.Any("VM.bootTime", "Host.bootTime"))
	require.True(t, vm.Any("VM.bootTime"))
	require.False(t, vm.Any("Host.bootTime"))
	require.True(t, host.Any("Host.bootTime"))
}
