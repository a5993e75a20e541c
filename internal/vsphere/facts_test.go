package vsphere

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

func knowsAll(string) bool { return false }

// given is what a server said of an object that has config and hardware.
func given(values map[string]any) *props {
	p := &props{values: map[string]any{pathVersion: "8.0.2", pathCores: int16(8), pathTemplate: false}, unknown: knowsAll, needs: inventory.Everything()}
	maps.Copy(p.values, values)
	return p
}

func hostOf(p *props) *inventory.Host {
	h := new(inventory.Host)
	hostTable.plan(inventory.Everything()).fill(p, h)
	return h
}

func vmOf(p *props) *inventory.VM {
	v := new(inventory.VM)
	vmTable.plan(inventory.Everything()).fill(p, v)
	return v
}

func reasonOf(f inventory.Reader) string {
	_, state, reason := f.Raw()
	return [...]string{"unread: " + reason, "known", "absent"}[state]
}

// TestNilOfHostFacts is the list of what nil means.
func TestNilOfHostFacts(t *testing.T) {
	h := hostOf(given(nil))
	require.Equal(t, "absent", reasonOf(&h.PowerPolicy))
	require.Equal(t, "absent", reasonOf(&h.PowerHardware))
	require.Equal(t, inventory.Known(false), h.VSAN)
	require.Equal(t, "absent", reasonOf(&h.HyperThreadingAvailable))
	require.Equal(t, "absent", reasonOf(&h.HyperThreadingActive))
	require.Equal(t, "absent", reasonOf(&h.HyperThreadingConfigured))
	require.Equal(t, inventory.Known([]*inventory.VMKNIC{}), h.VMKNICs)
	require.Equal(t, inventory.Known([]*inventory.PNIC{}), h.PNICs)
	require.Equal(t, "unread: the server returned no hardware.numaInfo", reasonOf(&h.NUMANodes))
	require.Equal(t, "unread: the server returned no config.option", reasonOf(&h.Options))
	require.Equal(t, "unread: the server returned no hardware.systemInfo.model", reasonOf(&h.Kind))
	require.Equal(t, "unread: the server returned no config.product.build", reasonOf(&h.Build))
	require.Equal(t, "unread: the server returned no hardware.cpuInfo.hz", reasonOf(&h.CPUMHz))
	require.Equal(t, "unread: the server returned no hardware.cpuInfo.numCpuPackages", reasonOf(&h.CPUPackages))
	require.Equal(t, "unread: the server returned no hardware.cpuInfo.numCpuThreads", reasonOf(&h.CPUThreads))
	require.Equal(t, "unread: the server returned no hardware.memorySize", reasonOf(&h.MemoryMB))
	require.Equal(t, "unread: the server returned no hardware.systemInfo.vendor", reasonOf(&h.Vendor))
	require.Equal(t, "unread: the server returned no hardware.systemInfo.model", reasonOf(&h.Model))
	for _, f := range []inventory.Reader{&h.CPUVendor, &h.CPUFamily, &h.CPUModel, &h.CPUDescription} {
		require.Equal(t, "unread: the server returned no hardware.cpuPkg", reasonOf(f))
	}
	require.Equal(t, "unread: the server returned no runtime.bootTime", reasonOf(&h.BootTime))
	require.Equal(t, "absent", reasonOf(&h.CPUScheduler))
	require.Equal(t, "absent", reasonOf(&h.Sensors))
	require.Equal(t, "absent", reasonOf(&h.MemoryTiering))
	require.Equal(t, inventory.Known(false), h.VSANESA)
	require.Equal(t, inventory.Known([]*inventory.DiskGroup{}), h.DiskGroups)
	require.Equal(t, inventory.Known([]*inventory.Switch{}), h.VSwitches)
	require.Equal(t, inventory.Known([]*inventory.LUN{}), h.LUNs)
	require.Equal(t, inventory.Known([]*inventory.HBA{}), h.HBAs)
	require.Equal(t, inventory.Known(int64(0)), h.SwapCacheMB)
	require.Equal(t, inventory.Known(int64(0)), h.FlashCacheMB)
	require.Equal(t, inventory.Known(""), h.FlashVolume)
	require.Equal(t, inventory.Known(false), h.FlashVolumeIsSystem)
	require.Equal(t, "unread: the server returned no config.option", reasonOf(&h.OffDefault))
	require.Equal(t, "unread: it takes a call to the host", reasonOf(&h.KernelSettings))
}

func TestNilOfVMFacts(t *testing.T) {
	v := vmOf(given(nil))
	require.Equal(t, "absent", reasonOf(&v.BootTime))
	require.Equal(t, inventory.Known("normal"), v.LatencySensitivity)
	require.Equal(t, inventory.Known(int64(1)), v.ThreadsPerCore)
	require.Equal(t, inventory.Known(false), v.MemoryReservationLocked)
	require.Equal(t, inventory.Known([]*inventory.SnapshotPoint{}), v.Snapshots)
	require.Equal(t, inventory.Known(int64(0)), v.SnapshotBytes)
	require.Equal(t, inventory.Known(false), v.InstantCloneFrozen)
	require.Equal(t, inventory.Known(""), v.Appliance)
	require.Equal(t, "unread: the server returned no config.guestId", reasonOf(&v.MaybeAppliance))
	require.Equal(t, inventory.Known(map[string]string{}), v.VMX)
	require.Equal(t, inventory.Known([]*inventory.VNIC{}), v.VNICs)
	require.Equal(t, inventory.Known([]*inventory.VDisk{}), v.Disks)
	require.Equal(t, inventory.Known(int64(1)), v.CoresPerSocket)
	require.Equal(t, inventory.Known(false), v.AutoCoresPerSocket)
	require.Equal(t, inventory.Known(false), v.CPUHotAdd)
	require.Equal(t, "unread: "+noVNUMA, reasonOf(&v.VNUMAOnHotAdd))
	require.Equal(t, inventory.Known([]int64{}), v.CPUAffinity)
	require.Equal(t, "unread: "+noTools, reasonOf(&v.ToolsStatus))
	require.Equal(t, "unread: the server returned no config.version", reasonOf(&v.HardwareVersion))
	require.Equal(t, "unread: the server returned no config.guestId", reasonOf(&v.GuestID))
	require.Equal(t, "unread: the server returned no config.memoryAllocation.limit", reasonOf(&v.MemoryLimitMB))
	require.Equal(t, "unread: the server returned no config.cpuAllocation.limit", reasonOf(&v.CPULimitMHz))
	require.Equal(t, "unread: the server returned no config.cpuAllocation.reservation", reasonOf(&v.CPUReservationMHz))
	require.Equal(t, "unread: the server returned no config.memoryAllocation.reservation", reasonOf(&v.MemoryReservationMB))
	require.Equal(t, "unread: the server returned no runtime.consolidationNeeded", reasonOf(&v.ConsolidationNeeded))
}

func TestMissingSetWords(t *testing.T) {
	p := given(nil)
	p.missing = map[string]types.BaseMethodFault{
		"config.option":                   &types.SystemError{Reason: "x"},
		"config.vsanHostConfig":           &types.NoPermission{PrivilegeId: "System.Read"}, // the parent is named
		"config.powerSystemInfo":          &types.NoPermission{MissingPrivileges: []types.NoPermissionEntityPrivileges{{PrivilegeIds: []string{"A.B", "C.D"}}}},
		"hardware.cpuPowerManagementInfo": &types.InvalidProperty{Name: "cpuPowerManagementInfo"},
		"hardware.numaInfo":               &types.HostNotConnected{},
		"config.network.pnic":             &types.NoPermission{},
	}
	h := hostOf(p)
	require.Equal(t, "unread: system error", reasonOf(&h.Options))
	require.Equal(t, "unread: no permission (privilege System.Read)", reasonOf(&h.VSAN))
	require.Equal(t, "unread: no permission (privilege A.B, C.D)", reasonOf(&h.PowerPolicy))
	require.Equal(t, "absent", reasonOf(&h.PowerHardware))
	require.Equal(t, "unread: host not connected", reasonOf(&h.NUMANodes))
	require.Equal(t, "unread: no permission", reasonOf(&h.PNICs))
}

func TestUnexpectedForms(t *testing.T) {
	h := hostOf(given(map[string]any{
		"config.option": "surprise", pathVersion: "eight", pathCores: "many", "config.vsanHostConfig.enabled": int32(1), pathPNIC: 7,
	}))
	for _, f := range []inventory.Reader{&h.Options, &h.Cores, &h.VSAN, &h.PNICs} {
		require.Contains(t, reasonOf(f), "in a form that vperf does not understand")
	}
	require.Equal(t, "unread: the server calls its version eight", reasonOf(&h.Version))
}

func TestNamesOfHosts(t *testing.T) {
	h := hostOf(given(map[string]any{
		pathDNSHost: "esx01", pathDNSDomain: "demo.local",
		pathVMK: types.ArrayOfHostVirtualNic{HostVirtualNic: []types.HostVirtualNic{
			{Spec: types.HostVirtualNicSpec{Ip: &types.HostIpConfig{IpAddress: "10.0.0.1", IpV6Config: &types.HostIpConfigIpV6AddressConfiguration{
				IpV6Address: []types.HostIpConfigIpV6Address{{IpAddress: "fe80::1"}},
			}}}},
			{Spec: types.HostVirtualNicSpec{Ip: &types.HostIpConfig{}}},
			{},
		}},
	}))
	require.Equal(t, inventory.Known("esx01.demo.local"), h.DNSName)
	require.Equal(t, inventory.Known([]string{"10.0.0.1", "fe80::1"}), h.Addresses)
	require.Equal(t, inventory.Known("esx01"), hostOf(given(map[string]any{pathDNSHost: "esx01"})).DNSName)
}

func TestHostKind(t *testing.T) {
	for _, c := range []struct{ vendor, model, want string }{
		{"Dell Inc.", "PowerEdge R740xd", inventory.HostPhysical},
		{"Amazon EC2", "i3.metal-512g", inventory.HostPhysical},
		{"VMware, Inc.", "VMware Virtual Platform", inventory.HostNested},
		{"VMware, Inc.", "VMware7,1", inventory.HostNested},
		{"VMware, Inc.", "VMware20,1", inventory.HostNested},
		{"VMware", "VMware Mobility Platform", inventory.HostPseudo},
		{"", "", inventory.HostPhysical},
	} {
		require.Equal(t, c.want, hostKind(c.vendor, c.model), c.model)
	}
}

func TestCPUMHzRoundsUp(t *testing.T) {
	for hz, want := range map[int64]int64{2_299_999_977: 2300, 2_300_000_000: 2300, 2_300_000_001: 2301, 0: 0} {
		got, ok := asMHz(hz)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
}

func TestPNICs(t *testing.T) {
	nic := func(n, pci string) types.PhysicalNic {
		return types.PhysicalNic{Key: "key-" + n, Device: n, Pci: pci, Driver: "drv"}
	}
	up := nic("vmnic0", "0000:3B:00.0")
	up.LinkSpeed = &types.PhysicalNicLinkInfo{SpeedMb: 100_000, Duplex: true}
	up.ValidLinkSpecification = []types.PhysicalNicLinkInfo{{SpeedMb: 25_000}, {SpeedMb: 100_000}, {SpeedMb: 40_000}}
	up.Spec.EnableEnhancedNetworkingStack, up.EnhancedNetworkingStackSupported = new(true), new(true)
	up.DriverVersion, up.FirmwareVersion = "4.19", "12.28"
	usb := nic("vusb0", "")
	usb.Driver = ""
	values := map[string]any{
		pathPNIC:        types.ArrayOfPhysicalNic{PhysicalNic: []types.PhysicalNic{up, nic("vmnic1", "0000:af:00.1"), nic("vmnic2", "0000:ff:00.0"), usb}},
		pathStandard:    types.ArrayOfHostVirtualSwitch{HostVirtualSwitch: []types.HostVirtualSwitch{{Name: "vSwitch0", Pnic: []string{"key-vmnic0"}}}},
		pathDistributed: types.ArrayOfHostProxySwitch{HostProxySwitch: []types.HostProxySwitch{{DvsName: "dvs", Pnic: []string{"key-vmnic1"}}}},
		pathNUMA: types.HostNumaInfo{NumaNode: []types.HostNumaNode{
			{TypeId: 0, PciId: []string{"3b:00.0"}}, {TypeId: 1, PciId: []string{"00000000:AF:00.1"}}, {TypeId: 2},
		}},
	}
	h := hostOf(given(values))
	nics, _ := h.PNICs.Value()
	require.Equal(t, inventory.Known(int64(100_000)), nics[0].LinkMbps)
	require.Equal(t, inventory.Known(int64(0)), nics[1].LinkMbps, "no link speed is link down")
	require.Equal(t, inventory.Known(int64(0)), nics[0].NUMANode)
	require.Equal(t, inventory.Known(int64(1)), nics[1].NUMANode)
	require.Equal(t, `unread: no NUMA node of the host lists PCI device "0000:ff:00.0" of vmnic2`, reasonOf(&nics[2].NUMANode))
	for i, want := range []bool{true, true, false, false} {
		require.Equal(t, inventory.Known(want), nics[i].Uplink)
	}
	require.Equal(t, inventory.Known(true), nics[0].EDP)
	require.Equal(t, inventory.Known(false), nics[1].EDP)
	require.Equal(t, inventory.Known(true), nics[0].EDPSupported)
	require.Equal(t, inventory.Known(false), nics[1].EDPSupported)
	require.Equal(t, inventory.Known("4.19"), nics[0].DriverVersion)
	require.Equal(t, inventory.Known("12.28"), nics[0].FirmwareVersion)
	require.Equal(t, "unread: "+inventory.PerHost, reasonOf(&nics[1].DriverVersion), "its command line may tell")
	require.Equal(t, "unread: "+inventory.PerHost, reasonOf(&nics[1].FirmwareVersion))
	for _, f := range []inventory.Reader{&nics[0].RingRx, &nics[0].RingTx, &nics[0].RingRxMax, &nics[0].RingTxMax, &nics[0].CoalesceRxMicros, &nics[0].CoalesceAdaptiveRx} {
		require.Equal(t, "unread: it takes a call to the host", reasonOf(f))
	}
	require.Equal(t, "unread: the host names no driver for vusb0", reasonOf(&nics[3].Driver))
	require.Equal(t, "unread: it takes a call to the host", reasonOf(&nics[0].RSS))
	require.Equal(t, "unread: it takes a call to the host", reasonOf(&nics[0].DriverOptions))
	for i, want := range []string{"vSwitch0", "dvs", "", ""} {
		require.Equal(t, inventory.Known(want), nics[i].Switch)
	}
	require.Equal(t, inventory.Known(int64(100_000)), nics[0].BestMbps)
	require.Equal(t, inventory.Known(int64(0)), nics[1].BestMbps, "no speeds listed")
	require.Equal(t, inventory.Known(true), nics[0].FullDuplex)
	require.Equal(t, "absent", reasonOf(&nics[1].FullDuplex), "the link is down")
	nodes, _ := h.NUMANodes.Value()
	require.Equal(t, inventory.Known([]string{}), nodes[2].PCI)

	values[pathVersion] = "6.5.0"
	nics, _ = hostOf(given(values)).PNICs.Value()
	require.Equal(t, "absent", reasonOf(&nics[1].EDP), "the mode came with 6.7")
	require.Equal(t, "absent", reasonOf(&nics[1].EDPSupported))
	values[pathVersion] = "6.7.0"
	nics, _ = hostOf(given(values)).PNICs.Value()
	require.Equal(t, inventory.Known(false), nics[1].EDP)
	require.Equal(t, "absent", reasonOf(&nics[1].EDPSupported), "which NICs could, hosts say from 7.0 on")

	p := given(values)
	delete(p.values, pathDistributed)
	p.missing = map[string]types.BaseMethodFault{pathDistributed: &types.NoPermission{PrivilegeId: "System.Read"}}
	nics, _ = hostOf(p).PNICs.Value()
	require.Equal(t, inventory.Known(true), nics[0].Uplink, "seen is seen")
	require.Equal(t, "unread: no permission (privilege System.Read)", reasonOf(&nics[1].Uplink), "not seen where one could not look is not known")
	require.Equal(t, inventory.Known("vSwitch0"), nics[0].Switch)
	require.Equal(t, "unread: no permission (privilege System.Read)", reasonOf(&nics[1].Switch))
}

func TestOpaqueSwitch(t *testing.T) {
	h := hostOf(given(map[string]any{
		pathPNIC: types.ArrayOfPhysicalNic{PhysicalNic: []types.PhysicalNic{{Key: "a", Device: "vmnic0"}, {Key: "b", Device: "vmnic1"}}},
		pathOpaque: types.ArrayOfHostOpaqueSwitch{HostOpaqueSwitch: []types.HostOpaqueSwitch{
			{Key: "nsx%2f1", Name: "nsx%2f1", Pnic: []string{"a"}}, {Key: "key-of-it", Pnic: []string{"b"}},
		}},
	}))
	nics, _ := h.PNICs.Value()
	require.Equal(t, inventory.Known("nsx/1"), nics[0].Switch)
	require.Equal(t, inventory.Known("key-of-it"), nics[1].Switch, "a switch without a name goes by its key")
	require.Equal(t, inventory.Known(true), nics[1].Uplink)
}

func TestVMKNICs(t *testing.T) {
	vmk := func(device, stack string, mtu int32) types.HostVirtualNic {
		return types.HostVirtualNic{Device: device, Key: "key-" + device, Spec: types.HostVirtualNicSpec{NetStackInstanceKey: stack, Mtu: mtu}}
	}
	candidate := vmk("vmk1", "", 0)
	candidate.Key = "vmotion.17" // hosts are free to name them
	values := map[string]any{
		pathVMK: types.ArrayOfHostVirtualNic{HostVirtualNic: []types.HostVirtualNic{vmk("vmk0", "", 0), vmk("vmk1", "vmotion", 9000), vmk("vmk10", "", 1500)}},
		pathVNICManager: types.ArrayOfVirtualNicManagerNetConfig{VirtualNicManagerNetConfig: []types.VirtualNicManagerNetConfig{
			{NicType: "vsan", SelectedVnic: []string{"vsan.key-vmk10", "vsan.key-vmk1"}},
			{NicType: "vmotion", SelectedVnic: []string{"vmotion.17"}, CandidateVnic: []types.HostVirtualNic{candidate}},
			{NicType: "management"},
		}},
	}
	nics, _ := hostOf(given(values)).VMKNICs.Value()
	require.Len(t, nics, 3)
	for i, want := range []inventory.VMKNIC{
		{Device: "vmk0", Services: inventory.Known([]string{}), NetStack: inventory.Known("defaultTcpipStack"), MTU: nics[0].MTU},
		{Device: "vmk1", Services: inventory.Known([]string{"vmotion", "vsan"}), NetStack: inventory.Known("vmotion"), MTU: inventory.Known(int64(9000))},
		{Device: "vmk10", Services: inventory.Known([]string{"vsan"}), NetStack: inventory.Known("defaultTcpipStack"), MTU: inventory.Known(int64(1500))},
	} {
		require.Equal(t, want, inventory.VMKNIC{Device: nics[i].Device, Services: nics[i].Services, NetStack: nics[i].NetStack, MTU: nics[i].MTU})
	}
	require.Equal(t, "unread: the host names no MTU for vmk0", reasonOf(&nics[0].MTU))

	delete(values, pathVNICManager)
	nics, _ = hostOf(given(values)).VMKNICs.Value()
	require.Equal(t, "unread: the server returned no config.virtualNicManagerInfo.netConfig", reasonOf(&nics[1].Services))
}

func TestLatencySensitivitySupported(t *testing.T) {
	for name, c := range map[string]struct {
		values map[string]any
		want   string
	}{
		"yes":           {map[string]any{pathLatencySupported: true}, "known"},
		"unset":         {map[string]any{pathRebootSupported: true}, "known"},
		"no capability": {nil, "unread: the server returned no capability"},
	} {
		h := hostOf(given(c.values))
		require.Equal(t, c.want, reasonOf(&h.LatencySensitivitySupported), name)
		yes, _ := h.LatencySensitivitySupported.Value()
		require.Equal(t, name == "yes", yes)
	}
}

func TestHardwareVersion(t *testing.T) {
	require.Equal(t, inventory.Known(int64(19)), vmOf(given(map[string]any{"config.version": "vmx-19"})).HardwareVersion)
	for _, odd := range []string{"vmx-", "19", "vmx-19b", ""} {
		v := vmOf(given(map[string]any{"config.version": odd}))
		require.Equal(t, "unread: the server calls the hardware version "+odd, reasonOf(&v.HardwareVersion))
	}
}

func TestCPUAffinity(t *testing.T) {
	for want, set := range map[string]types.ArrayOfInt{"[]": {}, "[4 5]": {Int: []int32{4, 5}}} {
		got, ok := vmOf(given(map[string]any{"config.cpuAffinity.affinitySet": set})).CPUAffinity.Value()
		require.True(t, ok)
		require.Equal(t, want, fmt.Sprint(got))
	}
}

// TestAutoCoresOfOldServers: where the property is not known, nobody picks cores per socket.
func TestAutoCoresOfOldServers(t *testing.T) {
	p := given(nil)
	p.unknown = func(path string) bool { return path == pathAutoCores }
	require.Equal(t, inventory.Known(false), vmOf(p).AutoCoresPerSocket)
	p = given(nil)
	p.missing = map[string]types.BaseMethodFault{pathAutoCores: &types.NoPermission{PrivilegeId: "System.Read"}}
	require.Equal(t, "unread: no permission (privilege System.Read)", reasonOf(&vmOf(p).AutoCoresPerSocket))
	require.Equal(t, inventory.Known(true), vmOf(given(map[string]any{pathAutoCores: true})).AutoCoresPerSocket)
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
	v := vmOf(given(map[string]any{pathDevices: types.ArrayOfVirtualDevice{VirtualDevice: []types.BaseVirtualDevice{
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
	require.Equal(t, "unread: the server lists no controller 9, which disk 2009 hangs off", reasonOf(&disks[9].Controller))
	require.Equal(t, "Hard disk 1", disks[0].Label)
}

// TestWhereDisksAre: hosts call a VM's disks by the controller's bus and their unit on it.
func TestWhereDisksAre(t *testing.T) {
	bus := func(key, bus int32) types.VirtualController {
		return types.VirtualController{VirtualDevice: types.VirtualDevice{Key: key}, BusNumber: bus}
	}
	disk := func(key, controller int32, unit *int32) *types.VirtualDisk {
		return &types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: key, ControllerKey: controller, UnitNumber: unit}}
	}
	v := vmOf(given(map[string]any{pathDevices: types.ArrayOfVirtualDevice{VirtualDevice: []types.BaseVirtualDevice{
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
	require.Equal(t, "unread: the server does not say which unit of its controller it is", reasonOf(&disks[5].Address))
	require.Equal(t, "unread: the server lists no controller 7, which disk 2006 hangs off", reasonOf(&disks[6].Address))
	require.Equal(t, "unread: hosts are not known to have a name for disks of such a controller", reasonOf(&disks[7].Address))
}

func TestNUMAWithoutPCI(t *testing.T) {
	h := hostOf(given(map[string]any{
		pathPNIC: types.ArrayOfPhysicalNic{PhysicalNic: []types.PhysicalNic{{Device: "vmnic0", Pci: "0000:3b:00.0"}}},
		pathNUMA: types.HostNumaInfo{NumNodes: 2, NumaNode: []types.HostNumaNode{{}, {TypeId: 1}}},
	}))
	nics, _ := h.PNICs.Value()
	nodes, _ := h.NUMANodes.Value()
	require.Equal(t, "unread: the host lists no PCI devices by NUMA node", reasonOf(&nics[0].NUMANode))
	require.Len(t, nodes, 2)
	require.Equal(t, "absent", reasonOf(&nodes[0].PCI))

	h = hostOf(given(map[string]any{pathNUMA: types.HostNumaInfo{}}))
	require.Equal(t, inventory.Known([]*inventory.NUMANode{}), h.NUMANodes, "not NUMA-capable is an answer")
}

func TestPowerHardware(t *testing.T) {
	h := hostOf(given(map[string]any{"hardware.cpuPowerManagementInfo": types.HostCpuPowerManagementInfo{}}))
	require.Equal(t, inventory.Known(""), h.PowerHardware, "the BIOS keeps control")
}

func TestOptionsKeepTypesAndBounds(t *testing.T) {
	const (
		long, short, flag, text = "Net.NetNetqNumaIOCpuPinThreshold", "Net.UseHwTSO", "CBRC.Enable", "Power.CpuPolicy"
	)
	def := func(key string, t types.BaseOptionType) types.OptionDef {
		return types.OptionDef{ElementDescription: types.ElementDescription{Key: key}, OptionType: t}
	}
	h := hostOf(given(map[string]any{
		"config.option": types.ArrayOfOptionValue{OptionValue: []types.BaseOptionValue{
			&types.OptionValue{Key: long, Value: int64(0)},
			&types.OptionValue{Key: short, Value: int32(1)},
			&types.OptionValue{Key: flag, Value: false},
			&types.OptionValue{Key: text, Value: "Balanced"},
			&types.OptionValue{Key: "UserVars.Secret", Value: "hush"},
			nil,
		}},
		"config.optionDef": types.ArrayOfOptionDef{OptionDef: []types.OptionDef{
			def(long, &types.LongOption{Min: 0, Max: 60, DefaultValue: 0}),
			def(short, &types.IntOption{Min: 0, Max: 1, DefaultValue: 1}),
			def(flag, &types.BoolOption{DefaultValue: true}),
			def(text, &types.ChoiceOption{DefaultIndex: 1, ChoiceInfo: []types.BaseElementDescription{
				&types.ElementDescription{Key: "Static"}, &types.ElementDescription{Key: "Balanced"},
			}}),
			def("UserVars.Secret", &types.StringOption{DefaultValue: "hush"}),
			{},
		}},
	}))
	options, ok := h.Options.Value()
	require.True(t, ok)
	require.Equal(t, map[string]inventory.Option{
		long:  {Value: inventory.LongValue(0), Default: new(inventory.LongValue(0)), Min: new(int64(0)), Max: new(int64(60))},
		short: {Value: inventory.IntValue(1), Default: new(inventory.IntValue(1)), Min: new(int64(0)), Max: new(int64(1))},
		flag:  {Value: inventory.BoolValue(false), Default: new(inventory.BoolValue(true))},
		text:  {Value: inventory.StringValue("Balanced"), Default: new(inventory.StringValue("Balanced"))},
	}, options, "only what is needed is kept, with its wire type")
}

func TestOddOptionValuesAndBounds(t *testing.T) {
	require.Equal(t, inventory.StringValue("2.5"), optionValue(float32(2.5)))
	require.Equal(t, inventory.StringValue(""), optionValue(nil))
	for _, odd := range []types.BaseOptionType{nil, &types.ChoiceOption{DefaultIndex: 3}, &types.ChoiceOption{DefaultIndex: -1}, &types.OptionType{}} {
		def, low, high := bounds(odd)
		require.Nil(t, def)
		require.Nil(t, low)
		require.Nil(t, high)
	}
	def, low, _ := bounds(&types.FloatOption{Min: 0.5, DefaultValue: 1.5})
	require.Equal(t, inventory.StringValue("1.5"), *def)
	require.Nil(t, low)
	def, _, _ = bounds(&types.StringOption{DefaultValue: ""})
	require.Equal(t, inventory.StringValue(""), *def)
}

func TestVNICs(t *testing.T) {
	card := func(key int32, label string) types.VirtualEthernetCard {
		c := types.VirtualEthernetCard{VirtualDevice: types.VirtualDevice{Key: key}}
		if label != "" {
			c.DeviceInfo = &types.Description{Label: label}
		}
		return c
	}
	v := vmOf(given(map[string]any{
		pathDevices: types.ArrayOfVirtualDevice{VirtualDevice: []types.BaseVirtualDevice{
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
	require.Equal(t, `unread: ethernet2.pnicFeatures is "yes", not a number`, reasonOf(&nics[2].PNICFeatures))
	require.Equal(t, inventory.Known(int64(0)), nics[3].PNICFeatures, "no key, no feature")
}

func TestLatencyAndThreads(t *testing.T) {
	for level, want := range map[any]string{
		"high": "high", types.LatencySensitivitySensitivityLevelHigh: "high", "custom": "normal", "medium": "medium",
	} {
		v := vmOf(given(map[string]any{"config.latencySensitivity.level": level, "config.hardware.simultaneousThreads": int32(2)}))
		require.Equal(t, inventory.Known(want), v.LatencySensitivity)
		require.Equal(t, inventory.Known(int64(2)), v.ThreadsPerCore)
	}
	require.Equal(t, inventory.Known(int64(1)), vmOf(given(map[string]any{"config.hardware.simultaneousThreads": int32(0)})).ThreadsPerCore)
}

func TestSnapshotsAreFlattened(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tree := func(name string, below ...types.VirtualMachineSnapshotTree) types.VirtualMachineSnapshotTree {
		return types.VirtualMachineSnapshotTree{Name: name, CreateTime: at, ChildSnapshotList: below}
	}
	v := vmOf(given(map[string]any{"snapshot.rootSnapshotList": types.ArrayOfVirtualMachineSnapshotTree{
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
		require.Equal(t, want, isTuning(key), key)
	}
}

func TestPathsSurviveRings(t *testing.T) {
	folder := func(id string) ref { return ref{Type: "Folder", Value: id} }
	x := &tree{root: folder("root"), nodes: map[ref]*node{
		folder("a"): {ref: folder("a"), name: "a", parent: folder("b")},
		folder("b"): {ref: folder("b"), name: "b", parent: folder("a")},
		folder("c"): {ref: folder("c"), name: "c", parent: folder("root")},
	}}
	require.Equal(t, "/c", x.path(folder("c")))
	require.Contains(t, x.path(folder("a")), "…/")
	require.Equal(t, ref{}, x.compute(folder("a")))
}

func TestPathOfAVMInAVApp(t *testing.T) {
	app := ref{Type: "VirtualApp", Value: "resgroup-v7"}
	root := ref{Type: "Folder", Value: "root"}
	part := &portion{index: &index{tree: &tree{root: root, nodes: map[ref]*node{app: {ref: app, name: "app", parent: root}}}}}
	v := part.vm(given(map[string]any{pathName: "web", pathVApp: app}), plan[*vm]{})
	require.Equal(t, "/app/web", v.Path)
	v = part.vm(given(map[string]any{pathName: "lost"}), plan[*vm]{})
	require.Equal(t, "…/lost", v.Path)
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{"a%2fb": "a/b", "a%5cb": `a\b`, "100%25": "100%", "%252f": "%2f", "50%zz": "50%zz"} {
		require.Equal(t, want, unescape(in))
	}
}

func TestPlain(t *testing.T) {
	require.Equal(t, "a b", plain("a\x1bb\n"))
	require.Len(t, []rune(plain(strings.Repeat("é", 1000))), 301)
}
