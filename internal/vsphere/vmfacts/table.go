package vmfacts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/marks"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Table says how every fact of a VM is read. The template flag is always asked for: it is set on every VM, so
// where it is missing the VM has no configuration, and no nil below it means anything.
var Table = property.Table[*vm]{
	Of:     "VirtualMachine",
	Always: []string{tree.PathName, tree.PathParent, tree.PathVApp, tree.PathTemplate, tree.PathVMHost, tree.PathConnection},
	Entries: slices.Concat(marks.Entries("VM", func(v *vm) *inventory.Entity { return &v.Entity }), vmFlags, vmDevices, []property.Entry[*vm]{
		property.Leaf("VM.hostId", tree.PathVMHost, property.ID, property.Must, func(v *vm) *inventory.Fact[string] { return &v.HostID }),
		property.Leaf("VM.template", tree.PathTemplate, property.Bool, property.Must, func(v *vm) *inventory.Fact[bool] { return &v.Template }),
		property.Leaf("VM.powerState", "runtime.powerState", property.Text, property.Must, func(v *vm) *inventory.Fact[string] { return &v.PowerState }),
		// A VM that is off has no time of its start.
		property.Leaf("VM.bootTime", "runtime.bootTime", property.As[time.Time], property.None, func(v *vm) *inventory.Fact[time.Time] { return &v.BootTime }),
		// A VM that is off, or that uses no CPU feature beyond the baseline, needs no mode.
		property.Leaf("VM.evcMode", "runtime.minRequiredEVCModeKey", property.Text, property.None, func(v *vm) *inventory.Fact[string] { return &v.EVCMode }),
		property.Leaf("VM.vcpus", "config.hardware.numCPU", property.Int, property.Must, func(v *vm) *inventory.Fact[int64] { return &v.VCPUs }),
		// Before 7.0 U3 unset is one.
		property.Leaf("VM.coresPerSocket", "config.hardware.numCoresPerSocket", property.Int, property.Means(int64(1)),
			func(v *vm) *inventory.Fact[int64] { return &v.CoresPerSocket }),
		// Servers before 8.0 do not know the property: nobody picks there.
		{Facts: []string{"VM.autoCoresPerSocket"}, Paths: []string{pathAutoCores}, Fill: fillAutoCores},
		{Facts: []string{"VM.hardwareVersion"}, Paths: []string{"config.version"}, Fill: fillHardwareVersion},
		property.Leaf("VM.cpuHotAdd", "config.cpuHotAddEnabled", property.Bool, property.Means(false),
			func(v *vm) *inventory.Fact[bool] { return &v.CPUHotAdd }),
		// Servers before 8.0 do not know the property; one of 8.0 leaves it out of VMs of old hardware, and of some others.
		property.Leaf("VM.vnumaOnHotAdd", "config.numaInfo.vnumaOnCpuHotaddExposed", property.Bool, property.Because[bool](noVNUMA),
			func(v *vm) *inventory.Fact[bool] { return &v.VNUMAOnHotAdd }),
		// A VM that is not pinned has no affinity, or an empty one.
		property.Leaf("VM.cpuAffinity", "config.cpuAffinity.affinitySet", property.Ints, property.Means([]int64{}),
			func(v *vm) *inventory.Fact[[]int64] { return &v.CPUAffinity }),
		property.Leaf("VM.guestId", tree.PathGuest, property.Text, property.Must, func(v *vm) *inventory.Fact[string] { return &v.GuestID }),
		property.Leaf("VM.toolsStatus", "guest.toolsVersionStatus2", property.Text, property.Because[string](noTools),
			func(v *vm) *inventory.Fact[string] { return &v.ToolsStatus }),
		property.Leaf("VM.memoryMB", "config.hardware.memoryMB", property.Int, property.Must, func(v *vm) *inventory.Fact[int64] { return &v.MemoryMB }),
		{Facts: []string{"VM.activeMemoryMB"}, Paths: []string{pathActive, pathStatus}, Fill: fillActiveMemory},
		{Facts: []string{"VM.lowerTierReadMBps"}, Paths: []string{pathTierStats, pathStatus}, Fill: fillLowerTierReads},
		property.Leaf("VM.latencySensitivity", "config.latencySensitivity.level", asLatency, property.Means("normal"),
			func(v *vm) *inventory.Fact[string] { return &v.LatencySensitivity }),
		// Servers before 8.0 do not know the property: there is one thread.
		{Facts: []string{"VM.threadsPerCore"}, Paths: []string{pathThreads}, Fill: fillThreads},
		property.Leaf("VM.cpuReservationMHz", "config.cpuAllocation.reservation", property.Int, property.Must,
			func(v *vm) *inventory.Fact[int64] { return &v.CPUReservationMHz }),
		property.Leaf("VM.cpuLimitMHz", "config.cpuAllocation.limit", property.Int, property.Must,
			func(v *vm) *inventory.Fact[int64] { return &v.CPULimitMHz }),
		property.Leaf("VM.memoryLimitMB", "config.memoryAllocation.limit", property.Int, property.Must,
			func(v *vm) *inventory.Fact[int64] { return &v.MemoryLimitMB }),
		property.Leaf("VM.memoryReservationMB", "config.memoryAllocation.reservation", property.Int, property.Must,
			func(v *vm) *inventory.Fact[int64] { return &v.MemoryReservationMB }),
		property.Leaf("VM.memoryReservationLocked", "config.memoryReservationLockedToMax", property.Bool, property.Means(false),
			func(v *vm) *inventory.Fact[bool] { return &v.MemoryReservationLocked }),
		// A VM without snapshots has no tree.
		property.Leaf("VM.snapshots", PathSnapshots, asSnapshots, property.Means([]*inventory.SnapshotPoint{}),
			func(v *vm) *inventory.Fact[[]*inventory.SnapshotPoint] { return &v.Snapshots }),
		{Facts: []string{"VM.snapshotBytes"}, Paths: []string{PathSnapshots}, Fill: fillSnapshotBytes},
		property.Leaf("VM.consolidationNeeded", "runtime.consolidationNeeded", property.Bool, property.Must,
			func(v *vm) *inventory.Fact[bool] { return &v.ConsolidationNeeded }),
		// pnicFeatures of a vNIC is one of these keys. A VM without extra configuration has no keys.
		{Facts: []string{"VM.vmx", "VNIC.pnicFeatures"}, Paths: []string{"config.extraConfig"}, Fill: fillVMX},
		{Facts: []string{"VM.vnics", "VNIC.type", "VNIC.pnicFeatures", "VNIC.uptv2", "VNIC.strictLatency", "VNIC.numaNode", "VNIC.switch"},
			Paths: []string{PathDevices}, Fill: fillVNICs},
		{Facts: []string{"VNIC.pnicFeatures"}, Fill: fillPNICFeatures},
		{Facts: []string{"VNIC.switch"}, Fill: func(*property.Props, *vm) {}}, // the index knows the switches
		{Facts: []string{"VM.disks", "VDisk.controller", "VDisk.iopsLimit", "VDisk.controllerKey", "VDisk.address", "VDisk.capacityMB", "VDisk.backing",
			"VDisk.thin", "VDisk.eagerZeroed", "VDisk.deltaFormat", "VDisk.datastoreId", "VDisk.flashCacheMB", "VDisk.busSharing", "VDisk.lunUuid"},
			Paths: []string{PathDevices}, Fill: fillDisks},
	}),
}

const noVNUMA = "the server does not say whether virtual NUMA is exposed"

const noTools = "the server knows of no VMware Tools, as of a virtual machine that has never run"

func fillAutoCores(p *property.Props, v *vm) {
	v.AutoCoresPerSocket = property.ReadEver(p, pathAutoCores, property.Bool, false)
}

func fillThreads(p *property.Props, v *vm) {
	v.ThreadsPerCore = property.ReadEver(p, pathThreads, asThreads, 1)
}

// fillHardwareVersion reads vmx-19 as 19.
func fillHardwareVersion(p *property.Props, v *vm) {
	v.HardwareVersion = property.Then(property.Read(p, "config.version", property.Text, property.Must), func(text string) inventory.Fact[int64] {
		number, ok := strings.CutPrefix(text, "vmx-")
		n, err := strconv.ParseInt(number, 10, 64)
		if !ok || err != nil {
			return inventory.Unread[int64]("the server calls the hardware version " + session.Plain(text))
		}
		return inventory.Known(n)
	})
}

// asLatency: custom is a level of its own that ESXi gave up; it behaves as normal.
func asLatency(v any) (string, bool) {
	level, ok := property.Text(v)
	if level == string(types.LatencySensitivitySensitivityLevelCustom) {
		level = string(types.LatencySensitivitySensitivityLevelNormal)
	}
	return level, ok
}

func asThreads(v any) (int64, bool) {
	n, ok := property.Int(v)
	return max(n, 1), ok // 0 is how some servers write unset
}

func fillVMX(p *property.Props, v *vm) {
	v.VMX = property.Read(p, "config.extraConfig", asVMX, property.Means(map[string]string{}))
}

func fillVNICs(p *property.Props, v *vm) {
	v.VNICs = property.Read(p, PathDevices, asVNICs, property.Means([]*inventory.VNIC{}))
}

func asVNICs(v any) ([]*inventory.VNIC, bool) {
	list, ok := property.As[types.ArrayOfVirtualDevice](v)
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
		n.StrictLatency = property.Stated(c.Allowed, "whether real-time networking is allowed on "+session.Plain(n.Label))
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

func fillPNICFeatures(_ *property.Props, v *vm) {
	nics, _ := v.VNICs.Value()
	for _, n := range nics {
		key := "ethernet" + strconv.Itoa(n.Index()) + ".pnicFeatures"
		n.PNICFeatures = property.Then(v.VMXKey(key), func(text string) inventory.Fact[int64] { return parseFeatures(key, text) })
	}
}

// parseFeatures reads the bitmask; no key is no bits.
func parseFeatures(key, text string) inventory.Fact[int64] {
	if text == "" {
		return inventory.Known(int64(0))
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return inventory.Unread[int64](fmt.Sprintf("%s is %q, not a number", key, session.Plain(text)))
	}
	return inventory.Known(n)
}

// asSnapshots flattens the tree from the root down. It keeps its own stack: chains can be long.
func asSnapshots(v any) ([]*inventory.SnapshotPoint, bool) {
	list, ok := property.As[types.ArrayOfVirtualMachineSnapshotTree](v)
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
		points = append(points, &inventory.SnapshotPoint{Name: tree.Unescape(at.tree.Name), Created: at.tree.CreateTime, Depth: at.depth})
		push(at.tree.ChildSnapshotList, at.depth+1)
	}
	return points, ok
}
