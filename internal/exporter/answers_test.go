package exporter

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// callsToHosts are those that the fleet has had.
func (s *stage) callsToHosts() int {
	calls := s.fleet.Calls()
	return calls["ExecuteSoap"] + calls["RetrieveManagedMethodExecuter"] + calls["QueryConfiguredModuleOptionString"]
}

// TestHostsAreNotAskedEachTime: findings are the same, until an hour is over.
func TestHostsAreNotAskedEachTime(t *testing.T) {
	s := onStage(t)
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Rules: []string{"pnic-ring", "rss", "pnic-interrupt-moderation", "disk-dsnro", "rr-iops", "cpu-latency-optim-mode"}})
	require.NoError(t, err)
	request := func() (audit.Request, error) { return audit.Request{Rules: set}, nil }
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic, module.Audit}, Audit: request})
	st := s.drive(t, target)
	survey := func() int {
		before := s.callsToHosts()
		st.survey()
		require.Empty(t, collector(target, "audit").Err)
		return s.callsToHosts() - before
	}
	outcomes := func() map[string]float64 {
		all := series(t, textOf(t, target, module.Findings, module.Audit))
		maps.DeleteFunc(all, func(name string, _ float64) bool {
			return !strings.HasPrefix(name, "vperf_finding") && !strings.HasPrefix(name, "vperf_rule_findings")
		})
		require.NotEmpty(t, all)
		return all
	}
	first := survey()
	require.Greater(t, first, 50)
	findings := outcomes()
	survey() // once more where something was not said
	s.clock.forward(DefaultSurveyEvery)
	require.Zero(t, survey())
	require.Equal(t, findings, outcomes())
	s.clock.forward(answersKept - DefaultSurveyEvery - 1)
	require.Zero(t, survey())
	require.Equal(t, findings, outcomes())
	s.clock.forward(1)
	require.InDelta(t, first, survey(), 5, "an hour is over")
	require.Equal(t, findings, outcomes())
	s.clock.forward(DefaultSurveyEvery)
	require.Zero(t, survey())

	target.answers.mu.Lock()
	for id, k := range target.answers.kept {
		k.booted = k.booted.Add(-time.Second)
		target.answers.kept[id] = k
		break
	}
	target.answers.mu.Unlock()
	one := survey()
	require.Positive(t, one, "a host was started again")
	require.Less(t, one, first/4, "and it alone is asked")
}

func TestAnswersOfAHost(t *testing.T) {
	var needs, more inventory.Needs
	needs.AddFact("PNIC.ringRx")
	more.AddFact("PNIC.ringRx", "Host.kernelSettings")
	booted := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	open64, openMap := inventory.Unread[int64](inventory.PerHost), inventory.Unread[map[string]string](inventory.PerHost)
	made := func(change func(h *inventory.Host, n *inventory.PNIC)) *inventory.Host {
		n := &inventory.PNIC{Device: "vmnic0", Driver: inventory.Known("ixgben"), RingRx: open64, RingTx: inventory.Absent[int64]()}
		h := &inventory.Host{Entity: inventory.Entity{ID: "host-1"}, BootTime: inventory.Known(booted), Build: inventory.Known("1"), KernelSettings: openMap}
		h.PNICs = inventory.Known([]*inventory.PNIC{n})
		if change != nil {
			change(h, n)
		}
		return h
	}
	for name, c := range map[string]struct {
		says   inventory.Fact[int64] // the ring, when it was asked
		later  func(h *inventory.Host, n *inventory.PNIC)
		needs  inventory.Needs
		after  time.Duration
		reused bool
	}{
		"the same host":        {inventory.Known[int64](512), nil, needs, time.Minute, true},
		"it has no such thing": {inventory.Absent[int64](), nil, needs, time.Minute, true},
		"it did not say":       {inventory.Unread[int64]("denied"), nil, needs, time.Minute, false},
		"an hour later":        {inventory.Known[int64](512), nil, needs, answersKept, false},
		"our clock went back":  {inventory.Known[int64](512), nil, needs, -time.Minute, false},
		"more is needed":       {inventory.Known[int64](512), nil, more, time.Minute, false},
		"it was started again": {inventory.Known[int64](512), func(h *inventory.Host, _ *inventory.PNIC) { h.BootTime = inventory.Known(booted.Add(time.Hour)) }, needs, time.Minute, false},
		"unknown boot time":    {inventory.Known[int64](512), func(h *inventory.Host, _ *inventory.PNIC) { h.BootTime = inventory.Unread[time.Time]("denied") }, needs, time.Minute, false},
		"it was updated":       {inventory.Known[int64](512), func(h *inventory.Host, _ *inventory.PNIC) { h.Build = inventory.Known("2") }, needs, time.Minute, false},
		"another driver":       {inventory.Known[int64](512), func(_ *inventory.Host, n *inventory.PNIC) { n.Driver = inventory.Known("i40en") }, needs, time.Minute, false},
		"another NIC":          {inventory.Known[int64](512), func(_ *inventory.Host, n *inventory.PNIC) { n.Device = "vmnic1" }, needs, time.Minute, false},
		"more is open":         {inventory.Known[int64](512), func(_ *inventory.Host, n *inventory.PNIC) { n.RingTx = open64 }, needs, time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, now := new(answers), booted.Add(48*time.Hour)
			h := made(nil)
			require.Equal(t, []*inventory.Host{h}, a.fill([]*inventory.Host{h}, needs, now), "the host was not asked yet")
			gaps := open(h)
			require.Len(t, gaps, 2)
			nics, _ := h.PNICs.Value()
			nics[0].RingRx = c.says
			a.keep(h, gaps, needs, now)

			again := made(c.later)
			ask := a.fill([]*inventory.Host{again}, c.needs, now.Add(c.after))
			nics, _ = again.PNICs.Value()
			if !c.reused {
				require.Len(t, ask, 1)
				require.Equal(t, open64, nics[0].RingRx, "answers are filled completely or not at all")
				return
			}
			require.Empty(t, ask)
			require.Equal(t, c.says, nics[0].RingRx)
			require.Equal(t, openMap, again.KernelSettings, "it was not requested")
		})
	}
}

// TestWhatAHostDoesNotSay is asked once more, and again when the reason was another one.
func TestWhatAHostDoesNotSay(t *testing.T) {
	var needs inventory.Needs
	needs.AddFact("PNIC.ringRx")
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	a := new(answers)
	for i, c := range []struct {
		says  string
		asked bool
	}{{"timeout", true}, {"denied", true}, {"denied", true}, {"", false}, {"", false}} {
		n := &inventory.PNIC{Device: "vmnic0", RingRx: inventory.Unread[int64](inventory.PerHost)}
		h := &inventory.Host{Entity: inventory.Entity{ID: "host-1"}, BootTime: inventory.Known(at), PNICs: inventory.Known([]*inventory.PNIC{n})}
		ask := a.fill([]*inventory.Host{h}, needs, at)
		require.Equal(t, c.asked, len(ask) == 1, i)
		if !c.asked {
			_, state, reason := n.RingRx.Get()
			require.Equal(t, inventory.StateUnread, state)
			require.Equal(t, "denied", reason)
			continue
		}
		gaps := open(h)
		n.RingRx = inventory.Unread[int64](c.says)
		a.keep(h, gaps, needs, at)
	}
}
