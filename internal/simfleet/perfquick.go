package simfleet

import (
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// readers are the calls that may show quick stats.
var readers = map[string]bool{
	"RetrieveProperties": true, "RetrievePropertiesEx": true, "WaitForUpdates": true, "WaitForUpdatesEx": true, "CheckForUpdates": true,
}

// quickStats keeps the quick stats of hosts and VMs up to date.
type quickStats struct {
	loads *load.Model
	hosts []*node
	now   func() time.Time
	shown atomic.Int64 // slot
}

// freshen puts the figures of the last whole slot in the quick stats of all hosts and VMs, once a slot and only when somebody may
// read them. Nobody is told: a vCenter does not tell those who watch them either.
func (q *quickStats) freshen(ctx *simulator.Context) {
	now := q.now()
	slot := load.SlotOf(now) - 1
	if q.shown.Swap(slot) == slot {
		return
	}
	for _, e := range q.hosts {
		q.freshenHost(ctx, e, slot, now)
	}
}

func (q *quickStats) freshenHost(ctx *simulator.Context, e *node, slot int64, now time.Time) {
	if e.away.Load() {
		return
	}
	f := q.loads.Host(e.host.Self.Value, slot)
	if f == nil {
		return
	}
	connected := false
	ctx.WithLock(e.host, func() {
		if connected = e.host.Runtime.ConnectionState == types.HostSystemConnectionStateConnected; !connected {
			return // what was known last stays
		}
		q := &e.host.Summary.QuickStats
		q.OverallCpuUsage, q.OverallMemoryUsage = int32(f.UsedMHz), int32((f.Mem.Physical-f.Mem.Free)>>10)
		if at := e.host.Runtime.BootTime; at != nil {
			q.Uptime = int32(max(0, now.Sub(*at).Seconds()))
		}
	})
	if !connected {
		return
	}
	for i, v := range f.All(slot) {
		s := f.Stays[i]
		vm, ok := ctx.Map.Get(types.ManagedObjectReference{Type: "VirtualMachine", Value: s.VM}).(*simulator.VirtualMachine)
		if !ok {
			continue
		}
		ctx.WithLock(vm, func() {
			if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
				show(v, &vm.Summary.QuickStats)
				vm.Summary.QuickStats.UptimeSeconds = int32(max(0, now.Sub(s.Since).Seconds()))
			}
		})
	}
}

// show writes what a VM did as its quick stats.
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
