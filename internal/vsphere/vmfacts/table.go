package vmfacts

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Table defines how every fact of a VM is read. The template flag is always requested: every VM has it, so if it is missing, the
// VM has no configuration, and a nil below it has no meaning.
var Table = property.Table[*vm]{
	Of:     "VirtualMachine",
	Always: []string{tree.PathName, tree.PathParent, tree.PathVApp, tree.PathTemplate, tree.PathVMHost, tree.PathConnection},
	Entries: slices.Concat(tagging.Entries("VM", func(v *vm) *inventory.Entity { return &v.Entity }), vmFlags, vmDevices, []property.Entry[*vm]{
		property.Leaf("VM.hostId", tree.PathVMHost, property.ID, property.Required, func(v *vm) *inventory.Fact[string] { return &v.HostID }),
		property.Leaf("VM.template", tree.PathTemplate, property.Bool, property.Required, func(v *vm) *inventory.Fact[bool] { return &v.Template }),
		property.Leaf("VM.powerState", "runtime.powerState", property.Text, property.Required, func(v *vm) *inventory.Fact[string] { return &v.PowerState }),
		// A powered-off VM has no boot time.
		property.Leaf("VM.bootTime", "runtime.bootTime", property.As[time.Time], property.AbsentIfUnset, func(v *vm) *inventory.Fact[time.Time] { return &v.BootTime }),
		// A VM that is powered off, or that uses no CPU feature beyond the baseline, requires no mode.
		property.Leaf("VM.evcMode", "runtime.minRequiredEVCModeKey", property.Text, property.AbsentIfUnset, func(v *vm) *inventory.Fact[string] { return &v.EVCMode }),
		property.Leaf("VM.vcpus", "config.hardware.numCPU", property.Int, property.Required, func(v *vm) *inventory.Fact[int64] { return &v.VCPUs }),
		// Before 7.0 U3 unset means one.
		property.Leaf("VM.coresPerSocket", "config.hardware.numCoresPerSocket", property.Int, property.DefaultTo(int64(1)),
			func(v *vm) *inventory.Fact[int64] { return &v.CoresPerSocket }),
		// Servers before 8.0 do not know the property: ESXi never chooses there.
		{Facts: []string{"VM.autoCoresPerSocket"}, Paths: []string{pathAutoCores}, Fill: fillAutoCores},
		{Facts: []string{"VM.hardwareVersion"}, Paths: []string{"config.version"}, Fill: fillHardwareVersion},
		property.Leaf("VM.cpuHotAdd", "config.cpuHotAddEnabled", property.Bool, property.DefaultTo(false),
			func(v *vm) *inventory.Fact[bool] { return &v.CPUHotAdd }),
		// Servers before 8.0 do not know the property; 8.0 omits it for VMs with old hardware versions, and for some others.
		property.Leaf("VM.vnumaOnHotAdd", "config.numaInfo.vnumaOnCpuHotaddExposed", property.Bool, property.UnreadIfUnset[bool](noVNUMA),
			func(v *vm) *inventory.Fact[bool] { return &v.VNUMAOnHotAdd }),
		// A VM that is not pinned has no affinity, or an empty one.
		property.Leaf("VM.cpuAffinity", "config.cpuAffinity.affinitySet", property.Ints, property.DefaultTo([]int64{}),
			func(v *vm) *inventory.Fact[[]int64] { return &v.CPUAffinity }),
		property.Leaf("VM.guestId", tree.PathGuest, property.Text, property.Required, func(v *vm) *inventory.Fact[string] { return &v.GuestID }),
		property.Leaf("VM.toolsStatus", "guest.toolsVersionStatus2", property.Text, property.UnreadIfUnset[string](noTools),
			func(v *vm) *inventory.Fact[string] { return &v.ToolsStatus }),
		property.Leaf("VM.memoryMB", "config.hardware.memoryMB", property.Int, property.Required, func(v *vm) *inventory.Fact[int64] { return &v.MemoryMB }),
		{Facts: []string{"VM.activeMemoryMB"}, Paths: []string{pathActive, pathStatus}, Fill: fillActiveMemory},
		{Facts: []string{"VM.lowerTierReadMBps"}, Paths: []string{pathTierStats, pathStatus}, Fill: fillLowerTierReads},
		property.Leaf("VM.latencySensitivity", "config.latencySensitivity.level", asLatency, property.DefaultTo("normal"),
			func(v *vm) *inventory.Fact[string] { return &v.LatencySensitivity }),
		// Servers before 8.0 do not know the property: there is one thread.
		{Facts: []string{"VM.threadsPerCore"}, Paths: []string{pathThreads}, Fill: fillThreads},
		property.Leaf("VM.cpuReservationMHz", "config.cpuAllocation.reservation", property.Int, property.Required,
			func(v *vm) *inventory.Fact[int64] { return &v.CPUReservationMHz }),
		property.Leaf("VM.cpuLimitMHz", "config.cpuAllocation.limit", property.Int, property.Required,
			func(v *vm) *inventory.Fact[int64] { return &v.CPULimitMHz }),
		property.Leaf("VM.memoryLimitMB", "config.memoryAllocation.limit", property.Int, property.Required,
			func(v *vm) *inventory.Fact[int64] { return &v.MemoryLimitMB }),
		property.Leaf("VM.memoryReservationMB", "config.memoryAllocation.reservation", property.Int, property.Required,
			func(v *vm) *inventory.Fact[int64] { return &v.MemoryReservationMB }),
		property.Leaf("VM.memoryReservationLocked", "config.memoryReservationLockedToMax", property.Bool, property.DefaultTo(false),
			func(v *vm) *inventory.Fact[bool] { return &v.MemoryReservationLocked }),
		// A VM without snapshots has no tree.
		property.Leaf("VM.snapshots", PathSnapshots, asSnapshots, property.DefaultTo([]*inventory.SnapshotPoint{}),
			func(v *vm) *inventory.Fact[[]*inventory.SnapshotPoint] { return &v.Snapshots }),
		{Facts: []string{"VM.snapshotBytes"}, Paths: []string{PathSnapshots}, Fill: fillSnapshotBytes},
		property.Leaf("VM.consolidationNeeded", "runtime.consolidationNeeded", property.Bool, property.Required,
			func(v *vm) *inventory.Fact[bool] { return &v.ConsolidationNeeded }),
		// pnicFeatures of a vNIC is one of these keys. A VM without extra configuration has no keys.
		{Facts: []string{"VM.vmx", "VNIC.pnicFeatures"}, Paths: []string{"config.extraConfig"}, Fill: fillVMX},
		{Facts: []string{"VM.vnics", "VNIC.type", "VNIC.pnicFeatures", "VNIC.uptv2", "VNIC.strictLatency", "VNIC.numaNode", "VNIC.switch"},
			Paths: []string{PathDevices}, Fill: fillVNICs},
		{Facts: []string{"VNIC.pnicFeatures"}, Fill: fillPNICFeatures},
		{Facts: []string{"VNIC.switch"}, Fill: func(*property.Props, *vm) {}}, // the index has the switches
		{Facts: []string{"VM.disks", "VDisk.controller", "VDisk.iopsLimit", "VDisk.controllerKey", "VDisk.address", "VDisk.capacityMB", "VDisk.backing",
			"VDisk.thin", "VDisk.eagerZeroed", "VDisk.deltaFormat", "VDisk.datastoreId", "VDisk.flashCacheMB", "VDisk.busSharing", "VDisk.lunUuid"},
			Paths: []string{PathDevices}, Fill: fillDisks},
	}),
}

func fillAutoCores(p *property.Props, v *vm) {
	v.AutoCoresPerSocket = property.ReadOrDefault(p, pathAutoCores, property.Bool, false)
}

func fillThreads(p *property.Props, v *vm) {
	v.ThreadsPerCore = property.ReadOrDefault(p, pathThreads, asThreads, 1)
}

// fillHardwareVersion parses vmx-19 as 19.
func fillHardwareVersion(p *property.Props, v *vm) {
	v.HardwareVersion = property.Then(property.Read(p, "config.version", property.Text, property.Required), func(text string) inventory.Fact[int64] {
		number, ok := strings.CutPrefix(text, "vmx-")
		n, err := strconv.ParseInt(number, 10, 64)
		if !ok || err != nil {
			return inventory.Unread[int64]("the server reports the hardware version as " + session.Plain(text))
		}
		return inventory.Known(n)
	})
}

// asLatency decodes the latency sensitivity. ESXi no longer supports the level custom and treats it as normal.
func asLatency(v any) (string, bool) {
	level, ok := property.Text(v)
	if level == string(types.LatencySensitivitySensitivityLevelCustom) {
		level = string(types.LatencySensitivitySensitivityLevelNormal)
	}
	return level, ok
}

func asThreads(v any) (int64, bool) {
	n, ok := property.Int(v)
	return max(n, 1), ok // some servers send 0 for unset
}
