package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

func is(v inventory.Value) inventory.Fact[inventory.Value] { return inventory.Known(v) }

func unset() inventory.Fact[inventory.Value] { return inventory.Absent[inventory.Value]() }

// back writes what was there.
func back(kind inventory.Inverse, about string, all ...tuning.Assignment) tuning.Inverse {
	return tuning.Inverse{Kind: kind, Write: all, About: about}
}

// aPlan has one of everything, and names chosen by somebody who means harm.
func aPlan() *tuning.Plan {
	numa := tuning.Address{Setting: "host-option/Net.NetNetqNumaIOCpuPinThreshold"}
	vmx := tuning.Address{Setting: "vnic-vmx/pnicFeatures", Device: "4000", Label: "Network adapter 1"}
	lock, reservation := tuning.Address{Setting: "vm-memory-lock"}, tuning.Address{Setting: "vm-memory-reservation"}
	hotadd, flash := tuning.Address{Setting: "vm-cpu-hotadd"}, tuning.Address{Setting: "vm-flash-cache"}
	host := tuning.Target{Kind: inventory.ScopeHost, ID: "host-11", UUID: "4c4c4544-0044", Name: "host01.demo.local", Path: "/DC/host/lowlat/host01.demo.local"}
	vm := tuning.Target{Kind: inventory.ScopeVM, ID: "vm-7", UUID: "5012-77", Name: "db|\x1b[31m`rm -rf /`'$(id)", Path: "/DC/vm/db"}
	pin := tuning.Cause{
		Rule: "numa-io", Title: "NUMA-aware network I/O is off on a host with fast NICs", Severity: "high",
		Benefit: []string{"about 20 % less CPU per Gb/s (40GbE, 1-vCPU VM, two-socket host)"}, Risk: "Threads that are pinned cannot be spread.",
	}
	features := tuning.Cause{Rule: "pnic-features", Title: "Receive queues are not matched", Severity: "medium", Object: "db/Network adapter 1"}
	full := tuning.Cause{Rule: "latency-memory", Title: "A latency sensitive VM has no full reservation", Severity: "high", Risk: "Memory that nobody\nelse can use."}
	return &tuning.Plan{
		Schema: tuning.PlanSchema, Made: time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC),
		Server: tuning.Server{Name: "vcenter.demo.local", UUID: "9c8f1d6e"}, Digest: "0123456789abcdef0123456789abcdef",
		Steps: []tuning.Step{
			{ID: 1, Target: host, Activation: inventory.ActivationLive, Changes: []tuning.Change{{
				Address: numa, Before: is(inventory.LongValue(0)), After: is(inventory.LongValue(60)), Activation: inventory.ActivationLive,
				Inverse: back(inventory.InverseExact, "", tuning.Assignment{Address: numa, Value: is(inventory.LongValue(0))}), Causes: []tuning.Cause{pin},
			}}, Notes: []string{"the server does not say which privileges you have: they could not be checked"}},
			{ID: 2, Target: vm, Activation: inventory.ActivationPowerCycle, Changes: []tuning.Change{
				{
					Address: vmx, Before: unset(), After: is(inventory.StringValue("4")), Activation: inventory.ActivationPowerCycle,
					Inverse: back(inventory.InverseExact, "", tuning.Assignment{Address: vmx, Value: unset()}), Causes: []tuning.Cause{features},
				},
				{
					Address: lock, Before: is(inventory.BoolValue(false)), After: is(inventory.BoolValue(true)), Activation: inventory.ActivationLive,
					Inverse: back(inventory.InverseEquivalent, "unlocking leaves the reservation full",
						tuning.Assignment{Address: lock, Value: is(inventory.BoolValue(false))}, tuning.Assignment{Address: reservation, Value: is(inventory.LongValue(512))}),
					Causes: []tuning.Cause{full},
				},
			}, Owner: "host profile gold", Place: "the host profile"},
			{ID: 3, Target: vm, Activation: inventory.ActivationPowerOff, Deferred: "the VM has to be off, and runs", Changes: []tuning.Change{
				{
					Address: hotadd, Before: is(inventory.BoolValue(true)), After: is(inventory.BoolValue(false)), Activation: inventory.ActivationPowerOff,
					Inverse: back(inventory.InverseExact, "", tuning.Assignment{Address: hotadd, Value: is(inventory.BoolValue(true))}), Causes: []tuning.Cause{full},
				},
				{
					Address: flash, Before: is(inventory.LongValue(0)), After: is(inventory.StringValue("")), Activation: inventory.ActivationPowerOff,
					Inverse: back(inventory.InverseNone, "the cache is gone"), Causes: []tuning.Cause{full},
				},
			}},
		},
		Left: []tuning.Left{
			{Target: host, Address: tuning.Address{Setting: "power-policy"}, Rules: []string{"power-policy"}, Why: "it is static already"},
			{Target: vm, Address: tuning.Address{Setting: "vm-latency"}, Rules: []string{"latency-high", "latency-ht"}, Why: "protected: vCLS <b>agent</b>", Refused: true},
		},
	}
}

func TestPlan(t *testing.T) {
	for name, term := range map[string]report.Terminal{"plan.txt": {}, "plan-60.txt": {Width: 60}} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, report.Plan(&b, aPlan(), false, term))
			golden.Equal(t, "testdata/"+name, b.Bytes())
			require.NotContains(t, b.String(), "\x1b")
		})
	}
}

func TestPlanMarksByColourWhatNeedsALook(t *testing.T) {
	io, _, _ := iostreams.Test()
	require.NoError(t, io.SetColor("always"))
	var b bytes.Buffer
	require.NoError(t, report.Plan(&b, aPlan(), false, report.Terminal{Style: io.StyleOut()}))
	for _, want := range []string{
		"\x1b[31mby nothing: the cache is gone", "\x1b[33mdeferred:", "\x1b[33mowner:", "\x1b[33mREFUSED", "\x1b[33mpower-cycle", "needs: live,", `db|\x1b[31m`,
	} {
		require.Contains(t, b.String(), want)
	}
}

// What many objects are left alone for is said once; what is refused is named one by one.
func TestPlanPutsTogetherWhatIsLeftAlone(t *testing.T) {
	left := func(name, why string, refused bool) tuning.Left {
		return tuning.Left{
			Target: tuning.Target{Kind: inventory.ScopeVM, ID: name, Name: name}, Address: tuning.Address{Setting: "vm-tools"}, Rules: []string{"tools"}, Why: why,
			Refused: refused,
		}
	}
	plan := &tuning.Plan{Left: []tuning.Left{
		left("a", "by hand", false), left("b", "protected", true), left("c", "by hand", false), left("d", "protected", true), left("e", "by hand", false),
		left("f", "another", false), left("g", "by hand", false),
	}}
	var b bytes.Buffer
	require.NoError(t, report.Plan(&b, plan, false, report.Terminal{}))
	require.Contains(t, b.String(), "  REFUSED  b  vm-tools (tools): protected\n  REFUSED  d  vm-tools (tools): protected\n"+
		"  a, c, e and 1 more  vm-tools (tools): by hand\n  f  vm-tools (tools): another\n")
	require.Contains(t, b.String(), "2 refused, 5 left alone")
}

func TestPlanOfNothing(t *testing.T) {
	plan := &tuning.Plan{Server: tuning.Server{Name: "vc"}}
	var b bytes.Buffer
	require.NoError(t, report.Plan(&b, plan, false, report.Terminal{}))
	require.Contains(t, b.String(), "vc: nothing to change, values read")
	require.Contains(t, b.String(), "nothing to change; 0 refused, 0 left alone\n")
	b.Reset()
	require.NoError(t, report.PlanMarkdown(&b, plan))
	require.NotContains(t, b.String(), "|")
}

func TestPlanMarkdown(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.PlanMarkdown(&b, aPlan()))
	golden.Equal(t, "testdata/plan.md", b.Bytes())
	for _, raw := range []string{"\x1b", "<b>", "db|", " `rm"} {
		require.NotContains(t, b.String(), raw)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "| 2 ") {
			require.Equal(t, 9, strings.Count(line, "|"), line)
		}
	}
}
