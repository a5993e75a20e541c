package vmfacts

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestNilOfVMFlags lists the meaning of nil for each fact.
func TestNilOfVMFlags(t *testing.T) {
	v := vmOf(vspheretest.Given(nil))
	require.Equal(t, inventory.Known(false), v.MemoryHotAdd)
	require.Equal(t, inventory.Known([]int64{}), v.MemoryAffinity)
	require.Equal(t, "unread: "+noVNUMA, vspheretest.ReasonOf(&v.CoresPerNUMANode))
	require.Equal(t, "unread: "+noVNUMA, vspheretest.ReasonOf(&v.AutoCoresPerNUMANode))
	require.Equal(t, inventory.Known("any"), v.HTSharing)
	require.Equal(t, inventory.Known("automatic"), v.VirtualMMU)
	require.Equal(t, inventory.Known("hvAuto"), v.VirtualExec)
	require.Equal(t, inventory.Known("release"), v.MonitorType)
	require.Equal(t, inventory.Known(true), v.Logging)
	require.Equal(t, inventory.Known(false), v.VBS)
	require.Equal(t, "absent", vspheretest.ReasonOf(&v.StatsCollection))
	require.Equal(t, inventory.Known(false), v.NestedHV)
	require.Equal(t, inventory.Known(false), v.VirtualPMC)
	require.Equal(t, inventory.Known(int64(0)), v.LatencyVCPUs)
	require.Equal(t, "unread: the server returned no config.swapPlacement", vspheretest.ReasonOf(&v.SwapPlacement))
	require.Equal(t, "unread: the server returned no config.migrateEncryption", vspheretest.ReasonOf(&v.EncryptedVMotion))
	require.Equal(t, inventory.Known(false), v.Encrypted)
	require.Equal(t, inventory.Known(""), v.ManagedBy)
	require.Equal(t, inventory.Known(int64(0)), v.FlashCacheMB)
	require.Equal(t, "unread: "+noTools, vspheretest.ReasonOf(&v.RunningGuestID))
	require.Equal(t, "unread: "+noTools, vspheretest.ReasonOf(&v.RunningGuestFamily))
	require.Equal(t, inventory.Known([]string{}), v.ConnectedDevices)
	require.Equal(t, inventory.Known([]*inventory.PCIDevice{}), v.PCIDevices)
	require.Equal(t, "absent", vspheretest.ReasonOf(&v.PoolID), "a template is in no pool")
	require.Equal(t, inventory.Known([]string{}), v.DatastoreIDs)
	require.Equal(t, inventory.Known(map[string]string{}), v.Attributes)
}

func TestVMFlags(t *testing.T) {
	high := &types.LatencySensitivity{Level: types.LatencySensitivitySensitivityLevelHigh}
	v := vmOf(vspheretest.Given(map[string]any{
		"config.numaInfo.coresPerNumaNode": int32(8), "config.numaInfo.autoCoresPerNumaNode": true,
		"config.flags.virtualMmuUsage": "off", "config.flags.enableLogging": false,
		"config.keyId":      types.CryptoKeyId{KeyId: "secret-key"},
		"config.vcpuConfig": types.ArrayOfVirtualMachineVcpuConfig{VirtualMachineVcpuConfig: []types.VirtualMachineVcpuConfig{{LatencySensitivity: high}, {}, {LatencySensitivity: high}}},
		"datastore":         types.ArrayOfManagedObjectReference{ManagedObjectReference: []ref{{Type: property.TypeDatastore, Value: "datastore-1"}}},
	}))
	require.Equal(t, inventory.Known(int64(8)), v.CoresPerNUMANode)
	require.Equal(t, inventory.Known(true), v.AutoCoresPerNUMANode)
	require.Equal(t, inventory.Known("off"), v.VirtualMMU)
	require.Equal(t, inventory.Known(false), v.Logging)
	require.Equal(t, inventory.Known(true), v.Encrypted, "that there is a key, and not which")
	require.Equal(t, inventory.Known(int64(2)), v.LatencyVCPUs)
	require.Equal(t, inventory.Known([]string{"datastore-1"}), v.DatastoreIDs)
}

func devices(list ...types.BaseVirtualDevice) *inventory.VM {
	return vmOf(vspheretest.Given(map[string]any{PathDevices: types.ArrayOfVirtualDevice{VirtualDevice: list}}))
}

func TestConnectedDevices(t *testing.T) {
	plug := func(on bool) types.VirtualDevice {
		return types.VirtualDevice{Connectable: &types.VirtualDeviceConnectInfo{Connected: on}}
	}
	v := devices(
		&types.VirtualSerialPort{VirtualDevice: plug(true)}, &types.VirtualCdrom{VirtualDevice: plug(true)},
		&types.VirtualCdrom{VirtualDevice: plug(true)}, &types.VirtualFloppy{VirtualDevice: plug(false)},
		&types.VirtualParallelPort{}, &types.VirtualUSB{Connected: true}, &types.VirtualVmxnet3{}, nil,
	)
	require.Equal(t, inventory.Known([]string{"cdrom", "serial", "usb"}), v.ConnectedDevices)
}

func TestPCIDevices(t *testing.T) {
	lent := func(name string, backing types.BaseVirtualDeviceBackingInfo) *types.VirtualPCIPassthrough {
		return &types.VirtualPCIPassthrough{VirtualDevice: types.VirtualDevice{DeviceInfo: &types.Description{Label: name}, Backing: backing}}
	}
	onNode := lent("a", &types.VirtualPCIPassthroughDeviceBackingInfo{})
	onNode.NumaNode = new(int32(1))
	v := devices(lent("d", nil), lent("c", &types.VirtualPCIPassthroughVmiopBackingInfo{Vgpu: "grid_l40s-12q"}), onNode,
		lent("b", &types.VirtualPCIPassthroughDynamicBackingInfo{}), &types.VirtualSriovEthernetCard{}, &types.VirtualVmxnet3{})
	got, _ := v.PCIDevices.Value()
	require.Equal(t, []*inventory.PCIDevice{
		{Label: "a", Kind: inventory.Known("passthrough"), VGPU: inventory.Absent[string](), NUMANode: inventory.Known(int64(1))},
		{Label: "b", Kind: inventory.Known("passthrough"), VGPU: inventory.Absent[string](), NUMANode: inventory.Absent[int64]()},
		{Label: "c", Kind: inventory.Known("vgpu"), VGPU: inventory.Known("grid_l40s-12q"), NUMANode: inventory.Absent[int64]()},
		{Label: "d", Kind: inventory.Known("other"), VGPU: inventory.Absent[string](), NUMANode: inventory.Absent[int64]()},
		{Label: "device 0", Kind: inventory.Known("sriov"), VGPU: inventory.Absent[string](), NUMANode: inventory.Absent[int64]()},
	}, got)
	got, _ = devices(lent("a", &types.VirtualPCIPassthroughVmiopBackingInfo{})).PCIDevices.Value()
	require.Contains(t, vspheretest.ReasonOf(&got[0].VGPU), "unread: the server does not report the profile")
}

func TestVmxnet3(t *testing.T) {
	card := func(key int32) types.VirtualVmxnet {
		return types.VirtualVmxnet{VirtualEthernetCard: types.VirtualEthernetCard{VirtualDevice: types.VirtualDevice{Key: key, NumaNode: new(int32(-1))}}}
	}
	v := devices(
		&types.VirtualVmxnet3{VirtualVmxnet: card(4000), Uptv2Enabled: new(true), StrictLatencyConfig: &types.VirtualVmxnet3StrictLatencyConfig{Allowed: new(true)}},
		&types.VirtualVmxnet3Vrdma{VirtualVmxnet3: types.VirtualVmxnet3{VirtualVmxnet: card(4001), Uptv2Enabled: new(false), StrictLatencyConfig: new(types.VirtualVmxnet3StrictLatencyConfig)}},
		&types.VirtualVmxnet3{VirtualVmxnet: card(4002)},
		&types.VirtualE1000{},
	)
	nics, _ := v.VNICs.Value()
	require.Equal(t, inventory.Absent[int64](), nics[0].NUMANode, "the e1000")
	require.Equal(t, inventory.Absent[bool](), nics[0].UPTv2)
	require.Equal(t, inventory.Known(true), nics[1].UPTv2)
	require.Equal(t, inventory.Known(true), nics[1].StrictLatency)
	require.Equal(t, inventory.Known(int64(-1)), nics[1].NUMANode)
	require.Equal(t, inventory.Known(false), nics[2].UPTv2)
	require.Equal(t, "unread: the server does not report whether real-time networking is allowed on ethernet1", vspheretest.ReasonOf(&nics[2].StrictLatency))
	require.Equal(t, inventory.Absent[bool](), nics[3].UPTv2)
	require.Equal(t, inventory.Absent[bool](), nics[3].StrictLatency)
}

func TestPlugs(t *testing.T) {
	on := ref{Type: "HostSystem", Value: "host-1"}
	g := &Plugs{
		distributed: map[string]string{"u-1": "dvs"},
		standard:    map[ref]inventory.Fact[map[string]string]{on: inventory.Known(map[string]string{"VM/Net": "vSwitch0"}), {Value: "dark"}: inventory.Unread[map[string]string]("no permission")},
	}
	named := func(n string) types.BaseVirtualDeviceBackingInfo {
		return &types.VirtualEthernetCardNetworkBackingInfo{VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: n}}
	}
	port := func(id string) types.BaseVirtualDeviceBackingInfo {
		return &types.VirtualEthernetCardDistributedVirtualPortBackingInfo{Port: types.DistributedVirtualSwitchPortConnection{SwitchUuid: id}}
	}
	for i, c := range []struct {
		host    ref
		backing types.BaseVirtualDeviceBackingInfo
		want    inventory.Fact[string]
	}{
		{on, nil, inventory.Known("")},
		{on, &types.VirtualEthernetCardOpaqueNetworkBackingInfo{}, inventory.Known("")},
		{on, port("u-1"), inventory.Known("dvs")},
		{on, port("u-2"), inventory.Unread[string]("the server does not list distributed switch u-2")},
		{on, named("VM%2fNet"), inventory.Known("vSwitch0")},
		{on, named("none"), inventory.Unread[string]("its host has no port group none")},
		{ref{Value: "dark"}, named("VM%2fNet"), inventory.Unread[string]("no permission")},
		{ref{Value: "gone"}, named("VM%2fNet"), inventory.Unread[string]("the server does not report the host of the virtual machine")},
		{on, &types.VirtualEthernetCardLegacyNetworkBackingInfo{}, inventory.Unread[string]("vperf does not know a network of kind *types.VirtualEthernetCardLegacyNetworkBackingInfo")},
	} {
		require.Equal(t, c.want, g.switchOf(c.host, c.backing), i)
	}
	groups, ok := asPortgroups(types.ArrayOfHostPortGroup{HostPortGroup: []types.HostPortGroup{{Spec: types.HostPortGroupSpec{Name: "VM%2fNet", VswitchName: "vSwitch0"}}}})
	require.True(t, ok)
	require.Equal(t, map[string]string{"VM/Net": "vSwitch0"}, groups)
}

func TestDiskBackings(t *testing.T) {
	file := func(store string) types.VirtualDeviceFileBackingInfo {
		return types.VirtualDeviceFileBackingInfo{Datastore: &ref{Type: property.TypeDatastore, Value: store}}
	}
	yes, no := new(true), new(false)
	var list []types.BaseVirtualDevice
	for i, b := range []types.BaseVirtualDeviceBackingInfo{
		&types.VirtualDiskFlatVer2BackingInfo{VirtualDeviceFileBackingInfo: file("d"), ThinProvisioned: yes},
		&types.VirtualDiskFlatVer2BackingInfo{VirtualDeviceFileBackingInfo: file("d"), ThinProvisioned: no, EagerlyScrub: yes},
		&types.VirtualDiskFlatVer2BackingInfo{VirtualDeviceFileBackingInfo: file("d"), ThinProvisioned: no, DeltaDiskFormat: "redoLogFormat"},
		&types.VirtualDiskFlatVer2BackingInfo{VirtualDeviceFileBackingInfo: file("d"), ThinProvisioned: no, EagerlyScrub: no, DeltaDiskFormat: "redoLogFormat", Parent: new(types.VirtualDiskFlatVer2BackingInfo)},
		&types.VirtualDiskFlatVer2BackingInfo{Parent: new(types.VirtualDiskFlatVer2BackingInfo)},
		&types.VirtualDiskSeSparseBackingInfo{VirtualDeviceFileBackingInfo: file("d"), DeltaDiskFormat: "seSparseFormat", Parent: new(types.VirtualDiskSeSparseBackingInfo)},
		&types.VirtualDiskSparseVer2BackingInfo{VirtualDeviceFileBackingInfo: file("d")},
		&types.VirtualDiskRawDiskMappingVer1BackingInfo{VirtualDeviceFileBackingInfo: file("d")},
		&types.VirtualDiskRawDiskVer2BackingInfo{},
		nil,
	} {
		list = append(list, &types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: int32(i), Backing: b}})
	}
	disks, _ := devices(list...).Disks.Value()
	state := func(f inventory.Reader) string {
		v, s, reason := f.Raw()
		return [...]string{"?" + reason, fmt.Sprint(v), "absent"}[s]
	}
	unsaid := func(i int, what string) string { return fmt.Sprintf("?the server does not report "+what, i) }
	const eagerly = "whether disk %d was zeroed when it was made"
	for i, want := range [][5]string{
		{"flat", "true", "false", "", "d"},
		{"flat", "false", "true", "", "d"},
		{"flat", "false", unsaid(2, eagerly), "", "d"},
		{"flat", "false", "false", "redoLogFormat", "d"},
		{"flat", unsaid(4, "whether disk %d is thin"), unsaid(4, eagerly), unsaid(4, "in which format disk %d keeps its changes"), "?the server does not report the datastore of disk 4"},
		{"sesparse", "absent", "absent", "seSparseFormat", "d"},
		{"sparse", "absent", "absent", "", "d"},
		{"rdm", "absent", "absent", "", "d"},
		{"rdm", "absent", "absent", "", "absent"},
		{"other", "absent", "absent", "", "absent"},
	} {
		d := disks[i]
		require.Equal(t, want, [5]string{state(&d.Backing), state(&d.Thin), state(&d.EagerZeroed), state(&d.DeltaFormat), state(&d.DatastoreID)}, i)
	}
}

func TestDiskSizesAndCaches(t *testing.T) {
	v := devices(
		&types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: 1, ControllerKey: 1000}, CapacityInBytes: 5 << 30, VFlashCacheConfigInfo: &types.VirtualDiskVFlashCacheConfigInfo{ReservationInMB: 64}},
		&types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: 2, ControllerKey: 1000}, CapacityInKB: 1 << 20},
	)
	disks, _ := v.Disks.Value()
	require.Equal(t, inventory.Known(int64(5120)), disks[0].CapacityMB)
	require.Equal(t, inventory.Known(int64(1024)), disks[1].CapacityMB, "servers before 5.5 count kilobytes alone")
	require.Equal(t, inventory.Known(int64(64)), disks[0].FlashCacheMB)
	require.Equal(t, inventory.Known(int64(0)), disks[1].FlashCacheMB)
	require.Equal(t, inventory.Known(int64(1000)), disks[1].ControllerKey)
}
