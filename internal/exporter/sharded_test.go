package exporter

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/source"
)

// poolReady is the family that all shards have: each has the part of its own VMs.
const poolReady = "esxi_resource_pool_cpu_ready_seconds_total"

// served are the series of a target about the server, after some rounds and a survey. Those of the exporter itself are left out.
func (st *stepper) served(t *testing.T) map[string]float64 {
	t.Helper()
	all := series(t, textOf(t, st.Target))
	maps.DeleteFunc(all, func(name string, _ float64) bool {
		return !strings.HasPrefix(name, "esxi_") && !strings.HasPrefix(name, "vperf_rule_findings") && !strings.HasPrefix(name, "vperf_finding")
	})
	return all
}

// TestThreeShardsAreTheWhole: the series of three shards are disjoint, and together they are those of an exporter of the whole
// server, with the same values. Sums of resource pools are the exception: each shard has the part of its own VMs.
func TestThreeShardsAreTheWhole(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	config := TargetConfig{
		Modules: module.All, MaxSeries: 1e6, TagCategories: []string{"vperf.profile"}, CustomAttributes: []string{"cost-centre"},
		EsxtopHosts: []string{"host01.*", "host02.*", "host03.*"}, Audit: judged(t),
	}
	var steppers []*stepper
	for n := range 4 { // each has a fleet of its own, with the same load and the same time
		s, c := onOwnStage(t), config
		if n > 0 {
			c.Shard = shard.Shard{Number: n, Of: 3}
		}
		st := s.drive(t, s.target(t, c))
		for range 3 {
			st.step()
		}
		require.NoError(t, st.surveyNow(t.Context(), s.clock.Now()))
		st.step()
		steppers = append(steppers, st)
	}
	whole, sum := steppers[0].served(t), map[string]float64{}
	for n, st := range steppers[1:] {
		part := st.served(t)
		require.NotEmpty(t, part)
		for name, v := range part {
			if strings.HasPrefix(name, poolReady) {
				sum[name] += v
				continue
			}
			if _, twice := sum[name]; twice {
				t.Errorf("shard %d has %s too", n+1, name)
			}
			sum[name] = v
		}
	}
	equal(t, whole, sum)
}

// equal compares values bit by bit, except for sums that were added in another order.
func equal(t *testing.T, want, got map[string]float64) {
	t.Helper()
	var bad []string
	for name, v := range want {
		g, there := got[name]
		same := math.Float64bits(g) == math.Float64bits(v) || strings.HasPrefix(name, poolReady) && math.Abs(g-v) < 1e-6
		if !there || !same {
			bad = append(bad, fmt.Sprintf("%s: whole %v, shards %v (%v)", name, v, g, there))
		}
	}
	for name := range got {
		if _, there := want[name]; !there {
			bad = append(bad, "only in a shard: "+name)
		}
	}
	slices.Sort(bad)
	if len(bad) > 0 {
		t.Fatalf("%d of %d series differ:\n%s", len(bad), len(want), strings.Join(bad[:min(20, len(bad))], "\n"))
	}
}

// TestAVMMovesBetweenShards: its series end in one shard and begin in the other, and no sample is in the sums of both.
func TestAVMMovesBetweenShards(t *testing.T) {
	s := onOwnStage(t)
	const family = "esxi_vm_cpu_run_seconds_total"
	var both []*stepper
	for n := 1; n <= 2; n++ {
		c := TargetConfig{Modules: []module.Name{module.Basic}, Filter: oneCluster, Shard: shard.Shard{Number: n, Of: 2}}
		both = append(both, s.drive(t, s.target(t, c)))
	}
	had := make([]map[string]float64, 2)
	round := func() {
		t.Helper()
		for n, st := range both {
			st.step()
			had[n] = byMoID(series(t, textOf(t, st.Target)), family)
		}
	}
	for range 4 {
		round()
	}
	here, there := both[0].snapshot().here, both[1].snapshot().here
	from := here.hosts[0]
	on := here.vms[from.MoID]
	vm := on[slices.IndexFunc(on, func(v source.VM) bool { return isOn(v.Power) })].MoID
	i := slices.IndexFunc(there.hosts, func(h source.Host) bool { return h.Cluster == from.Cluster && h.Up() })
	require.GreaterOrEqual(t, i, 0, "the cluster has hosts of both shards")
	require.Contains(t, had[0], vm)
	require.NotContains(t, had[1], vm)
	counted, lastOfFirst := had[0][vm], both[0].newest()

	w := s.witness(t)
	w.done(w.vm(vm).Migrate(t.Context(), nil, object.NewHostSystem(w.Client.Client, types.ManagedObjectReference{Type: "HostSystem", Value: there.hosts[i].MoID}),
		types.VirtualMachineMovePriorityDefaultPriority, ""))
	moved := s.clock.Now()
	rounds := 0
	for had[1][vm] == 0 {
		round()
		if _, still := had[0][vm]; still {
			require.InDelta(t, counted, had[0][vm], 0, "the host that it left has no samples of it")
			require.NotContains(t, had[1], vm, "both have it")
		}
		rounds++
		require.Less(t, rounds, 5)
	}
	first := both[1].newest()
	require.True(t, first.After(lastOfFirst) && first.After(moved), "%s, moved %s", first, moved)
	for range 4 {
		round()
	}
	require.NotContains(t, had[0], vm)
	sums, _, _ := w.sums("VirtualMachine", "cpu.run.summation", []string{vm}, moved.Truncate(interval), both[1].newest())
	require.InDelta(t, sums[vm]*millis, had[1][vm], sums[vm]*millis*0.4) // about as much as since the move
	exact, samples, _ := w.sums("VirtualMachine", "cpu.run.summation", []string{vm}, first.Add(-interval), both[1].newest())
	require.InDelta(t, exact[vm]*millis, had[1][vm], 1e-9, "of %d samples", samples[vm])
	lost := 0
	for _, st := range both {
		lost += int(st.ledger.Stats(st.serverNow()).Missed["moved"]) //nolint:gosec // it is small
	}
	require.LessOrEqual(t, lost, 2)
}

// TestForecast: the plan of shards forecasts the series of the demo fleet, module by module, within a tenth.
func TestForecast(t *testing.T) {
	s := onStage(t)
	modules := []module.Name{module.Basic, module.Disk, module.Net, module.VCPU, module.GPU, module.Snapshot, module.Hardware, module.Firmware, module.VSAN}
	target := s.target(t, TargetConfig{Modules: modules})
	st := s.drive(t, target)
	for range 3 {
		st.step()
	}
	require.NoError(t, st.surveyNow(t.Context(), s.clock.Now()))
	st.step()
	hosts, err := ReadHosts(t.Context(), target.config)
	require.NoError(t, err)
	for _, m := range modules {
		page, err := target.Page(t.Context(), []module.Name{m}, exposition.Text, false)
		require.NoError(t, err)
		text, err := io.ReadAll(page.Body)
		require.NoError(t, err)
		all := series(t, string(text))
		maps.DeleteFunc(all, func(name string, _ float64) bool { return strings.HasPrefix(name, "vperf_") })
		forecast := shard.Plan(hosts, []string{string(m)}, 1)[0]
		require.InDelta(t, len(all), forecast.Series, float64(len(all))/10+15, m)
		parts := shard.Plan(hosts, []string{string(m)}, 3)
		sum := 0
		for _, p := range parts {
			sum += p.Series
		}
		require.InDelta(t, forecast.Series, sum, 3, "parts add up, but for rounding")
	}
}
