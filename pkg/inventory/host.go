package inventory

import "time"

// The kinds of host: hardware, NIC and power rules hold for physical ones only.
const (
	HostPhysical = "physical"
	HostNested   = "nested" // ESXi in a VM
	HostPseudo   = "pseudo" // an appliance that appears as a host: fake NICs, no power information
)

// Host is a HostSystem.
type Host struct {
	Entity
	// ClusterID is the id of the host's cluster; absent for a standalone host.
	ClusterID Fact[string] `json:"clusterId,omitzero" role:"placement,ids"`
	// DNSName is the host's own full name. Source: config.network.dnsConfig.
	DNSName Fact[string] `json:"dnsName,omitzero" role:"setting"`
	// Addresses are the IP addresses of its vmkernel NICs. Source: config.network.vnic.
	Addresses Fact[[]string] `json:"addresses,omitzero" role:"setting"`
	// Kind is physical, nested or pseudo, recognised by the hardware's vendor and model.
	Kind Fact[string] `json:"kind,omitzero" role:"platform"`
	// Version is config.product.version; updates of 6.7 and older share one.
	Version Fact[Version] `json:"version,omitzero" role:"platform"`
	// Build is config.product.build.
	Build Fact[string] `json:"build,omitzero" role:"platform"`
	// Cores counts physical cores. Source: hardware.cpuInfo.numCpuCores.
	Cores Fact[int64] `json:"cores,omitzero" role:"platform"`
	// CPUPackages counts sockets with a processor. Source: hardware.cpuInfo.numCpuPackages.
	CPUPackages Fact[int64] `json:"cpuPackages,omitzero" role:"platform"`
	// CPUThreads counts logical processors. Source: hardware.cpuInfo.numCpuThreads.
	CPUThreads Fact[int64] `json:"cpuThreads,omitzero" role:"platform"`
	// CPUVendor is intel, amd, or the vendor string of the first package. Source: hardware.cpuPkg.
	CPUVendor Fact[string] `json:"cpuVendor,omitzero" role:"platform"`
	// CPUFamily is the processor's family number from CPUID; absent before 8.0 U3. Source: hardware.cpuPkg.family.
	CPUFamily Fact[int64] `json:"cpuFamily,omitzero" role:"platform"`
	// CPUModel is its model number; absent before 8.0 U3. Source: hardware.cpuPkg.model.
	CPUModel Fact[int64] `json:"cpuModel,omitzero" role:"platform"`
	// CPUDescription is the processor's name. Source: hardware.cpuPkg.description.
	CPUDescription Fact[string] `json:"cpuDescription,omitzero" role:"platform"`
	// CPUScheduler is systemDefault, scav1 or scav2; absent before 8.0 U3. Source: config.cpuScheduler.policy.
	CPUScheduler Fact[string] `json:"cpuScheduler,omitzero" role:"setting"`
	// MemoryMB is the installed memory in MiB. Source: hardware.memorySize.
	MemoryMB Fact[int64] `json:"memoryMB,omitzero" role:"platform"`
	// MemoryUsedMB is the memory in use when the host was read, in MiB; vCenter does not report its changes, so rules
	// must not depend on it. Source: summary.quickStats.overallMemoryUsage.
	MemoryUsedMB Fact[int64] `json:"memoryUsedMB,omitzero" role:"measured"`
	// MemoryTiering is hardware.memoryTieringType, such as noTiering or softwareTiering; absent before 7.0 U3.
	MemoryTiering Fact[string] `json:"memoryTiering,omitzero" role:"setting"`
	// MemoryTiers are the tiers that the host's memory is made of, the fastest first; absent before 7.0 U3. Source:
	// hardware.memoryTierInfo.
	MemoryTiers Fact[[]*MemoryTier] `json:"memoryTiers,omitzero" role:"platform"`
	// Vendor is the server's maker. Source: hardware.systemInfo.vendor.
	Vendor Fact[string] `json:"vendor,omitzero" role:"platform"`
	// Model is the server's model. Source: hardware.systemInfo.model.
	Model Fact[string] `json:"model,omitzero" role:"platform"`
	// Cloud is the public cloud that the host belongs to, one of the Cloud constants; "" is none. Source: systemInfo.model and
	// the DNS domain of config.network.dnsConfig.
	Cloud Fact[string] `json:"cloud,omitzero" role:"platform"`
	// CloudEvidence says how Cloud was recognised; "" if Cloud is.
	CloudEvidence Fact[string] `json:"cloudEvidence,omitzero" role:"derived"`
	// CPUMHz is the nominal clock, rounded up to whole MHz. Source: hardware.cpuInfo.hz.
	CPUMHz Fact[int64] `json:"cpuMHz,omitzero" role:"platform"`
	// HyperThreadingAvailable says whether the hardware, as the BIOS shows it, has it. Source: config.hyperThread.
	HyperThreadingAvailable Fact[bool] `json:"hyperThreadingAvailable,omitzero" role:"platform"`
	// HyperThreadingActive says whether it is in use since the last boot.
	HyperThreadingActive Fact[bool] `json:"hyperThreadingActive,omitzero" role:"state"`
	// HyperThreadingConfigured says whether it will be in use after the next boot.
	HyperThreadingConfigured Fact[bool] `json:"hyperThreadingConfigured,omitzero" role:"setting"`
	// LatencySensitivitySupported is capability.latencySensitivitySupported; unset means it is not.
	LatencySensitivitySupported Fact[bool] `json:"latencySensitivitySupported,omitzero" role:"platform"`
	// NUMANodes lists the NUMA nodes. Source: hardware.numaInfo.
	NUMANodes Fact[[]*NUMANode] `json:"numaNodes,omitzero" role:"platform"`
	// PowerPolicy is the short name of the current policy: static, dynamic, low or custom.
	PowerPolicy Fact[string] `json:"powerPolicy,omitzero" role:"setting"`
	// PowerHardware is hardware.cpuPowerManagementInfo.hardwareSupport; "" means the BIOS keeps power control.
	PowerHardware Fact[string] `json:"powerHardware,omitzero" role:"platform"`
	// PNICs lists the physical NICs. Source: config.network.pnic.
	PNICs Fact[[]*PNIC] `json:"pnics,omitzero" role:"platform"`
	// VMKNICs lists the VMkernel's network adapters. Source: config.network.vnic.
	VMKNICs Fact[[]*VMKNIC] `json:"vmknics,omitzero" role:"setting"`
	// GraphicsDevices are the graphics devices that the host manages: not those that a VM has for itself. Source:
	// config.graphicsInfo.
	GraphicsDevices Fact[[]*GraphicsDevice] `json:"graphicsDevices,omitzero" role:"platform"`
	// GraphicsType is shared or sharedDirect: the use of the host's graphics devices; absent if the host has none.
	// Source: config.graphicsConfig.hostDefaultGraphicsType.
	GraphicsType Fact[string] `json:"graphicsType,omitzero" role:"setting"`
	// VGPUAssignment is performance (VMs are spread over graphics devices) or consolidation (devices are filled one after the
	// other); absent where the host has none. Source: config.graphicsConfig.sharedPassthruAssignmentPolicy.
	VGPUAssignment Fact[string] `json:"vgpuAssignment,omitzero" role:"setting"`
	// VSAN says whether the host takes part in vSAN. Source: config.vsanHostConfig.enabled; unset means it does not.
	VSAN Fact[bool] `json:"vsan,omitzero" role:"setting"`
	// VSANESA says whether that vSAN is of the express storage architecture. Source: config.vsanHostConfig.vsanEsaEnabled.
	VSANESA Fact[bool] `json:"vsanEsa,omitzero" role:"setting"`
	// DiskGroups are the host's vSAN disk groups. Source: config.vsanHostConfig.storageInfo.
	DiskGroups Fact[[]*DiskGroup] `json:"diskGroups,omitzero" role:"setting"`
	// VSwitches are the host's standard switches. Source: config.network.vswitch and portgroup.
	VSwitches Fact[[]*Switch] `json:"vswitches,omitzero" role:"setting"`
	// LUNs are the disks the host sees. Source: config.storageDevice.
	LUNs Fact[[]*LUN] `json:"luns,omitzero" role:"platform"`
	// HBAs are the host's storage adapters. Source: config.storageDevice.hostBusAdapter.
	HBAs Fact[[]*HBA] `json:"hbas,omitzero" role:"platform"`
	// SwapCacheMB is the flash given to the host's swap cache in MiB; 0 is none. Source: config.cacheConfigurationInfo.
	SwapCacheMB Fact[int64] `json:"swapCacheMB,omitzero" role:"setting"`
	// FlashCacheMB is the capacity of the host's virtual flash resource in MiB; 0 is none. Source: config.vFlashConfigInfo.
	FlashCacheMB Fact[int64] `json:"flashCacheMB,omitzero" role:"setting"`
	// FlashVolume is the name of the volume of that resource; "" where there is none. From 7.0 the API lists the system volume,
	// OSDATA-UUID, here too, if it lies on flash. Source: vFlashConfigInfo.vFlashResourceConfigInfo.vffs.name.
	FlashVolume Fact[string] `json:"flashVolume,omitzero" role:"setting"`
	// FlashVolumeIsSystem says whether ESXi runs from that volume: its name begins with OSDATA-, or the scratch location is on
	// it. Source: the name and the uuid of vffs, option ScratchConfig.CurrentScratchLocation.
	FlashVolumeIsSystem Fact[bool] `json:"flashVolumeIsSystem,omitzero" role:"derived"`
	// Options are the host's advanced options by key: those that rules read, and those that differ from their default.
	// Source: config.option, bounds from config.optionDef.
	Options Fact[map[string]Option] `json:"options,omitzero" role:"setting"`
	// OffDefault lists the options of the tuning namespaces that differ from the default the host reports, sorted;
	// unread if the host reports no defaults.
	OffDefault Fact[[]string] `json:"offDefault,omitzero" role:"derived"`
	// KernelSettings are settings of the kernel's own table by name, as configured. Source: esxcli system settings kernel list.
	KernelSettings Fact[map[string]string] `json:"kernelSettings,omitzero" role:"setting"`
	// Sensors are the health sensors of the host's hardware; absent where the host has none, as a nested host. Source:
	// runtime.healthSystemRuntime.
	Sensors Fact[[]*Sensor] `json:"sensors,omitzero" role:"measured"`
	// BootTime is when the host was started. Source: runtime.bootTime.
	BootTime Fact[time.Time] `json:"bootTime,omitzero" role:"measured"`
	// Live are counters measured over a while, by metric.
	Live Live `json:"live,omitempty" role:"measured"`

	// VMs are the VMs on the host; unread if some were not read.
	VMs Fact[[]*VM] `json:"-" cel:"vms"`
	// Datastores are the host's datastores in the snapshot; unread if the hosts of one were not read.
	Datastores Fact[[]*Datastore] `json:"-" cel:"datastores"`

	cluster *Cluster
}

// Ref names the host.
func (h *Host) Ref() Ref { return h.ref(ScopeHost) }

// Cluster is the host's cluster, or nil.
func (h *Host) Cluster() *Cluster { return h.cluster }

// Kinds of memory tier, as vSphere writes them.
const (
	TierDRAM = "DRAM"
	TierNVMe = "NVMe"
)

// MemoryTier is one tier of a host's memory.
type MemoryTier struct {
	// Name is the host's own.
	Name string `json:"name" role:"key"`
	// Kind is DRAM, PMem or NVMe.
	Kind string `json:"kind" role:"platform"`
	// SizeMB is the size in MiB.
	SizeMB int64 `json:"sizeMB" role:"platform"`
}

// GraphicsDevice is a GPU of a host.
type GraphicsDevice struct {
	// PCIID is its bus, slot and function.
	PCIID string `json:"pciId" role:"key"`
	// Device is the name of the model.
	Device string `json:"device" role:"platform"`
	// Vendor is the maker.
	Vendor string `json:"vendor" role:"platform"`
	// Type is basic, shared, direct or sharedDirect: how VMs can use it.
	Type string `json:"type" role:"setting"`
	// MemoryKB is the memory of the device in KiB; absent if the host does not know it.
	MemoryKB Fact[int64] `json:"memoryKB,omitzero" role:"platform"`
}

// NUMANode is one memory node of a host.
type NUMANode struct {
	ID int64 `json:"id" role:"key"`
	// MemoryMB is the node's memory in MiB. Source: numaNode.memorySize, before 8.0 memoryRangeLength.
	MemoryMB Fact[int64] `json:"memoryMB,omitzero" role:"platform"`
	// PCI lists the PCI addresses (SBDF) that hang off the node; absent where the host gives none for any node.
	PCI Fact[[]string] `json:"pci,omitzero" role:"platform"`
}
