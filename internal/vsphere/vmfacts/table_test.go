package vmfacts

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func vmOf(p *property.Props) *inventory.VM {
	v := new(inventory.VM)
	Table.Plan(inventory.Everything()).Fill(p, v)
	return v
}

func TestNilOfVMFacts(t *testing.T) {
	v := vmOf(vspheretest.Given(nil))
	require.Equal(t, "absent", vspheretest.ReasonOf(&v.BootTime))
	require.Equal(t, inventory.Known("normal"), v.LatencySensitivity)
	require.Equal(t, inventory.Known(int64(1)), v.ThreadsPerCore)
	require.Equal(t, inventory.Known(false), v.MemoryReservationLocked)
	require.Equal(t, inventory.Known([]*inventory.SnapshotPoint{}), v.Snapshots)
	require.Equal(t, inventory.Known(int64(0)), v.SnapshotBytes)
	require.Equal(t, inventory.Known(false), v.InstantCloneFrozen)
	require.Equal(t, inventory.Known(""), v.Appliance)
	require.Equal(t, "unread: the server returned no config.guestId", vspheretest.ReasonOf(&v.MaybeAppliance))
	require.Equal(t, inventory.Known(map[string]string{}), v.VMX)
	require.Equal(t, inventory.Known([]*inventory.VNIC{}), v.VNICs)
	require.Equal(t, inventory.Known([]*inventory.VDisk{}), v.Disks)
	require.Equal(t, inventory.Known(int64(1)), v.CoresPerSocket)
	require.Equal(t, inventory.Known(false), v.AutoCoresPerSocket)
	require.Equal(t, inventory.Known(false), v.CPUHotAdd)
	require.Equal(t, "unread: "+noVNUMA, vspheretest.ReasonOf(&v.VNUMAOnHotAdd))
	require.Equal(t, inventory.Known([]int64{}), v.CPUAffinity)
	require.Equal(t, "unread: "+noTools, vspheretest.ReasonOf(&v.ToolsStatus))
	require.Equal(t, "unread: the server returned no config.version", vspheretest.ReasonOf(&v.HardwareVersion))
	require.Equal(t, "unread: the server returned no config.guestId", vspheretest.ReasonOf(&v.GuestID))
	require.Equal(t, "unread: the server returned no config.memoryAllocation.limit", vspheretest.ReasonOf(&v.MemoryLimitMB))
	require.Equal(t, "unread: the server returned no config.cpuAllocation.limit", vspheretest.ReasonOf(&v.CPULimitMHz))
	require.Equal(t, "unread: the server returned no config.cpuAllocation.reservation", vspheretest.ReasonOf(&v.CPUReservationMHz))
	require.Equal(t, "unread: the server returned no config.memoryAllocation.reservation", vspheretest.ReasonOf(&v.MemoryReservationMB))
	require.Equal(t, "unread: the server returned no runtime.consolidationNeeded", vspheretest.ReasonOf(&v.ConsolidationNeeded))
}

func TestHardwareVersion(t *testing.T) {
	require.Equal(t, inventory.Known(int64(19)), vmOf(vspheretest.Given(map[string]any{"config.version": "vmx-19"})).HardwareVersion)
	for _, odd := range []string{"vmx-", "19", "vmx-19b", ""} {
		v := vmOf(vspheretest.Given(map[string]any{"config.version": odd}))
		require.Equal(t, "unread: the server reports the hardware version as "+odd, vspheretest.ReasonOf(&v.HardwareVersion))
	}
}

func TestCPUAffinity(t *testing.T) {
	for want, set := range map[string]types.ArrayOfInt{"[]": {}, "[4 5]": {Int: []int32{4, 5}}} {
		got, ok := vmOf(vspheretest.Given(map[string]any{"config.cpuAffinity.affinitySet": set})).CPUAffinity.Value()
		require.True(t, ok)
		require.Equal(t, want, fmt.Sprint(got))
	}
}

// TestAutoCoresOfOldServers: if the server does not know the property, ESXi does not choose the cores per socket.
func TestAutoCoresOfOldServers(t *testing.T) {
	p := vspheretest.Given(nil)
	p.Unknown = func(path string) bool { return path == pathAutoCores }
	require.Equal(t, inventory.Known(false), vmOf(p).AutoCoresPerSocket)
	p = vspheretest.Given(nil)
	p.Missing = map[string]types.BaseMethodFault{pathAutoCores: &types.NoPermission{PrivilegeId: "System.Read"}}
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&vmOf(p).AutoCoresPerSocket))
	require.Equal(t, inventory.Known(true), vmOf(vspheretest.Given(map[string]any{pathAutoCores: true})).AutoCoresPerSocket)
}

func TestDisks(t *testing.T) {
	scsi := func(key int32) types.VirtualSCSIController {
		return types.VirtualSCSIController{VirtualController: types.VirtualController{VirtualDevice: types.VirtualDevice{Key: key}}}
	}
	other := func(key int32) types.VirtualController { return scsi(key).VirtualController }
	disk := func(key, controller int32, a *types.StorageIOAllocationInfo) *types.VirtualDisk {
		return &types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: key, ControllerKey: controller}, StorageIOAllocation: a}
	}
	labelled := disk(2000, 1, &types.StorageIOAllocationInfo{Limit: new(int64(500))})
	labelled.DeviceInfo = &types.Description{Label: "Hard disk 1"}
	v := vmOf(vspheretest.Given(map[string]any{PathDevices: types.ArrayOfVirtualDevice{VirtualDevice: []types.BaseVirtualDevice{
		disk(2009, 9, nil), disk(2008, 8, nil), disk(2007, 7, nil), disk(2006, 6, nil), disk(2005, 5, nil), disk(2004, 4, nil),
		disk(2003, 3, &types.StorageIOAllocationInfo{Limit: new(int64(-1))}), disk(2002, 2, nil), disk(2001, 1, &types.StorageIOAllocationInfo{}), labelled,
		nil, &types.VirtualVmxnet3{},
		&types.ParaVirtualSCSIController{VirtualSCSIController: scsi(1)},
		&types.VirtualLsiLogicSASController{VirtualSCSIController: scsi(2)},
		&types.VirtualLsiLogicController{VirtualSCSIController: scsi(3)},
		&types.VirtualBusLogicController{VirtualSCSIController: scsi(4)},
		&types.VirtualIDEController{VirtualController: other(5)},
		&types.VirtualAHCIController{VirtualSATAController: types.VirtualSATAController{VirtualController: other(6)}},
		&types.VirtualNVMEController{VirtualController: other(7)},
		new(scsi(8)),
	}}}))
	disks, _ := v.Disks.Value()
	var kinds []string
	for i, d := range disks {
		require.EqualValues(t, 2000+i, d.Key)
		kind, _ := d.Controller.Value()
		kinds = append(kinds, kind)
		limit, ok := d.IOPSLimit.Value()
		require.True(t, ok)
		require.Equal(t, map[bool]int64{true: 500, false: -1}[i == 0], limit)
	}
	require.Equal(t, []string{"pvscsi", "pvscsi", "lsisas", "lsilogic", "buslogic", "ide", "sata", "nvme", "other", ""}, kinds)
	require.Equal(t, "unread: the server lists no controller 9, to which disk 2009 is connected", vspheretest.ReasonOf(&disks[9].Controller))
	require.Equal(t, "Hard disk 1", disks[0].Label)
}

// TestWhereDisksAre: hosts address a VM's disks by the controller's bus and the unit on it.
func TestWhereDisksAre(t *testing.T) {
	bus := func(key, bus int32) types.VirtualController {
		return types.VirtualController{VirtualDevice: types.VirtualDevice{Key: key}, BusNumber: bus}
	}
	disk := func(key, controller int32, unit *int32) *types.VirtualDisk {
		return &types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: key, ControllerKey: controller, UnitNumber: unit}}
	}
	v := vmOf(vspheretest.Given(map[string]any{PathDevices: types.ArrayOfVirtualDevice{VirtualDevice: []types.BaseVirtualDevice{
		&types.ParaVirtualSCSIController{VirtualSCSIController: types.VirtualSCSIController{VirtualController: bus(1000, 0)}},
		&types.VirtualLsiLogicSASController{VirtualSCSIController: types.VirtualSCSIController{VirtualController: bus(1001, 1)}},
		&types.VirtualIDEController{VirtualController: bus(201, 1)},
		&types.VirtualAHCIController{VirtualSATAController: types.VirtualSATAController{VirtualController: bus(15000, 0)}},
		&types.VirtualNVMEController{VirtualController: bus(31000, 2)},
		new(types.VirtualSCSIController{VirtualController: bus(1002, 2)}),
		disk(2000, 1000, new(int32(0))), disk(2001, 1001, new(int32(15))), disk(2002, 201, new(int32(1))), disk(2003, 15000, new(int32(3))),
		disk(2004, 31000, new(int32(0))), disk(2005, 1000, nil), disk(2006, 7, new(int32(0))), disk(2007, 1002, new(int32(0))),
	}}}))
	disks, _ := v.Disks.Value()
	var places []string
	for _, d := range disks[:5] {
		place, _ := d.Address.Value()
		places = append(places, place)
	}
	require.Equal(t, []string{"scsi0:0", "scsi1:15", "ide1:1", "sata0:3", "nvme2:0"}, places)
	require.Equal(t, "unread: the server does not report which unit of its controller it is", vspheretest.ReasonOf(&disks[5].Address))
	require.Equal(t, "unread: the server lists no controller 7, to which disk 2006 is connected", vspheretest.ReasonOf(&disks[6].Address))
	require.Equal(t, "unread: hosts have no known name for disks of such a controller", vspheretest.ReasonOf(&disks[7].Address))
}

func TestVNICs(t *testing.T) {
	card := func(key int32, label string) types.VirtualEthernetCard {
		c := types.VirtualEthernetCard{VirtualDevice: types.VirtualDevice{Key: key}}
		if label != "" {
			c.DeviceInfo = &types.Description{Label: label}
		}
		return c
	}
	v := vmOf(vspheretest.Given(map[string]any{
		PathDevices: types.ArrayOfVirtualDevice{VirtualDevice: []types.BaseVirtualDevice{
			&types.VirtualDisk{},
			&types.VirtualVmxnet3Vrdma{VirtualVmxnet3: types.VirtualVmxnet3{VirtualVmxnet: types.VirtualVmxnet{VirtualEthernetCard: card(4007, "")}}},
			&types.VirtualSriovEthernetCard{VirtualEthernetCard: card(4006, "")},
			&types.VirtualPCNet32{VirtualEthernetCard: card(4005, "")},
			&types.VirtualE1000e{VirtualEthernetCard: card(4004, "")},
			&types.VirtualE1000{VirtualEthernetCard: card(4003, "")},
			&types.VirtualVmxnet{VirtualEthernetCard: card(4002, "")},
			&types.VirtualVmxnet2{VirtualVmxnet: types.VirtualVmxnet{VirtualEthernetCard: card(4001, "")}},
			&types.VirtualVmxnet3{VirtualVmxnet: types.VirtualVmxnet{VirtualEthernetCard: card(4000, "Network adapter 1")}},
			new(card(4008, "")),
			nil,
		}},
		"config.extraConfig": types.ArrayOfOptionValue{OptionValue: []types.BaseOptionValue{
			&types.OptionValue{Key: "ethernet0.pnicFeatures", Value: "4"},
			&types.OptionValue{Key: "ethernet1.PNICFEATURES", Value: int32(1)},
			&types.OptionValue{Key: "ethernet2.pnicFeatures", Value: "yes\x1b"},
			nil,
		}},
	}))
	nics, _ := v.VNICs.Value()
	var kinds []string
	for i, n := range nics {
		kind, _ := n.Type.Value()
		kinds = append(kinds, kind)
		require.EqualValues(t, 4000+i, n.Key)
	}
	require.Equal(t, []string{"vmxnet3", "vmxnet2", "vmxnet", "e1000", "e1000e", "pcnet32", "sriov", "vmxnet3", "other"}, kinds)
	require.Equal(t, "Network adapter 1", nics[0].Label)
	require.Equal(t, "ethernet1", nics[1].Label)
	require.Equal(t, inventory.Known(int64(4)), nics[0].PNICFeatures)
	require.Equal(t, inventory.Known(int64(1)), nics[1].PNICFeatures)
	require.Equal(t, `unread: ethernet2.pnicFeatures is "yes", not a number`, vspheretest.ReasonOf(&nics[2].PNICFeatures))
	require.Equal(t, inventory.Known(int64(0)), nics[3].PNICFeatures, "no key, no feature")
}

func TestLatencyAndThreads(t *testing.T) {
	for level, want := range map[any]string{
		"high": "high", types.LatencySensitivitySensitivityLevelHigh: "high", "custom": "normal", "medium": "medium",
	} {
		v := vmOf(vspheretest.Given(map[string]any{"config.latencySensitivity.level": level, "config.hardware.simultaneousThreads": int32(2)}))
		require.Equal(t, inventory.Known(want), v.LatencySensitivity)
		require.Equal(t, inventory.Known(int64(2)), v.ThreadsPerCore)
	}
	require.Equal(t, inventory.Known(int64(1)), vmOf(vspheretest.Given(map[string]any{"config.hardware.simultaneousThreads": int32(0)})).ThreadsPerCore)
}

func TestSnapshotsAreFlattened(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tree := func(name string, below ...types.VirtualMachineSnapshotTree) types.VirtualMachineSnapshotTree {
		return types.VirtualMachineSnapshotTree{Name: name, CreateTime: at, ChildSnapshotList: below}
	}
	v := vmOf(vspheretest.Given(map[string]any{"snapshot.rootSnapshotList": types.ArrayOfVirtualMachineSnapshotTree{
		VirtualMachineSnapshotTree: []types.VirtualMachineSnapshotTree{tree("a%2fb", tree("c", tree("d")), tree("e")), tree("f")},
	}}))
	points, _ := v.Snapshots.Value()
	var got []inventory.SnapshotPoint
	for _, p := range points {
		got = append(got, *p)
	}
	require.Equal(t, []inventory.SnapshotPoint{{Name: "a/b", Created: at, Depth: 1}, {Name: "c", Created: at, Depth: 2}, {Name: "d", Created: at, Depth: 3}, {Name: "e", Created: at, Depth: 2}, {Name: "f", Created: at, Depth: 1}}, got)
}

func TestIsTuning(t *testing.T) {
	for key, want := range map[string]bool{
		"sched.mem.pin": true, "SCHED.CPU.affinity": true, "numa.nodeAffinity": true, "monitor_control.halt_desched": true,
		"monitor.virtual_mmu": true, "monitoring.password": false, "cpuid.coresPerSocket": true, "vmx.reboot.powerCycle": true,
		"vmxstats.filename": false, "timeTracker.lowLatency": true, "pciPassthru.use64bitMMIO": true, "pciPassthru0.present": true,
		"mem.hotadd": true, "svga.present": true, "svga.vramSize": false, "guestinfo.ovfEnv": false, "guestinfo.sched.x": false,
		"sched.swap.derivedName": false, "sched.swap.vmxSwapEnabled": true, "RUN.container": false, "": false, "ethernet": false,
		"ethernet0.pnicFeatures": true, "Ethernet12.UDPRSS": true, "ethernet0.generatedAddress": false, "ethernet0.address": false,
		"sched.vcpu0.affinity": true, "sched.vcpu12.affinity": true, "sched.cpu.affinity": true, "sched.cpu.htsharing": true,
		"numa.vcpu.followcorespersocket": true, "monitor.virtual_exec": true, "monitor_control.restrict_backdoor": true,
		"ethernet3.intrMode": true, "ethernet3.intrmode": true,
		"ethernet0.networkName": false, "ethernetX.pnicFeatures": false, "ethernet0.dvs.portId": false, "ethernet0.filter0.name": false,
	} {
		require.Equal(t, want, IsTuning(key), key)
	}
}
