package inventory

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// NoLimit is how vSphere writes a limit that is not there.
const NoLimit = -1

// VM is a VirtualMachine.
type VM struct {
	Entity
	// HostID is the id of the host the VM runs on or is registered with.
	HostID Fact[string] `json:"hostId,omitzero"`
	// Template says whether it is a template.
	Template Fact[bool] `json:"template,omitzero"`
	// PowerState is poweredOn, poweredOff or suspended.
	PowerState Fact[string] `json:"powerState,omitzero"`
	// VCPUs counts virtual CPUs.
	VCPUs Fact[int64] `json:"vcpus,omitzero"`
	// CoresPerSocket is the number of cores of one virtual socket. Source: config.hardware.numCoresPerSocket.
	CoresPerSocket Fact[int64] `json:"coresPerSocket,omitzero"`
	// AutoCoresPerSocket says whether ESXi picks them at power-on; unset, as before vSphere 8, means it does not.
	AutoCoresPerSocket Fact[bool] `json:"autoCoresPerSocket,omitzero"`
	// HardwareVersion is N of vmx-N. Source: config.version.
	HardwareVersion Fact[int64] `json:"hardwareVersion,omitzero"`
	// CPUHotAdd says whether vCPUs can be added to the running VM; unset means they cannot.
	CPUHotAdd Fact[bool] `json:"cpuHotAdd,omitzero"`
	// VNUMAOnHotAdd says whether virtual NUMA is exposed although CPU hot-add is on; absent before vSphere 8,
	// unread where a server of 8 leaves it out. Source: config.numaInfo.vnumaOnCpuHotaddExposed.
	VNUMAOnHotAdd Fact[bool] `json:"vnumaOnHotAdd,omitzero"`
	// CPUAffinity lists the CPUs the VM is pinned to; unset and empty mean none.
	CPUAffinity Fact[[]int64] `json:"cpuAffinity,omitzero"`
	// GuestID is the configured guest system. Source: config.guestId.
	GuestID Fact[string] `json:"guestId,omitzero"`
	// ToolsStatus is guest.toolsVersionStatus2, such as guestToolsCurrent.
	ToolsStatus Fact[string] `json:"toolsStatus,omitzero"`
	// MemoryMB is the configured memory in MiB.
	MemoryMB Fact[int64] `json:"memoryMB,omitzero"`
	// LatencySensitivity is low, normal, medium or high; unset and custom mean normal.
	LatencySensitivity Fact[string] `json:"latencySensitivity,omitzero"`
	// ThreadsPerCore is the number of vCPUs that share a core (virtual Hyper-Threading); unset means 1.
	ThreadsPerCore Fact[int64] `json:"threadsPerCore,omitzero"`
	// CPUReservationMHz is guaranteed CPU in MHz.
	CPUReservationMHz Fact[int64] `json:"cpuReservationMHz,omitzero"`
	// CPULimitMHz is the CPU limit in MHz; -1 is none.
	CPULimitMHz Fact[int64] `json:"cpuLimitMHz,omitzero"`
	// MemoryLimitMB is the memory limit in MiB; -1 is none.
	MemoryLimitMB Fact[int64] `json:"memoryLimitMB,omitzero"`
	// MemoryReservationMB is guaranteed memory in MiB.
	MemoryReservationMB Fact[int64] `json:"memoryReservationMB,omitzero"`
	// MemoryReservationLocked says whether the reservation follows the memory size; unset means it does not.
	MemoryReservationLocked Fact[bool] `json:"memoryReservationLocked,omitzero"`
	// VNICs lists the virtual NICs.
	VNICs Fact[[]*VNIC] `json:"vnics,omitzero"`
	// Disks lists the virtual disks.
	Disks Fact[[]*VDisk] `json:"disks,omitzero"`
	// Snapshots lists every snapshot of the tree; no tree means none.
	Snapshots Fact[[]*SnapshotPoint] `json:"snapshots,omitzero"`
	// ConsolidationNeeded says whether delta disks were left behind.
	ConsolidationNeeded Fact[bool] `json:"consolidationNeeded,omitzero"`
	// VMX holds tuning keys of extraConfig, as written; all other keys are dropped where they are read.
	VMX Fact[map[string]string] `json:"vmx,omitzero"`

	host *Host
}

// Ref names the VM.
func (v *VM) Ref() Ref { return v.ref(ScopeVM) }

// Host is the VM's host, or nil where the snapshot does not hold it.
func (v *VM) Host() *Host { return v.host }

// VMXKeys lists the set keys, sorted.
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

// VMXKey looks a key up without regard to case, as ESXi does. An unset key is known to be "".
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

// The kinds of virtual NIC, in the words people use for them.
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
	Key int32 `json:"key"`
	// Label is what the client shows, such as Network adapter 1.
	Label string `json:"label"`
	// Type is the kind of adapter the guest sees.
	Type Fact[string] `json:"type,omitzero"`
	// PNICFeatures is the bitmask ethernetN.pnicFeatures: 1 is LRO, 4 is RSS; no key means 0, one hardware queue.
	PNICFeatures Fact[int64] `json:"pnicFeatures,omitzero"`

	vm *VM
}

// firstVNICKey is the device key of ethernet0.
const firstVNICKey = 4000

// Index is N of the VMX keys ethernetN.….
func (n *VNIC) Index() int { return int(n.Key) - firstVNICKey }

// Ref names the NIC under its VM.
func (n *VNIC) Ref() Ref { return deviceRef(ScopeVNIC, n.vm, n.Label) }

// Gap is the VM's.
func (n *VNIC) Gap() string { return gapOf(n.vm) }

// VM is the VM the NIC is in.
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
	Key int32 `json:"key"`
	// Label is what the client shows, such as Hard disk 1.
	Label string `json:"label"`
	// Controller is the kind of controller the disk hangs off.
	Controller Fact[string] `json:"controller,omitzero"`
	// IOPSLimit is storageIOAllocation.limit in I/Os a second; -1, and unset, are none.
	IOPSLimit Fact[int64] `json:"iopsLimit,omitzero"`

	vm *VM
}

// Ref names the disk under its VM.
func (d *VDisk) Ref() Ref { return deviceRef(ScopeVDisk, d.vm, d.Label) }

// Gap is the VM's.
func (d *VDisk) Gap() string { return gapOf(d.vm) }

// VM is the VM the disk is in.
func (d *VDisk) VM() *VM { return d.vm }

// SnapshotPoint is one snapshot in a VM's tree.
type SnapshotPoint struct {
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	// Depth is 1 for a snapshot of the base disk, one more for each below it: the length of the delta chain.
	Depth int64 `json:"depth"`
}
