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

// Kinds that need code of their own.
const (
	KindHostOption    = "host-option"
	KindDriverOptions = "driver-options" // of a module, which all ports of the driver share
	kindVMVMX         = "vm-vmx"
	kindVNICVMX       = "vnic-vmx"
)

var hostKinds = []SettingKind{
	// freeOptions lists the keys that need less approval.
	{KindHostOption, ScopeHost, true, "", ActivationLive, InverseExact, ConsentNamed, "Host.options", on(hostOption),
		also{privileges: []string{"Host.Config.AdvancedConfig"}}},
	{"power-policy", ScopeHost, false, TypeString, ActivationLive, InverseExact, ConsentFree, "Host.powerPolicy",
		field(func(h *Host) Fact[string] { return h.PowerPolicy }, StringValue),
		also{
			trial:      quick(atOnce),
			standard:   documented{"dynamic", "Balanced is the default since ESXi 5.0 (vSphere documentation, host power management policies)"},
			privileges: []string{"Host.Config.Power"},
		}},
	// In force after a reboot; until then configured and active differ.
	{"hyperthreading", ScopeHost, false, TypeBool, ActivationHostReboot, InverseExact, ConsentNamed, "Host.hyperThreadingConfigured",
		field(func(h *Host) Fact[bool] { return h.HyperThreadingConfigured }, BoolValue),
		also{privileges: []string{"Host.Config.HyperThreading"}}},
	// A setting that only the kernel's own table has.
	{"kernel-setting", ScopeHost, true, TypeString, ActivationHostReboot, InverseExact, ConsentNever, "Host.kernelSettings", on(kernelSetting), also{}},
	// One string contains all options of a driver: options other than KEY are kept.
	{KindDriverOptions, ScopePNIC, true, TypeString, ActivationDriverReload, InverseExact, ConsentNamed, "PNIC.driverOptions", on(driverOption),
		also{removable: true, privileges: []string{privilegeHost}}},
	{"pnic-ring-rx", ScopePNIC, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "PNIC.ringRx",
		field(func(n *PNIC) Fact[int64] { return n.RingRx }, LongValue),
		also{trial: randomised(resetsLink)}},
	{"pnic-ring-tx", ScopePNIC, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "PNIC.ringTx",
		field(func(n *PNIC) Fact[int64] { return n.RingTx }, LongValue),
		also{trial: randomised(resetsLink)}},
	{"pnic-coalesce-rx", ScopePNIC, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "PNIC.coalesceRxMicros",
		field(func(n *PNIC) Fact[int64] { return n.CoalesceRxMicros }, LongValue),
		also{trial: randomised(resetsLink)}},
	// A wrong MTU interrupts storage traffic.
	{"vmknic-mtu", ScopeVMKNIC, false, TypeLong, ActivationManual, InverseExact, ConsentNever, "VMKNIC.mtu",
		field(func(k *VMKNIC) Fact[int64] { return k.MTU }, LongValue), also{}},
	{"hba-delayed-ack", ScopeHBA, false, TypeBool, ActivationHostReboot, InverseExact, ConsentNever, "HBA.delayedAck",
		field(func(b *HBA) Fact[bool] { return b.DelayedAck }, BoolValue), also{}},
	// Of one device on one host; persistent over reboots.
	{"lun-outstanding-ios", ScopeLUN, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "LUN.outstandingIOs",
		field(func(l *LUN) Fact[int64] { return l.OutstandingIOs }, LongValue),
		also{
			trial:      quick("The change takes effect within a minute. All hosts of the LUN switch together, because they share its queue."),
			privileges: []string{privilegeHost},
		}},
	// A device's own policy permanently overrides the array's, and cannot be removed.
	{"lun-path-policy", ScopeLUN, false, TypeString, ActivationLive, InverseNone, ConsentNever, "LUN.pathPolicy",
		field(func(l *LUN) Fact[string] { return l.PathPolicy }, StringValue), also{}},
	{"lun-round-robin-ios", ScopeLUN, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "LUN.roundRobinIOs",
		field(func(l *LUN) Fact[int64] { return l.RoundRobinIOs }, LongValue),
		also{trial: quick(atOnce)}},
	{"lun-queue-full-sample-size", ScopeLUN, false, TypeLong, ActivationLive, InverseExact, ConsentNever, "LUN.queueFullSampleSize",
		field(func(l *LUN) Fact[int64] { return l.QueueFullSampleSize }, LongValue),
		also{trial: quick(atOnce)}},
}

var vmKinds = []SettingKind{
	{"vm-latency", ScopeVM, false, TypeString, ActivationPowerCycle, InverseEquivalent, ConsentNamed, "VM.latencySensitivity",
		field(func(v *VM) Fact[string] { return v.LatencySensitivity }, StringValue),
		also{releases: func(_, to Value) bool { return to.Text != "high" }, privileges: []string{privilegeResource}}},
	// The number of vCPUs that share a core.
	{"vm-threads-per-core", ScopeVM, false, TypeLong, ActivationPowerOff, InverseEquivalent, ConsentNever, "VM.threadsPerCore",
		field(func(v *VM) Fact[int64] { return v.ThreadsPerCore }, LongValue), also{}},
	{"vm-vcpus", ScopeVM, false, TypeLong, ActivationPowerOff, InverseExact, ConsentNamed, "VM.vcpus",
		field(func(v *VM) Fact[int64] { return v.VCPUs }, LongValue),
		also{privileges: []string{privilegeCPUCount}}},
	// 0 is automatic, from hardware version 20; before, 1 is the way back from it.
	{"vm-cores-per-socket", ScopeVM, false, TypeLong, ActivationPowerOff, InverseEquivalent, ConsentNamed, "VM.coresPerSocket",
		field(func(v *VM) Fact[int64] { return v.CoresPerSocket }, LongValue),
		also{privileges: []string{privilegeCPUCount}}},
	// 0 is automatic.
	{"vm-cores-per-numa-node", ScopeVM, false, TypeLong, ActivationPowerOff, InverseExact, ConsentNamed, "VM.coresPerNumaNode",
		field(func(v *VM) Fact[int64] { return v.CoresPerNUMANode }, LongValue),
		also{privileges: []string{privilegeCPUCount}}},
	{"vm-cpu-hotadd", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNamed, "VM.cpuHotAdd",
		field(func(v *VM) Fact[bool] { return v.CPUHotAdd }, BoolValue),
		also{privileges: []string{privilegeCPUCount}}},
	// Unset means as at the last power-on: false is the way back to it.
	{"vm-vnuma-on-hotadd", ScopeVM, false, TypeBool, ActivationPowerOff, InverseEquivalent, ConsentNamed, "VM.vnumaOnHotAdd",
		field(func(v *VM) Fact[bool] { return v.VNUMAOnHotAdd }, BoolValue),
		also{privileges: []string{privilegeCPUCount}}},
	{"vm-memory-hotadd", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNamed, "VM.memoryHotAdd",
		field(func(v *VM) Fact[bool] { return v.MemoryHotAdd }, BoolValue),
		also{privileges: []string{"VirtualMachine.Config.Memory"}}},
	// A list of CPUs; "" is none.
	{"vm-cpu-affinity", ScopeVM, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "VM.cpuAffinity",
		field(func(v *VM) Fact[[]int64] { return v.CPUAffinity }, listValue),
		also{trial: randomised(keepsNode), set: true, privileges: []string{privilegeResource}}},
	// A list of NUMA nodes; "" is none.
	{"vm-memory-affinity", ScopeVM, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "VM.memoryAffinity",
		field(func(v *VM) Fact[[]int64] { return v.MemoryAffinity }, listValue),
		also{trial: randomised(keepsNode), set: true, privileges: []string{privilegeResource}}},
	{"vm-ht-sharing", ScopeVM, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "VM.htSharing",
		field(func(v *VM) Fact[string] { return v.HTSharing }, StringValue),
		also{trial: quick(atOnce), privileges: []string{privilegeSettings}}},
	{"vm-virtual-mmu", ScopeVM, false, TypeString, ActivationPowerOff, InverseExact, ConsentNamed, "VM.virtualMMU",
		field(func(v *VM) Fact[string] { return v.VirtualMMU }, StringValue),
		also{privileges: []string{privilegeSettings}}},
	{"vm-virtual-exec", ScopeVM, false, TypeString, ActivationPowerOff, InverseExact, ConsentNamed, "VM.virtualExec",
		field(func(v *VM) Fact[string] { return v.VirtualExec }, StringValue),
		also{privileges: []string{privilegeSettings}}},
	{"vm-monitor-type", ScopeVM, false, TypeString, ActivationPowerCycle, InverseExact, ConsentNamed, "VM.monitorType",
		field(func(v *VM) Fact[string] { return v.MonitorType }, StringValue),
		also{privileges: []string{privilegeSettings}}},
	{"vm-logging", ScopeVM, false, TypeBool, ActivationPowerCycle, InverseExact, ConsentNamed, "VM.logging",
		field(func(v *VM) Fact[bool] { return v.Logging }, BoolValue),
		also{privileges: []string{privilegeSettings}}},
	{"vm-stats-collection", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNever, "VM.statsCollection",
		field(func(v *VM) Fact[bool] { return v.StatsCollection }, BoolValue), also{}},
	{"vm-nested-hv", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNever, "VM.nestedHV",
		field(func(v *VM) Fact[bool] { return v.NestedHV }, BoolValue), also{}},
	{"vm-virtual-pmc", ScopeVM, false, TypeBool, ActivationPowerOff, InverseExact, ConsentNever, "VM.virtualPMC",
		field(func(v *VM) Fact[bool] { return v.VirtualPMC }, BoolValue), also{}},
	{"vm-swap-placement", ScopeVM, false, TypeString, ActivationNextPowerOn, InverseExact, ConsentNever, "VM.swapPlacement",
		field(func(v *VM) Fact[string] { return v.SwapPlacement }, StringValue), also{}},
	// Lowering security must be a manual decision.
	{"vm-encrypted-vmotion", ScopeVM, false, TypeString, ActivationManual, InverseExact, ConsentNever, "VM.encryptedVMotion",
		field(func(v *VM) Fact[string] { return v.EncryptedVMotion }, StringValue), also{}},
	{"vm-flash-cache", ScopeVM, false, TypeLong, ActivationManual, InverseNone, ConsentNever, "VM.flashCacheMB",
		field(func(v *VM) Fact[int64] { return v.FlashCacheMB }, LongValue), also{}},
	{"vm-hardware-version", ScopeVM, false, TypeLong, ActivationManual, InverseNone, ConsentNever, "VM.hardwareVersion",
		field(func(v *VM) Fact[int64] { return v.HardwareVersion }, LongValue), also{}},
	{"vm-guest-id", ScopeVM, false, TypeString, ActivationManual, InverseExact, ConsentNever, "VM.guestId",
		field(func(v *VM) Fact[string] { return v.GuestID }, StringValue), also{}},
	// Kinds of devices that are connected; "" is none.
	{"vm-connected-devices", ScopeVM, false, TypeString, ActivationManual, InverseExact, ConsentNever, "VM.connectedDevices",
		field(func(v *VM) Fact[[]string] { return v.ConnectedDevices }, func(kinds []string) Value { return StringValue(strings.Join(kinds, " ")) }), also{}},
	{"vm-cpu-reservation", ScopeVM, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VM.cpuReservationMHz",
		field(func(v *VM) Fact[int64] { return v.CPUReservationMHz }, LongValue),
		also{trial: quick(atOnce), unit: "MHz", releases: fewer, privileges: []string{privilegeResource}}},
	{"vm-cpu-limit", ScopeVM, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VM.cpuLimitMHz",
		field(func(v *VM) Fact[int64] { return v.CPULimitMHz }, LongValue),
		also{trial: quick(atOnce), unit: "MHz", privileges: []string{privilegeResource}}},
	{"vm-memory-limit", ScopeVM, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VM.memoryLimitMB",
		field(func(v *VM) Fact[int64] { return v.MemoryLimitMB }, LongValue),
		also{trial: randomised(keepsMemory), unit: "MB", privileges: []string{privilegeResource}}},
	{"vm-memory-reservation", ScopeVM, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VM.memoryReservationMB",
		field(func(v *VM) Fact[int64] { return v.MemoryReservationMB }, LongValue),
		also{trial: randomised(keepsMemory), unit: "MB", privileges: []string{privilegeResource}}},
	// Unlocking leaves the full reservation behind, so lock and reservation go back together in one spec.
	{"vm-memory-lock", ScopeVM, false, TypeBool, ActivationLive, InverseEquivalent, ConsentNamed, "VM.memoryReservationLocked",
		field(func(v *VM) Fact[bool] { return v.MemoryReservationLocked }, BoolValue),
		also{
			trial:      randomised(keepsMemory),
			releases:   func(_, to Value) bool { return to.Text == "false" },
			privileges: []string{privilegeResource},
		}},
	// "" removes the key.
	{kindVMVMX, ScopeVM, true, TypeString, ActivationPowerCycle, InverseExact, ConsentNamed, "VM.vmx", on(func(v *VM, key string) Fact[Value] {
		return asValue(v.VMXKey(key), StringValue)
	}),
		also{trial: usual("The change takes effect on the running VM."), removable: true, privileges: []string{privilegeAdvanced}}},
	{"vm-scsi", ScopeVM, false, TypeString, ActivationManual, InverseNone, ConsentNever, "VM.disks",
		field(func(v *VM) Fact[[]*VDisk] { return v.Disks }, func(disks []*VDisk) Value { return StringValue(controllers(disks)) }), also{}},
	{"vm-tools", ScopeVM, false, TypeString, ActivationManual, InverseNone, ConsentNever, "VM.toolsStatus",
		field(func(v *VM) Fact[string] { return v.ToolsStatus }, StringValue), also{}},
	{"vm-snapshots", ScopeVM, false, TypeLong, ActivationManual, InverseNone, ConsentNever, "VM.snapshots",
		field(func(v *VM) Fact[[]*SnapshotPoint] { return v.Snapshots }, func(s []*SnapshotPoint) Value { return LongValue(int64(len(s))) }), also{}},
}

// deviceKinds are settings of a VM's devices.
var deviceKinds = []SettingKind{
	{kindVNICVMX, ScopeVNIC, true, TypeString, ActivationPowerCycle, InverseExact, ConsentNamed, "VM.vmx", on(func(n *VNIC, key string) Fact[Value] {
		return asValue(n.VMXKey(key), StringValue)
	}),
		also{trial: usual("The change takes effect on the running adapter."), removable: true, privileges: []string{privilegeAdvanced}}},
	{"vnic-type", ScopeVNIC, false, TypeString, ActivationManual, InverseNone, ConsentNever, "VNIC.type",
		field(func(n *VNIC) Fact[string] { return n.Type }, StringValue), also{}},
	{"vdisk-iops-limit", ScopeVDisk, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "VDisk.iopsLimit",
		field(func(d *VDisk) Fact[int64] { return d.IOPSLimit }, LongValue),
		also{
			trial:      quick(atOnce),
			unit:       "IOPS",
			privileges: []string{"VirtualMachine.Config.EditDevice", privilegeResource},
		}},
	// Inflating or moving the disk changes it.
	{"vdisk-eager-zeroed", ScopeVDisk, false, TypeBool, ActivationManual, InverseNone, ConsentNever, "VDisk.eagerZeroed",
		field(func(d *VDisk) Fact[bool] { return d.EagerZeroed }, BoolValue), also{}},
}

// groupKinds are settings of clusters, pools, switches, datastores and the vCenter itself.
var groupKinds = []SettingKind{
	{"pool-cpu-limit", ScopePool, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "Pool.cpuLimitMHz",
		field(func(p *Pool) Fact[int64] { return p.CPULimitMHz }, LongValue),
		also{trial: quick(atOnce), unit: "MHz", privileges: []string{"Resource.EditPool"}}},
	{"pool-memory-limit", ScopePool, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "Pool.memoryLimitMB",
		field(func(p *Pool) Fact[int64] { return p.MemoryLimitMB }, LongValue),
		also{trial: randomised(keepsMemory), unit: "MB", privileges: []string{"Resource.EditPool"}}},
	{"cluster-drs-automation", ScopeCluster, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "Cluster.drsAutomation",
		field(func(c *Cluster) Fact[string] { return c.DRSAutomation }, StringValue),
		also{trial: slow(movesStay), privileges: []string{privilegeCluster}}},
	// As the API counts: 1 moves most, 5 least.
	{"cluster-drs-rate", ScopeCluster, false, TypeLong, ActivationLive, InverseExact, ConsentNamed, "Cluster.drsMigrationRate",
		field(func(c *Cluster) Fact[int64] { return c.DRSMigrationRate }, LongValue),
		also{trial: slow(movesStay), privileges: []string{privilegeCluster}}},
	{"cluster-dpm", ScopeCluster, false, TypeBool, ActivationManual, InverseExact, ConsentNever, "Cluster.dpmEnabled",
		field(func(c *Cluster) Fact[bool] { return c.DPMEnabled }, BoolValue), also{}},
	{"cluster-scale-shares", ScopeCluster, false, TypeBool, ActivationManual, InverseExact, ConsentNever, "Cluster.scaleShares",
		field(func(c *Cluster) Fact[bool] { return c.ScaleShares }, BoolValue), also{}},
	{"cluster-swap-placement", ScopeCluster, false, TypeString, ActivationNextPowerOn, InverseExact, ConsentNever, "Cluster.swapPlacement",
		field(func(c *Cluster) Fact[string] { return c.SwapPlacement }, StringValue),
		also{trial: none("The setting decides where swap files are created, and acts only while VMs swap.")}},
	{"switch-nioc", ScopeSwitch, false, TypeBool, ActivationLive, InverseExact, ConsentNamed, "Switch.niocEnabled",
		field(func(s *Switch) Fact[bool] { return s.NIOCEnabled }, BoolValue),
		also{
			trial:      Trial{Design: DesignSwitchback, Block: niocBlock, Settle: niocSettle, Reason: "vCenter sends the change to all hosts of the switch, which takes minutes."},
			privileges: []string{"DVSwitch.ResourceManagement"},
		}},
	{"switch-nioc-version", ScopeSwitch, false, TypeString, ActivationManual, InverseNone, ConsentNever, "Switch.niocVersion",
		field(func(s *Switch) Fact[string] { return s.NIOCVersion }, StringValue), also{}},
	{"switch-mtu", ScopeSwitch, false, TypeLong, ActivationManual, InverseExact, ConsentNever, "Switch.mtu",
		field(func(s *Switch) Fact[int64] { return s.MTU }, LongValue), also{}},
	// Of one class of system traffic, such as vmotion.
	{"switch-shares", ScopeSwitch, true, TypeString, ActivationLive, InverseExact, ConsentNever, "Switch.trafficClasses",
		trafficClass(func(c *TrafficClass) Fact[string] { return c.SharesLevel }, StringValue),
		also{trial: usual(atOnce)}},
	{"switch-reservation", ScopeSwitch, true, TypeLong, ActivationLive, InverseExact, ConsentNever, "Switch.trafficClasses",
		trafficClass(func(c *TrafficClass) Fact[int64] { return c.ReservationMbps }, LongValue),
		also{trial: usual(atOnce)}},
	// -1 is none.
	{"switch-limit", ScopeSwitch, true, TypeLong, ActivationLive, InverseExact, ConsentNever, "Switch.trafficClasses",
		trafficClass(func(c *TrafficClass) Fact[int64] { return c.LimitMbps }, LongValue),
		also{trial: usual(atOnce)}},
	{"datastore-unmap", ScopeDatastore, false, TypeString, ActivationLive, InverseExact, ConsentNamed, "Datastore.unmapPriority",
		field(func(d *Datastore) Fact[string] { return d.UnmapPriority }, StringValue),
		also{
			trial:      none("The host reclaims space in the background, hours after the change."),
			privileges: []string{"Host.Config.Storage"},
		}},
	{"datastore-sioc", ScopeDatastore, false, TypeBool, ActivationLive, InverseExact, ConsentNever, "Datastore.siocEnabled",
		field(func(d *Datastore) Fact[bool] { return d.SIOCEnabled }, BoolValue),
		also{trial: usual(atOnce)}},
	// The level of the shortest interval, which the others cannot exceed.
	{"vcenter-stats-level", ScopeVCenter, false, TypeLong, ActivationManual, InverseExact, ConsentNever, "VCenter.statsIntervals",
		field(func(v *VCenter) Fact[[]*StatsInterval] { return v.StatsIntervals }, func(all []*StatsInterval) Value {
			level := int64(0)
			for _, i := range all {
				level = max(level, i.Level)
			}
			return LongValue(level)
		}), also{}},
}

// also is what only some kinds have.
type also struct {
	trial      Trial                          // of a live setting, and of others whose activation says too little; a host option's follows from its key
	unit       string                         // of a number; -1 means that there is no limit
	standard   documented                     // the documented default; hosts report those of their options
	set        bool                           // a list in which order and repetition mean nothing
	releases   func(before, after Value) bool // whether a change gives a reservation back
	removable  bool                           // an empty value removes it
	privileges []string                       // that a write requires; none for what vperf never writes
}

type documented struct{ value, text string }

// fewer reports whether a change lowers a number.
func fewer(before, after Value) bool {
	was, ok := before.Int()
	is, too := after.Int()
	return ok && too && is < was
}

// Privileges that several kinds require. The source is the API reference for the called method and, for VMs, for the field of the
// specification. The reference says nothing about the host's command line; there the kinds have the privileges of the related methods.
// It says nothing about cores per socket and virtual NUMA either, which need the privilege for the number of vCPUs. A disk is sent
// whole with its shares, which count as a resource.
const (
	privilegeCluster  = "Host.Inventory.EditCluster"
	privilegeAdvanced = "VirtualMachine.Config.AdvancedConfig"
	privilegeHost     = "Host.Config.Settings"
	privilegeCPUCount = "VirtualMachine.Config.CPUCount"
	privilegeResource = "VirtualMachine.Config.Resource"
	privilegeSettings = "VirtualMachine.Config.Settings"
)

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
	return n.vm.VMXKey(n.vmxKey(key))
}

func (n *VNIC) vmxKey(key string) string { return "ethernet" + strconv.Itoa(n.Index()) + "." + key }

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
