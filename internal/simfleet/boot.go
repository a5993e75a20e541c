package simfleet

import (
	"cmp"
	"context"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// rebootTakes is how long a host is away when it is started again. The task has succeeded before it goes, and its
// vCenter takes a while to notice.
const rebootTakes = 300 * time.Millisecond

// RebootHostTask starts a host again that is in maintenance mode, or any, with what runs on it, when force is used.
func (o *overrides) RebootHostTask(ctx *simulator.Context, req *types.RebootHost_Task) soap.HasFault {
	e := o.hosts[req.This]
	if e == nil {
		return &methods.RebootHost_TaskBody{Fault_: world.NotFound(req.This)}
	}
	ref := o.wait(ctx, e, "rebootHost", func(own *simulator.Context, _ func() bool) types.BaseMethodFault {
		if !req.Force && !e.inMaintenance(own) || !e.rebooting.CompareAndSwap(false, true) {
			return &types.InvalidState{}
		}
		go o.reboot(e, &simulator.Context{Context: context.Background(), Map: own.Map})
		return nil
	})
	return &methods.RebootHost_TaskBody{Res: &types.RebootHost_TaskResponse{Returnval: ref}}
}

// reboot takes the host down and brings it up. What was set before is saved on the way down.
func (o *overrides) reboot(e *esxi, ctx *simulator.Context) {
	defer e.rebooting.Store(false)
	takes := cmp.Or(o.rebootTakes, rebootTakes)
	if !o.sleep(takes / 3) {
		return
	}
	e.away.Store(true)
	e.reach(ctx, types.HostSystemConnectionStateNotResponding, types.HostSystemPowerStateUnknown)
	for _, vm := range e.vms(ctx) {
		stop(ctx, vm)
	}
	if !o.sleep(takes) {
		return
	}
	e.mu.Lock()
	e.unsaved = nil
	e.boot(ctx)
	e.mu.Unlock()
	o.loads.History.Restart(e.host.Self.Value)
	o.loggedOut()
	e.reach(ctx, types.HostSystemConnectionStateConnected, types.HostSystemPowerStatePoweredOn)
	e.away.Store(false)
}

// sleep reports false when the fleet was closed meanwhile.
func (o *overrides) sleep(d time.Duration) bool {
	select {
	case <-o.gone:
		return false
	case <-time.After(d):
		return true
	}
}

// reach is how the vCenter has the host and its VMs.
func (e *esxi) reach(ctx *simulator.Context, state types.HostSystemConnectionState, power types.HostSystemPowerState) {
	ctx.WithLock(e.host, func() {
		ctx.Update(e.host, []types.PropertyChange{
			{Name: "runtime.connectionState", Val: state}, {Name: "runtime.powerState", Val: power},
		})
	})
	of := types.VirtualMachineConnectionStateConnected
	if state != types.HostSystemConnectionStateConnected {
		of = types.VirtualMachineConnectionStateDisconnected
	}
	for _, vm := range e.vms(ctx) {
		ctx.WithLock(vm, func() {
			ctx.Update(vm, []types.PropertyChange{
				{Name: "runtime.connectionState", Val: of}, {Name: "summary.runtime.connectionState", Val: of},
			})
		})
	}
}

// boot is what every start of a host does: what is configured is in force from then on. The caller holds the lock of the
// host's managers.
func (e *esxi) boot(ctx *simulator.Context) {
	e.loadModules()
	clear(e.rings)
	e.options.boot()
	threads := *e.scheduler.HyperthreadInfo
	threads.Active = threads.Available && threads.Config
	e.showThreads(ctx, threads)
	if threads.Available {
		e.perCore.Store(threads.Active)
	}
	booted := e.now()
	e.edit(ctx, func(h *mo.HostSystem) []types.PropertyChange {
		if old := h.Runtime.BootTime; old != nil && !booted.After(*old) {
			booted = old.Add(time.Second) // where the clock stands still
		}
		e.countThreads(h)
		stats := h.Summary.QuickStats
		stats.Uptime = 0
		changes := []types.PropertyChange{
			{Name: "runtime.bootTime", Val: &booted}, {Name: "summary.quickStats", Val: stats},
		}
		if h.Config.CpuScheduler != nil {
			changes = append(changes, types.PropertyChange{
				Name: "config.cpuScheduler", Val: &types.HostCpuSchedulerInfo{Policy: e.guardedScheduler()},
			})
		}
		return changes
	})
}

// countThreads has the hardware show the logical CPUs that the start found.
func (e *esxi) countThreads(h *mo.HostSystem) {
	n := int16(e.perCore.count() * e.row.Server.AllCores())
	h.Hardware.CpuInfo.NumCpuThreads, h.Hardware.CpuPkg, h.Hardware.NumaInfo = n, e.cpuPackages(), e.numaInfo()
	summary := *h.Summary.Hardware
	summary.NumCpuThreads = n
	h.Summary.Hardware = &summary
}

// guardedScheduler is the scheduler that the boot options ask for.
func (e *esxi) guardedScheduler() string {
	const mitigation = "hyperthreadingMitigation"
	switch {
	case e.atBoot[mitigation] != true:
		return "systemDefault"
	case e.atBoot[mitigation+"IntraVM"] == true:
		return "scav1"
	}
	return "scav2"
}
