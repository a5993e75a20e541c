package advice_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
)

// limit is one parameter of a rule over counters, and the metric whose threshold it repeats.
type limit struct {
	rule, param string
	metric      string // of esxtop's catalogue
	critical    bool   // the threshold's critical value, not its warning
	// differs is the rule's value if it differs from the metric's, with the reason.
	differs string
	value   float64
}

const lessThanAMegabyte = "the screens show all there is; a rule waits for a megabyte, as the source does"

const anySwapping = "the screens wait for a megabyte a second, as the source does; a rule judges by 95 of 100 samples, of which any is too much"

// limits are all thresholds of the catalogue that a rule uses.
var limits = []limit{
	{rule: "cpu-ready", param: "ok", metric: "cpu.readyPerVCPU"},
	{rule: "cpu-ready", param: "ok", metric: "cpu.contentionPerVCPU"},
	{rule: "cpu-ready", param: "bad", metric: "cpu.readyPerVCPU", critical: true},
	{rule: "cpu-costop", param: "ok", metric: "cpu.costopPerVCPU"},
	{rule: "cpu-costop", param: "bad", metric: "cpu.costopPerVCPU", critical: true},
	{rule: "cpu-limited", param: "ok", metric: "cpu.maxLimitedPerVCPU", differs: "the screens show all there is; a rule waits for a whole percent, as the sheet does", value: 1},
	{rule: "cpu-swap-wait", param: "ok", metric: "cpu.swapWaitPerVCPU"},
	{rule: "cpu-swap-wait", param: "bad", metric: "cpu.swapWaitPerVCPU", critical: true},
	{rule: "cpu-system-time", param: "ok", metric: "cpu.system"},
	{rule: "cpu-overlap", param: "ok", metric: "cpu.overlap"},
	{rule: "cpu-blocked", param: "ok", metric: "cpu.vmWaitPerVCPU"},
	{rule: "cpu-blocked", param: "bad", metric: "cpu.vmWaitPerVCPU", critical: true},
	{rule: "cpu-saturated", param: "ok", metric: "cpu.usedPerVCPU"},
	{rule: "cpu-latency", param: "ok", metric: "cpu.latencyPerVCPU"},
	{rule: "mem-latency", param: "ok", metric: "cpu.memLatency"},
	{rule: "timer-rate", param: "ok", metric: "cpu.timers"},
	{rule: "host-load", param: "ok", metric: "host.load1"},
	{rule: "host-load", param: "bad", metric: "host.load1", critical: true},
	// The warning at 75 percent has no rule: the use of logical processors is a weak indicator, so the rule uses cores.
	{rule: "host-cpu-headroom", param: "alarm", metric: "pcpu.utilAvg", critical: true},
	{rule: "host-clock", param: "ok", metric: "pcpu.aperfMperf"},
	{rule: "host-clock", param: "bad", metric: "pcpu.aperfMperf", critical: true},
	{rule: "host-overcommit", param: "ok", metric: "mem.overcommit1"},
	{rule: "host-overcommit", param: "bad", metric: "mem.overcommit1", critical: true},
	{rule: "mem-reclaim-host", param: "state", metric: "mem.state"},
	{rule: "mem-reclaim-host", param: "swapIn", metric: "mem.hostSwapRead", differs: anySwapping, value: 0},
	{rule: "mem-reclaim", param: "swapIn", metric: "mem.swapIn", differs: anySwapping, value: 0},
	{rule: "mem-reclaim", param: "decompress", metric: "mem.decompress"},
	{rule: "mem-balloon", param: "ok", metric: "mem.balloon", differs: lessThanAMegabyte, value: 1},
	{rule: "mem-swapped", param: "ok", metric: "mem.swapped", differs: lessThanAMegabyte, value: 1},
	{rule: "mem-swap-rate", param: "ok", metric: "mem.swapOut", differs: anySwapping, value: 0},
	{rule: "mem-compression", param: "ok", metric: "mem.compress"},
	{rule: "mem-compression", param: "kept", metric: "mem.cacheUsed"},
	{rule: "numa-locality", param: "local", metric: "numa.local"},
	{rule: "numa-locality", param: "bad", metric: "numa.local", critical: true},
	{rule: "numa-migrations", param: "ok", metric: "numa.migrationsDelta"},
	{rule: "numa-migrations", param: "bad", metric: "numa.migrationsDelta", critical: true},
	{rule: "lun-latency", param: "bad", metric: "disk.guestLatency"},
	{rule: "datastore-latency", param: "bad", metric: "disk.deviceLatency"},
	{rule: "datastore-latency", param: "kernel", metric: "disk.kernelLatency"},
	{rule: "lun-kernel-latency", param: "ok", metric: "disk.kernelLatency"},
	{rule: "lun-queue", param: "ok", metric: "disk.queueLatency"},
	{rule: "lun-queue", param: "bad", metric: "disk.queueLatency", critical: true},
	{rule: "lun-queue", param: "queued", metric: "disk.queued"},
	{rule: "lun-aborts", param: "ok", metric: "disk.aborts"},
	{rule: "lun-resets", param: "ok", metric: "disk.resets"},
	{rule: "lun-conflicts", param: "ok", metric: "disk.conflicts"},
	{rule: "lun-failed", param: "ok", metric: "disk.failedCommands"},
	{rule: "vdisk-latency", param: "ok", metric: "vdisk.readLatency"},
	{rule: "vdisk-latency", param: "bad", metric: "vdisk.writeLatency", critical: true},
	{rule: "rx-drops", param: "some", metric: "net.droppedRx"},
	{rule: "rx-drops", param: "bad", metric: "net.droppedRx", critical: true},
	{rule: "rx-drops-host", param: "some", metric: "net.droppedRx"},
	{rule: "tx-drops", param: "percent", metric: "net.droppedTx"},
	{rule: "tx-drops-host", param: "percent", metric: "net.droppedTx"},
	{rule: "pnic-drops", param: "some", metric: "net.droppedRx"},
	{rule: "pnic-drops", param: "bad", metric: "net.droppedRx", critical: true},
	{rule: "pnic-drops", param: "sent", metric: "net.droppedTx"},
}

// sameThreshold are metrics that share the threshold of another: sum and single vCPU, other intervals, or other units
// of the same value.
var sameThreshold = map[string]string{
	"cpu.ready": "cpu.readyPerVCPU", "cpu.costop": "cpu.costopPerVCPU", "cpu.maxLimited": "cpu.maxLimitedPerVCPU",
	"cpu.swapWait": "cpu.swapWaitPerVCPU", "cpu.vmWait": "cpu.vmWaitPerVCPU", "cpu.latency": "cpu.latencyPerVCPU",
	"host.load5": "host.load1", "host.load15": "host.load1",
	"mem.overcommit5": "mem.overcommit1", "mem.overcommit15": "mem.overcommit1",
}

// noRule are metrics with a threshold that no rule uses, and the reason.
var noRule = map[string]string{
	"mem.hostSwapWrite": "mem-reclaim-host judges by the state of memory, which says the same earlier",
	"nfs.aborts":        "NFS has no devices; the deployed alerts name it",
}

// TestRulesAgreeWithTheScreens: the screens and the rules use the same warning values.
func TestRulesAgreeWithTheScreens(t *testing.T) {
	rules := map[string]*advice.Rule{}
	for _, r := range library(t).Rules() {
		rules[r.ID] = r
	}
	for _, l := range limits {
		require.Contains(t, rules, l.rule)
		p, ok := rules[l.rule].Params[l.param]
		require.True(t, ok, "%s has no parameter %s", l.rule, l.param)
		m := esxtop.Lookup(l.metric)
		require.NotNil(t, m, l.metric)
		require.NotNil(t, m.Threshold, l.metric)
		want := m.Threshold.Warn
		if l.critical {
			want = m.Threshold.Critical
		}
		if l.differs != "" {
			require.NotEqual(t, want, l.value, "%s: %s no longer differs", l.rule, l.param)
			want = l.value
		}
		require.InDelta(t, want, p.Value, 0, "%s, params.%s, and %s on the screens", l.rule, l.param, l.metric)
	}
}

// TestEveryThresholdHasARule: every threshold of the screens has a rule, and every rule over counters has a threshold.
func TestEveryThresholdHasARule(t *testing.T) {
	for _, m := range esxtop.Catalogue() {
		if m.Threshold == nil || noRule[m.ID] != "" {
			continue
		}
		id := m.ID
		if other, same := sameThreshold[id]; same {
			require.InDelta(t, esxtop.Lookup(other).Threshold.Warn, m.Threshold.Warn, 0, id)
			require.InDelta(t, esxtop.Lookup(other).Threshold.Critical, m.Threshold.Critical, 0, id)
			id = other
		}
		require.True(t, slices.ContainsFunc(limits, func(l limit) bool { return l.metric == id }), "%s has a threshold on the screens and no rule", m.ID)
	}
}

// TestRulesOverCountersAreWindowed: a rule over counters needs enough samples, and shows the share of the time with the
// symptom.
func TestRulesOverCountersAreWindowed(t *testing.T) {
	for _, r := range library(t).Rules() {
		if r.Category != "monitoring" || len(r.Live()) == 0 {
			continue
		}
		require.Contains(t, r.Applies.Source, ".samples >= params.samples", r.ID)
		require.Contains(t, r.Params, "samples", r.ID)
		shows := func(name string) bool {
			return slices.ContainsFunc(r.Evidence, func(e advice.EvidenceItem) bool { return e.Name == name })
		}
		require.True(t, r.ID == "host-used-below-util" || shows("share"), "%s shows no share of the time", r.ID)
		require.True(t, slices.ContainsFunc(r.Examples, func(e advice.Example) bool {
			return e.Name == "trap: two samples are too few to judge by" || e.Name == "trap: one sample is too few to judge by"
		}), r.ID)
	}
}
