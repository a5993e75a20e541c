package inventory

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// NoLimit is vSphere's value for no limit.
const NoLimit = -1

// VM is a VirtualMachine.
type VM struct {
	Entity
	// HostID is the id of the host the VM runs on or is registered with.
	HostID Fact[string] `json:"hostId,omitzero" role:"placement,ids"`
	// Template says whether it is a template.
	Template Fact[bool] `json:"template,omitzero" role:"setting"`
	// PowerState is poweredOn, poweredOff or suspended.
	PowerState Fact[string] `json:"powerState,omitzero" role:"state"`
	// VCPUs counts virtual CPUs.
	VCPUs Fact[int64] `json:"vcpus,omitzero" role:"setting"`
	// CoresPerSocket is the number of cores of one virtual socket. Source: config.hardware.numCoresPerSocket.
	CoresPerSocket Fact[int64] `json:"coresPerSocket,omitzero" role:"setting"`
	// AutoCoresPerSocket says whether ESXi picks them at power-on; unset, as before vSphere 8, means it does not.
	AutoCoresPerSocket Fact[bool] `json:"autoCoresPerSocket,omitzero" role:"setting"`
	// HardwareVersion is N of vmx-N. Source: config.version.
	HardwareVersion Fact[int64] `json:"hardwareVersion,omitzero" role:"setting"`
	// CPUHotAdd says whether vCPUs can be added to the running VM; unset means they cannot.
	CPUHotAdd Fact[bool] `json:"cpuHotAdd,omitzero" role:"setting"`
	// VNUMAOnHotAdd says whether virtual NUMA is exposed although CPU hot-add is on; absent before vSphere 8, unread if
	// a server of version 8 omits it. Source: config.numaInfo.vnumaOnCpuHotaddExposed.
	VNUMAOnHotAdd Fact[bool] `json:"vnumaOnHotAdd,omitzero" role:"setting"`
	// CoresPerNUMANode is the width of a virtual NUMA node; absent before vSphere 8. Source: config.numaInfo.coresPerNumaNode.
	CoresPerNUMANode Fact[int64] `json:"coresPerNumaNode,omitzero" role:"setting"`
	// AutoCoresPerNUMANode says whether ESXi picks that width at power-on; absent before vSphere 8. Source:
	// config.numaInfo.autoCoresPerNumaNode.
	AutoCoresPerNUMANode Fact[bool] `json:"autoCoresPerNumaNode,omitzero" role:"setting"`
	// MemoryHotAdd says whether memory can be added to the running VM; unset means it cannot.
	MemoryHotAdd Fact[bool] `json:"memoryHotAdd,omitzero" role:"setting"`
	// MemoryAffinity lists the NUMA nodes the VM's memory is bound to; unset and empty mean none.
	MemoryAffinity Fact[[]int64] `json:"memoryAffinity,omitzero" role:"setting"`
	// HTSharing is any, none or internal; unset means any. Source: config.flags.htSharing.
	HTSharing Fact[string] `json:"htSharing,omitzero" role:"setting"`
	// VirtualMMU is automatic, on or off. Source: config.flags.virtualMmuUsage.
	VirtualMMU Fact[string] `json:"virtualMMU,omitzero" role:"setting"`
	// VirtualExec is hvAuto, hvOn or hvOff. Source: config.flags.virtualExecUsage.
	VirtualExec Fact[string] `json:"virtualExec,omitzero" role:"setting"`
	// MonitorType is release, debug or stats; unset means release. Source: config.flags.monitorType.
	MonitorType Fact[string] `json:"monitorType,omitzero" role:"setting"`
	// Logging says whether the VM writes a log; unset means it does. Source: config.flags.enableLogging.
	Logging Fact[bool] `json:"logging,omitzero" role:"setting"`
	// VBS says whether virtualization-based security of Windows is on. Source: config.flags.vbsEnabled.
	VBS Fact[bool] `json:"vbs,omitzero" role:"setting"`
	// StatsCollection is config.vmxStatsCollectionEnabled; absent before 7.0 U3.
	StatsCollection Fact[bool] `json:"statsCollection,omitzero" role:"setting"`
	// NestedHV says whether the guest may be a hypervisor; unset means it may not. Source: config.nestedHVEnabled.
	NestedHV Fact[bool] `json:"nestedHV,omitzero" role:"setting"`
	// VirtualPMC says whether the guest sees performance counters of the CPU. Source: config.vPMCEnabled.
	VirtualPMC Fact[bool] `json:"virtualPMC,omitzero" role:"setting"`
	// LatencyVCPUs counts vCPUs whose own latency sensitivity is high. Source: config.vcpuConfig.
	LatencyVCPUs Fact[int64] `json:"latencyVCPUs,omitzero" role:"setting"`
	// SwapPlacement is inherit, vmDirectory or hostLocal. Source: config.swapPlacement.
	SwapPlacement Fact[string] `json:"swapPlacement,omitzero" role:"setting"`
	// EncryptedVMotion is disabled, opportunistic or required. Source: config.migrateEncryption; absent before 6.5.
	EncryptedVMotion Fact[string] `json:"encryptedVMotion,omitzero" role:"setting"`
	// Encrypted says whether the VM itself is encrypted. Source: config.keyId.
	Encrypted Fact[bool] `json:"encrypted,omitzero" role:"setting"`
	// ManagedBy is the extension that manages the VM; "" is none. Source: config.managedBy.extensionKey.
	ManagedBy Fact[string] `json:"managedBy,omitzero" role:"setting"`
	// Appliance is the evidence that the VM is an appliance, which its vendor tunes and upgrades, such as "OVF product
	// nsx-edge of VMware, Inc"; "" if there is none. A name alone is no evidence. Source: config.managedBy,
	// config.vAppConfig.product, config.annotation, name of vCLS VMs.
	Appliance Fact[string] `json:"appliance,omitzero" role:"derived"`
	// MaybeAppliance is the reason why a VM without such evidence may be an appliance: its name and its guest; "" if
	// they do not suggest it. Source: name, config.guestId.
	MaybeAppliance Fact[string] `json:"maybeAppliance,omitzero" role:"derived"`
	// VDIRole is the VM's role for a VDI manager: template, replica or parent of clones; "" is none of these. Source:
	// the name, which Horizon creates as cp-ROLE-UUID.
	VDIRole Fact[string] `json:"vdiRole,omitzero" role:"derived"`
	// InstantCloneFrozen says whether the VM is frozen as the parent of instant clones; unset means it is not. Source:
	// runtime.instantCloneFrozen.
	InstantCloneFrozen Fact[bool] `json:"instantCloneFrozen,omitzero" role:"state"`
	// FlashCacheMB is the flash read cache reserved for the VM's disks in MiB; 0 is none. Source: config.vFlashCacheReservation.
	FlashCacheMB Fact[int64] `json:"flashCacheMB,omitzero" role:"setting"`
	// EVCMode is the key of the oldest EVC mode whose CPU features cover those of the running VM; absent for a VM that is off or
	// needs none. Source: runtime.minRequiredEVCModeKey.
	EVCMode Fact[string] `json:"evcMode,omitzero" role:"state"`
	// RunningGuestID is the running guest system according to VMware Tools; unread without Tools. Source:
	// guest.guestId.
	RunningGuestID Fact[string] `json:"runningGuestId,omitzero" role:"state"`
	// RunningGuestFamily is its family, such as windowsGuest; unread without Tools. Source: guest.guestFamily.
	RunningGuestFamily Fact[string] `json:"runningGuestFamily,omitzero" role:"derived"`
	// ConnectedDevices are the kinds of connected devices that performance guides recommend to remove: cdrom, floppy,
	// serial, parallel, usb.
	ConnectedDevices Fact[[]string] `json:"connectedDevices,omitzero" role:"setting"`
	// PCIDevices are the host's devices passed through to the VM.
	PCIDevices Fact[[]*PCIDevice] `json:"pciDevices,omitzero" role:"setting"`
	// PoolID is the id of the VM's resource pool; absent for a template.
	PoolID Fact[string] `json:"poolId,omitzero" role:"placement,ids"`
	// DatastoreIDs are the datastores with files of the VM. Source: datastore.
	DatastoreIDs Fact[[]string] `json:"datastoreIds,omitzero" role:"placement,ids"`
	// CPUAffinity lists the CPUs the VM is pinned to; unset and empty mean none.
	CPUAffinity Fact[[]int64] `json:"cpuAffinity,omitzero" role:"setting"`
	// GuestID is the configured guest system. Source: config.guestId.
	GuestID Fact[string] `json:"guestId,omitzero" role:"setting"`
	// ToolsStatus is guest.toolsVersionStatus2, such as guestToolsCurrent.
	ToolsStatus Fact[string] `json:"toolsStatus,omitzero" role:"state"`
	// MemoryMB is the configured memory in MiB.
	MemoryMB Fact[int64] `json:"memoryMB,omitzero" role:"setting"`
	// ActiveMemoryMB is the memory that the guest touched recently, by sampling, in MiB at the time of reading; absent
	// before vCenter 7.0 U3. Source: summary.quickStats.activeMemory.
	ActiveMemoryMB Fact[int64] `json:"activeMemoryMB,omitzero" role:"measured"`
	// LowerTierReadMBps is the bandwidth of reads of the VM's memory on tiers below DRAM in MB/s at the time of
	// reading; absent if the server reports no such tier. Source: summary.quickStats.memoryTierStats.
	LowerTierReadMBps Fact[int64] `json:"lowerTierReadMBps,omitzero" role:"measured"`
	// LatencySensitivity is low, normal, medium or high; unset and custom mean normal.
	LatencySensitivity Fact[string] `json:"latencySensitivity,omitzero" role:"setting"`
	// ThreadsPerCore is the number of vCPUs that share a core (virtual Hyper-Threading); unset means 1.
	ThreadsPerCore Fact[int64] `json:"threadsPerCore,omitzero" role:"setting"`
	// CPUReservationMHz is guaranteed CPU in MHz.
	CPUReservationMHz Fact[int64] `json:"cpuReservationMHz,omitzero" role:"setting"`
	// CPULimitMHz is the CPU limit in MHz; -1 is none.
	CPULimitMHz Fact[int64] `json:"cpuLimitMHz,omitzero" role:"setting"`
	// MemoryLimitMB is the memory limit in MiB; -1 is none.
	MemoryLimitMB Fact[int64] `json:"memoryLimitMB,omitzero" role:"setting"`
	// MemoryReservationMB is guaranteed memory in MiB.
	MemoryReservationMB Fact[int64] `json:"memoryReservationMB,omitzero" role:"setting"`
	// MemoryReservationLocked says whether the reservation follows the memory size; unset means it does not.
	MemoryReservationLocked Fact[bool] `json:"memoryReservationLocked,omitzero" role:"setting"`
	// VNICs lists the virtual NICs.
	VNICs Fact[[]*VNIC] `json:"vnics,omitzero" role:"setting"`
	// Disks lists the virtual disks.
	Disks Fact[[]*VDisk] `json:"disks,omitzero" role:"setting"`
	// Snapshots lists every snapshot of the tree; no tree means none.
	Snapshots Fact[[]*SnapshotPoint] `json:"snapshots,omitzero" role:"state"`
	// SnapshotBytes is the total size of the snapshots: their own files and all disk files created since the first one;
	// 0 if there are none, unread if the server has not checked the files since the last one. Source: layoutEx.
	SnapshotBytes Fact[int64] `json:"snapshotBytes,omitzero" role:"measured"`
	// ConsolidationNeeded says whether delta disks need consolidation.
	ConsolidationNeeded Fact[bool] `json:"consolidationNeeded,omitzero" role:"state"`
	// VMX holds tuning keys of extraConfig, as written; all other keys are dropped when they are read.
	VMX Fact[map[string]string] `json:"vmx,omitzero" role:"setting"`
	// BootTime is when the VM was last powered on; absent if it is off. Source: runtime.bootTime.
	BootTime Fact[time.Time] `json:"bootTime,omitzero" role:"measured"`
	// Live are counters measured over a while, by metric.
	Live Live `json:"live,omitempty" role:"measured"`
	// NUMAHomes are the VM's NUMA home nodes while counters were measured, in order: several if it was moved. Absent if
	// the host has one node; unread if nothing was measured, or the source does not provide it, as the
	// PerformanceManager. Rules read them with vm.homeNodes() and vm.awayFrom(). Source: NHN of esxtop.
	NUMAHomes Fact[[]NUMAHome] `json:"numaHomes,omitzero" cel:"-" role:"measured"`

	host *Host
}

// NUMAHome is a set of home nodes for some of the time.
type NUMAHome struct {
	// Nodes are the ids of the NUMA nodes, ascending: several for a wide VM, none if ESXi assigned no home.
	Nodes []int64 `json:"nodes" role:"measured"`
	// Samples counts the samples with these nodes.
	Samples int64 `json:"samples" role:"measured"`
}

// Ref names the VM.
func (v *VM) Ref() Ref { return v.ref(ScopeVM) }

// Host returns the VM's host, or nil if the snapshot does not have it.
func (v *VM) Host() *Host { return v.host }

// VMXKeys lists the keys that are set, sorted.
func (v *VM) VMXKeys() Fact[[]string] {
	all, state, reason := v.VMX.Get()
	switch state {
	case StateKnown:
		return Known(slices.Sorted(maps.Keys(all)))
	case StateAbsent:
		return Absent[[]string]()
	}
	return Unread[[]string](cmp.Or(reason, v.Gap()))
}

// VMXKey looks up a key, ignoring case, as ESXi does. An unset key is known to be "".
func (v *VM) VMXKey(key string) Fact[string] {
	all, state, reason := v.VMX.Get()
	if state != StateKnown {
		if state == StateAbsent {
			return Absent[string]()
		}
		return Unread[string](cmp.Or(reason, v.Gap()))
	}
	if s, ok := all[key]; ok {
		return Known(s)
	}
	for k, s := range all {
		if strings.EqualFold(k, key) {
			return Known(s)
		}
	}
	return Known("")
}

// The kinds of virtual NIC, by their common names.
const (
	VNICVmxnet3 = "vmxnet3"
	VNICVmxnet2 = "vmxnet2"
	VNICVmxnet  = "vmxnet"
	VNICE1000   = "e1000"
	VNICE1000e  = "e1000e"
	VNICPCNet32 = "pcnet32" // vlance
	VNICSRIOV   = "sriov"
	VNICOther   = "other"
)

// VNIC is a virtual NIC of a VM.
type VNIC struct {
	// Key is the device key; N of the VMX keys ethernetN.… is Key - 4000.
	Key int32 `json:"key" role:"key"`
	// Label is the device's name in the client, such as Network adapter 1.
	Label string `json:"label" role:"name"`
	// Type is the kind of adapter the guest sees.
	Type Fact[string] `json:"type,omitzero" role:"setting"`
	// PNICFeatures is the bitmask ethernetN.pnicFeatures: 1 is LRO, 4 is RSS; no key means 0, one hardware queue.
	PNICFeatures Fact[int64] `json:"pnicFeatures,omitzero" role:"derived"`
	// UPTv2 says whether uniform passthrough is on. Source: uptv2Enabled; absent for other kinds and before 8.0.
	UPTv2 Fact[bool] `json:"uptv2,omitzero" role:"setting"`
	// StrictLatency says whether real-time networking is allowed. Source: strictLatencyConfig.allowed; absent for other
	// kinds and before 8.0 U3.
	StrictLatency Fact[bool] `json:"strictLatency,omitzero" role:"setting"`
	// NUMANode is the virtual NUMA node the adapter is on; -1 is none. Source: numaNode; absent before 8.0.
	NUMANode Fact[int64] `json:"numaNode,omitzero" role:"setting"`
	// Switch is the name of the adapter's switch; "" if it has none, or an opaque one.
	Switch Fact[string] `json:"switch,omitzero" role:"setting"`

	vm *VM
}

// firstVNICKey is the device key of ethernet0.
const firstVNICKey = 4000

// Index returns N of the VMX keys ethernetN.….
func (n *VNIC) Index() int { return int(n.Key) - firstVNICKey }

// Ref names the NIC under its VM.
func (n *VNIC) Ref() Ref { return deviceRef(ScopeVNIC, n.vm, n.Label) }

// Gap returns the VM's reason.
func (n *VNIC) Gap() string { return gapOf(n.vm) }

// VM returns the VM of the NIC.
func (n *VNIC) VM() *VM { return n.vm }

// The kinds of disk controller.
const (
	ControllerPVSCSI   = "pvscsi"
	ControllerLSI      = "lsilogic"
	ControllerLSISAS   = "lsisas"
	ControllerBusLogic = "buslogic"
	ControllerIDE      = "ide"
	ControllerSATA     = "sata"
	ControllerNVMe     = "nvme"
	ControllerOther    = "other"
)

// VDisk is a virtual disk of a VM.
type VDisk struct {
	// Key is the device key.
	Key int32 `json:"key" role:"key"`
	// Label is the device's name in the client, such as Hard disk 1.
	Label string `json:"label" role:"name"`
	// Controller is the kind of the disk's controller.
	Controller Fact[string] `json:"controller,omitzero" role:"setting"`
	// IOPSLimit is storageIOAllocation.limit in I/Os a second; -1, and unset, are none.
	IOPSLimit Fact[int64] `json:"iopsLimit,omitzero" role:"setting"`
	// BusSharing is noSharing, virtualSharing or physicalSharing; absent for controllers that cannot share their bus. Source:
	// the controller's sharedBus.
	BusSharing Fact[string] `json:"busSharing,omitzero" role:"setting"`
	// LUNUUID is the unique id of the disk that a raw device mapping maps; absent for other disks. Source: backing.lunUuid.
	LUNUUID Fact[string] `json:"lunUuid,omitzero" role:"setting"`
	// ControllerKey is the device key of that controller: disks with the same key share it.
	ControllerKey Fact[int64] `json:"controllerKey,omitzero" role:"setting"`
	// CapacityMB is the size in MiB. Source: capacityInBytes.
	CapacityMB Fact[int64] `json:"capacityMB,omitzero" role:"setting"`
	// Backing is flat, sesparse, sparse, rdm or other: the kind of file or device that the disk currently writes to.
	Backing Fact[string] `json:"backing,omitzero" role:"state"`
	// Thin says whether space is allocated on write; absent for an RDM. Source: backing.thinProvisioned.
	Thin Fact[bool] `json:"thin,omitzero" role:"setting"`
	// EagerZeroed says whether all blocks were zeroed at creation; unset is unread. Source: backing.eagerlyScrub.
	EagerZeroed Fact[bool] `json:"eagerZeroed,omitzero" role:"setting"`
	// DeltaFormat is the format of a delta disk, such as redoLogFormat, seSparseFormat or nativeFormat; "" for other
	// disks.
	DeltaFormat Fact[string] `json:"deltaFormat,omitzero" role:"state"`
	// DatastoreID is the id of the datastore the disk is on.
	DatastoreID Fact[string] `json:"datastoreId,omitzero" role:"placement,ids"`
	// FlashCacheMB is the flash read cache of the disk in MiB; 0 is none. Source: vFlashCacheConfigInfo.
	FlashCacheMB Fact[int64] `json:"flashCacheMB,omitzero" role:"setting"`
	// Address is the disk's virtual device node, such as scsi0:1, as in esxtop. Source: the controller's bus,
	// unitNumber.
	Address Fact[string] `json:"address,omitzero" role:"setting"`
	// Live are counters measured over a while, by metric.
	Live Live `json:"live,omitempty" role:"measured"`

	// Datastore is the disk's datastore; unread if the snapshot does not have it.
	Datastore Fact[*Datastore] `json:"-" cel:"datastore"`

	vm *VM
}

// Ref names the disk under its VM.
func (d *VDisk) Ref() Ref { return deviceRef(ScopeVDisk, d.vm, d.Label) }

// Gap returns the VM's reason.
func (d *VDisk) Gap() string { return gapOf(d.vm) }

// VM returns the VM of the disk.
func (d *VDisk) VM() *VM { return d.vm }

// PCIDevice is a device of the host that a VM uses exclusively.
type PCIDevice struct {
	Label string `json:"label" role:"key"`
	// Kind is passthrough, sriov, vgpu or other.
	Kind Fact[string] `json:"kind,omitzero" role:"setting"`
	// VGPU is the profile of a vGPU, such as grid_l40s-12q; absent for other kinds. Source: backing.vgpu.
	VGPU Fact[string] `json:"vgpu,omitzero" role:"setting"`
	// NUMANode is the virtual NUMA node the device is on; -1 is none. Source: numaNode; absent before 8.0.
	NUMANode Fact[int64] `json:"numaNode,omitzero" role:"setting"`
}

// SnapshotPoint is one snapshot in a VM's tree.
type SnapshotPoint struct {
	Name    string    `json:"name" role:"key"`
	Created time.Time `json:"created" role:"state"`
	// Depth is 1 for a snapshot of the base disk, one more for each below it: the length of the delta chain.
	Depth int64 `json:"depth" role:"derived"`
}
