package esxi

import (
	"cmp"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// SetUp sets the host's properties from its row, and adds its managers.
func (e *Host) SetUp(ctx *simulator.Context) {
	e.configureAll()
	managers := e.System.ConfigManager
	e.mirrorNetwork(ctx.Map.Get(*managers.NetworkSystem).(*simulator.HostNetworkSystem))
	e.mirrorServices(ctx.Map.Get(*managers.VirtualNicManager).(*simulator.HostVirtualNicManager))
	e.addOptions(ctx)
	e.addPower(ctx)
	e.addModules(ctx)
	e.addCPUScheduler(ctx)
	e.addFirmware(ctx)
	e.addVSAN(ctx)
	e.addStorage(ctx, ctx.Map.Get(*managers.StorageSystem).(*simulator.HostStorageSystem))
	e.options.profile = e.options.Setting
}

// configureAll replaces every part of the stock host that describes hardware, release or network by a new object.
//
// govmomi v0.56.0 simulator: all hosts share the pointers of the template.
func (e *Host) configureAll() {
	e.PerCore.Store(e.Row.Threads == "")
	h := e.System
	product := e.product()
	h.Config.Product = product
	h.Summary.Config.Product = &product
	h.Config.HyperThread = threadsInfo(e.Row.Threads)
	h.Config.VsanHostConfig = e.vsanConfig()
	h.Config.VFlashConfigInfo = e.flashCache()
	h.Config.CacheConfigurationInfo = nil // until a datastore exists
	if e.Row.Version >= "8.0.3" {
		h.Config.CpuScheduler = &types.HostCpuSchedulerInfo{Policy: cmp.Or(e.Row.Scheduler, "systemDefault")}
	}
	h.Config.GraphicsInfo = e.graphics()
	h.Capability.LatencySensitivitySupported = true
	if e.Row.Version >= "8" {
		h.Capability.MaxSupportedSimultaneousThreads = 2
	}
	booted := e.Row.Booted
	h.Runtime.BootTime = &booted
	h.Runtime.HealthSystemRuntime = e.health()
	h.Summary.OverallStatus = types.ManagedEntityStatusGreen
	self := h.Self
	h.Name, h.Summary.Config.Name = e.Row.Name, e.Row.Name
	h.Summary.Host, h.Config.Host = &self, self
	h.Summary.QuickStats = types.HostListSummaryQuickStats{Uptime: int32(e.Now().Sub(booted).Seconds())}
	e.configureHardware()
	e.configureNetwork()
}

// graphics returns the graphics devices that VMs share.
func (e *Host) graphics() (list []types.HostGraphicsInfo) {
	for _, g := range e.Row.GPUs {
		list = append(list, types.HostGraphicsInfo{
			DeviceName: g.Device, VendorName: g.Vendor, PciId: g.PCIID, MemorySizeInKB: g.MemoryMB << 10,
			GraphicsType: string(types.HostGraphicsInfoGraphicsTypeSharedDirect),
		})
	}
	return list
}

// threadsInfo returns the hyperthreading state. A host without hyperthreading has the default as its configuration.
func threadsInfo(state string) *types.HostHyperThreadScheduleInfo {
	info := &types.HostHyperThreadScheduleInfo{Available: true, Active: true, Config: true}
	switch state {
	case fleetdata.ThreadsOff:
		info.Active, info.Config = false, false
	case fleetdata.ThreadsHidden, fleetdata.ThreadsNone:
		info.Available, info.Active = false, false
	}
	return info
}

func (e *Host) product() types.AboutInfo {
	r := e.Row
	return types.AboutInfo{
		Name: "VMware ESXi", Vendor: "VMware, Inc.",
		FullName: r.FullName(), Version: r.Version, Build: r.Build, ApiType: "HostAgent", ApiVersion: r.APIVersion(),
		OsType: "vmnix-x86", ProductLineId: "embeddedEsx", LocaleVersion: "INTL", LocaleBuild: "000",
		LicenseProductName: "VMware ESX Server", LicenseProductVersion: r.Version[:1] + ".0",
	}
}
