package overrides

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// evacuate moves VMs off a host, as far as possible, if DRS of its cluster is fully automated.
func (o *Service) evacuate(ctx *simulator.Context, e *esxi.Host, offToo bool) {
	drs, ok := drsOf(ctx, e)
	if !ok {
		return
	}
	for _, vm := range e.VMs(ctx) {
		m := mover{ctx: ctx, vm: vm}
		if !m.look() || !m.on && !offToo || !drs.moves(vm.Self) {
			continue
		}
		if to := m.choose(o.Order, e); to != nil {
			m.move(e, to)
		}
	}
}

// drs is a cluster with fully automated DRS, except for some VMs.
type drs struct {
	but map[types.ManagedObjectReference]bool
}

func (d drs) moves(vm types.ManagedObjectReference) bool { return !d.but[vm] }

// drsOf reports whether the host is in a cluster with fully automated DRS.
func drsOf(ctx *simulator.Context, e *esxi.Host) (drs, bool) {
	c, ok := ctx.Map.Get(*e.System.Parent).(*simulator.ClusterComputeResource)
	if !ok {
		return drs{}, false
	}
	var config types.ClusterConfigInfoEx
	ctx.WithLock(c, func() { config = *c.ConfigurationEx.(*types.ClusterConfigInfoEx) })
	d := drs{map[types.ManagedObjectReference]bool{}}
	if world.Deref(config.DrsConfig.EnableVmBehaviorOverrides) {
		for _, vm := range config.DrsVmConfig {
			manual := vm.Behavior != "" && vm.Behavior != types.DrsBehaviorFullyAutomated
			d.but[vm.Key] = manual || vm.Enabled != nil && !*vm.Enabled
		}
	}
	return d, world.Deref(config.DrsConfig.Enabled) && config.DrsConfig.DefaultVmBehavior == types.DrsBehaviorFullyAutomated
}

// mover is a VM that has to move to another host.
type mover struct {
	ctx     *simulator.Context
	vm      *simulator.VirtualMachine
	on      bool
	mhz, mb int64 // its reservations
	stores  []types.ManagedObjectReference
}

// look reports whether the VM can move: it cannot if it is bound to CPUs or devices of its host, or has exclusive cores.
func (m *mover) look() (can bool) {
	m.ctx.WithLock(m.vm, func() {
		config := m.vm.Config
		m.on = m.vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn
		if m.on {
			m.mhz, m.mb = world.Deref(config.CpuAllocation.Reservation), world.Deref(config.MemoryAllocation.Reservation)
		}
		m.stores = slices.Clone(m.vm.Datastore)
		pinned := config.CpuAffinity != nil && len(config.CpuAffinity.AffinitySet) > 0
		exclusive := config.LatencySensitivity != nil && config.LatencySensitivity.Level == types.LatencySensitivitySensitivityLevelHigh
		bound := m.on && (pinned || exclusive || slices.ContainsFunc(config.Hardware.Device, ofTheHost))
		can = !config.Template && !bound
	})
	return can
}

// ofTheHost reports whether a device is hardware of the host.
func ofTheHost(d types.BaseVirtualDevice) bool {
	switch d.(type) {
	case *types.VirtualPCIPassthrough, *types.VirtualSriovEthernetCard:
		return true
	}
	return false
}

// choose returns the host of the cluster with the most unreserved memory among those with room, or nil.
func (m *mover) choose(hosts []*esxi.Host, from *esxi.Host) (best *esxi.Host) {
	most := int64(-1)
	for _, e := range hosts {
		if e == from || *e.System.Parent != *from.System.Parent || !m.fits(e) {
			continue
		}
		mhz, mb := e.Free(m.ctx, nil)
		if mhz >= m.mhz && mb >= m.mb && mb > most {
			best, most = e, mb
		}
	}
	return best
}

// fits reports whether a host is connected, accepts VMs and has the VM's datastores.
func (m *mover) fits(e *esxi.Host) (yes bool) {
	m.ctx.WithLock(e.System, func() {
		yes = e.System.Runtime.ConnectionState == types.HostSystemConnectionStateConnected && !e.System.Runtime.InMaintenanceMode
		for _, s := range m.stores {
			yes = yes && slices.Contains(e.System.Datastore, s)
		}
	})
	return yes && !e.Rebooting.Load()
}

// move moves the VM to another host, unless it has left in the meantime.
func (m *mover) move(from, to *esxi.Host) {
	m.ctx.WithLock(m.vm, func() {
		if *m.vm.Runtime.Host != from.System.Self {
			return
		}
		host := to.System.Self
		m.ctx.Update(m.vm, []types.PropertyChange{
			{Name: "runtime.host", Val: &host}, {Name: "summary.runtime.host", Val: &host},
		})
	})
}
