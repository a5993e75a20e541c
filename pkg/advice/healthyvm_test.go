package advice_test

import (
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// A vmKind makes one kind of healthy VM out of an ordinary one.
type vmKind func(e *healthy, v *inventory.VM, h *inventory.Host, m machine)

// vms adds a few VMs to a host, within the capacity of its cores and memory.
func (e *healthy) vms(h *inventory.Host, m machine, root *inventory.Pool) {
	kinds := []vmKind{ordinaryVM, ordinaryVM, offVM, templateVM, nsxEdgeVM, wideVM, clusterServiceVM, backedUpVM, largePagesVM, desktopParentVM}
	if m.kind == "physical" {
		kinds = append(kinds, passthroughVM)
	}
	if m.hardware != "" && m.policy == "static" {
		kinds = append(kinds, latencyVM)
	}
	for range 1 + e.rand.IntN(6) {
		e.vm(h, m, root, pick(e.rand, kinds...))
	}
}

func (e *healthy) vm(h *inventory.Host, m machine, pool *inventory.Pool, kind vmKind) {
	v := &inventory.VM{
		Entity: e.entity("vm"), HostID: inventory.Known(h.ID), Template: inventory.Known(false), PowerState: inventory.Known("poweredOn"),
		VCPUs: inventory.Known[int64](2), CoresPerSocket: inventory.Known[int64](1), AutoCoresPerSocket: inventory.Known(false),
		HardwareVersion: inventory.Known(newestHardware(m.version)), CPUHotAdd: inventory.Known(false), VNUMAOnHotAdd: inventory.Absent[bool](),
		CoresPerNUMANode: inventory.Absent[int64](), AutoCoresPerNUMANode: inventory.Absent[bool](), MemoryHotAdd: inventory.Known(false),
		MemoryAffinity: inventory.Known([]int64{}), HTSharing: inventory.Known("any"), VirtualMMU: inventory.Known("automatic"),
		VirtualExec: inventory.Known("hvAuto"), MonitorType: inventory.Known("release"), Logging: inventory.Known(true), VBS: inventory.Known(false),
		StatsCollection: inventory.Absent[bool](), NestedHV: inventory.Known(false), VirtualPMC: inventory.Known(false),
		LatencyVCPUs: inventory.Known[int64](0), SwapPlacement: inventory.Known("inherit"), EncryptedVMotion: inventory.Known("opportunistic"),
		Encrypted: inventory.Known(false), ManagedBy: inventory.Known(""), FlashCacheMB: inventory.Known[int64](0),
		RunningGuestID: inventory.Known("rhel9_64Guest"), RunningGuestFamily: inventory.Known("linuxGuest"), GuestID: inventory.Known("rhel9_64Guest"),
		ConnectedDevices: inventory.Known([]string{}), PCIDevices: inventory.Known([]*inventory.PCIDevice{}), PoolID: inventory.Known(pool.ID),
		DatastoreIDs: inventory.Known([]string{}), CPUAffinity: inventory.Known([]int64{}), ToolsStatus: inventory.Known("guestToolsCurrent"),
		MemoryMB: inventory.Known[int64](8 << 10), LatencySensitivity: inventory.Known("normal"), ThreadsPerCore: inventory.Known[int64](1),
		CPUReservationMHz: inventory.Known[int64](0), CPULimitMHz: inventory.Known[int64](-1), MemoryLimitMB: inventory.Known[int64](-1),
		MemoryReservationMB: inventory.Known[int64](0), MemoryReservationLocked: inventory.Known(false),
		Snapshots: inventory.Known([]*inventory.SnapshotPoint{}), SnapshotBytes: inventory.Known[int64](0), ConsolidationNeeded: inventory.Known(false),
		Appliance: inventory.Known(""), MaybeAppliance: inventory.Known(""), VDIRole: inventory.Known(""), InstantCloneFrozen: inventory.Known(false),
		EVCMode: inventory.Absent[string](), ActiveMemoryMB: inventory.Known[int64](512), LowerTierReadMBps: inventory.Absent[int64](),
		VMX: inventory.Known(map[string]string{}), BootTime: inventory.Known(healthyNow.Add(-100 * time.Hour)),
	}
	v.VNICs = inventory.Known([]*inventory.VNIC{e.vnic(0)})
	v.Disks = inventory.Known([]*inventory.VDisk{e.vdisk(0)})
	kind(e, v, h, m)
	e.vcenter.VMs = append(e.vcenter.VMs, v)
}

// newestHardware returns the virtual hardware version of new VMs of a release.
func newestHardware(v inventory.Version) int64 {
	for _, r := range []struct {
		from     inventory.Version
		hardware int64
	}{
		{inventory.Version{Major: 9}, 22}, {inventory.Version{Major: 8, Update: 2}, 21}, {inventory.Version{Major: 8}, 20},
		{inventory.Version{Major: 7, Update: 2}, 19}, {inventory.Version{Major: 7, Update: 1}, 18}, {inventory.Version{Major: 7}, 17},
	} {
		if v.AtLeast(r.from) {
			return r.hardware
		}
	}
	return 14
}

func (e *healthy) vnic(n int32) *inventory.VNIC {
	return &inventory.VNIC{
		Key: 4000 + n, Label: fmt.Sprintf("Network adapter %d", n+1), Type: inventory.Known("vmxnet3"), PNICFeatures: inventory.Known[int64](0),
		UPTv2: inventory.Absent[bool](), StrictLatency: inventory.Absent[bool](), NUMANode: inventory.Absent[int64](), Switch: inventory.Known(switchName),
	}
}

func (e *healthy) vdisk(n int32) *inventory.VDisk {
	return &inventory.VDisk{
		Key: 2000 + n, Label: fmt.Sprintf("Hard disk %d", n+1), Controller: inventory.Known("pvscsi"), IOPSLimit: inventory.Known[int64](-1),
		ControllerKey: inventory.Known[int64](1000), CapacityMB: inventory.Known[int64](100 << 10), Backing: inventory.Known("flat"),
		Thin: inventory.Known(true), EagerZeroed: inventory.Known(false), DeltaFormat: inventory.Known(""), DatastoreID: inventory.Absent[string](),
		FlashCacheMB: inventory.Known[int64](0), BusSharing: inventory.Known("noSharing"), LUNUUID: inventory.Absent[string](), Address: inventory.Known("scsi0:0"),
	}
}

func ordinaryVM(e *healthy, v *inventory.VM, _ *inventory.Host, _ machine) {
	if e.once(3) {
		v.GuestID, v.RunningGuestID = inventory.Known("windows2019srvNext_64Guest"), inventory.Known("windows2019srvNext_64Guest")
		v.RunningGuestFamily = inventory.Known("windowsGuest")
	}
	if e.once(4) {
		v.ToolsStatus = inventory.Known("guestToolsUnmanaged") // open-vm-tools
	}
}

// offVM is powered off and has old settings that matter only while a VM runs.
func offVM(_ *healthy, v *inventory.VM, _ *inventory.Host, _ machine) {
	v.PowerState, v.BootTime = inventory.Known("poweredOff"), inventory.Absent[time.Time]()
	v.ToolsStatus = inventory.Known("guestToolsNotInstalled")
	v.RunningGuestID, v.RunningGuestFamily = inventory.Unread[string]("no Tools"), inventory.Unread[string]("no Tools")
	nics, _ := v.VNICs.Value()
	nics[0].Type = inventory.Known("e1000")
	disks, _ := v.Disks.Value()
	disks[0].Controller = inventory.Known("lsilogic")
}

func templateVM(e *healthy, v *inventory.VM, h *inventory.Host, m machine) {
	offVM(e, v, h, m)
	v.Template, v.PoolID = inventory.Known(true), inventory.Absent[string]()
}

// nsxEdgeVM is an appliance that its vendor tuned.
func nsxEdgeVM(e *healthy, v *inventory.VM, _ *inventory.Host, _ machine) {
	v.Name = fmt.Sprintf("NSX-Edge-%d", e.count)
	v.Appliance = inventory.Known("OVF product nsx-edge of VMware, Inc")
	v.VMX = inventory.Known(map[string]string{"ethernet0.ctxPerDev": "3", "ethernet0.pnicFeatures": "4"})
	v.GuestID, v.RunningGuestID = inventory.Known("ubuntu64Guest"), inventory.Known("other5xLinux64Guest")
	v.HardwareVersion = inventory.Known[int64](13)
	nics, _ := v.VNICs.Value()
	nics[0].PNICFeatures = inventory.Known[int64](4)
	v.MemoryReservationMB = v.MemoryMB
}

// clusterServiceVM is one of vSphere Cluster Services: vCenter owns it.
func clusterServiceVM(_ *healthy, v *inventory.VM, _ *inventory.Host, _ machine) {
	v.Name, v.ManagedBy, v.Appliance = "vCLS-1", inventory.Known("com.vmware.vim.eam"), inventory.Known("extension com.vmware.vim.eam")
	v.VCPUs, v.MemoryMB = inventory.Known[int64](1), inventory.Known[int64](128)
	v.GuestID, v.RunningGuestID = inventory.Known("other3xLinux64Guest"), inventory.Known("vmwarePhoton64Guest")
	v.HardwareVersion = inventory.Known[int64](11)
	v.VNICs = inventory.Known([]*inventory.VNIC{})
}

// wideVM has exactly the size of a NUMA node of its host.
func wideVM(e *healthy, v *inventory.VM, _ *inventory.Host, m machine) {
	v.VCPUs, v.CoresPerSocket = inventory.Known(m.cores), inventory.Known(m.cores)
	v.MemoryMB = inventory.Known[int64](64 << 10)
	v.CPUHotAdd = inventory.Known(m.cores <= 8 && e.once(2)) // costs virtual NUMA, and there is one node
	var disks []*inventory.VDisk
	for n := range int32(4) {
		d := e.vdisk(n)
		d.ControllerKey = inventory.Known(int64(1000 + n))
		disks = append(disks, d)
	}
	v.Disks = inventory.Known(disks)
}

// latencyVM has latency sensitivity high and all required settings; half of them run two vCPUs on each core.
func latencyVM(e *healthy, v *inventory.VM, h *inventory.Host, m machine) {
	mhz, _ := h.CPUMHz.Value()
	v.LatencySensitivity, v.LatencyVCPUs = inventory.Known("high"), inventory.Known[int64](0)
	v.MemoryReservationMB, v.MemoryReservationLocked = v.MemoryMB, inventory.Known(true)
	v.CPUReservationMHz = inventory.Known(2 * mhz)
	v.VMX = inventory.Known(map[string]string{
		"sched.swap.vmxSwapEnabled": "FALSE", "timeTracker.lowLatency": "TRUE", "ethernet0.coalescingScheme": "disabled",
	})
	hardware, _ := v.HardwareVersion.Value()
	if m.version.AtLeast(inventory.Version{Major: 8}) && hardware >= 20 && e.once(2) {
		v.ThreadsPerCore, v.CPUReservationMHz = inventory.Known[int64](2), inventory.Known(mhz)
	}
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		n.CoalesceRxMicros, n.CoalesceAdaptiveRx = inventory.Known[int64](0), inventory.Known(false)
	}
}

// backedUpVM has a new snapshot of a backup in progress.
func backedUpVM(_ *healthy, v *inventory.VM, _ *inventory.Host, _ machine) {
	v.Snapshots = inventory.Known([]*inventory.SnapshotPoint{{Name: "backup", Created: healthyNow.Add(-time.Hour), Depth: 1}})
	v.SnapshotBytes = inventory.Known[int64](1 << 30)
	disks, _ := v.Disks.Value()
	disks[0].Backing, disks[0].DeltaFormat = inventory.Known("sesparse"), inventory.Known("seSparseFormat")
}

// desktopParentVM is the parent of a desktop pool's clones: its snapshots are old on purpose.
func desktopParentVM(e *healthy, v *inventory.VM, _ *inventory.Host, _ machine) {
	v.Snapshots = inventory.Known([]*inventory.SnapshotPoint{{Name: "pool", Created: healthyNow.Add(-9000 * time.Hour), Depth: 1}})
	v.SnapshotBytes = inventory.Known[int64](1 << 30)
	if e.once(2) {
		v.VDIRole = inventory.Known("replica")
		return
	}
	v.InstantCloneFrozen = inventory.Known(true)
}

// largePagesVM has 1 GB pages, and the full reservation that they require.
func largePagesVM(_ *healthy, v *inventory.VM, _ *inventory.Host, _ machine) {
	v.VMX = inventory.Known(map[string]string{"sched.mem.lpage.enable1GPage": "TRUE"})
	v.MemoryReservationMB, v.MemoryReservationLocked = v.MemoryMB, inventory.Known(true)
}

// passthroughVM has devices of the host, and the full reservation that they require.
func passthroughVM(e *healthy, v *inventory.VM, _ *inventory.Host, m machine) {
	v.MemoryReservationMB, v.MemoryReservationLocked = v.MemoryMB, inventory.Known(true)
	nics, _ := v.VNICs.Value()
	switch {
	case m.version.AtLeast(inventory.Version{Major: 8}) && e.once(2):
		nics[0].UPTv2 = inventory.Known(true)
	case e.once(2):
		nics[0].Type = inventory.Known("sriov")
	default:
		v.PCIDevices = inventory.Known([]*inventory.PCIDevice{{Label: "PCI device 0", Kind: inventory.Known("vgpu"), NUMANode: inventory.Known[int64](0)}})
	}
}
