package overrides

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
)

// DRSMove moves a VM that can move from a host to another one of its cluster, as DRS does: nth chooses the VM. It reports whether
// there was one.
func (o *Service) DRSMove(ctx *simulator.Context, from *esxi.Host, nth int) bool {
	if _, ok := drsOf(ctx, from); !ok {
		return false
	}
	var can []mover
	for _, vm := range from.VMs(ctx) {
		if m := (mover{ctx: ctx, vm: vm}); m.look() && m.on {
			can = append(can, m)
		}
	}
	if len(can) == 0 {
		return false
	}
	m := can[nth%len(can)]
	to := m.choose(o.Order, from)
	if to == nil {
		return false
	}
	m.move(from, to)
	event := &types.DrsVmMigratedEvent{VmMigratedEvent: types.VmMigratedEvent{SourceHost: hostArgument(from)}}
	event.Host = new(hostArgument(to))
	if at := datacenterArgument(ctx); at != nil {
		event.SourceDatacenter = at
	}
	ctx.WithLock(m.vm, func() {
		event.Vm = &types.VmEventArgument{EntityEventArgument: types.EntityEventArgument{Name: m.vm.Name}, Vm: m.vm.Self}
	})
	event.ComputeResource = &types.ComputeResourceEventArgument{ComputeResource: *from.System.Parent}
	event.ComputeResource.Name = from.Row.Cluster
	post(system(ctx), event)
	return true
}

// Lose makes the vCenter lose a host, which goes on working.
func (o *Service) Lose(ctx *simulator.Context, e *esxi.Host) {
	e.Away.Store(true)
	reach(ctx, e, types.HostSystemConnectionStateNotResponding, types.HostSystemPowerStateUnknown)
	event := new(types.HostConnectionLostEvent)
	event.Host = new(hostArgument(e))
	post(system(ctx), event)
}

// Regain ends what Lose began.
func (o *Service) Regain(ctx *simulator.Context, e *esxi.Host) {
	reach(ctx, e, types.HostSystemConnectionStateConnected, types.HostSystemPowerStatePoweredOn)
	e.Away.Store(false)
	event := new(types.HostConnectedEvent)
	event.Host = new(hostArgument(e))
	post(system(ctx), event)
}

// LinkDown takes away the link of a host's first NIC that has one.
func (o *Service) LinkDown(ctx *simulator.Context, e *esxi.Host) {
	e.Edit(ctx, func(h *mo.HostSystem) []types.PropertyChange {
		network := *h.Config.Network
		network.Pnic = slices.Clone(network.Pnic)
		at := slices.IndexFunc(network.Pnic, func(n types.PhysicalNic) bool { return n.LinkSpeed != nil })
		if at >= 0 {
			network.Pnic[at].LinkSpeed = nil
		}
		return []types.PropertyChange{{Name: "config.network", Val: &network}}
	})
	e.Mu.Lock()
	e.OnHiddenChange()
	e.Mu.Unlock()
	o.observed(ctx, e, "esx.problem.net.redundancy.lost", "Lost uplink redundancy")
}

// PathDead makes the first active path of a host dead that has another beside it.
func (o *Service) PathDead(ctx *simulator.Context, e *esxi.Host) {
	e.Edit(ctx, func(h *mo.HostSystem) []types.PropertyChange {
		info, paths := *h.Config.StorageDevice, *h.Config.StorageDevice.MultipathInfo
		paths.Lun = slices.Clone(paths.Lun)
		info.MultipathInfo = &paths
		for i := range paths.Lun {
			if len(paths.Lun[i].Path) < 2 {
				continue
			}
			paths.Lun[i].Path = slices.Clone(paths.Lun[i].Path)
			paths.Lun[i].Path[0].State, paths.Lun[i].Path[0].PathState = deadPath, deadPath
			break
		}
		return []types.PropertyChange{{Name: "config.storageDevice", Val: &info}}
	})
	o.observed(ctx, e, "esx.problem.storage.redundancy.lost", "Lost path redundancy to storage device")
}

const deadPath = "dead"

// observed logs an observation of a host.
func (o *Service) observed(ctx *simulator.Context, e *esxi.Host, id, text string) {
	event := &types.EventEx{EventTypeId: id, ObjectType: "HostSystem", ObjectId: e.System.Self.Value, ObjectName: e.Row.Name, Message: text}
	event.Host, event.FullFormattedMessage = new(hostArgument(e)), text
	post(system(ctx), event)
}

// Reset logs the reset of the first running VM of a host.
func (o *Service) Reset(ctx *simulator.Context, e *esxi.Host) {
	for _, vm := range e.VMs(ctx) {
		event := new(types.VmResettingEvent)
		ctx.WithLock(vm, func() {
			if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
				event.Vm = &types.VmEventArgument{EntityEventArgument: types.EntityEventArgument{Name: vm.Name}, Vm: vm.Self}
			}
		})
		if event.Vm != nil {
			event.Host = new(hostArgument(e))
			post(system(ctx), event)
			return
		}
	}
}

// Alarm logs that an alarm turned red on a host.
func (o *Service) Alarm(ctx *simulator.Context, e *esxi.Host, name string) {
	event := &types.AlarmStatusChangedEvent{
		From: string(types.ManagedEntityStatusGreen), To: string(types.ManagedEntityStatusRed),
		Entity: types.ManagedEntityEventArgument{EntityEventArgument: types.EntityEventArgument{Name: e.Row.Name}, Entity: e.System.Self},
	}
	event.Alarm.Name = name
	event.Host = new(hostArgument(e))
	post(system(ctx), event)
}
