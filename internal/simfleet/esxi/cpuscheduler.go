package esxi

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// cpuScheduler is a host's HostCpuSchedulerSystem, which the simulator does not have.
type cpuScheduler struct {
	mo.HostCpuSchedulerSystem
	managerLock
	host *Host
}

// addCPUScheduler registers the host's scheduler.
func (e *Host) addCPUScheduler(ctx *simulator.Context) {
	s := &cpuScheduler{managerLock: managerLock{&e.Mu}, host: e}
	s.Self = types.ManagedObjectReference{Type: "HostCpuSchedulerSystem", Value: "cpuSchedulerSystem-" + e.System.Self.Value}
	s.HyperthreadInfo = e.System.Config.HyperThread
	self := s.Self
	e.System.ConfigManager.CpuScheduler = &self
	e.scheduler = s
	ctx.Map.Put(s)
}

// EnableHyperThreading enables hyperthreading from the next start on.
func (s *cpuScheduler) EnableHyperThreading(ctx *simulator.Context, _ *types.EnableHyperThreading) soap.HasFault {
	s.configure(ctx, true)
	return &methods.EnableHyperThreadingBody{Res: new(types.EnableHyperThreadingResponse)}
}

// DisableHyperThreading disables hyperthreading from the next start on.
func (s *cpuScheduler) DisableHyperThreading(ctx *simulator.Context, _ *types.DisableHyperThreading) soap.HasFault {
	s.configure(ctx, false)
	return &methods.DisableHyperThreadingBody{Res: new(types.DisableHyperThreadingResponse)}
}

// configure sets the boot option, which is the same setting under another name.
func (s *cpuScheduler) configure(ctx *simulator.Context, on bool) {
	s.host.options.apply(ctx, []*types.OptionValue{{Key: HyperthreadingOption, Value: on}})
}

// configureThreads sets the hyperthreading state for the next start. The active state does not change.
func (e *Host) configureThreads(ctx *simulator.Context, on bool) {
	threads := *e.scheduler.HyperthreadInfo
	threads.Config = on
	e.showThreads(ctx, threads)
}

// showThreads updates both properties with the hyperthreading state.
func (e *Host) showThreads(ctx *simulator.Context, threads types.HostHyperThreadScheduleInfo) {
	e.scheduler.HyperthreadInfo = &threads
	e.Edit(ctx, func(*mo.HostSystem) []types.PropertyChange {
		return []types.PropertyChange{{Name: "config.hyperThread", Val: &threads}}
	})
}
