package hostfacts

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/internal/vsphere/wire"
	"github.com/vperf/vperf/pkg/inventory"
)

func hostOf(p *property.Props) *inventory.Host {
	h := new(inventory.Host)
	Table.Plan(inventory.Everything()).Fill(p, h)
	return h
}

// TestNilOfHostFacts lists the meaning of nil for each fact.
func TestNilOfHostFacts(t *testing.T) {
	h := hostOf(vspheretest.Given(nil))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.PowerPolicy))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.PowerHardware))
	require.Equal(t, inventory.Known(false), h.VSAN)
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.HyperThreadingAvailable))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.HyperThreadingActive))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.HyperThreadingConfigured))
	require.Equal(t, inventory.Known([]*inventory.VMKNIC{}), h.VMKNICs)
	require.Equal(t, inventory.Known([]*inventory.PNIC{}), h.PNICs)
	require.Equal(t, "unread: the server returned no hardware.numaInfo", vspheretest.ReasonOf(&h.NUMANodes))
	require.Equal(t, "unread: the server returned no config.option", vspheretest.ReasonOf(&h.Options))
	require.Equal(t, "unread: the server returned no hardware.systemInfo.vendor", vspheretest.ReasonOf(&h.Kind))
	require.Equal(t, "unread: the server returned no config.product.build", vspheretest.ReasonOf(&h.Build))
	require.Equal(t, "unread: the server returned no hardware.cpuInfo.hz", vspheretest.ReasonOf(&h.CPUMHz))
	require.Equal(t, "unread: the server returned no hardware.cpuInfo.numCpuPackages", vspheretest.ReasonOf(&h.CPUPackages))
	require.Equal(t, "unread: the server returned no hardware.cpuInfo.numCpuThreads", vspheretest.ReasonOf(&h.CPUThreads))
	require.Equal(t, "unread: the server returned no hardware.memorySize", vspheretest.ReasonOf(&h.MemoryMB))
	require.Equal(t, "unread: the server returned no hardware.systemInfo.vendor", vspheretest.ReasonOf(&h.Vendor))
	require.Equal(t, "unread: the server returned no hardware.systemInfo.model", vspheretest.ReasonOf(&h.Model))
	for _, f := range []inventory.Reader{&h.CPUVendor, &h.CPUFamily, &h.CPUModel, &h.CPUDescription} {
		require.Equal(t, "unread: the server returned no hardware.cpuPkg", vspheretest.ReasonOf(f))
	}
	require.Equal(t, "unread: the server returned no runtime.bootTime", vspheretest.ReasonOf(&h.BootTime))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.CPUScheduler))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.Sensors))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.MemoryTiering))
	require.Equal(t, inventory.Known(false), h.VSANESA)
	require.Equal(t, inventory.Known([]*inventory.DiskGroup{}), h.DiskGroups)
	require.Equal(t, inventory.Known([]*inventory.Switch{}), h.VSwitches)
	require.Equal(t, inventory.Known([]*inventory.LUN{}), h.LUNs)
	require.Equal(t, inventory.Known([]*inventory.HBA{}), h.HBAs)
	require.Equal(t, inventory.Known(int64(0)), h.SwapCacheMB)
	require.Equal(t, inventory.Known(int64(0)), h.FlashCacheMB)
	require.Equal(t, inventory.Known(""), h.FlashVolume)
	require.Equal(t, inventory.Known(false), h.FlashVolumeIsSystem)
	require.Equal(t, "unread: the server returned no config.option", vspheretest.ReasonOf(&h.OffDefault))
	require.Equal(t, "unread: it takes a call to the host", vspheretest.ReasonOf(&h.KernelSettings))
}

func TestMissingSetWords(t *testing.T) {
	p := vspheretest.Given(nil)
	p.Missing = map[string]types.BaseMethodFault{
		"config.option":                   &types.SystemError{Reason: "x"},
		"config.vsanHostConfig":           &types.NoPermission{PrivilegeId: "System.Read"}, // the error names the parent
		"config.powerSystemInfo":          &types.NoPermission{MissingPrivileges: []types.NoPermissionEntityPrivileges{{PrivilegeIds: []string{"A.B", "C.D"}}}},
		"hardware.cpuPowerManagementInfo": &types.InvalidProperty{Name: "cpuPowerManagementInfo"},
		"hardware.numaInfo":               &types.HostNotConnected{},
		"config.network.pnic":             &types.NoPermission{},
	}
	h := hostOf(p)
	require.Equal(t, "unread: system error", vspheretest.ReasonOf(&h.Options))
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&h.VSAN))
	require.Equal(t, "unread: no permission (privilege A.B, C.D)", vspheretest.ReasonOf(&h.PowerPolicy))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.PowerHardware))
	require.Equal(t, "unread: host not connected", vspheretest.ReasonOf(&h.NUMANodes))
	require.Equal(t, "unread: no permission", vspheretest.ReasonOf(&h.PNICs))
}

func TestUnexpectedForms(t *testing.T) {
	h := hostOf(vspheretest.Given(map[string]any{
		"config.option": "surprise", tree.PathVersion: "eight", pathCores: "many", "config.vsanHostConfig.enabled": int32(1), PathPNIC: 7,
	}))
	for _, f := range []inventory.Reader{&h.Options, &h.Cores, &h.VSAN, &h.PNICs} {
		require.Contains(t, vspheretest.ReasonOf(f), "in a form that vperf does not understand")
	}
	require.Equal(t, "unread: the server reports its version as eight", vspheretest.ReasonOf(&h.Version))
}

func TestNamesOfHosts(t *testing.T) {
	h := hostOf(vspheretest.Given(map[string]any{
		tree.PathDNSHost: "esx01", tree.PathDNSDomain: "demo.local",
		tree.PathVMK: types.ArrayOfHostVirtualNic{HostVirtualNic: []types.HostVirtualNic{
			{Spec: types.HostVirtualNicSpec{Ip: &types.HostIpConfig{IpAddress: "10.0.0.1", IpV6Config: &types.HostIpConfigIpV6AddressConfiguration{
				IpV6Address: []types.HostIpConfigIpV6Address{{IpAddress: "fe80::1"}},
			}}}},
			{Spec: types.HostVirtualNicSpec{Ip: &types.HostIpConfig{}}},
			{},
		}},
	}))
	require.Equal(t, inventory.Known("esx01.demo.local"), h.DNSName)
	require.Equal(t, inventory.Known([]string{"10.0.0.1", "fe80::1"}), h.Addresses)
	require.Equal(t, inventory.Known("esx01"), hostOf(vspheretest.Given(map[string]any{tree.PathDNSHost: "esx01"})).DNSName)
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
		require.Equal(t, c.want, KindOf(c.vendor, c.model), c.model)
	}
}

// TestDamagedModel: a damaged model is shown, and costs the kind of a host only where the vendor does not decide it.
func TestDamagedModel(t *testing.T) {
	for vendor, kind := range map[string]string{"Dell Inc.": "known", "VMware, Inc.": "unread: hardware.systemInfo.model of host : \"R\uFFFD\" has a damaged character"} {
		p := vspheretest.Given(map[string]any{PathVendor: vendor})
		p.Ref.Type = property.TypeHost
		p.Damaged(PathModel, &wire.DamageError{Text: "R\uFFFD"})
		h := hostOf(p)
		require.Equal(t, inventory.Known("R\uFFFD"), h.Model)
		require.Equal(t, kind, vspheretest.ReasonOf(&h.Kind))
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
		PathPNIC:        types.ArrayOfPhysicalNic{PhysicalNic: []types.PhysicalNic{up, nic("vmnic1", "0000:af:00.1"), nic("vmnic2", "0000:ff:00.0"), usb}},
		PathStandard:    types.ArrayOfHostVirtualSwitch{HostVirtualSwitch: []types.HostVirtualSwitch{{Name: "vSwitch0", Pnic: []string{"key-vmnic0"}}}},
		PathDistributed: types.ArrayOfHostProxySwitch{HostProxySwitch: []types.HostProxySwitch{{DvsName: "dvs", Pnic: []string{"key-vmnic1"}}}},
		pathNUMA: types.HostNumaInfo{NumaNode: []types.HostNumaNode{
			{TypeId: 0, PciId: []string{"3b:00.0"}}, {TypeId: 1, PciId: []string{"00000000:AF:00.1"}}, {TypeId: 2},
		}},
	}
	h := hostOf(vspheretest.Given(values))
	nics, _ := h.PNICs.Value()
	require.Equal(t, inventory.Known(int64(100_000)), nics[0].LinkMbps)
	require.Equal(t, inventory.Known(int64(0)), nics[1].LinkMbps, "no link speed is link down")
	require.Equal(t, inventory.Known(int64(0)), nics[0].NUMANode)
	require.Equal(t, inventory.Known(int64(1)), nics[1].NUMANode)
	require.Equal(t, `unread: no NUMA node of the host lists PCI device "0000:ff:00.0" of vmnic2`, vspheretest.ReasonOf(&nics[2].NUMANode))
	for i, want := range []bool{true, true, false, false} {
		require.Equal(t, inventory.Known(want), nics[i].Uplink)
	}
	require.Equal(t, inventory.Known(true), nics[0].EDP)
	require.Equal(t, inventory.Known(false), nics[1].EDP)
	require.Equal(t, inventory.Known(true), nics[0].EDPSupported)
	require.Equal(t, inventory.Known(false), nics[1].EDPSupported)
	require.Equal(t, inventory.Known("4.19"), nics[0].DriverVersion)
	require.Equal(t, inventory.Known("12.28"), nics[0].FirmwareVersion)
	require.Equal(t, "unread: "+inventory.PerHost, vspheretest.ReasonOf(&nics[1].DriverVersion), "its command line may tell")
	require.Equal(t, "unread: "+inventory.PerHost, vspheretest.ReasonOf(&nics[1].FirmwareVersion))
	for _, f := range []inventory.Reader{&nics[0].RingRx, &nics[0].RingTx, &nics[0].RingRxMax, &nics[0].RingTxMax, &nics[0].CoalesceRxMicros, &nics[0].CoalesceAdaptiveRx} {
		require.Equal(t, "unread: it takes a call to the host", vspheretest.ReasonOf(f))
	}
	require.Equal(t, "unread: the host does not report the driver of vusb0", vspheretest.ReasonOf(&nics[3].Driver))
	require.Equal(t, "unread: it takes a call to the host", vspheretest.ReasonOf(&nics[0].RSS))
	require.Equal(t, "unread: it takes a call to the host", vspheretest.ReasonOf(&nics[0].DriverOptions))
	for i, want := range []string{"vSwitch0", "dvs", "", ""} {
		require.Equal(t, inventory.Known(want), nics[i].Switch)
	}
	require.Equal(t, inventory.Known(int64(100_000)), nics[0].BestMbps)
	require.Equal(t, inventory.Known(int64(0)), nics[1].BestMbps, "no speeds listed")
	require.Equal(t, inventory.Known(true), nics[0].FullDuplex)
	require.Equal(t, "absent", vspheretest.ReasonOf(&nics[1].FullDuplex), "the link is down")
	nodes, _ := h.NUMANodes.Value()
	require.Equal(t, inventory.Known([]string{}), nodes[2].PCI)

	values[tree.PathVersion] = "6.5.0"
	nics, _ = hostOf(vspheretest.Given(values)).PNICs.Value()
	require.Equal(t, "absent", vspheretest.ReasonOf(&nics[1].EDP), "the mode came with 6.7")
	require.Equal(t, "absent", vspheretest.ReasonOf(&nics[1].EDPSupported))
	values[tree.PathVersion] = "6.7.0"
	nics, _ = hostOf(vspheretest.Given(values)).PNICs.Value()
	require.Equal(t, inventory.Known(false), nics[1].EDP)
	require.Equal(t, "absent", vspheretest.ReasonOf(&nics[1].EDPSupported), "which NICs could, hosts say from 7.0 on")

	p := vspheretest.Given(values)
	delete(p.Values, PathDistributed)
	p.Missing = map[string]types.BaseMethodFault{PathDistributed: &types.NoPermission{PrivilegeId: "System.Read"}}
	nics, _ = hostOf(p).PNICs.Value()
	require.Equal(t, inventory.Known(true), nics[0].Uplink, "seen is seen")
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&nics[1].Uplink), "not seen where one could not look is not known")
	require.Equal(t, inventory.Known("vSwitch0"), nics[0].Switch)
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&nics[1].Switch))
}

func TestOpaqueSwitch(t *testing.T) {
	h := hostOf(vspheretest.Given(map[string]any{
		PathPNIC: types.ArrayOfPhysicalNic{PhysicalNic: []types.PhysicalNic{{Key: "a", Device: "vmnic0"}, {Key: "b", Device: "vmnic1"}}},
		PathOpaque: types.ArrayOfHostOpaqueSwitch{HostOpaqueSwitch: []types.HostOpaqueSwitch{
			{Key: "nsx%2f1", Name: "nsx%2f1", Pnic: []string{"a"}}, {Key: "key-of-it", Pnic: []string{"b"}},
		}},
	}))
	nics, _ := h.PNICs.Value()
	require.Equal(t, inventory.Known("nsx/1"), nics[0].Switch)
	require.Equal(t, inventory.Known("key-of-it"), nics[1].Switch, "a switch without a name is named by its key")
	require.Equal(t, inventory.Known(true), nics[1].Uplink)
}

func TestVMKNICs(t *testing.T) {
	vmk := func(device, stack string, mtu int32) types.HostVirtualNic {
		return types.HostVirtualNic{Device: device, Key: "key-" + device, Spec: types.HostVirtualNicSpec{NetStackInstanceKey: stack, Mtu: mtu}}
	}
	candidate := vmk("vmk1", "", 0)
	candidate.Key = "vmotion.17" // hosts may use any names
	values := map[string]any{
		tree.PathVMK: types.ArrayOfHostVirtualNic{HostVirtualNic: []types.HostVirtualNic{vmk("vmk0", "", 0), vmk("vmk1", "vmotion", 9000), vmk("vmk10", "", 1500)}},
		pathVNICManager: types.ArrayOfVirtualNicManagerNetConfig{VirtualNicManagerNetConfig: []types.VirtualNicManagerNetConfig{
			{NicType: "vsan", SelectedVnic: []string{"vsan.key-vmk10", "vsan.key-vmk1"}},
			{NicType: "vmotion", SelectedVnic: []string{"vmotion.17"}, CandidateVnic: []types.HostVirtualNic{candidate}},
			{NicType: "management"},
		}},
	}
	nics, _ := hostOf(vspheretest.Given(values)).VMKNICs.Value()
	require.Len(t, nics, 3)
	for i, want := range []inventory.VMKNIC{
		{Device: "vmk0", Services: inventory.Known([]string{}), NetStack: inventory.Known("defaultTcpipStack"), MTU: nics[0].MTU},
		{Device: "vmk1", Services: inventory.Known([]string{"vmotion", "vsan"}), NetStack: inventory.Known("vmotion"), MTU: inventory.Known(int64(9000))},
		{Device: "vmk10", Services: inventory.Known([]string{"vsan"}), NetStack: inventory.Known("defaultTcpipStack"), MTU: inventory.Known(int64(1500))},
	} {
		require.Equal(t, want, inventory.VMKNIC{Device: nics[i].Device, Services: nics[i].Services, NetStack: nics[i].NetStack, MTU: nics[i].MTU})
	}
	require.Equal(t, "unread: the host does not report the MTU of vmk0", vspheretest.ReasonOf(&nics[0].MTU))

	delete(values, pathVNICManager)
	nics, _ = hostOf(vspheretest.Given(values)).VMKNICs.Value()
	require.Equal(t, "unread: the server returned no config.virtualNicManagerInfo.netConfig", vspheretest.ReasonOf(&nics[1].Services))
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
		h := hostOf(vspheretest.Given(c.values))
		require.Equal(t, c.want, vspheretest.ReasonOf(&h.LatencySensitivitySupported), name)
		yes, _ := h.LatencySensitivitySupported.Value()
		require.Equal(t, name == "yes", yes)
	}
}

func TestNUMAWithoutPCI(t *testing.T) {
	h := hostOf(vspheretest.Given(map[string]any{
		PathPNIC: types.ArrayOfPhysicalNic{PhysicalNic: []types.PhysicalNic{{Device: "vmnic0", Pci: "0000:3b:00.0"}}},
		pathNUMA: types.HostNumaInfo{NumNodes: 2, NumaNode: []types.HostNumaNode{{}, {TypeId: 1}}},
	}))
	nics, _ := h.PNICs.Value()
	nodes, _ := h.NUMANodes.Value()
	require.Equal(t, "unread: the host lists no PCI devices by NUMA node", vspheretest.ReasonOf(&nics[0].NUMANode))
	require.Len(t, nodes, 2)
	require.Equal(t, "absent", vspheretest.ReasonOf(&nodes[0].PCI))

	h = hostOf(vspheretest.Given(map[string]any{pathNUMA: types.HostNumaInfo{}}))
	require.Equal(t, inventory.Known([]*inventory.NUMANode{}), h.NUMANodes, "not NUMA-capable is an answer")
}

func TestPowerHardware(t *testing.T) {
	h := hostOf(vspheretest.Given(map[string]any{"hardware.cpuPowerManagementInfo": types.HostCpuPowerManagementInfo{}}))
	require.Equal(t, inventory.Known(""), h.PowerHardware, "the BIOS keeps control")
}

func TestOptionsKeepTypesAndBounds(t *testing.T) {
	const (
		long, short, flag, text = "Net.NetNetqNumaIOCpuPinThreshold", "Net.UseHwTSO", "CBRC.Enable", "Power.CpuPolicy"
	)
	def := func(key string, t types.BaseOptionType) types.OptionDef {
		return types.OptionDef{ElementDescription: types.ElementDescription{Key: key}, OptionType: t}
	}
	h := hostOf(vspheretest.Given(map[string]any{
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
	}, options, "only needed options are kept, with their wire type")
}

func TestOddOptionValuesAndBounds(t *testing.T) {
	require.Equal(t, inventory.StringValue("2.5"), OptionValue(float32(2.5)))
	require.Equal(t, inventory.StringValue(""), OptionValue(nil))
	for _, odd := range []types.BaseOptionType{nil, &types.ChoiceOption{DefaultIndex: 3}, &types.ChoiceOption{DefaultIndex: -1}, &types.OptionType{}} {
		def, low, high := Bounds(odd)
		require.Nil(t, def)
		require.Nil(t, low)
		require.Nil(t, high)
	}
	def, low, _ := Bounds(&types.FloatOption{Min: 0.5, DefaultValue: 1.5})
	require.Equal(t, inventory.StringValue("1.5"), *def)
	require.Nil(t, low)
	def, _, _ = Bounds(&types.StringOption{DefaultValue: ""})
	require.Equal(t, inventory.StringValue(""), *def)
}
