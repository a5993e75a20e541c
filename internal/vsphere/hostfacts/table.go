package hostfacts

import (
	"cmp"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Table defines how every fact of a host is read. Version and cores are always requested: every host has them, so if one is
// missing, all of config or hardware is missing, and a nil below it has no meaning.
var Table = property.Table[*host]{
	Of:     "HostSystem",
	Always: []string{tree.PathVersion, pathCores},
	Entries: []property.Entry[*host]{
		{Facts: []string{"Host.clusterId"}, Fill: func(*property.Props, *host) {}}, // the index sets it
		{Facts: []string{"Host.dnsName"}, Paths: []string{tree.PathDNSHost, tree.PathDNSDomain}, Fill: func(p *property.Props, h *host) { h.DNSName = tree.DNSName(p) }},
		{Facts: []string{"Host.addresses"}, Paths: []string{tree.PathVMK}, Fill: func(p *property.Props, h *host) { h.Addresses = tree.HostAddresses(p) }},
		{Facts: []string{"Host.kind"}, Paths: []string{PathVendor, PathModel}, Fill: FillKind},
		{Facts: []string{"Host.version"}, Paths: []string{tree.PathVersion}, Fill: fillVersion},
		property.Leaf("Host.build", "config.product.build", property.Text, property.Required, func(h *host) *inventory.Fact[string] { return &h.Build }),
		property.Leaf("Host.cores", pathCores, property.Int, property.Required, func(h *host) *inventory.Fact[int64] { return &h.Cores }),
		property.Leaf("Host.cpuPackages", "hardware.cpuInfo.numCpuPackages", property.Int, property.Required,
			func(h *host) *inventory.Fact[int64] { return &h.CPUPackages }),
		property.Leaf("Host.cpuThreads", "hardware.cpuInfo.numCpuThreads", property.Int, property.Required,
			func(h *host) *inventory.Fact[int64] { return &h.CPUThreads }),
		property.Leaf("Host.cpuMHz", "hardware.cpuInfo.hz", asMHz, property.Required, func(h *host) *inventory.Fact[int64] { return &h.CPUMHz }),
		{Facts: []string{"Host.cpuVendor", "Host.cpuFamily", "Host.cpuModel", "Host.cpuDescription"}, Paths: []string{pathPackages}, Fill: fillPackages},
		// Releases before 8.0 U3 do not report which scheduler they run.
		property.Leaf("Host.cpuScheduler", "config.cpuScheduler.policy", property.Text, property.AbsentIfUnset,
			func(h *host) *inventory.Fact[string] { return &h.CPUScheduler }),
		property.Leaf("Host.memoryMB", "hardware.memorySize", property.MB, property.Required, func(h *host) *inventory.Fact[int64] { return &h.MemoryMB }),
		property.Leaf("Host.memoryUsedMB", "summary.quickStats.overallMemoryUsage", property.Int, property.Required,
			func(h *host) *inventory.Fact[int64] { return &h.MemoryUsedMB }),
		// Releases before 7.0 U3 do not have memory tiers.
		property.Leaf("Host.memoryTiering", "hardware.memoryTieringType", property.Text, property.AbsentIfUnset,
			func(h *host) *inventory.Fact[string] { return &h.MemoryTiering }),
		property.Leaf("Host.memoryTiers", "hardware.memoryTierInfo", asTiers, property.AbsentIfUnset,
			func(h *host) *inventory.Fact[[]*inventory.MemoryTier] { return &h.MemoryTiers }),
		property.Leaf("Host.vendor", PathVendor, property.Text, property.Required, func(h *host) *inventory.Fact[string] { return &h.Vendor }),
		{Facts: []string{"Host.cloud", "Host.cloudEvidence"}, Paths: []string{PathModel, tree.PathDNSDomain}, Fill: fillCloud},
		{Facts: []string{"Host.model"}, Paths: []string{PathModel}, Fill: func(p *property.Props, h *host) { h.Model = property.Shown(p, PathModel) }},
		// A CPU without Hyper-Threading has no such configuration.
		property.Leaf("Host.hyperThreadingAvailable", "config.hyperThread.available", property.Bool, property.AbsentIfUnset,
			func(h *host) *inventory.Fact[bool] { return &h.HyperThreadingAvailable }),
		property.Leaf("Host.hyperThreadingActive", "config.hyperThread.active", property.Bool, property.AbsentIfUnset,
			func(h *host) *inventory.Fact[bool] { return &h.HyperThreadingActive }),
		property.Leaf("Host.hyperThreadingConfigured", "config.hyperThread.config", property.Bool, property.AbsentIfUnset,
			func(h *host) *inventory.Fact[bool] { return &h.HyperThreadingConfigured }),
		{Facts: []string{"Host.latencySensitivitySupported"}, Paths: []string{pathLatencySupported, pathRebootSupported}, Fill: fillLatencySupported},
		{Facts: []string{"Host.numaNodes", "NUMANode.pci", "NUMANode.memoryMB"}, Paths: []string{pathNUMA}, Fill: fillNUMA},
		// A host without a power system has no policy.
		property.Leaf("Host.powerPolicy", "config.powerSystemInfo.currentPolicy.shortName", property.Text, property.AbsentIfUnset,
			func(h *host) *inventory.Fact[string] { return &h.PowerPolicy }),
		{Facts: []string{"Host.powerHardware"}, Paths: []string{"hardware.cpuPowerManagementInfo"}, Fill: fillPowerHardware},
		// Hosts without graphics devices list none.
		{Facts: []string{"Host.graphicsDevices", "GraphicsDevice.memoryKB"}, Paths: []string{pathGraphics}, Fill: fillGraphicsDevices},
		// Hosts without graphics devices have no configuration of them.
		property.Leaf("Host.graphicsType", "config.graphicsConfig.hostDefaultGraphicsType", property.Text, property.AbsentIfUnset,
			func(h *host) *inventory.Fact[string] { return &h.GraphicsType }),
		property.Leaf("Host.vgpuAssignment", "config.graphicsConfig.sharedPassthruAssignmentPolicy", property.Text, property.AbsentIfUnset,
			func(h *host) *inventory.Fact[string] { return &h.VGPUAssignment }),
		// A host that takes no part in vSAN has no vSAN configuration.
		property.Leaf("Host.vsan", "config.vsanHostConfig.enabled", property.Bool, property.DefaultTo(false),
			func(h *host) *inventory.Fact[bool] { return &h.VSAN }),
		{Facts: []string{"Host.vsanEsa"}, Paths: []string{pathESA}, Fill: fillESA},
		{Facts: []string{"Host.diskGroups"}, Paths: []string{pathDiskGroups}, Fill: fillDiskGroups},
		// Hosts without a swap cache list none; those without a virtual flash resource omit the property.
		property.Leaf("Host.swapCacheMB", "config.cacheConfigurationInfo", asCacheMB, property.DefaultTo(int64(0)),
			func(h *host) *inventory.Fact[int64] { return &h.SwapCacheMB }),
		property.Leaf("Host.flashCacheMB", "config.vFlashConfigInfo.vFlashResourceConfigInfo.capacity", property.MB, property.DefaultTo(int64(0)),
			func(h *host) *inventory.Fact[int64] { return &h.FlashCacheMB }),
		property.Leaf("Host.flashVolume", pathFlashName, property.Text, property.DefaultTo(""), func(h *host) *inventory.Fact[string] { return &h.FlashVolume }),
		{Facts: []string{"Host.flashVolumeIsSystem"}, Paths: []string{pathFlashName, pathFlashUUID, pathOptions}, Fill: fillFlashVolume},

		{Facts: []string{"Host.sensors", "Sensor.health", "Sensor.unit", "Sensor.reading"}, Paths: []string{pathSensors, pathElements}, Fill: fillSensors},

		property.Leaf("Host.bootTime", "runtime.bootTime", property.As[time.Time], property.Required, func(h *host) *inventory.Fact[time.Time] { return &h.BootTime }),

		{Facts: []string{"Host.pnics", "PNIC.driver", "PNIC.driverVersion", "PNIC.firmwareVersion", "PNIC.linkMbps",
			"PNIC.bestMbps", "PNIC.fullDuplex", "PNIC.edp", "PNIC.edpSupported", "PNIC.uplink", "PNIC.switch", "PNIC.numaNode",
			"PNIC.driverOptions", "PNIC.rss", "PNIC.ringRx", "PNIC.ringTx", "PNIC.ringRxMax", "PNIC.ringTxMax",
			"PNIC.coalesceRxMicros", "PNIC.coalesceAdaptiveRx"}, Paths: []string{PathPNIC}, Fill: FillPNICs},
		// Facts that need calls per host are read for uplinks only.
		{Facts: []string{"PNIC.uplink", "PNIC.switch", "PNIC.driverOptions", "PNIC.rss", "PNIC.ringRx", "PNIC.ringTx", "PNIC.ringRxMax",
			"PNIC.ringTxMax", "PNIC.coalesceRxMicros", "PNIC.coalesceAdaptiveRx"},
			Paths: []string{PathStandard, PathDistributed, PathOpaque}, Fill: FillUplinks},
		{Facts: []string{"PNIC.numaNode"}, Paths: []string{PathPNIC, pathNUMA}, Fill: fillPNICNodes},
		{Facts: []string{"PNIC.driverOptions", "PNIC.rss"}, Fill: fillPerHost},
		{Facts: []string{"PNIC.ringRx", "PNIC.ringTx", "PNIC.ringRxMax", "PNIC.ringTxMax"}, Fill: fillRings},
		{Facts: []string{"PNIC.coalesceRxMicros", "PNIC.coalesceAdaptiveRx"}, Fill: fillCoalescing},

		{Facts: []string{"Host.vmknics", "VMKNIC.netStack", "VMKNIC.mtu", "VMKNIC.services", "VMKNIC.switch", "VMKNIC.switchMTU",
			"VMKNIC.subnet", "VMKNIC.tso"}, Paths: []string{tree.PathVMK}, Fill: fillVMKNICs},
		{Facts: []string{"VMKNIC.services"}, Paths: []string{tree.PathVMK, pathVNICManager}, Fill: fillServices},
		{Facts: []string{"VMKNIC.switch", "VMKNIC.switchMTU"}, Paths: []string{tree.PathVMK, pathPortgroup, PathStandard, PathDistributed, PathOpaque},
			Fill: fillVMKSwitches},

		{Facts: []string{"Host.vswitches"}, Paths: []string{PathStandard}, Fill: fillVSwitches},
		{Facts: []string{"Host.vswitches"}, Paths: []string{PathStandard, PathPNIC}, Fill: fillVSwitchUplinks, When: ofVSwitches("Switch.uplinks")},
		{Facts: []string{"Host.vswitches"}, Paths: []string{PathStandard, pathPortgroup}, Fill: fillPortgroups, When: ofVSwitches("Switch.portgroups")},

		{Facts: []string{"Host.luns", "LUN.vendor", "LUN.model", "LUN.local", "LUN.ssd", "LUN.memoryTier", "LUN.uuid", "LUN.perenniallyReserved",
			"LUN.queueDepth", "LUN.hardwareAcceleration",
			"LUN.pathPolicy", "LUN.arrayType", "LUN.paths", "LUN.activePaths", "LUN.deadPaths", "LUN.outstandingIOs",
			"LUN.queueFullSampleSize", "LUN.queueFullThreshold", "LUN.roundRobinIOs", "LUN.roundRobinType"},
			Paths: []string{pathLUN}, Fill: fillLUNs},
		{Facts: []string{"LUN.pathPolicy", "LUN.arrayType", "LUN.paths", "LUN.activePaths", "LUN.deadPaths"},
			Paths: []string{pathLUN, PathMultipath}, Fill: fillPaths},
		{Facts: []string{"LUN.outstandingIOs", "LUN.queueFullSampleSize", "LUN.queueFullThreshold"}, Fill: fillDeviceQueues},
		{Facts: []string{"LUN.roundRobinIOs", "LUN.roundRobinType"}, Fill: fillRoundRobin},
		{Facts: []string{"Host.hbas", "HBA.kind", "HBA.model", "HBA.driver", "HBA.software", "HBA.status", "HBA.targets", "HBA.delayedAck",
			"HBA.driverVersion", "HBA.firmwareVersion"}, Paths: []string{pathHBA}, Fill: fillHBAs},
		{Facts: []string{"HBA.driverVersion", "HBA.firmwareVersion"}, Fill: fillHBAVersions},

		{Facts: []string{"Host.options"}, Paths: []string{pathOptions}, Fill: fillOptions, When: needsOptions},
		{Facts: []string{"Host.options"}, Paths: []string{pathDefs}, Fill: fillBounds, When: needsBounds},
		{Facts: []string{factOffDefault}, Paths: []string{pathOptions, pathDefs}, Fill: fillOffDefault},
		{Facts: []string{"Host.kernelSettings"}, Fill: func(_ *property.Props, h *host) {
			h.KernelSettings = inventory.Unread[map[string]string](inventory.PerHost)
		}},
	},
}

// asCacheMB sums the space of all datastores for the swap cache.
func asCacheMB(v any) (sum int64, ok bool) {
	list, ok := property.As[types.ArrayOfHostCacheConfigurationInfo](v)
	for _, c := range list.HostCacheConfigurationInfo {
		sum += c.SwapSize
	}
	return sum, ok
}

// asMHz rounds up: 2.399999 GHz is sold as 2.4.
func asMHz(v any) (int64, bool) {
	hz, ok := property.Int(v)
	return (hz + 999_999) / 1_000_000, ok
}

// fillLatencySupported sets the capability: unset means no, unless no capabilities of the host are known.
func fillLatencySupported(p *property.Props, h *host) {
	h.LatencySensitivitySupported = property.Read(p, pathLatencySupported, property.Bool, property.DefaultTo(false))
}

func fillVersion(p *property.Props, h *host) {
	h.Version = property.Then(property.Read(p, tree.PathVersion, property.Text, property.Required), tree.ParseVersion)
}

// FillKind sets whether the host is physical, nested or a pseudo host, from PathVendor and PathModel. The fact is unread if
// either is. A damaged character of the model does not matter where the vendor is not VMware.
func FillKind(p *property.Props, h *host) {
	h.Kind = property.Then(property.Read(p, PathVendor, property.Text, property.Required), func(vendor string) inventory.Fact[string] {
		model := property.Shown(p, PathModel)
		if strings.HasPrefix(vendor, vmware) {
			model = property.Read(p, PathModel, property.Text, property.Required)
		}
		return property.Then(model, func(model string) inventory.Fact[string] { return inventory.Known(KindOf(vendor, model)) })
	})
}

// vmware begins the vendor of VMs and of the HCX appliance.
const vmware = "VMware"

// KindOf returns the kind of host by the hardware's vendor and model: it distinguishes real hardware from VMs. VMware builds no hardware: its vendor name stands for VMs (VMware Virtual
// Platform, VMware7,1, VMware20,1) and for the HCX appliance.
func KindOf(vendor, model string) string {
	switch {
	case model == "VMware Mobility Platform":
		return inventory.HostPseudo
	case strings.HasPrefix(vendor, vmware):
		return inventory.HostNested
	}
	return inventory.HostPhysical
}

// fillPowerHardware reads the whole info, two short texts. With hardwareSupport alone a missing info could not be recognized, and
// an empty text is a valid value: the BIOS keeps control.
func fillPowerHardware(p *property.Props, h *host) {
	info := property.Read(p, "hardware.cpuPowerManagementInfo", property.As[types.HostCpuPowerManagementInfo], property.AbsentIfUnset)
	h.PowerHardware = property.Then(info, func(i types.HostCpuPowerManagementInfo) inventory.Fact[string] {
		return inventory.Known(i.HardwareSupport)
	})
}

// fillNUMA reads the NUMA nodes; releases before 8.0 report a node's memory as a range. A host without NUMA reports zero nodes; a
// missing info means unknown.
func fillNUMA(p *property.Props, h *host) {
	info := property.Read(p, pathNUMA, property.As[types.HostNumaInfo], property.Required)
	h.NUMANodes = property.Then(info, func(i types.HostNumaInfo) inventory.Fact[[]*inventory.NUMANode] {
		nodes := make([]*inventory.NUMANode, 0, len(i.NumaNode))
		listed := listsPCI(i)
		for _, n := range i.NumaNode {
			nodes = append(nodes, &inventory.NUMANode{
				ID: int64(n.TypeId), PCI: nodePCI(n, listed), MemoryMB: inventory.Known(cmp.Or(n.MemorySize, n.MemoryRangeLength) >> 20),
			})
		}
		return inventory.Known(nodes)
	})
}

// nodePCI returns the PCI devices of a node. A node without a list has no devices if other nodes have lists; if no node has one,
// the devices are unknown.
func nodePCI(n types.HostNumaNode, listed bool) inventory.Fact[[]string] {
	if !listed {
		return inventory.Absent[[]string]()
	}
	if n.PciId == nil {
		return inventory.Known([]string{})
	}
	return inventory.Known(n.PciId)
}

// listsPCI reports whether any node lists its PCI devices: some hosts leave all lists empty.
func listsPCI(i types.HostNumaInfo) bool {
	for _, n := range i.NumaNode {
		if len(n.PciId) > 0 {
			return true
		}
	}
	return false
}
