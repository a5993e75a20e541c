package report_test

import (
	"bytes"
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

// back returns an inverse that restores the old values.
func back(kind inventory.Inverse, about string, all ...tuning.Assignment) tuning.Inverse {
	return tuning.Inverse{Kind: kind, Write: all, About: about}
}

// aPlan has one of everything, and hostile names.
func aPlan() *tuning.Plan {
	numa := tuning.Address{Setting: "host-option/Net.NetNetqNumaIOCpuPinThreshold"}
	vmx := tuning.Address{Setting: "vnic-vmx/pnicFeatures", Device: "4000", Label: "Network adapter 1"}
	lock, reservation := tuning.Address{Setting: "vm-memory-lock"}, tuning.Address{Setting: "vm-memory-reservation"}
	hotadd, flash := tuning.Address{Setting: "vm-cpu-hotadd"}, tuning.Address{Setting: "vm-flash-cache"}
	host := tuning.Target{Kind: inventory.ScopeHost, ID: "host-11", UUID: "4c4c4544-0044", Name: "host01.demo.local", Path: "/DC/host/lowlat/host01.demo.local"}
	vm := tuning.Target{Kind: inventory.ScopeVM, ID: "vm-7", UUID: "5012-77", Name: "db|\x1b[31m`rm -rf /`'$(id)", Path: "/DC/vm/db"}
	pin := tuning.Cause{
		Rule: "numa-io", Title: "NUMA-aware network I/O is off; packets of fast NICs can cross the socket link", Severity: "high",
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
			}}, Notes: []string{"the server does not report which privileges you have: they could not be checked"}},
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
			{ID: 3, Target: vm, Activation: inventory.ActivationPowerOff, Deferred: "the VM must be off, and runs", Changes: []tuning.Change{
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
		Skipped: []tuning.Skipped{
			{Target: host, Address: tuning.Address{Setting: "power-policy"}, Rules: []string{"power-policy"}, Why: "it is static already"},
			{Target: vm, Address: tuning.Address{Setting: "vm-latency"}, Rules: []string{"latency-high", "latency-ht"}, Why: "protected: vCLS <b>agent</b>", Refused: true},
		},
	}
}

func TestPlan(t *testing.T) {
	for name, width := range map[string]int{"plan.txt": 0, "plan-60.txt": 60} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, report.Plan(aPlan(), false, report.Terminal{}).Terminal(&b, width, iostreams.Style{}))
			golden.Equal(t, "testdata/"+name, b.Bytes())
			require.NotContains(t, b.String(), "\x1b")
		})
	}
}

func TestPlanMarksByColourWhatNeedsALook(t *testing.T) {
	io, _, _ := iostreams.Test()
	require.NoError(t, io.SetColor("always"))
	var b bytes.Buffer
	require.NoError(t, report.Plan(aPlan(), false, report.Terminal{}).Terminal(&b, 0, io.StyleOut()))
	for _, want := range []string{
		"\x1b[31mcannot be undone: the cache is gone", "\x1b[33mthe VM must be off, and runs", "\x1b[33mhost profile gold", "\x1b[33mREFUSED", "\x1b[33mpower-cycle", "live, takes effect", `db|\x1b[31m`,
	} {
		require.Contains(t, b.String(), want)
	}
}

// TestPlanPutsTogetherWhatIsLeftAlone checks that a reason shared by many skipped objects appears once, and that all objects
// with refused changes are named.
func TestPlanPutsTogetherWhatIsLeftAlone(t *testing.T) {
	left := func(name, why string, refused bool) tuning.Skipped {
		return tuning.Skipped{
			Target: tuning.Target{Kind: inventory.ScopeVM, ID: name, Name: name}, Address: tuning.Address{Setting: "vm-tools"}, Rules: []string{"tools"}, Why: why,
			Refused: refused,
		}
	}
	plan := &tuning.Plan{Skipped: []tuning.Skipped{
		left("a", "by hand", false), left("b", "protected", true), left("c", "by hand", false), left("d", "protected", true), left("e", "by hand", false),
		left("f", "another", false), left("g", "by hand", false),
	}}
	var b bytes.Buffer
	require.NoError(t, report.Plan(plan, false, report.Terminal{}).Terminal(&b, 0, iostreams.Style{}))
	require.Contains(t, b.String(), "  REFUSED  b, d  vm-tools (tools): protected\n"+
		"  a, c, e and 1 more  vm-tools (tools): by hand\n  f  vm-tools (tools): another\n")
	require.Contains(t, b.String(), "2 refused, 5 skipped")
}

// longPlan changes one setting on many VMs, and ten others on one host.
func longPlan() *tuning.Plan {
	p := aPlan()
	numa, hotadd := p.Steps[0], p.Steps[2]
	p.Steps, p.Skipped = nil, nil
	add := func(s tuning.Step, name, setting string) {
		s.ID, s.Target.ID, s.Target.Name, s.Notes = len(p.Steps)+1, name, name, nil
		s.Changes = []tuning.Change{s.Changes[0]}
		if setting != "" {
			s.Changes[0].Setting = setting
		}
		p.Steps = append(p.Steps, s)
	}
	for _, vm := range []string{"db-01", "db-02", "db-03"} {
		add(hotadd, vm, "")
	}
	for _, option := range []string{"A", "B", "C", "D", "E", "F", "G", "H", "I"} {
		add(numa, "host01", "host-option/"+option)
	}
	add(hotadd, "db-04", "")
	limit := tuning.Address{Setting: "vm-memory-limit"}
	p.Steps[12].Changes[0].Address, p.Steps[12].Deferred = limit, ""
	p.Steps[12].Changes[0].Before, p.Steps[12].Changes[0].After = is(inventory.LongValue(512)), is(inventory.LongValue(-1))
	p.Steps[12].Changes[0].Inverse = back(inventory.InverseEquivalent, "as good", tuning.Assignment{Address: limit, Value: is(inventory.LongValue(512))})
	for i := range 9 {
		target, rule, why := tuning.Target{Kind: inventory.ScopeVM, ID: "x", Name: "vm-" + string(rune('a'+i))}, "r"+string(rune('a'+i%3)), "by hand: see vperf explain r"
		if i > 5 {
			target.Name, rule, why = "host01", "n"+string(rune('a'+i)), "must be named: --rule n"
		}
		p.Skipped = append(p.Skipped, tuning.Skipped{Target: target, Address: tuning.Address{Setting: "vm-tools/" + string(rune('a'+i))}, Rules: []string{rule}, Why: why})
	}
	return p
}

// TestALongPlan checks that a long plan stays readable: it merges identical changes, writes one line per change, and counts
// skipped changes. It still names all objects, and the full form has everything.
func TestALongPlan(t *testing.T) {
	for name, full := range map[string]bool{"plan-long.txt": false, "plan-full.txt": true} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, report.Plan(longPlan(), full, report.Terminal{}).Terminal(&b, 100, iostreams.Style{}))
			golden.Equal(t, "testdata/"+name, b.Bytes())
		})
	}
}

func TestAPlanShowsTheFirstBenefitAndCountsTheRest(t *testing.T) {
	p := aPlan()
	p.Steps[0].Changes[0].Causes[0].Benefit = []string{"fast", "faster", "fastest"}
	var short, full bytes.Buffer
	require.NoError(t, report.Plan(p, false, report.Terminal{}).Terminal(&short, 0, iostreams.Style{}))
	require.Contains(t, short.String(), "  benefit: fast\n             2 more measurements: vperf explain numa-io\n")
	require.NoError(t, report.Plan(p, true, report.Terminal{}).Terminal(&full, 0, iostreams.Style{}))
	require.Contains(t, full.String(), "  benefit: fast\n             faster\n             fastest\n")
}

func TestPlanOfNothing(t *testing.T) {
	plan := &tuning.Plan{Server: tuning.Server{Name: "vc"}}
	var b bytes.Buffer
	require.NoError(t, report.Plan(plan, false, report.Terminal{}).Terminal(&b, 0, iostreams.Style{}))
	require.Contains(t, b.String(), "vc: nothing to change, values read")
	require.Contains(t, b.String(), "nothing to change; 0 refused, 0 skipped\n")
	b.Reset()
	require.NoError(t, report.Plan(plan, true, report.Terminal{}).Markdown(&b))
	require.NotContains(t, b.String(), "|")
}

func TestPlanMarkdown(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.Plan(aPlan(), true, report.Terminal{}).Markdown(&b))
	golden.Equal(t, "testdata/plan.md", b.Bytes())
	for _, raw := range []string{"\x1b", "<b>", "db|", " `rm"} {
		require.NotContains(t, b.String(), raw)
	}
}

// TestPlanOnATerminalNamesFew: a pipe gets all rules of a reason, a terminal the first three and the number of the others.
func TestPlanOnATerminalNamesFew(t *testing.T) {
	plan := &tuning.Plan{}
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		plan.Skipped = append(plan.Skipped, tuning.Skipped{
			Target: tuning.Target{Kind: inventory.ScopeVM, ID: id, Name: "vm-" + id}, Rules: []string{"rule-" + id}, Why: "severity low is below medium: " + id,
		})
	}
	for tty, want := range map[bool]string{false: "rule-a, rule-b, rule-c, rule-d, rule-e, rule-f, rule-g\n", true: "rule-a, rule-b, rule-c and 4 more\n"} {
		var b bytes.Buffer
		require.NoError(t, report.Plan(plan, false, report.Terminal{TTY: tty}).Terminal(&b, 0, iostreams.Style{}))
		require.Contains(t, b.String(), "  7  severity low is below medium: "+want)
	}
}
