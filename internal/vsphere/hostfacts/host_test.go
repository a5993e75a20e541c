package hostfacts

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestProcessorAndMemory(t *testing.T) {
	pkg := types.HostCpuPackage{Vendor: "Intel", Description: "Intel(R) Xeon(R) 6787P", Family: 6, Model: 173}
	h := hostOf(vspheretest.Given(map[string]any{
		pathPackages:                      types.ArrayOfHostCpuPackage{HostCpuPackage: []types.HostCpuPackage{pkg, {Vendor: "AMD"}}},
		"hardware.cpuInfo.numCpuPackages": int16(2), "hardware.cpuInfo.numCpuThreads": int16(344),
		"config.cpuScheduler.policy": "scav2", "hardware.memoryTieringType": "softwareTiering",
		"hardware.memorySize": int64(549604499456), PathVendor: "Dell Inc.", PathModel: "PowerEdge R770",
		pathNUMA: types.HostNumaInfo{NumaNode: []types.HostNumaNode{
			{TypeId: 0, MemorySize: 64 << 30, MemoryRangeLength: 64 << 30}, {TypeId: 1, MemoryRangeLength: 32 << 30}, {TypeId: 2},
		}},
	}))
	require.Equal(t, inventory.Known("intel"), h.CPUVendor)
	require.Equal(t, inventory.Known("Intel(R) Xeon(R) 6787P"), h.CPUDescription)
	require.Equal(t, inventory.Known(int64(6)), h.CPUFamily)
	require.Equal(t, inventory.Known(int64(173)), h.CPUModel)
	require.Equal(t, inventory.Known(int64(2)), h.CPUPackages)
	require.Equal(t, inventory.Known(int64(344)), h.CPUThreads)
	require.Equal(t, inventory.Known("scav2"), h.CPUScheduler)
	require.Equal(t, inventory.Known("softwareTiering"), h.MemoryTiering)
	require.Equal(t, inventory.Known(int64(524_143)), h.MemoryMB)
	require.Equal(t, inventory.Known("Dell Inc."), h.Vendor)
	require.Equal(t, inventory.Known("PowerEdge R770"), h.Model)
	nodes, _ := h.NUMANodes.Value()
	for i, want := range []int64{65_536, 32_768, 0} {
		require.Equal(t, inventory.Known(want), nodes[i].MemoryMB)
	}

	pkg = types.HostCpuPackage{Vendor: "amd", Family: 23}
	h = hostOf(vspheretest.Given(map[string]any{pathPackages: types.ArrayOfHostCpuPackage{HostCpuPackage: []types.HostCpuPackage{pkg}}}))
	require.Equal(t, inventory.Known(int64(0)), h.CPUModel, "a model may be 0")
	pkg.Family = 0
	h = hostOf(vspheretest.Given(map[string]any{pathPackages: types.ArrayOfHostCpuPackage{HostCpuPackage: []types.HostCpuPackage{pkg}}}))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.CPUModel), "before 8.0 U3 there are no numbers")
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.CPUFamily))
	h = hostOf(vspheretest.Given(map[string]any{pathPackages: types.ArrayOfHostCpuPackage{}}))
	require.Equal(t, "unread: the server returned no hardware.cpuPkg", vspheretest.ReasonOf(&h.CPUVendor))
}

func TestCaches(t *testing.T) {
	h := hostOf(vspheretest.Given(map[string]any{
		"config.cacheConfigurationInfo": types.ArrayOfHostCacheConfigurationInfo{
			HostCacheConfigurationInfo: []types.HostCacheConfigurationInfo{{SwapSize: 1024}, {SwapSize: 512}},
		},
		"config.vFlashConfigInfo.vFlashResourceConfigInfo.capacity": int64(200 << 30),
	}))
	require.Equal(t, inventory.Known(int64(1536)), h.SwapCacheMB)
	require.Equal(t, inventory.Known(int64(204_800)), h.FlashCacheMB)
}

// The volume that ESXi runs from is listed as a virtual flash resource, too.
func TestFlashVolume(t *testing.T) {
	scratch := func(path string) types.ArrayOfOptionValue {
		return types.ArrayOfOptionValue{OptionValue: []types.BaseOptionValue{
			nil, &types.OptionValue{Key: "Mem.MemZipEnable", Value: int64(1)}, &types.OptionValue{Key: scratchOption, Value: path},
		}}
	}
	for name, c := range map[string]struct {
		volume, uuid string
		options      any
		want         inventory.Fact[bool]
	}{
		"none":                      {"", "", scratch("/vmfs/volumes/1a-2b"), inventory.Known(false)},
		"the system volume":         {"OSDATA-1a-2b", "1a-2b", nil, inventory.Known(true)},
		"scratch by UUID":           {"flash", "1a-2b", scratch("/vmfs/volumes/1A-2B/.locker"), inventory.Known(true)},
		"scratch by name":           {"flash", "1a-2b", scratch("/vmfs/volumes/flash"), inventory.Known(true)},
		"scratch elsewhere":         {"flash", "1a-2b", scratch("/vmfs/volumes/flash2/.locker"), inventory.Known(false)},
		"scratch in memory":         {"flash", "", scratch("/tmp/scratch"), inventory.Known(false)},
		"a host without the option": {"flash", "1a-2b", types.ArrayOfOptionValue{}, inventory.Known(false)},
		"options were not read":     {"flash", "1a-2b", nil, inventory.Unread[bool]("the server returned no config.option")},
	} {
		values := map[string]any{pathFlashName: c.volume, pathFlashUUID: c.uuid}
		if c.options != nil {
			values[pathOptions] = c.options
		}
		h := hostOf(vspheretest.Given(values))
		require.Equal(t, inventory.Known(c.volume), h.FlashVolume, name)
		require.Equal(t, c.want, h.FlashVolumeIsSystem, name)
	}
}

// A cloud is detected only by names that its provider gives.
func TestCloud(t *testing.T) {
	for _, c := range []struct{ model, domain, cloud, evidence string }{
		{"Amazon EC2 i3.metal", "", inventory.CloudVMC, "model Amazon EC2 i3.metal"},
		{"Amazon EC2 i4i.metal", "sddc-192-0-2-1.vmwarevmc.com", inventory.CloudVMC, "DNS domain below vmwarevmc.com"},
		{"Amazon EC2 i4i.metal", "corp.example.com", inventory.CloudEC2, "model Amazon EC2 i4i.metal"},
		{"PowerEdge", "p01.0a1b.eastus.AVS.azure.com", inventory.CloudAVS, "DNS domain below avs.azure.com"},
		{"PowerEdge", "0a1b2c3d.europe-west4.gve.goog", inventory.CloudGCVE, "DNS domain below gve.goog"},
		{"ORACLE SERVER", "sddc.iad.oci.oraclecloud.com", inventory.CloudOCVS, "DNS domain below oci.oraclecloud.com"},
		{"PowerEdge", "notgve.goog", "", ""},
		{"PowerEdge", "", "", ""},
	} {
		h := hostOf(vspheretest.Given(map[string]any{PathModel: c.model, tree.PathDNSDomain: c.domain}))
		require.Equal(t, inventory.Known(c.cloud), h.Cloud, c.model+" "+c.domain)
		require.Equal(t, inventory.Known(c.evidence), h.CloudEvidence)
	}
	h := hostOf(vspheretest.Given(nil))
	require.Equal(t, "unread: the server returned no hardware.systemInfo.model", vspheretest.ReasonOf(&h.Cloud))
	for _, cloud := range []string{inventory.CloudVMC, inventory.CloudAVS, inventory.CloudGCVE} {
		require.True(t, inventory.ProviderAdministers(cloud), cloud)
	}
	for _, cloud := range []string{inventory.CloudOCVS, inventory.CloudEC2, ""} {
		require.False(t, inventory.ProviderAdministers(cloud), "customers are root there: "+cloud)
	}
}

func TestDiskGroups(t *testing.T) {
	disk := func(gb int64, ssd *bool) types.HostScsiDisk {
		return types.HostScsiDisk{Capacity: types.HostDiskDimensionsLba{BlockSize: 512, Block: gb << 21}, Ssd: ssd}
	}
	group := func(mounted bool, disks ...types.HostScsiDisk) types.VsanHostDiskMapInfo {
		return types.VsanHostDiskMapInfo{Mounted: mounted, Mapping: types.VsanHostDiskMapping{Ssd: disk(400, new(true)), NonSsd: disks}}
	}
	h := hostOf(vspheretest.Given(map[string]any{
		pathESA: true,
		pathDiskGroups: types.ArrayOfVsanHostDiskMapInfo{VsanHostDiskMapInfo: []types.VsanHostDiskMapInfo{
			group(true, disk(1000, new(true)), disk(2000, new(true))),
			group(true, disk(1000, new(true)), disk(1000, new(false))),
			group(true, disk(1000, nil)),
			group(false, disk(1000, new(true))),
		}},
	}))
	require.Equal(t, inventory.Known(true), h.VSANESA)
	require.Equal(t, inventory.Known([]*inventory.DiskGroup{
		{CacheMB: 400 << 10, CapacityMB: 3000 << 10, Disks: 2, AllFlash: true},
		{CacheMB: 400 << 10, CapacityMB: 2000 << 10, Disks: 2},
		{CacheMB: 400 << 10, CapacityMB: 1000 << 10, Disks: 1},
	}), h.DiskGroups, "a group that is not mounted holds nothing")

	p := vspheretest.Given(nil)
	p.Unknown = func(path string) bool { return path == pathESA }
	require.Equal(t, inventory.Known(false), hostOf(p).VSANESA, "servers that do not know the property have nothing else")
	p.Unknown, p.Missing = vspheretest.NoUnknownPaths, map[string]types.BaseMethodFault{"config.vsanHostConfig": &types.NoPermission{PrivilegeId: "System.Read"}}
	h = hostOf(p)
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&h.VSANESA))
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&h.DiskGroups))
}

// twoSwitches is a host with two standard switches: one with two NICs and one without.
func twoSwitches() map[string]any {
	group := func(name, on string, t *types.HostNicTeamingPolicy) types.HostPortGroup {
		return types.HostPortGroup{Spec: types.HostPortGroupSpec{Name: name, VswitchName: on}, ComputedPolicy: types.HostNetworkPolicy{NicTeaming: t}}
	}
	return map[string]any{
		PathPNIC: types.ArrayOfPhysicalNic{PhysicalNic: []types.PhysicalNic{{Key: "key-0", Device: "vmnic0"}, {Key: "key-1", Device: "vmnic1"}}},
		PathStandard: types.ArrayOfHostVirtualSwitch{HostVirtualSwitch: []types.HostVirtualSwitch{
			{Name: "vSwitch0", Mtu: 9000, Pnic: []string{"key-0", "key-1", "key-lost"}}, {Name: "inner%2f1"},
		}},
		pathPortgroup: types.ArrayOfHostPortGroup{HostPortGroup: []types.HostPortGroup{
			group("a%2fb", "vSwitch0", &types.HostNicTeamingPolicy{Policy: "failover_explicit", NicOrder: &types.HostNicOrderPolicy{
				ActiveNic: []string{"vmnic0"}, StandbyNic: []string{"vmnic1"},
			}}),
			group("some", "vSwitch0", &types.HostNicTeamingPolicy{NicOrder: &types.HostNicOrderPolicy{}}),
			group("none", "vSwitch0", nil),
			group("alone", "inner%2f1", &types.HostNicTeamingPolicy{Policy: "loadbalance_srcid"}),
		}},
	}
}

func TestVSwitches(t *testing.T) {
	p := vspheretest.Given(twoSwitches())
	p.Ref.Value = "host-7"
	switches, _ := hostOf(p).VSwitches.Value()
	require.Len(t, switches, 2)
	s, inner := switches[0], switches[1]
	require.Equal(t, "vSwitch0", s.ID)
	require.Equal(t, "vSwitch0", s.Name)
	require.Equal(t, "absent", vspheretest.ReasonOf(&s.Tags))
	require.Equal(t, "absent", vspheretest.ReasonOf(&s.Attributes))
	require.Equal(t, inventory.SwitchStandard, s.Kind)
	require.Equal(t, inventory.Known(int64(9000)), s.MTU)
	require.Equal(t, inventory.Known([]string{"vmnic0", "vmnic1", "key-lost"}), s.Uplinks, "a NIC that is not listed is named by its key")
	require.Equal(t, inventory.Known([]string{"host-7"}), s.HostIDs)
	require.Equal(t, "absent", vspheretest.ReasonOf(&s.NIOCEnabled))
	require.Equal(t, "absent", vspheretest.ReasonOf(&s.NIOCVersion))
	require.Equal(t, "absent", vspheretest.ReasonOf(&s.TrafficClasses))
	groups, _ := s.Portgroups.Value()
	require.Equal(t, &inventory.Portgroup{
		Name: "a/b", Teaming: inventory.Known("failover_explicit"), Active: inventory.Known([]string{"vmnic0"}), Standby: inventory.Known([]string{"vmnic1"}),
	}, groups[0])
	require.Equal(t, "unread: the host does not report the effective teaming of port group some", vspheretest.ReasonOf(&groups[1].Teaming))
	require.Equal(t, inventory.Known([]string{}), groups[1].Active)
	require.Equal(t, inventory.Known([]string{}), groups[1].Standby)
	require.Equal(t, "unread: the host does not report the effective teaming of port group none", vspheretest.ReasonOf(&groups[2].Active))

	require.Equal(t, "inner/1", inner.Name)
	require.Equal(t, "unread: the host does not report the MTU of switch inner/1", vspheretest.ReasonOf(&inner.MTU))
	require.Equal(t, inventory.Known([]string{}), inner.Uplinks)
	groups, _ = inner.Portgroups.Value()
	require.Equal(t, []*inventory.Portgroup{{
		Name: "alone", Teaming: inventory.Known("loadbalance_srcid"), Active: inventory.Known([]string{}), Standby: inventory.Known([]string{}),
	}}, groups, "without NICs there is no order of them")

	delete(p.Values, pathPortgroup)
	p.Missing = map[string]types.BaseMethodFault{pathPortgroup: &types.NoPermission{PrivilegeId: "System.Read"}}
	switches, _ = hostOf(p).VSwitches.Value()
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&switches[0].Portgroups))
}

func TestVSwitchesAreReadAsFarAsNeeded(t *testing.T) {
	require.Equal(t, []string{PathStandard, tree.PathVersion, pathCores}, Table.Plan(vspheretest.NeedsOf("Host.vswitches")).Paths)
	require.Contains(t, Table.Plan(vspheretest.NeedsOf("Host.vswitches", "Switch.portgroups")).Paths, pathPortgroup)
	require.Contains(t, Table.Plan(vspheretest.NeedsOf("Host.vswitches", "Switch.uplinks")).Paths, PathPNIC)
	require.True(t, Table.Plan(vspheretest.NeedsOf("Switch.portgroups", "Switch.uplinks")).Empty(), "of distributed switches only")
}

func TestVMKNICNetworks(t *testing.T) {
	values := twoSwitches()
	vmk := func(device, group string, spec types.HostVirtualNicSpec) types.HostVirtualNic {
		return types.HostVirtualNic{Device: device, Portgroup: group, Spec: spec}
	}
	ip := func(address, mask string) *types.HostIpConfig {
		return &types.HostIpConfig{IpAddress: address, SubnetMask: mask}
	}
	port := func(uuid string) *types.DistributedVirtualSwitchPortConnection {
		return &types.DistributedVirtualSwitchPortConnection{SwitchUuid: uuid}
	}
	values[tree.PathVMK] = types.ArrayOfHostVirtualNic{HostVirtualNic: []types.HostVirtualNic{
		vmk("vmk0", "a%2fb", types.HostVirtualNicSpec{Ip: ip("192.0.2.77", "255.255.255.192")}),
		vmk("vmk1", "alone", types.HostVirtualNicSpec{Ip: ip("192.0.2.1", "255.0.255.0"), TsoEnabled: new(false)}),
		vmk("vmk2", "", types.HostVirtualNicSpec{DistributedVirtualPort: port("50 1e"), Ip: ip("2001:db8::1", ""), TsoEnabled: new(true)}),
		vmk("vmk3", "", types.HostVirtualNicSpec{DistributedVirtualPort: port("no such")}),
		vmk("vmk4", "", types.HostVirtualNicSpec{OpaqueNetwork: &types.HostVirtualNicOpaqueNetworkSpec{}, Ip: ip("", "")}),
		vmk("vmk5", "", types.HostVirtualNicSpec{}),
	}}
	values[PathDistributed] = types.ArrayOfHostProxySwitch{HostProxySwitch: []types.HostProxySwitch{{DvsUuid: "50 1e", DvsName: "dvs%2f1", Mtu: 1600}}}
	values[PathOpaque] = types.ArrayOfHostOpaqueSwitch{HostOpaqueSwitch: []types.HostOpaqueSwitch{{Key: "nsx"}}}
	nics, _ := hostOf(vspheretest.Given(values)).VMKNICs.Value()
	for i, want := range []string{"vSwitch0", "inner/1", "dvs/1", "", "nsx", ""} {
		got, _ := nics[i].Switch.Value()
		require.Equal(t, want, got)
	}
	for i, want := range []string{
		"known", "unread: the host does not report the MTU of switch inner/1", "known", "unread: the host does not list the switch that vmk3 is on",
		"absent", "unread: the host does not report which switch vmk5 is on",
	} {
		require.Equal(t, want, vspheretest.ReasonOf(&nics[i].SwitchMTU))
	}
	require.Equal(t, inventory.Known(int64(9000)), nics[0].SwitchMTU)
	require.Equal(t, inventory.Known(int64(1600)), nics[2].SwitchMTU)
	require.Equal(t, inventory.Known("192.0.2.64/26"), nics[0].Subnet)
	for i, want := range []string{
		"known", "unread: the host gives no network of vmk1 that can be understood", "unread: the host gives no network of vmk2 that can be understood",
		"absent", "absent", "absent",
	} {
		require.Equal(t, want, vspheretest.ReasonOf(&nics[i].Subnet))
	}
	for i, want := range []bool{true, false, true, true, true, true} {
		require.Equal(t, inventory.Known(want), nics[i].TSO)
	}

	values[PathOpaque] = types.ArrayOfHostOpaqueSwitch{HostOpaqueSwitch: []types.HostOpaqueSwitch{{Key: "nsx"}, {Key: "nsx2"}}}
	nics, _ = hostOf(vspheretest.Given(values)).VMKNICs.Value()
	require.Equal(t, "unread: the host does not report which of its opaque switches it is on", vspheretest.ReasonOf(&nics[4].Switch))
	p := vspheretest.Given(values)
	delete(p.Values, pathPortgroup)
	p.Missing = map[string]types.BaseMethodFault{pathPortgroup: &types.NoPermission{PrivilegeId: "System.Read"}}
	nics, _ = hostOf(p).VMKNICs.Value()
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&nics[0].Switch))
	require.Equal(t, inventory.Known("dvs/1"), nics[2].Switch, "a NIC that was found is known")
}

func TestLUNs(t *testing.T) {
	disk := func(name string) *types.HostScsiDisk {
		return &types.HostScsiDisk{ScsiLun: types.ScsiLun{Key: "key-" + name, CanonicalName: name, LunType: "disk"}}
	}
	full := disk("naa.1")
	full.Vendor, full.Model, full.QueueDepth = "PURE    ", "FlashArray      ", 64
	full.VStorageSupport, full.Ssd, full.LocalDisk = "vStorageSupported", new(true), new(false)
	cd := &types.ScsiLun{Key: "key-cd", CanonicalName: "mpx.cd", LunType: "cdrom"}
	path := func(state string) types.HostMultipathInfoPath {
		return types.HostMultipathInfoPath{State: state, PathState: "dead"}
	}
	values := map[string]any{
		pathLUN: types.ArrayOfScsiLun{ScsiLun: []types.BaseScsiLun{cd, full, disk("t10.nvme"), disk("naa.3")}},
		PathMultipath: types.HostMultipathInfo{Lun: []types.HostMultipathInfoLogicalUnit{
			{
				Lun: "key-naa.1", Policy: &types.HostMultipathInfoLogicalUnitPolicy{Policy: "VMW_PSP_RR"},
				StorageArrayTypePolicy: &types.HostMultipathInfoLogicalUnitStorageArrayTypePolicy{Policy: "VMW_SATP_ALUA"},
				Path:                   []types.HostMultipathInfoPath{path("active"), path("active"), path("standby"), path("dead"), path("")},
			},
			{
				Lun: "key-t10.nvme", Path: []types.HostMultipathInfoPath{path("active")},
				Policy: &types.HostMultipathInfoHppLogicalUnitPolicy{HostMultipathInfoLogicalUnitPolicy: types.HostMultipathInfoLogicalUnitPolicy{Policy: "FIXED"}},
			},
		}},
	}
	luns, _ := hostOf(vspheretest.Given(values)).LUNs.Value()
	require.Len(t, luns, 3, "disks only")
	l, nvme, bare := luns[0], luns[1], luns[2]
	perHost := inventory.Unread[int64](inventory.PerHost)
	require.Equal(t, "naa.1", l.Device)
	require.Equal(t, inventory.Known("PURE"), l.Vendor)
	require.Equal(t, inventory.Known("FlashArray"), l.Model)
	require.Equal(t, inventory.Known(false), l.Local)
	require.Equal(t, inventory.Known(true), l.SSD)
	require.Equal(t, inventory.Known(int64(64)), l.QueueDepth)
	require.Equal(t, inventory.Known("vStorageSupported"), l.HardwareAcceleration)
	require.Equal(t, inventory.Known("VMW_PSP_RR"), l.PathPolicy)
	require.Equal(t, inventory.Known("VMW_SATP_ALUA"), l.ArrayType)
	require.Equal(t, inventory.Known(int64(5)), l.Paths)
	require.Equal(t, inventory.Known(int64(2)), l.ActivePaths)
	require.Equal(t, inventory.Known(int64(2)), l.DeadPaths, "one by the state of old hosts")
	for _, f := range []inventory.Fact[int64]{l.OutstandingIOs, l.QueueFullSampleSize, l.QueueFullThreshold, l.RoundRobinIOs} {
		require.Equal(t, perHost, f)
	}
	require.Equal(t, inventory.Unread[string](inventory.PerHost), l.RoundRobinType)

	require.Equal(t, inventory.Known("FIXED"), nvme.PathPolicy)
	require.Equal(t, "absent", vspheretest.ReasonOf(&nvme.ArrayType))
	require.Equal(t, inventory.Known(int64(0)), nvme.DeadPaths)

	require.Equal(t, "unread: the host does not report the vendor of the disk", vspheretest.ReasonOf(&bare.Vendor))
	require.Equal(t, "unread: the host does not report the model of the disk", vspheretest.ReasonOf(&bare.Model))
	require.Equal(t, "unread: the host does not report whether the disk is local", vspheretest.ReasonOf(&bare.Local))
	require.Equal(t, "unread: the host does not report whether the disk is flash", vspheretest.ReasonOf(&bare.SSD))
	require.Equal(t, "absent", vspheretest.ReasonOf(&bare.QueueDepth))
	require.Equal(t, "unread: the host does not report hardware acceleration", vspheretest.ReasonOf(&bare.HardwareAcceleration))
	for _, f := range []inventory.Reader{&bare.PathPolicy, &bare.ArrayType, &bare.Paths, &bare.ActivePaths, &bare.DeadPaths} {
		require.Equal(t, "unread: the host lists no paths of the disk", vspheretest.ReasonOf(f))
	}

	delete(values, PathMultipath)
	luns, _ = hostOf(vspheretest.Given(values)).LUNs.Value()
	require.Equal(t, "unread: the host does not report paths", vspheretest.ReasonOf(&luns[0].Paths))
}

func TestHBAs(t *testing.T) {
	common := func(device string) types.HostHostBusAdapter {
		return types.HostHostBusAdapter{Device: device, Model: "Emulex LightPulse ", Driver: "lpfc", Status: "online"}
	}
	iscsi := func(device string, options ...types.HostInternetScsiHbaParamValue) *types.HostInternetScsiHba {
		return &types.HostInternetScsiHba{HostHostBusAdapter: common(device), IsSoftwareBased: device == "vmhba64", AdvancedOptions: options}
	}
	param := func(key string, v any) types.HostInternetScsiHbaParamValue {
		return types.HostInternetScsiHbaParamValue{OptionValue: types.OptionValue{Key: key, Value: v}}
	}
	overFC := &types.HostFibreChannelHba{HostHostBusAdapter: common("vmhba65")}
	overFC.StorageProtocol = "nvme"
	targets := iscsi("vmhba64", param("LoginTimeout", int32(30)), param("DelayedAck", true))
	targets.ConfiguredSendTarget = make([]types.HostInternetScsiHbaSendTarget, 1)
	targets.ConfiguredStaticTarget = make([]types.HostInternetScsiHbaStaticTarget, 2)
	bare := &types.HostParallelScsiHba{HostHostBusAdapter: types.HostHostBusAdapter{Device: "vmhba9"}}
	hbas, _ := hostOf(vspheretest.Given(map[string]any{pathHBA: types.ArrayOfHostHostBusAdapter{HostHostBusAdapter: []types.BaseHostHostBusAdapter{
		&types.HostFibreChannelHba{HostHostBusAdapter: common("vmhba1")},
		&types.HostFibreChannelOverEthernetHba{HostFibreChannelHba: types.HostFibreChannelHba{HostHostBusAdapter: common("vmhba2")}},
		overFC, &types.HostBlockHba{HostHostBusAdapter: common("vmhba3")}, bare,
		targets,
		iscsi("vmhba66", param("DelayedAck", false)), iscsi("vmhba67"), iscsi("vmhba68", param("DelayedAck", "yes")),
		nil,
	}}})).HBAs.Value()
	var kinds []string
	for _, b := range hbas {
		kind, _ := b.Kind.Value()
		kinds = append(kinds, kind)
	}
	require.Equal(t, []string{"fibre-channel", "fcoe", "nvme", "block", "other", "iscsi", "iscsi", "iscsi", "iscsi"}, kinds)
	require.Equal(t, inventory.Known("Emulex LightPulse"), hbas[0].Model)
	require.Equal(t, inventory.Known("lpfc"), hbas[0].Driver)
	require.Equal(t, inventory.Known("online"), hbas[0].Status)
	require.Equal(t, "unread: the host does not report how vmhba9 works", vspheretest.ReasonOf(&hbas[4].Status))
	require.Equal(t, "absent", vspheretest.ReasonOf(&hbas[0].Targets))
	require.Equal(t, inventory.Known(int64(0)), hbas[6].Targets)
	require.Equal(t, inventory.Known(int64(3)), hbas[5].Targets, "send targets and static ones")
	require.Equal(t, "absent", vspheretest.ReasonOf(&hbas[0].Software))
	require.Equal(t, "absent", vspheretest.ReasonOf(&hbas[0].DelayedAck))
	require.Equal(t, "unread: the host does not report the model of vmhba9", vspheretest.ReasonOf(&hbas[4].Model))
	require.Equal(t, "unread: the host does not report the driver of vmhba9", vspheretest.ReasonOf(&hbas[4].Driver))
	require.Equal(t, inventory.Known(true), hbas[5].Software)
	require.Equal(t, inventory.Known(true), hbas[5].DelayedAck)
	require.Equal(t, inventory.Known(false), hbas[6].Software)
	require.Equal(t, inventory.Known(false), hbas[6].DelayedAck)
	require.Equal(t, "absent", vspheretest.ReasonOf(&hbas[7].DelayedAck), "the adapter does not have the option")
	require.Equal(t, "unread: the host returned DelayedAck of vmhba68 in a form that vperf does not understand", vspheretest.ReasonOf(&hbas[8].DelayedAck))
}

func TestOffDefault(t *testing.T) {
	long := func(key string, value, byDefault int64) (types.BaseOptionValue, types.OptionDef) {
		return &types.OptionValue{Key: key, Value: value}, types.OptionDef{
			ElementDescription: types.ElementDescription{Key: key}, OptionType: &types.LongOption{Min: 0, Max: 100, DefaultValue: byDefault},
		}
	}
	var values []types.BaseOptionValue
	var defs []types.OptionDef
	add := func(v types.BaseOptionValue, d types.OptionDef) { values, defs = append(values, v), append(defs, d) }
	add(long("Net.Odd", 7, 5))               // not in the table, and off its default
	add(long("Net.Even", 5, 5))              // at its default
	add(long("Disk.QFullSampleSize", 32, 0)) // in the table as well
	add(long("Mem.ShareForceSalting", 2, 2)) // in the table, at its default
	add(long("Syslog.global.size", 9, 1))    // not a tuning option
	values = append(values, &types.OptionValue{Key: "Net.Undefined", Value: int64(1)}, nil,
		&types.OptionValue{Key: "Misc.HostName", Value: "esx-0.example.com"})
	defs = append(defs, types.OptionDef{ElementDescription: types.ElementDescription{Key: "Misc.HostName"}, OptionType: &types.StringOption{DefaultValue: "localhost"}})
	odd := inventory.Option{Value: inventory.LongValue(7), Default: new(inventory.LongValue(5)), Min: new(int64(0)), Max: new(int64(100))}

	p := vspheretest.Given(map[string]any{pathOptions: types.ArrayOfOptionValue{OptionValue: values}, pathDefs: types.ArrayOfOptionDef{OptionDef: defs}})
	h := hostOf(p)
	require.Equal(t, inventory.Known([]string{"Disk.QFullSampleSize", "Net.Odd"}), h.OffDefault)
	all, _ := h.Options.Value()
	require.Len(t, all, 3, "what the table has, and what is off its default; a host's name never arrives")
	require.Equal(t, odd, all["Net.Odd"])

	p.Needs = vspheretest.NeedsOf("Host.offDefault")
	p.Needs.AddOption("Net.Even")
	h = new(inventory.Host)
	plan := Table.Plan(p.Needs)
	require.Equal(t, []string{pathOptions, pathDefs, tree.PathVersion, pathCores}, plan.Paths)
	plan.Fill(p, h)
	some, _ := h.Options.Value()
	require.Len(t, some, 3, "what is asked for by key, and what is off its default")
	require.Equal(t, inventory.LongValue(5), some["Net.Even"].Value)
	require.Equal(t, odd, some["Net.Odd"])
	require.Equal(t, all["Disk.QFullSampleSize"], some["Disk.QFullSampleSize"])

	delete(p.Values, pathDefs)
	plan.Fill(p, h)
	require.Equal(t, "unread: the host does not report definitions of its options", vspheretest.ReasonOf(&h.OffDefault))
	p.Values[pathDefs] = types.ArrayOfOptionDef{}
	plan.Fill(p, h)
	require.Equal(t, "unread: the host does not report definitions of its options", vspheretest.ReasonOf(&h.OffDefault))
	p.Missing = map[string]types.BaseMethodFault{pathDefs: &types.NoPermission{PrivilegeId: "System.Read"}}
	delete(p.Values, pathDefs)
	plan.Fill(p, h)
	require.Equal(t, "unread: no permission (privilege System.Read)", vspheretest.ReasonOf(&h.OffDefault))
}
