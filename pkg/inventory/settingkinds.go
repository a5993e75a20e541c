package inventory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// settingKinds is the list of all settings that a remedy can address. It includes settings that vperf never writes, so
// that a finding can describe the manual change.
var settingKinds = slices.Concat(hostKinds, vmKinds, deviceKinds, groupKinds)

var hostKinds = []SettingKind{
	// freeOptions lists the keys that need less approval.
	{kindHostOption, ScopeHost, true, "", ActivationLive, InverseExact, ConsentNamed, "Host.options", on(hostOption)},
	{"power-policy", ScopeHost, false, TypeString, ActivationLive, InverseExact, ConsentFree, "Host.powerPolicy",
		field(func(h *Host) Fact[string] { return h.PowerPolicy }, StringValue)},
	// In force after a reboot; until then configured and active differ.
	{"hyperthreading", ScopeHost, false, TypeBool, ActivationHostReboot, InverseExact, ConsentNamed, "Host.hyperThreadingConfigured",
		field(func(h *Host) Fact[bool] { return h.HyperThreadingConfigured }, BoolValue)},
	// A setting that only the kernel's own table has.
	{"kernel-setting", ScopeHost, true, TypeString, ActivationHostReboot, InverseExact, ConsentNever, "Host.kernelSettings", on(kernelSetting)},
	// One string contains all options of a driver: options other than KEY are kept.
	{"driver-options", ScopePNIC, true, TypeString, ActivationDriverReload, InverseExact, ConsentNamed, "PNIC.driverOptions", on(driverOption)},
	{"pnic-ring-rx", ScopePNIC, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "PNIC.ringRx",
		field(func(n *PNIC) Fact[int64] { return n.RingRx }, LongValue)},
	{"pnic-ring-tx", ScopePNIC, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "PNIC.ringTx",
		field(func(n *PNIC) Fact[int64] { return n.RingTx }, LongValue)},
	{"pnic-coalesce-rx", ScopePNIC, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "PNIC.coalesceRxMicros",
		field(func(n *PNIC) Fact[int64] { return n.CoalesceRxMicros }, LongValue)},
	// A wrong MTU interrupts storage traffic.
	{"vmknic-mtu", ScopeVMKNIC, false, TypeLong, ActivationManual, InverseExact, ConsentNever, "VMKNIC.mtu",
		field(func(k *VMKNIC) Fact[int64] { return k.MTU }, LongValue)},
	{"hba-delayed-ack", ScopeHBA, false, TypeBool, ActivationHostReboot, InverseExact, ConsentNever, "HBA.delayedAck",
		field(func(b *HBA) Fact[bool] { return b.DelayedAck }, BoolValue)},
	// Of one device on one host; persistent over reboots.
	{"lun-outstanding-ios", ScopeLUN, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "LUN.outstandingIOs",
		field(func(l *LUN) Fact[int64] { return l.OutstandingIOs }, LongValue)},
	// A device's own policy permanently overrides the array's, and cannot be removed.
	{"lun-path-policy", ScopeLUN, false, TypeString, ActivationLive, InverseNone, ConsentNever, "LUN.pathPolicy",
		field(func(l *LUN) Fact[string] { return l.PathPolicy }, StringValue)},
	{"lun-round-robin-ios", ScopeLUN, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "LUN.roundRobinIOs",
		field(func(l *LUN) Fact[int64] { return l.RoundRobinIOs }, LongValue)},
	{"lun-queue-full-sample-size", ScopeLUN, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "LUN.queueFullSampleSize",
		field(func(l *LUN) Fact[int64] { return l.QueueFullSampleSize }, LongValue)},
}

var vmKinds = []SettingKind{
	{"vm-latency", ScopeVM, false, TypeString, ActivationPowerCycle, InverseEquivalent, ConsentNamed, "VM.latencySensitivity",
		field(func(v *VM) Fact[string] { return v.LatencySensitivity }, StringValue)},
	// The number of vCPUs that share a core.
	{"vm-threads-per-core", ScopeVM, false, TypeLong, ActivationPowerOff, InverseEquivalent, ConsentNever, "VM.threadsPerCore",
		field(func(v *VM) Fact[int64] { return v.ThreadsPerCore }, LongValue)},
	{"vm-vcpus", ScopeVM, false, TypeLong, ActivationPowerOff, InverseExact, ConsentNamed, "VM.vcpus",
		field(func(v *VM) Fact[int64] { return v.VCPUs }, LongValue)},
	// 0 is automatic, from hardware version 20; before, 1 is the way back from it.
	{"vm-cores-per-socket", ScopeVM, false, TypeLong, ActivationPowerOff, InverseEquivalent, ConsentNamed, "VM.coresPerSocket",
		field(func(v *VM) Fact[int64] { return v.CoresPerSocket }, LongValue)},
	// 0 is automatic.
	{"vm-cores-per-numa-node", ScopeVM, false, TypeLong, ActivationPowerOff, InverseExact, ConsentNamed, "VM.coresPerNumaNode",
		field(func(v *VM) Fact[int64] { return v.CoresPerNUMANode }, LongValue)},
	{"vm-cpu-hotadd", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNamed, "VM.cpuHotAdd",
		field(func(v *VM) Fact[bool] { return v.CPUHotAdd }, BoolValue)},
	// Unset means as at the last power-on: false is the way back to it.
	{"vm-vnuma-on-hotadd", ScopeVM, false, TypeBool, ActivationPowerOff, InverseEquivalent, ConsentNamed, "VM.vnumaOnHotAdd",
		field(func(v *VM) Fact[bool] { return v.VNUMAOnHotAdd }, BoolValue)},
	{"vm-memory-hotadd", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNamed, "VM.memoryHotAdd",
		field(func(v *VM) Fact[bool] { return v.MemoryHotAdd }, BoolValue)},
	// A list of CPUs; "" is none.
	{"vm-cpu-affinity", ScopeVM, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "VM.cpuAffinity",
		field(func(v *VM) Fact[[]int64] { return v.CPUAffinity }, listValue)},
	// A list of NUMA nodes; "" is none.
	{"vm-memory-affinity", ScopeVM, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "VM.memoryAffinity",
		field(func(v *VM) Fact[[]int64] { return v.MemoryAffinity }, listValue)},
	{"vm-ht-sharing", ScopeVM, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "VM.htSharing",
		field(func(v *VM) Fact[string] { return v.HTSharing }, StringValue)},
	{"vm-virtual-mmu", ScopeVM, false, TypeString, ActivationPowerOff, InverseExact, ConsentNamed, "VM.virtualMMU",
		field(func(v *VM) Fact[string] { return v.VirtualMMU }, StringValue)},
	{"vm-virtual-exec", ScopeVM, false, TypeString, ActivationPowerOff, InverseExact, ConsentNamed, "VM.virtualExec",
		field(func(v *VM) Fact[string] { return v.VirtualExec }, StringValue)},
	{"vm-monitor-type", ScopeVM, false, TypeString, ActivationPowerCycle, InverseExact, ConsentNamed, "VM.monitorType",
		field(func(v *VM) Fact[string] { return v.MonitorType }, StringValue)},
	{"vm-logging", ScopeVM, false, TypeBool, ActivationPowerCycle, InverseExact, ConsentNamed, "VM.logging",
		field(func(v *VM) Fact[bool] { return v.Logging }, BoolValue)},
	{"vm-stats-collection", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNever, "VM.statsCollection",
		field(func(v *VM) Fact[bool] { return v.StatsCollection }, BoolValue)},
	{"vm-nested-hv", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNever, "VM.nestedHV",
		field(func(v *VM) Fact[bool] { return v.NestedHV }, BoolValue)},
	{"vm-virtual-pmc", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNever, "VM.virtualPMC",
		field(func(v *VM) Fact[bool] { return v.VirtualPMC }, BoolValue)},
	{"vm-swap-placement", ScopeVM, false, TypeString, ActivationNextPowerOn, InverseExact, ConsentNever, "VM.swapPlacement",
		field(func(v *VM) Fact[string] { return v.SwapPlacement }, StringValue)},
	// Lowering security must be a manual decision.
	{"vm-encrypted-vmotion", ScopeVM, false, TypeString, ActivationManual, InverseExact, ConsentNever, "VM.encryptedVMotion",
		field(func(v *VM) Fact[string] { return v.EncryptedVMotion }, StringValue)},
	{"vm-flash-cache", ScopeVM, false, TypeLong, ActivationManual, InverseNone, ConsentNever, "VM.flashCacheMB",
		field(func(v *VM) Fact[int64] { return v.FlashCacheMB }, LongValue)},
	{"vm-hardware-version", ScopeVM, false, TypeLong, ActivationManual, InverseNone, ConsentNever, "VM.hardwareVersion",
		field(func(v *VM) Fact[int64] { return v.HardwareVersion }, LongValue)},
	{"vm-guest-id", ScopeVM, false, TypeString, ActivationManual, InverseExact, ConsentNever, "VM.guestId",
		field(func(v *VM) Fact[string] { return v.GuestID }, StringValue)},
	// Kinds of devices that are connected; "" is none.
	{"vm-connected-devices", ScopeVM, false, TypeString, ActivationManual, InverseExact, ConsentNever, "VM.connectedDevices",
		field(func(v *VM) Fact[[]string] { return v.ConnectedDevices }, func(kinds []string) Value { return StringValue(strings.Join(kinds, " ")) })},
	{"vm-cpu-reservation", ScopeVM, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VM.cpuReservationMHz",
		field(func(v *VM) Fact[int64] { return v.CPUReservationMHz }, LongValue)},
	{"vm-cpu-limit", ScopeVM, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VM.cpuLimitMHz",
		field(func(v *VM) Fact[int64] { return v.CPULimitMHz }, LongValue)},
	{"vm-memory-limit", ScopeVM, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VM.memoryLimitMB",
		field(func(v *VM) Fact[int64] { return v.MemoryLimitMB }, LongValue)},
	{"vm-memory-reservation", ScopeVM, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VM.memoryReservationMB",
		field(func(v *VM) Fact[int64] { return v.MemoryReservationMB }, LongValue)},
	// Unlocking leaves the full reservation behind, so lock and reservation go back together in one spec.
	{"vm-memory-lock", ScopeVM, false, TypeBool, ActivationLive, InverseEquivalent, ConsentNamed, "VM.memoryReservationLocked",
		field(func(v *VM) Fact[bool] { return v.MemoryReservationLocked }, BoolValue)},
	// "" removes the key.
	{kindVMVMX, ScopeVM, true, TypeString, ActivationPowerCycle, InverseExact, ConsentNamed, "VM.vmx", on(func(v *VM, key string) Fact[Value] {
		return asValue(v.VMXKey(key), StringValue)
	})},
	{"vm-scsi", ScopeVM, false, TypeString, ActivationManual, InverseNone, ConsentNever, "VM.disks",
		field(func(v *VM) Fact[[]*VDisk] { return v.Disks }, func(disks []*VDisk) Value { return StringValue(controllers(disks)) })},
	{"vm-tools", ScopeVM, false, TypeString, ActivationManual, InverseNone, ConsentNever, "VM.toolsStatus",
		field(func(v *VM) Fact[string] { return v.ToolsStatus }, StringValue)},
	{"vm-snapshots", ScopeVM, false, TypeLong, ActivationManual, InverseNone, ConsentNever, "VM.snapshots",
		field(func(v *VM) Fact[[]*SnapshotPoint] { return v.Snapshots }, func(s []*SnapshotPoint) Value { return LongValue(int64(len(s))) })},
}

// deviceKinds are settings of a VM's devices.
var deviceKinds = []SettingKind{
	{kindVNICVMX, ScopeVNIC, true, TypeString, ActivationPowerCycle, InverseExact, ConsentNamed, "VM.vmx", on(func(n *VNIC, key string) Fact[Value] {
		return asValue(n.VMXKey(key), StringValue)
	})},
	{"vnic-type", ScopeVNIC, false, TypeString, ActivationManual, InverseNone, ConsentNever, "VNIC.type",
		field(func(n *VNIC) Fact[string] { return n.Type }, StringValue)},
	{"vdisk-iops-limit", ScopeVDisk, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VDisk.iopsLimit",
		field(func(d *VDisk) Fact[int64] { return d.IOPSLimit }, LongValue)},
	// Inflating or moving the disk changes it.
	{"vdisk-eager-zeroed", ScopeVDisk, false, TypeBool, ActivationManual, InverseNone, ConsentNever, "VDisk.eagerZeroed",
		field(func(d *VDisk) Fact[bool] { return d.EagerZeroed }, BoolValue)},
}

// groupKinds are settings of clusters, pools, switches, datastores and the vCenter itself.
var groupKinds = []SettingKind{
	{"pool-cpu-limit", ScopePool, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "Pool.cpuLimitMHz",
		field(func(p *Pool) Fact[int64] { return p.CPULimitMHz }, LongValue)},
	{"pool-memory-limit", ScopePool, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "Pool.memoryLimitMB",
		field(func(p *Pool) Fact[int64] { return p.MemoryLimitMB }, LongValue)},
	{"cluster-drs-automation", ScopeCluster, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "Cluster.drsAutomation",
		field(func(c *Cluster) Fact[string] { return c.DRSAutomation }, StringValue)},
	// As the API counts: 1 moves most, 5 least.
	{"cluster-drs-rate", ScopeCluster, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "Cluster.drsMigrationRate",
		field(func(c *Cluster) Fact[int64] { return c.DRSMigrationRate }, LongValue)},
	{"cluster-dpm", ScopeCluster, false, TypeBool, ActivationManual, InverseExact, ConsentNever, "Cluster.dpmEnabled",
		field(func(c *Cluster) Fact[bool] { return c.DPMEnabled }, BoolValue)},
	{"cluster-scale-shares", ScopeCluster, false, TypeBool, ActivationManual, InverseExact, ConsentNever, "Cluster.scaleShares",
		field(func(c *Cluster) Fact[bool] { return c.ScaleShares }, BoolValue)},
	{"cluster-swap-placement", ScopeCluster, false, TypeString, ActivationNextPowerOn, InverseExact, ConsentNever, "Cluster.swapPlacement",
		field(func(c *Cluster) Fact[string] { return c.SwapPlacement }, StringValue)},
	{"switch-nioc", ScopeSwitch, false, TypeBool, ActivationLive, InverseExact, ConsentNamed, "Switch.niocEnabled",
		field(func(s *Switch) Fact[bool] { return s.NIOCEnabled }, BoolValue)},
	{"switch-nioc-version", ScopeSwitch, false, TypeString, ActivationManual, InverseNone, ConsentNever, "Switch.niocVersion",
		field(func(s *Switch) Fact[string] { return s.NIOCVersion }, StringValue)},
	{"switch-mtu", ScopeSwitch, false, TypeLong, ActivationManual, InverseExact, ConsentNever, "Switch.mtu",
		field(func(s *Switch) Fact[int64] { return s.MTU }, LongValue)},
	// Of one class of system traffic, such as vmotion.
	{"switch-shares", ScopeSwitch, true, TypeString, ActivationLive, InverseExact, ConsentNever, "Switch.trafficClasses",
		trafficClass(func(c *TrafficClass) Fact[string] { return c.SharesLevel }, StringValue)},
	{"switch-reservation", ScopeSwitch, true, TypeLong, ActivationLive, InverseExact, ConsentNever, "Switch.trafficClasses",
		trafficClass(func(c *TrafficClass) Fact[int64] { return c.ReservationMbps }, LongValue)},
	// -1 is none.
	{"switch-limit", ScopeSwitch, true, TypeLong, ActivationLive, InverseExact, ConsentNever, "Switch.trafficClasses",
		trafficClass(func(c *TrafficClass) Fact[int64] { return c.LimitMbps }, LongValue)},
	{"datastore-unmap", ScopeDatastore, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "Datastore.unmapPriority",
		field(func(d *Datastore) Fact[string] { return d.UnmapPriority }, StringValue)},
	{"datastore-sioc", ScopeDatastore, false, TypeBool, ActivationLive, InverseExact, ConsentNever, "Datastore.siocEnabled",
		field(func(d *Datastore) Fact[bool] { return d.SIOCEnabled }, BoolValue)},
	// The level of the shortest interval, which the others cannot exceed.
	{"vcenter-stats-level", ScopeVCenter, false, TypeLong, ActivationManual, InverseExact, ConsentNever, "VCenter.statsIntervals",
		field(func(v *VCenter) Fact[[]*StatsInterval] { return v.StatsIntervals }, func(all []*StatsInterval) Value {
			level := int64(0)
			for _, i := range all {
				level = max(level, i.Level)
			}
			return LongValue(level)
		})},
}

// trafficClass returns a reader for one fact of the class of traffic that the key names; a switch without the class
// does not have the setting.
func trafficClass[T any](fact func(*TrafficClass) Fact[T], value func(T) Value) func(Object, string) Fact[Value] {
	return on(func(s *Switch, key string) Fact[Value] {
		all, state, reason := s.TrafficClasses.Get()
		if state == StateUnread {
			return Unread[Value](reason)
		}
		for _, c := range all {
			if c.Name == key {
				return asValue(fact(c), value)
			}
		}
		return Absent[Value]()
	})
}

// listValue formats a list of numbers as text.
func listValue(all []int64) Value { return StringValue(strings.Trim(fmt.Sprint(all), "[]")) }

// VMXKey returns a VMX key of the adapter: pnicFeatures is ethernetN.pnicFeatures of its VM.
func (n *VNIC) VMXKey(key string) Fact[string] {
	if n.vm == nil {
		return Unread[string](notRead)
	}
	return n.vm.VMXKey("ethernet" + strconv.Itoa(n.Index()) + "." + key)
}

// kernelSetting returns a setting of the kernel's own table; a missing one does not exist in the release.
func kernelSetting(h *Host, key string) Fact[Value] {
	return asValue(h.KernelSetting(key), StringValue)
}

// KernelSetting returns a setting of the kernel's own table.
func (h *Host) KernelSetting(name string) Fact[string] {
	all, state, reason := h.KernelSettings.Get()
	if state != StateKnown {
		return missing[string](state, reason)
	}
	if s, ok := all[name]; ok {
		return Known(s)
	}
	return Absent[string]()
}
