package vsphere

import (
	"cmp"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

type host = inventory.Host

const (
	pathCores  = "hardware.cpuInfo.numCpuCores"
	pathVendor = "hardware.systemInfo.vendor"
	pathModel  = "hardware.systemInfo.model"
	pathNUMA   = "hardware.numaInfo"

	pathLatencySupported = "capability.latencySensitivitySupported"
	pathRebootSupported  = "capability.rebootSupported" // every host says so or not: it tells unset from no capability
)

// hostTable says how every fact of a host is read. Version and cores are always asked for: they are set on every
// host, so where one is missing all of config or hardware is, and no nil below it means anything.
var hostTable = table[*host]{
	of:     "HostSystem",
	always: []string{pathVersion, pathCores},
	entries: []entry[*host]{
		{facts: []string{"Host.clusterId"}, fill: func(*props, *host) {}}, // the index knows it
		{facts: []string{"Host.dnsName"}, paths: []string{pathDNSHost, pathDNSDomain}, fill: func(p *props, h *host) { h.DNSName = dnsName(p) }},
		{facts: []string{"Host.addresses"}, paths: []string{pathVMK}, fill: func(p *props, h *host) { h.Addresses = hostAddresses(p) }},
		{facts: []string{"Host.kind"}, paths: []string{pathVendor, pathModel}, fill: fillKind},
		{facts: []string{"Host.version"}, paths: []string{pathVersion}, fill: fillVersion},
		leaf("Host.build", "config.product.build", asText, must, func(h *host) *inventory.Fact[string] { return &h.Build }),
		leaf("Host.cores", pathCores, asInt, must, func(h *host) *inventory.Fact[int64] { return &h.Cores }),
		leaf("Host.cpuPackages", "hardware.cpuInfo.numCpuPackages", asInt, must,
			func(h *host) *inventory.Fact[int64] { return &h.CPUPackages }),
		leaf("Host.cpuThreads", "hardware.cpuInfo.numCpuThreads", asInt, must,
			func(h *host) *inventory.Fact[int64] { return &h.CPUThreads }),
		leaf("Host.cpuMHz", "hardware.cpuInfo.hz", asMHz, must, func(h *host) *inventory.Fact[int64] { return &h.CPUMHz }),
		{facts: []string{"Host.cpuVendor", "Host.cpuFamily", "Host.cpuModel", "Host.cpuDescription"}, paths: []string{pathPackages}, fill: fillPackages},
		// Releases before 8.0 U3 do not say which scheduler they run.
		leaf("Host.cpuScheduler", "config.cpuScheduler.policy", asText, none,
			func(h *host) *inventory.Fact[string] { return &h.CPUScheduler }),
		leaf("Host.memoryMB", "hardware.memorySize", asMB, must, func(h *host) *inventory.Fact[int64] { return &h.MemoryMB }),
		leaf("Host.memoryUsedMB", "summary.quickStats.overallMemoryUsage", asInt, must,
			func(h *host) *inventory.Fact[int64] { return &h.MemoryUsedMB }),
		// Releases before 7.0 U3 know no tiers of memory.
		leaf("Host.memoryTiering", "hardware.memoryTieringType", asText, none,
			func(h *host) *inventory.Fact[string] { return &h.MemoryTiering }),
		leaf("Host.memoryTiers", "hardware.memoryTierInfo", asTiers, none,
			func(h *host) *inventory.Fact[[]*inventory.MemoryTier] { return &h.MemoryTiers }),
		leaf("Host.vendor", pathVendor, asText, must, func(h *host) *inventory.Fact[string] { return &h.Vendor }),
		{facts: []string{"Host.cloud", "Host.cloudEvidence"}, paths: []string{pathModel, pathDNSDomain}, fill: fillCloud},
		leaf("Host.model", pathModel, asText, must, func(h *host) *inventory.Fact[string] { return &h.Model }),
		// A CPU without Hyper-Threading has no such configuration.
		leaf("Host.hyperThreadingAvailable", "config.hyperThread.available", asBool, none,
			func(h *host) *inventory.Fact[bool] { return &h.HyperThreadingAvailable }),
		leaf("Host.hyperThreadingActive", "config.hyperThread.active", asBool, none,
			func(h *host) *inventory.Fact[bool] { return &h.HyperThreadingActive }),
		leaf("Host.hyperThreadingConfigured", "config.hyperThread.config", asBool, none,
			func(h *host) *inventory.Fact[bool] { return &h.HyperThreadingConfigured }),
		{facts: []string{"Host.latencySensitivitySupported"}, paths: []string{pathLatencySupported, pathRebootSupported}, fill: fillLatencySupported},
		{facts: []string{"Host.numaNodes", "NUMANode.pci", "NUMANode.memoryMB"}, paths: []string{pathNUMA}, fill: fillNUMA},
		// A host without a power system has no policy.
		leaf("Host.powerPolicy", "config.powerSystemInfo.currentPolicy.shortName", asText, none,
			func(h *host) *inventory.Fact[string] { return &h.PowerPolicy }),
		{facts: []string{"Host.powerHardware"}, paths: []string{"hardware.cpuPowerManagementInfo"}, fill: fillPowerHardware},
		// Hosts without graphics devices have no configuration of them.
		leaf("Host.graphicsType", "config.graphicsConfig.hostDefaultGraphicsType", asText, none,
			func(h *host) *inventory.Fact[string] { return &h.GraphicsType }),
		leaf("Host.vgpuAssignment", "config.graphicsConfig.sharedPassthruAssignmentPolicy", asText, none,
			func(h *host) *inventory.Fact[string] { return &h.VGPUAssignment }),
		// A host that takes no part in vSAN has no vSAN configuration.
		leaf("Host.vsan", "config.vsanHostConfig.enabled", asBool, means(false),
			func(h *host) *inventory.Fact[bool] { return &h.VSAN }),
		{facts: []string{"Host.vsanEsa"}, paths: []string{pathESA}, fill: fillESA},
		{facts: []string{"Host.diskGroups"}, paths: []string{pathDiskGroups}, fill: fillDiskGroups},
		// Hosts without a swap cache list none; those without a virtual flash resource have nothing to say of it.
		leaf("Host.swapCacheMB", "config.cacheConfigurationInfo", asCacheMB, means(int64(0)),
			func(h *host) *inventory.Fact[int64] { return &h.SwapCacheMB }),
		leaf("Host.flashCacheMB", "config.vFlashConfigInfo.vFlashResourceConfigInfo.capacity", asMB, means(int64(0)),
			func(h *host) *inventory.Fact[int64] { return &h.FlashCacheMB }),
		leaf("Host.flashVolume", pathFlashName, asText, means(""), func(h *host) *inventory.Fact[string] { return &h.FlashVolume }),
		{facts: []string{"Host.flashVolumeIsSystem"}, paths: []string{pathFlashName, pathFlashUUID, pathOptions}, fill: fillFlashVolume},

		{facts: []string{"Host.sensors", "Sensor.health", "Sensor.unit", "Sensor.reading"}, paths: []string{pathSensors, pathElements}, fill: fillSensors},

		leaf("Host.bootTime", "runtime.bootTime", asIs[time.Time], must, func(h *host) *inventory.Fact[time.Time] { return &h.BootTime }),

		{facts: []string{"Host.pnics", "PNIC.driver", "PNIC.driverVersion", "PNIC.firmwareVersion", "PNIC.linkMbps",
			"PNIC.bestMbps", "PNIC.fullDuplex", "PNIC.edp", "PNIC.edpSupported", "PNIC.uplink", "PNIC.switch", "PNIC.numaNode",
			"PNIC.driverOptions", "PNIC.rss", "PNIC.ringRx", "PNIC.ringTx", "PNIC.ringRxMax", "PNIC.ringTxMax",
			"PNIC.coalesceRxMicros", "PNIC.coalesceAdaptiveRx"}, paths: []string{pathPNIC}, fill: fillPNICs},
		// What is told per host is asked for uplinks only.
		{facts: []string{"PNIC.uplink", "PNIC.switch", "PNIC.driverOptions", "PNIC.rss", "PNIC.ringRx", "PNIC.ringTx", "PNIC.ringRxMax",
			"PNIC.ringTxMax", "PNIC.coalesceRxMicros", "PNIC.coalesceAdaptiveRx"},
			paths: []string{pathStandard, pathDistributed, pathOpaque}, fill: fillUplinks},
		{facts: []string{"PNIC.numaNode"}, paths: []string{pathPNIC, pathNUMA}, fill: fillPNICNodes},
		{facts: []string{"PNIC.driverOptions", "PNIC.rss"}, fill: fillPerHost},
		{facts: []string{"PNIC.ringRx", "PNIC.ringTx", "PNIC.ringRxMax", "PNIC.ringTxMax"}, fill: fillRings},
		{facts: []string{"PNIC.coalesceRxMicros", "PNIC.coalesceAdaptiveRx"}, fill: fillCoalescing},

		{facts: []string{"Host.vmknics", "VMKNIC.netStack", "VMKNIC.mtu", "VMKNIC.services", "VMKNIC.switch", "VMKNIC.switchMTU",
			"VMKNIC.subnet", "VMKNIC.tso"}, paths: []string{pathVMK}, fill: fillVMKNICs},
		{facts: []string{"VMKNIC.services"}, paths: []string{pathVMK, pathVNICManager}, fill: fillServices},
		{facts: []string{"VMKNIC.switch", "VMKNIC.switchMTU"}, paths: []string{pathVMK, pathPortgroup, pathStandard, pathDistributed, pathOpaque},
			fill: fillVMKSwitches},

		{facts: []string{"Host.vswitches"}, paths: []string{pathStandard}, fill: fillVSwitches},
		{facts: []string{"Host.vswitches"}, paths: []string{pathStandard, pathPNIC}, fill: fillVSwitchUplinks, when: ofVSwitches("Switch.uplinks")},
		{facts: []string{"Host.vswitches"}, paths: []string{pathStandard, pathPortgroup}, fill: fillPortgroups, when: ofVSwitches("Switch.portgroups")},

		{facts: []string{"Host.luns", "LUN.vendor", "LUN.model", "LUN.local", "LUN.ssd", "LUN.memoryTier", "LUN.uuid", "LUN.perenniallyReserved",
			"LUN.queueDepth", "LUN.hardwareAcceleration",
			"LUN.pathPolicy", "LUN.arrayType", "LUN.paths", "LUN.activePaths", "LUN.deadPaths", "LUN.outstandingIOs",
			"LUN.queueFullSampleSize", "LUN.queueFullThreshold", "LUN.roundRobinIOs", "LUN.roundRobinType"},
			paths: []string{pathLUN}, fill: fillLUNs},
		{facts: []string{"LUN.pathPolicy", "LUN.arrayType", "LUN.paths", "LUN.activePaths", "LUN.deadPaths"},
			paths: []string{pathLUN, pathMultipath}, fill: fillPaths},
		{facts: []string{"LUN.outstandingIOs", "LUN.queueFullSampleSize", "LUN.queueFullThreshold"}, fill: fillDeviceQueues},
		{facts: []string{"LUN.roundRobinIOs", "LUN.roundRobinType"}, fill: fillRoundRobin},
		{facts: []string{"Host.hbas", "HBA.kind", "HBA.model", "HBA.driver", "HBA.software", "HBA.status", "HBA.targets", "HBA.delayedAck"},
			paths: []string{pathHBA}, fill: fillHBAs},

		{facts: []string{"Host.options"}, paths: []string{pathOptions}, fill: fillOptions, when: needsOptions},
		{facts: []string{"Host.options"}, paths: []string{pathDefs}, fill: fillBounds, when: needsBounds},
		{facts: []string{factOffDefault}, paths: []string{pathOptions, pathDefs}, fill: fillOffDefault},
		{facts: []string{"Host.kernelSettings"}, fill: func(_ *props, h *host) {
			h.KernelSettings = inventory.Unread[map[string]string](inventory.PerHost)
		}},
	},
}

// asCacheMB adds up what each datastore gives to the swap cache.
func asCacheMB(v any) (sum int64, ok bool) {
	list, ok := asIs[types.ArrayOfHostCacheConfigurationInfo](v)
	for _, c := range list.HostCacheConfigurationInfo {
		sum += c.SwapSize
	}
	return sum, ok
}

// asMHz rounds up: 2.399999 GHz is sold as 2.4.
func asMHz(v any) (int64, bool) {
	hz, ok := asInt(v)
	return (hz + 999_999) / 1_000_000, ok
}

// fillLatencySupported: unset is no, unless nothing at all is known of the host's capability.
func fillLatencySupported(p *props, h *host) {
	h.LatencySensitivitySupported = read(p, pathLatencySupported, asBool, means(false))
}

func fillVersion(p *props, h *host) {
	h.Version = then(read(p, pathVersion, asText, must), parseVersion)
}

func fillKind(p *props, h *host) {
	vendor := read(p, pathVendor, asText, must)
	h.Kind = then(read(p, pathModel, asText, must), func(model string) inventory.Fact[string] {
		return then(vendor, func(vendor string) inventory.Fact[string] { return inventory.Known(hostKind(vendor, model)) })
	})
}

// hostKind tells hardware from what only looks like it. VMware builds no hardware: under its name there are VMs
// (VMware Virtual Platform, VMware7,1, VMware20,1) and the appliance of HCX.
func hostKind(vendor, model string) string {
	switch {
	case model == "VMware Mobility Platform":
		return inventory.HostPseudo
	case strings.HasPrefix(vendor, "VMware"):
		return inventory.HostNested
	}
	return inventory.HostPhysical
}

// fillPowerHardware takes the whole info of two short texts: hardwareSupport alone could not be told from no info,
// and an empty text is an answer, namely that the BIOS keeps control.
func fillPowerHardware(p *props, h *host) {
	info := read(p, "hardware.cpuPowerManagementInfo", asIs[types.HostCpuPowerManagementInfo], none)
	h.PowerHardware = then(info, func(i types.HostCpuPowerManagementInfo) inventory.Fact[string] {
		return inventory.Known(i.HardwareSupport)
	})
}

// fillNUMA reads the NUMA nodes; releases before 8.0 give a node's memory as a range. A host that is not NUMA-capable says so with zero nodes; no info at all is no answer.
func fillNUMA(p *props, h *host) {
	info := read(p, pathNUMA, asIs[types.HostNumaInfo], must)
	h.NUMANodes = then(info, func(i types.HostNumaInfo) inventory.Fact[[]*inventory.NUMANode] {
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

// nodePCI: a node without devices is empty where other nodes list theirs, and tells nothing where none does.
func nodePCI(n types.HostNumaNode, listed bool) inventory.Fact[[]string] {
	if !listed {
		return inventory.Absent[[]string]()
	}
	if n.PciId == nil {
		return inventory.Known([]string{})
	}
	return inventory.Known(n.PciId)
}

// listsPCI reports whether any node lists the devices that hang off it: some hosts leave all lists empty.
func listsPCI(i types.HostNumaInfo) bool {
	for _, n := range i.NumaNode {
		if len(n.PciId) > 0 {
			return true
		}
	}
	return false
}
