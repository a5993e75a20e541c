package advice_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// crowd returns hosts with waiting VMs: a VM waits as many percent as its number, and half of the even ones have a
// limit.
func crowd(hosts, vms int) *inventory.Snapshot {
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter}
	v.ID, v.Name = "uuid", "vc"
	for h := range hosts {
		x := &inventory.Host{
			ClusterID: inventory.Absent[string](), Cores: inventory.Known(int64(2 + 4*(h%2))), PNICs: inventory.Known([]*inventory.PNIC{}),
			Live: inventory.NewLive(map[string]inventory.Series{"cpu.utilization": {Median: 50, P95: 60, Worst: 70, Samples: 9}}), VSAN: inventory.Known(false),
		}
		x.ID, x.Name = fmt.Sprintf("host-%02d", h), fmt.Sprintf("host%02d", h)
		x.Path = "/dc/" + x.Name
		x.Tags, x.Attributes = inventory.Known([]string{}), inventory.Known(map[string]string{})
		v.Hosts = append(v.Hosts, x)
		for n := range vms {
			vm := &inventory.VM{
				HostID: inventory.Known(x.ID), PowerState: inventory.Known("poweredOn"), VCPUs: inventory.Known(int64(2)),
				CPULimitMHz: inventory.Known(int64(-1)), LatencySensitivity: inventory.Known("normal"), VNICs: inventory.Known([]*inventory.VNIC{}),
				Live: inventory.NewLive(map[string]inventory.Series{"cpu.ready": {Median: float64(n), P95: float64(n), Worst: float64(n) + 0.5, Mean: float64(n), Samples: 9}}),
			}
			if n%4 == 0 {
				vm.CPULimitMHz = inventory.Known(int64(1000))
			}
			vm.ID, vm.Name = fmt.Sprintf("vm-%02d-%04d", h, n), fmt.Sprintf("vm-%02d-%04d", h, n)
			vm.Path = "/dc/vm/" + vm.Name
			vm.Tags, vm.Attributes = x.Tags, x.Attributes
			v.VMs = append(v.VMs, vm)
		}
	}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

func advise(t *testing.T, s *inventory.Snapshot, texts ...string) *advice.Advice {
	t.Helper()
	r, err := advice.Evaluate(t.Context(), s, rulesOf(t, advice.Selection{Diagnoses: true}, texts...), advice.Options{})
	require.NoError(t, err)
	return advice.Advise(s, r)
}

// told returns each recommendation as one line.
func told(a *advice.Advice) []string {
	var lines []string
	for i, r := range a.Recommendations {
		lost, _ := r.Impact.Lost.Value()
		lines = append(lines, fmt.Sprintf("%d %s %s: %s, %d objects, %d VMs, %.2f lost, %d causes, %d also, %d fixes, %s %s",
			i+1, r.Rule.ID, r.Object.Name, r.Severity, r.Impact.Objects, r.Impact.VMs, lost, len(r.Diagnoses), len(r.Also), len(r.Findings), r.Effort, r.Risk))
	}
	for _, d := range a.Harmless {
		lines = append(lines, "harmless "+d.Finding.Rule.ID+" "+d.Finding.Object.Name)
	}
	for _, u := range a.Unexplained {
		lines = append(lines, fmt.Sprintf("unexplained %s %s: %d possible, %d ruled out", u.Symptom.Rule.ID, u.Symptom.Object.Name, len(u.Possible), len(u.RuledOut)))
	}
	return lines
}

func TestAdvice(t *testing.T) {
	byLimit := because("by-limit", `findings["limited"]`, "order: 10", "fixes: [limited]")
	byCrowd := because("by-crowd", `findings["crowded"]`, "order: 20", "at: host", "fixes: [crowded]", "action: Move VMs.", "effort: high")
	turbo := because("turbo", `vm.vcpus == 2`, "order: 30", "verdict: harmless")
	unseen := because("unseen", `vm.memoryMB > 5`, "order: 5")
	for name, c := range map[string]struct {
		rules []string
		with  func(v *inventory.VCenter)
		want  []string
	}{
		"no fault": {[]string{ready, limited, byLimit}, func(v *inventory.VCenter) { v.VMs = v.VMs[1:4] }, nil},
		"all causes unknown": {[]string{ready}, nil, []string{
			"unexplained ready vm-00-0007: 0 possible, 0 ruled out", "unexplained ready vm-00-0006: 0 possible, 0 ruled out",
		}},
		"one cause at the host of all": {[]string{ready, crowded, byCrowd}, nil, []string{"1 by-crowd host00: high, 2 objects, 2 VMs, 0.13 lost, 2 causes, 0 also, 1 fixes, high never"}},
		"off is not there": {[]string{ready, crowded, byCrowd}, func(v *inventory.VCenter) { v.VMs[7].PowerState = inventory.Known("poweredOff") }, []string{
			"1 by-crowd host00: high, 2 objects, 2 VMs, 0.13 lost, 2 causes, 0 also, 1 fixes, high never",
		}},
		"the first of two, and another fault": {
			[]string{ready, crowded, limited, byCrowd, byLimit},
			func(v *inventory.VCenter) { v.VMs[7].CPULimitMHz = inventory.Known(int64(1000)) },
			[]string{
				"1 by-limit vm-00-0007: high, 1 objects, 1 VMs, 0.07 lost, 1 causes, 1 also, 1 fixes, low named",
				"2 by-crowd host00: high, 1 objects, 1 VMs, 0.06 lost, 1 causes, 0 also, 1 fixes, high never",
				"3 limited : medium, 2 objects, 2 VMs, 0.00 lost, 0 causes, 0 also, 2 fixes, low named",
			},
		},
		"harmless": {[]string{ready, turbo}, nil, []string{"harmless turbo vm-00-0006", "harmless turbo vm-00-0007"}},
		"harmless only where nothing comes before": {
			[]string{ready, limited, turbo, byLimit},
			func(v *inventory.VCenter) { v.VMs[7].CPULimitMHz, v.VMs = inventory.Known(int64(1000)), v.VMs[5:] },
			[]string{"1 by-limit vm-00-0007: high, 1 objects, 1 VMs, 0.07 lost, 1 causes, 1 also, 1 fixes, low named", "harmless turbo vm-00-0006"},
		},
		"ruled out and not seen": {[]string{ready, limited, byLimit, unseen}, func(v *inventory.VCenter) { v.VMs = v.VMs[6:] }, []string{
			"unexplained ready vm-00-0007: 1 possible, 1 ruled out", "unexplained ready vm-00-0006: 1 possible, 1 ruled out",
		}},
		"settings alone": {[]string{ready, limited, crowded}, func(v *inventory.VCenter) { v.VMs = v.VMs[:6] }, []string{
			"1 crowded host00: medium, 1 objects, 6 VMs, 0.00 lost, 0 causes, 0 also, 1 fixes,  never",
			"2 limited : medium, 2 objects, 2 VMs, 0.00 lost, 0 causes, 0 also, 2 fixes, low named",
		}},
		"hygiene is not advised": {[]string{old}, func(v *inventory.VCenter) {
			v.VMs[0].VNICs = inventory.Known([]*inventory.VNIC{{Label: "a", Type: inventory.Known("e1000")}})
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := crowd(1, 8)
			if c.with != nil {
				c.with(s.VCenters[0])
				s.Link()
			}
			require.Equal(t, c.want, told(advise(t, s, c.rules...)))
		})
	}
}

// TestCausesOfOneChangeAreOneThingToDo: causes that the same change removes are one recommendation, at the object that
// is changed.
func TestCausesOfOneChangeAreOneThingToDo(t *testing.T) {
	other := strings.NewReplacer("id: ready", "id: other", "severity: high", "severity: low", "lost: vm.live(\"cpu.ready\").mean / 100.0\n", "").Replace(ready)
	first := because("first", `findings["crowded"]`, "fixes: [crowded]", "effort: low")
	second := strings.Replace(because("second", `findings["crowded"]`, "fixes: [crowded]", "at: host", "effort: medium"), "[ready]", "[other]", 1)
	third := strings.Replace(because("third", `findings["crowded"]`, "at: host"), "[ready]", "[another]", 1)
	another := strings.Replace(other, "id: other", "id: another", 1)
	a := advise(t, crowd(3, 8), ready, other, another, crowded, first, second, third)
	require.Equal(t, []string{
		"1 first : high, 4 objects, 4 VMs, 0.26 lost, 8 causes, 0 also, 2 fixes, medium never",
		"2 third : low, 4 objects, 4 VMs, 0.00 lost, 4 causes, 0 also, 0 fixes,  never",
	}, told(a)[:2])
	var parts []string
	for _, r := range a.Recommendations[0].Parts {
		parts = append(parts, r.Object.Name)
	}
	require.Equal(t, []string{"host00", "host02"}, parts)
}

// TestWhatARecommendationSays: a recommendation contains the loss, its share of the time, unread facts, and the
// expected benefit.
func TestWhatARecommendationSays(t *testing.T) {
	with := because("by-crowd", `findings["crowded"]`, "at: host", "fixes: [crowded]", "benefit:", "  - {metric: m, change: -0.5, text: t, holds: host.cores == 2}", "  - {text: No published measurement}")
	a := advise(t, crowd(1, 8), ready, crowded, with, because("unseen", `vm.memoryMB > 5`))
	require.Len(t, a.Recommendations, 1)
	r := a.Recommendations[0]
	share, _ := r.Impact.Share.Value()
	require.InDelta(t, 5.0/9, share, 1e-9, "the summary is sure of no more")
	require.Equal(t, []advice.Gap{
		{Object: r.Diagnoses[0].Finding.Object, Fact: "VM.memoryMB", Reason: "not read"},
		{Object: r.Diagnoses[1].Finding.Object, Fact: "VM.memoryMB", Reason: "not read"},
	}, r.Unseen)
	require.Len(t, r.Benefits, 2)
	require.Equal(t, inventory.Known(true), r.Benefits[0].Holds)
	require.Equal(t, inventory.Absent[bool](), r.Benefits[1].Holds)

	noFigure := strings.Replace(strings.Replace(ready, "lost: vm.live(\"cpu.ready\").mean / 100.0\n", "", 1), "share:", "part:", 1)
	r = advise(t, crowd(1, 8), noFigure, crowded, with).Recommendations[0]
	_, state, reason := r.Impact.Lost.Get()
	require.Equal(t, inventory.StateUnread, state)
	require.Equal(t, "no counter measures the loss", reason)
	require.Equal(t, inventory.Absent[float64](), r.Impact.Share)
}

// TestWhatWaitsIsNotAdvised: a change that was written and is pending is not recommended again.
func TestWhatWaitsIsNotAdvised(t *testing.T) {
	s := crowd(1, 1)
	vm := s.VCenters[0].VMs[0]
	set := rulesOf(t, advice.Selection{}, limited)
	vm.CPULimitMHz = inventory.Known(int64(-1))
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{Waiting: []advice.Waiting{{
		Rule: "limited", VCenter: "uuid", Kind: inventory.ScopeVM, ID: vm.ID, Path: vm.Path, Activation: inventory.ActivationPowerCycle,
	}}})
	require.NoError(t, err)
	require.NotEmpty(t, r.Findings[0].Pending)
	require.Empty(t, advice.Advise(s, r))
}

// TestAdviceIsTheSameHoweverTheFleetComes: advice does not depend on the order of hosts and VMs.
func TestAdviceIsTheSameHoweverTheFleetComes(t *testing.T) {
	texts := []string{
		ready, limited, crowded, old, because("by-limit", `findings["limited"]`, "order: 10", "fixes: [limited]"),
		because("by-crowd", `findings["crowded"]`, "at: host"), because("turbo", `host.cores > 3`, "verdict: harmless"),
	}
	var want []string
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 8 {
		s := crowd(4, 16)
		v := s.VCenters[0]
		if i > 0 {
			random.Shuffle(len(v.VMs), func(i, j int) { v.VMs[i], v.VMs[j] = v.VMs[j], v.VMs[i] })
			random.Shuffle(len(v.Hosts), func(i, j int) { v.Hosts[i], v.Hosts[j] = v.Hosts[j], v.Hosts[i] })
			s.Link()
		}
		got := told(advise(t, s, texts...))
		if i == 0 {
			want = got
			require.Greater(t, len(want), 10)
		}
		require.Equal(t, want, got)
	}
}
