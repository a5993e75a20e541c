package module

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// walking returns a walk over the ready time of VMs.
func walking(at time.Time, seconds map[string]float64) func(func(exposition.Family, exposition.Labels, float64, time.Time)) {
	return func(each func(exposition.Family, exposition.Labels, float64, time.Time)) {
		for vm, v := range seconds {
			labels := exposition.NewLabels("vm", `a",moid="vm-9`, "moid", vm)
			each(exposition.Family{Name: "esxi_vm_cpu_wait_seconds_total"}, labels, 1e9, at)
			each(exposition.Family{Name: ReadyName}, labels, v, at)
		}
	}
}

func pooled(vms map[string]string) *inventory.VCenter {
	v := &inventory.VCenter{}
	pool := func(id, parent string, root bool) {
		p := &inventory.Pool{Root: root, ParentID: inventory.Known(parent)}
		p.ID, p.Name = id, id
		v.Pools = append(v.Pools, p)
	}
	pool("root", "", true)
	pool("batch", "root", false)
	pool("night", "batch", false)
	pool("web", "root", false)
	for id, in := range vms {
		vm := &inventory.VM{PoolID: inventory.Known(in)}
		vm.ID = id
		v.VMs = append(v.VMs, vm)
	}
	return v
}

// TestPoolReady: a second of a VM counts once, in the pools that the VM is in when it is added.
func TestPoolReady(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	all := func(string) bool { return true }
	p := &PoolReady{}
	sums := func() map[string]float64 {
		got := map[string]float64{}
		for id, s := range p.sums {
			got[id] = s.seconds
		}
		return got
	}
	p.Add(walking(at, map[string]float64{"vm-1": 5}), at, all) // no survey yet: it waits
	require.Empty(t, sums())
	p.Survey(pooled(map[string]string{"vm-1": "night", "vm-2": "root"}))
	p.Add(walking(at, map[string]float64{"vm-1": 7, "vm-2": 3, "vm-3": 4}), at, all)
	p.Add(walking(at, map[string]float64{"vm-1": 7, "vm-2": 3, "vm-3": 4}), at, all)
	require.Equal(t, map[string]float64{"night": 7, "batch": 7}, sums(), "with the pool above, without the root pool")
	p.Survey(pooled(map[string]string{"vm-1": "web", "vm-3": "batch"})) // it moves
	p.Add(walking(at, map[string]float64{"vm-1": 10, "vm-3": 4}), at, all)
	require.Equal(t, map[string]float64{"night": 7, "batch": 11, "web": 3}, sums())
	p.Add(walking(at, map[string]float64{"vm-1": 2}), at, all) // its sum begins again
	require.InDelta(t, 5, sums()["web"], 0)
	p.Add(walking(at, nil), at, func(string) bool { return false })
	require.Empty(t, p.counts, "of VMs that are gone nothing is kept")

	shown := func(now time.Time) string {
		return page(t, func(w *exposition.Writer) { p.Write(w, now, time.Minute) })
	}
	require.Contains(t, shown(at.Add(59*time.Second)), `esxi_resource_pool_cpu_ready_seconds_total{moid="web",resource_pool="web"} 5`)
	require.Empty(t, shown(at.Add(time.Minute)), "its samples are stale")
	empty := pooled(nil)
	empty.Pools = empty.Pools[:1]
	p.Survey(empty)
	require.Empty(t, p.sums, "pools that are gone")
}
