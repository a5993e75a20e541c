package esxi

import (
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// Crash stops the host without a warning and starts it again: unsaved settings are lost.
func (e *Host) Crash(ctx *simulator.Context) {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	e.Undo(ctx)
	e.Boot(ctx)
}

// Boot applies the configured settings, as every start of a host does. The caller holds the lock of the host's managers.
func (e *Host) Boot(ctx *simulator.Context) {
	e.LoadModules()
	clear(e.Rings)
	e.options.boot()
	threads := *e.scheduler.HyperthreadInfo
	threads.Active = threads.Available && threads.Config
	e.showThreads(ctx, threads)
	if threads.Available {
		e.PerCore.Store(threads.Active)
	}
	booted := e.Now()
	e.Edit(ctx, func(h *mo.HostSystem) []types.PropertyChange {
		if old := h.Runtime.BootTime; old != nil && !booted.After(*old) {
			booted = old.Add(time.Second) // for a clock that does not advance
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

// countThreads sets the number of logical CPUs of the hardware after a start.
func (e *Host) countThreads(h *mo.HostSystem) {
	n := int16(e.PerCore.Count() * e.Row.Server.AllCores())
	h.Hardware.CpuInfo.NumCpuThreads, h.Hardware.CpuPkg, h.Hardware.NumaInfo = n, e.cpuPackages(), e.numaInfo()
	summary := *h.Summary.Hardware
	summary.NumCpuThreads = n
	h.Summary.Hardware = &summary
}

// guardedScheduler returns the scheduler that the boot options select.
func (e *Host) guardedScheduler() string {
	const mitigation = "hyperthreadingMitigation"
	switch {
	case e.AtBoot[mitigation] != true:
		return "systemDefault"
	case e.AtBoot[mitigation+"IntraVM"] == true:
		return "scav1"
	}
	return "scav2"
}
