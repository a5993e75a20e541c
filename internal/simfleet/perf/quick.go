package perf

import (
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Readers are the calls that may return quick stats.
var Readers = map[string]bool{
	"RetrieveProperties": true, "RetrievePropertiesEx": true, "WaitForUpdates": true, "WaitForUpdatesEx": true, "CheckForUpdates": true,
}

// QuickStats updates the quick stats of hosts and VMs.
type QuickStats struct {
	Loads *load.Model
	Hosts []*world.Host
	Pools []*simulator.ResourcePool
	Now   func() time.Time
	shown atomic.Int64 // slot
}

// Freshen sets the quick stats of all hosts and VMs to the values of the last complete slot, once per slot and only when a call
// may read them. It sends no updates, like a vCenter.
func (q *QuickStats) Freshen(ctx *simulator.Context) {
	now := q.Now()
	slot := load.SlotOf(now) - 1
	if q.shown.Swap(slot) == slot {
		return
	}
	used := poolUsage{}
	for _, e := range q.Hosts {
		q.freshenHost(ctx, e, slot, now, used)
	}
	used.show(ctx, q.Pools)
}

func (q *QuickStats) freshenHost(ctx *simulator.Context, e *world.Host, slot int64, now time.Time, used poolUsage) {
	if e.Away.Load() {
		return
	}
	f := q.Loads.Host(e.System.Self.Value, slot)
	if f == nil {
		return
	}
	connected := false
	ctx.WithLock(e.System, func() {
		if connected = e.System.Runtime.ConnectionState == types.HostSystemConnectionStateConnected; !connected {
			return // the last values stay
		}
		q := &e.System.Summary.QuickStats
		q.OverallCpuUsage, q.OverallMemoryUsage = int32(f.UsedMHz), int32((f.Mem.Physical-f.Mem.Free)>>10)
		if at := e.System.Runtime.BootTime; at != nil {
			q.Uptime = int32(max(0, now.Sub(*at).Seconds()))
		}
	})
	if !connected {
		return
	}
	for i, v := range f.Each(slot) {
		s := f.Residencies[i]
		vm, ok := ctx.Map.Get(types.ManagedObjectReference{Type: "VirtualMachine", Value: s.VM}).(*simulator.VirtualMachine)
		if !ok {
			continue
		}
		ctx.WithLock(vm, func() {
			if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
				show(v, &vm.Summary.QuickStats)
				vm.Summary.QuickStats.UptimeSeconds = int32(max(0, now.Sub(s.Since).Seconds()))
				vm.Summary.QuickStats.MemoryTierStats = tierStats(e, v)
				used.add(vm)
			}
		})
	}
}

// show sets a VM's quick stats.
func show(f *load.VMFigures, q *types.VirtualMachineQuickStats) {
	m := &f.Mem
	mb := func(kb int64) int32 { return int32(kb >> 10) }
	q.OverallCpuUsage, q.OverallCpuDemand = int32(f.UsedMHz), int32(f.DemandMHz)
	q.OverallCpuReadiness = int32(f.CPU.Ready * 100 / load.SlotMillis / max(int64(len(f.VCPUs)), 1))
	q.GuestMemoryUsage, q.ActiveMemory = mb(m.Active), mb(m.Active)
	q.HostMemoryUsage, q.GrantedMemory = mb(m.Consumed+m.Overhead), mb(m.Granted)
	q.PrivateMemory, q.SharedMemory = mb(m.Granted-m.Shared), mb(m.Shared)
	q.BalloonedMemory, q.SwappedMemory, q.CompressedMemory = mb(m.Balloon), mb(m.Swapped), m.Zipped
	q.ConsumedOverheadMemory = mb(m.Overhead)
}

// tierStats returns a VM's reads by tier, of hosts with several. Most active pages are in DRAM. The reads do not vary, because they
// are evidence of a finding: two audits of the fleet have the same findings.
func tierStats(e *world.Host, f *load.VMFigures) []types.VirtualMachineQuickStatsMemoryTierStats {
	tiers := e.System.Hardware.MemoryTierInfo
	if len(tiers) < 2 {
		return nil
	}
	reads := 100 * int64(len(f.VCPUs))
	return []types.VirtualMachineQuickStatsMemoryTierStats{
		{MemoryTierType: tiers[0].Type, ReadBandwidth: reads}, {MemoryTierType: tiers[1].Type, ReadBandwidth: reads / 20},
	}
}
