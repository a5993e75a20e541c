package vsphere

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

type vm = inventory.VM

const (
	pathDevices   = "config.hardware.device"
	pathFrozen    = "runtime.instantCloneFrozen"
	pathAutoCores = "config.hardware.autoCoresPerSocket"
	pathThreads   = "config.hardware.simultaneousThreads"
)

// vmTable says how every fact of a VM is read. The template flag is always asked for: it is set on every VM, so
// where it is missing the VM has no configuration, and no nil below it means anything.
var vmTable = table[*vm]{
	of:     "VirtualMachine",
	always: []string{pathName, pathParent, pathVApp, pathTemplate, pathVMHost, pathConnection},
	entries: slices.Concat(marks("VM", func(v *vm) *inventory.Entity { return &v.Entity }), vmFlags, vmDevices, []entry[*vm]{
		leaf("VM.hostId", pathVMHost, asID, must, func(v *vm) *inventory.Fact[string] { return &v.HostID }),
		leaf("VM.template", pathTemplate, asBool, must, func(v *vm) *inventory.Fact[bool] { return &v.Template }),
		leaf("VM.powerState", "runtime.powerState", asText, must, func(v *vm) *inventory.Fact[string] { return &v.PowerState }),
		// A VM that is off has no time of its start.
		leaf("VM.bootTime", "runtime.bootTime", asIs[time.Time], none, func(v *vm) *inventory.Fact[time.Time] { return &v.BootTime }),
		// A VM that is off, or that uses no CPU feature beyond the baseline, needs no mode.
		leaf("VM.evcMode", "runtime.minRequiredEVCModeKey", asText, none, func(v *vm) *inventory.Fact[string] { return &v.EVCMode }),
		leaf("VM.vcpus", "config.hardware.numCPU", asInt, must, func(v *vm) *inventory.Fact[int64] { return &v.VCPUs }),
		// Before 7.0 U3 unset is one.
		leaf("VM.coresPerSocket", "config.hardware.numCoresPerSocket", asInt, means(int64(1)),
			func(v *vm) *inventory.Fact[int64] { return &v.CoresPerSocket }),
		// Servers before 8.0 do not know the property: nobody picks there.
		{facts: []string{"VM.autoCoresPerSocket"}, paths: []string{pathAutoCores}, fill: fillAutoCores},
		{facts: []string{"VM.hardwareVersion"}, paths: []string{"config.version"}, fill: fillHardwareVersion},
		leaf("VM.cpuHotAdd", "config.cpuHotAddEnabled", asBool, means(false),
			func(v *vm) *inventory.Fact[bool] { return &v.CPUHotAdd }),
		// Servers before 8.0 do not know the property; one of 8.0 leaves it out of VMs of old hardware, and of some others.
		leaf("VM.vnumaOnHotAdd", "config.numaInfo.vnumaOnCpuHotaddExposed", asBool, because[bool](noVNUMA),
			func(v *vm) *inventory.Fact[bool] { return &v.VNUMAOnHotAdd }),
		// A VM that is not pinned has no affinity, or an empty one.
		leaf("VM.cpuAffinity", "config.cpuAffinity.affinitySet", asInts, means([]int64{}),
			func(v *vm) *inventory.Fact[[]int64] { return &v.CPUAffinity }),
		leaf("VM.guestId", pathGuest, asText, must, func(v *vm) *inventory.Fact[string] { return &v.GuestID }),
		leaf("VM.toolsStatus", "guest.toolsVersionStatus2", asText, because[string](noTools),
			func(v *vm) *inventory.Fact[string] { return &v.ToolsStatus }),
		leaf("VM.memoryMB", "config.hardware.memoryMB", asInt, must, func(v *vm) *inventory.Fact[int64] { return &v.MemoryMB }),
		{facts: []string{"VM.activeMemoryMB"}, paths: []string{pathActive, pathStatus}, fill: fillActiveMemory},
		{facts: []string{"VM.lowerTierReadMBps"}, paths: []string{pathTierStats, pathStatus}, fill: fillLowerTierReads},
		leaf("VM.latencySensitivity", "config.latencySensitivity.level", asLatency, means("normal"),
			func(v *vm) *inventory.Fact[string] { return &v.LatencySensitivity }),
		// Servers before 8.0 do not know the property: there is one thread.
		{facts: []string{"VM.threadsPerCore"}, paths: []string{pathThreads}, fill: fillThreads},
		leaf("VM.cpuReservationMHz", "config.cpuAllocation.reservation", asInt, must,
			func(v *vm) *inventory.Fact[int64] { return &v.CPUReservationMHz }),
		leaf("VM.cpuLimitMHz", "config.cpuAllocation.limit", asInt, must,
			func(v *vm) *inventory.Fact[int64] { return &v.CPULimitMHz }),
		leaf("VM.memoryLimitMB", "config.memoryAllocation.limit", asInt, must,
			func(v *vm) *inventory.Fact[int64] { return &v.MemoryLimitMB }),
		leaf("VM.memoryReservationMB", "config.memoryAllocation.reservation", asInt, must,
			func(v *vm) *inventory.Fact[int64] { return &v.MemoryReservationMB }),
		leaf("VM.memoryReservationLocked", "config.memoryReservationLockedToMax", asBool, means(false),
			func(v *vm) *inventory.Fact[bool] { return &v.MemoryReservationLocked }),
		// A VM without snapshots has no tree.
		leaf("VM.snapshots", pathSnapshots, asSnapshots, means([]*inventory.SnapshotPoint{}),
			func(v *vm) *inventory.Fact[[]*inventory.SnapshotPoint] { return &v.Snapshots }),
		{facts: []string{"VM.snapshotBytes"}, paths: []string{pathSnapshots}, fill: fillSnapshotBytes},
		leaf("VM.consolidationNeeded", "runtime.consolidationNeeded", asBool, must,
			func(v *vm) *inventory.Fact[bool] { return &v.ConsolidationNeeded }),
		// pnicFeatures of a vNIC is one of these keys. A VM without extra configuration has no keys.
		{facts: []string{"VM.vmx", "VNIC.pnicFeatures"}, paths: []string{"config.extraConfig"}, fill: fillVMX},
		{facts: []string{"VM.vnics", "VNIC.type", "VNIC.pnicFeatures", "VNIC.uptv2", "VNIC.strictLatency", "VNIC.numaNode", "VNIC.switch"},
			paths: []string{pathDevices}, fill: fillVNICs},
		{facts: []string{"VNIC.pnicFeatures"}, fill: fillPNICFeatures},
		{facts: []string{"VNIC.switch"}, fill: func(*props, *vm) {}}, // the index knows the switches
		{facts: []string{"VM.disks", "VDisk.controller", "VDisk.iopsLimit", "VDisk.controllerKey", "VDisk.address", "VDisk.capacityMB", "VDisk.backing",
			"VDisk.thin", "VDisk.eagerZeroed", "VDisk.deltaFormat", "VDisk.datastoreId", "VDisk.flashCacheMB", "VDisk.busSharing", "VDisk.lunUuid"},
			paths: []string{pathDevices}, fill: fillDisks},
	}),
}

const noVNUMA = "the server does not say whether virtual NUMA is exposed"

const noTools = "the server knows of no VMware Tools, as of a virtual machine that has never run"

func fillAutoCores(p *props, v *vm) { v.AutoCoresPerSocket = readEver(p, pathAutoCores, asBool, false) }

func fillThreads(p *props, v *vm) { v.ThreadsPerCore = readEver(p, pathThreads, asThreads, 1) }

// fillHardwareVersion reads vmx-19 as 19.
func fillHardwareVersion(p *props, v *vm) {
	v.HardwareVersion = then(read(p, "config.version", asText, must), func(text string) inventory.Fact[int64] {
		number, ok := strings.CutPrefix(text, "vmx-")
		n, err := strconv.ParseInt(number, 10, 64)
		if !ok || err != nil {
			return inventory.Unread[int64]("the server calls the hardware version " + plain(text))
		}
		return inventory.Known(n)
	})
}

// asLatency: custom is a level of its own that ESXi gave up; it behaves as normal.
func asLatency(v any) (string, bool) {
	level, ok := asText(v)
	if level == string(types.LatencySensitivitySensitivityLevelCustom) {
		level = string(types.LatencySensitivitySensitivityLevelNormal)
	}
	return level, ok
}

func asThreads(v any) (int64, bool) {
	n, ok := asInt(v)
	return max(n, 1), ok // 0 is how some servers write unset
}

func fillVMX(p *props, v *vm) {
	v.VMX = read(p, "config.extraConfig", asVMX, means(map[string]string{}))
}

func fillVNICs(p *props, v *vm) {
	v.VNICs = read(p, pathDevices, asVNICs, means([]*inventory.VNIC{}))
}

func asVNICs(v any) ([]*inventory.VNIC, bool) {
	list, ok := asIs[types.ArrayOfVirtualDevice](v)
	nics := []*inventory.VNIC{}
	for _, d := range list.VirtualDevice {
		if card, isCard := d.(types.BaseVirtualEthernetCard); isCard {
			nics = append(nics, vnic(card))
		}
	}
	slices.SortFunc(nics, func(a, b *inventory.VNIC) int { return cmp.Compare(a.Key, b.Key) })
	return nics, ok
}

func vnic(card types.BaseVirtualEthernetCard) *inventory.VNIC {
	d := card.GetVirtualEthernetCard().VirtualDevice
	n := &inventory.VNIC{
		Key: d.Key, Type: inventory.Known(vnicType(card)), NUMANode: deviceNode(d),
		UPTv2: inventory.Absent[bool](), StrictLatency: inventory.Absent[bool](),
	}
	n.Label = cmp.Or(label(d), "ethernet"+strconv.Itoa(n.Index()))
	if v := vmxnet3(card); v != nil {
		fillVmxnet3(n, v)
	}
	return n
}

// vmxnet3 is the adapter as one of that kind, or nil.
func vmxnet3(card types.BaseVirtualEthernetCard) *types.VirtualVmxnet3 {
	switch c := card.(type) {
	case *types.VirtualVmxnet3:
		return c
	case *types.VirtualVmxnet3Vrdma:
		return &c.VirtualVmxnet3
	}
	return nil
}

// fillVmxnet3: servers that do not know of passthrough or of real-time networking leave it out, and so do later ones of
// adapters that were never given it.
func fillVmxnet3(n *inventory.VNIC, v *types.VirtualVmxnet3) {
	if v.Uptv2Enabled != nil {
		n.UPTv2 = inventory.Known(*v.Uptv2Enabled)
	}
	if c := v.StrictLatencyConfig; c != nil {
		n.StrictLatency = stated(c.Allowed, "whether real-time networking is allowed on "+plain(n.Label))
	}
}

// label is what clients show for a device, or "".
func label(d types.VirtualDevice) string {
	if d.DeviceInfo == nil {
		return ""
	}
	return d.DeviceInfo.GetDescription().Label
}

// vnicType is the adapter the guest sees. Types embed each other in govmomi, so each is named: a paravirtual RDMA
// adapter is a vmxnet3 with RDMA beside it.
func vnicType(card types.BaseVirtualEthernetCard) string {
	switch card.(type) {
	case *types.VirtualVmxnet3, *types.VirtualVmxnet3Vrdma:
		return inventory.VNICVmxnet3
	case *types.VirtualVmxnet2:
		return inventory.VNICVmxnet2
	case *types.VirtualVmxnet:
		return inventory.VNICVmxnet
	case *types.VirtualE1000:
		return inventory.VNICE1000
	case *types.VirtualE1000e:
		return inventory.VNICE1000e
	case *types.VirtualPCNet32:
		return inventory.VNICPCNet32
	case *types.VirtualSriovEthernetCard:
		return inventory.VNICSRIOV
	}
	return inventory.VNICOther
}

func fillPNICFeatures(_ *props, v *vm) {
	nics, _ := v.VNICs.Value()
	for _, n := range nics {
		key := "ethernet" + strconv.Itoa(n.Index()) + ".pnicFeatures"
		n.PNICFeatures = then(v.VMXKey(key), func(text string) inventory.Fact[int64] { return parseFeatures(key, text) })
	}
}

// parseFeatures reads the bitmask; no key is no bits.
func parseFeatures(key, text string) inventory.Fact[int64] {
	if text == "" {
		return inventory.Known(int64(0))
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return inventory.Unread[int64](fmt.Sprintf("%s is %q, not a number", key, plain(text)))
	}
	return inventory.Known(n)
}

// asSnapshots flattens the tree from the root down. It keeps its own stack: chains can be long.
func asSnapshots(v any) ([]*inventory.SnapshotPoint, bool) {
	list, ok := asIs[types.ArrayOfVirtualMachineSnapshotTree](v)
	type level struct {
		tree  types.VirtualMachineSnapshotTree
		depth int64
	}
	points := []*inventory.SnapshotPoint{}
	var todo []level
	push := func(trees []types.VirtualMachineSnapshotTree, depth int64) {
		for _, t := range slices.Backward(trees) {
			todo = append(todo, level{t, depth})
		}
	}
	push(list.VirtualMachineSnapshotTree, 1)
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		points = append(points, &inventory.SnapshotPoint{Name: unescape(at.tree.Name), Created: at.tree.CreateTime, Depth: at.depth})
		push(at.tree.ChildSnapshotList, at.depth+1)
	}
	return points, ok
}
