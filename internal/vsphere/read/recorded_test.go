package read

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestReadRecordedVCenter(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.Recorded(t), nil)
	vc := readSim(t, s, inventory.Everything())
	t.Logf("unread in the recording: %q", vspheretest.Gaps(vc))
	testRecordedHost(t, vc.Hosts[0])
	require.Equal(t, []string{
		"cluster.EVCBest: the server does not list EVC mode intel-broadwell", // the recording has no capabilities
		"vcenter.Libraries: over REST it answered HTTP 404 Not Found",        // nor REST
		"vm.AutoCoresPerNUMANode: the server does not report whether virtual NUMA is exposed", "vm.CoresPerNUMANode: the server does not report whether virtual NUMA is exposed", "vm.VNUMAOnHotAdd: the server does not report whether virtual NUMA is exposed",
		"vnic.Switch: its host has no port group none",
	}, vspheretest.Gaps(vc), "a real vCenter gives nearly all that vperf reads")
	require.Equal(t, inventory.Known(inventory.Version{Major: 8, Minor: 0, Update: 1}), vc.Version)
	require.Len(t, vc.VMs, 7)
	require.Len(t, vc.Hosts, 1)
	testRecordedVMs(t, vc.VMs)
	require.Len(t, vc.Switches, 1)
	s8 := vc.Switches[0]
	require.Equal(t, inventory.Ref{
		Kind: inventory.ScopeSwitch, Name: "vmc-hostswitch", ID: "dvs-8", VCenter: "sim", Path: "/SDDC-Datacenter/network/vmc-hostswitch",
	}, s8.Ref())
	require.Equal(t, inventory.Known(true), s8.NIOCEnabled)
	require.Equal(t, inventory.Known("version3"), s8.NIOCVersion)
	require.Equal(t, inventory.Known([]string{"host-14"}), s8.HostIDs)
	testRecordedGroups(t, vc)
	testRecordedStores(t, vc)
}

func testRecordedGroups(t *testing.T, vc *inventory.VCenter) {
	t.Helper()
	s8 := vc.Switches[0]
	require.Equal(t, inventory.Known(int64(9000)), s8.MTU)
	require.Equal(t, inventory.Absent[[]string](), s8.Uplinks)
	groups, _ := s8.Portgroups.Value()
	require.Len(t, groups, 23)
	uplinks := slices.IndexFunc(groups, func(g *inventory.Portgroup) bool { return g.Uplink })
	require.Equal(t, "vmc-hostswitch-DVUplinks-8", groups[uplinks].Name)
	require.Equal(t, inventory.Known("loadbalance_srcid"), groups[uplinks].Teaming)
	require.Equal(t, inventory.Known([]string{}), groups[uplinks].Active, "it is the uplinks")
	policies := map[string]int{}
	for _, g := range groups {
		policy, _ := g.Teaming.Value()
		active, read := g.Active.Value()
		require.True(t, read)
		policies[fmt.Sprint(policy, active)]++
	}
	require.Equal(t, map[string]int{"failover_explicit[uplink1]": 1, "loadbalance_srcid[]": 22}, policies)
	classes, _ := s8.TrafficClasses.Value()
	require.Len(t, classes, 11)
	require.Equal(t, &inventory.TrafficClass{
		Name: "management", Shares: inventory.Known(int64(50)), SharesLevel: inventory.Known("custom"),
		ReservationMbps: inventory.Known(int64(0)), LimitMbps: inventory.Known(int64(-1)),
	}, classes[0])
	c := vc.Clusters[0]
	require.Equal(t, inventory.Known("fullyAutomated"), c.DRSAutomation)
	require.Equal(t, inventory.Known(int64(3)), c.DRSMigrationRate)
	require.Equal(t, inventory.Known(int64(0)), c.Rules, "three, and none is in force")
	require.Equal(t, inventory.Known(false), c.DPMEnabled)
	require.Equal(t, inventory.Known("vmDirectory"), c.SwapPlacement)
	require.Equal(t, inventory.Known(""), c.EVCMode)
	require.Equal(t, inventory.Known(false), c.ScaleShares)
	require.Len(t, vc.Pools, 3)
	for _, p := range vc.Pools {
		_, state, _ := p.ParentID.Get()
		require.Equal(t, p.Root, state == inventory.StateAbsent)
	}
	intervals, _ := vc.StatsIntervals.Value()
	require.Len(t, intervals, 4)
	require.Equal(t, &inventory.StatsInterval{Name: "Past Day", Seconds: 300, Level: 1, Enabled: true}, intervals[0])
	require.Equal(t, inventory.Known(map[string]string{}), c.Attributes, "all custom attributes are others'")
}

func testRecordedStores(t *testing.T, vc *inventory.VCenter) {
	t.Helper()
	require.Len(t, vc.Datastores, 2)
	for _, d := range vc.Datastores {
		require.Equal(t, inventory.Known("vsan"), d.Kind)
		require.Equal(t, inventory.Absent[int64](), d.VMFSVersion)
		require.Equal(t, inventory.Known(false), d.SIOCEnabled)
		require.Equal(t, inventory.Absent[int64](), d.SIOCThresholdMillis)
		hosts, _ := d.Hosts.Value()
		require.Len(t, hosts, 1)
	}
	backings, formats, switches := map[string]int{}, map[string]int{}, map[string]int{}
	for _, v := range vc.VMs {
		require.Equal(t, inventory.Known("automatic"), v.VirtualMMU)
		require.Equal(t, inventory.Known("release"), v.MonitorType)
		require.Equal(t, inventory.Known("opportunistic"), v.EncryptedVMotion)
		each(v.Disks, func(d *inventory.VDisk) {
			on, _ := d.Datastore.Value()
			require.Equal(t, inventory.Known("vsan"), on.Kind)
			backing, _ := d.Backing.Value()
			backings[backing]++
			format, _ := d.DeltaFormat.Value()
			formats[format]++
		})
		each(v.VNICs, func(n *inventory.VNIC) {
			name, _ := n.Switch.Value()
			switches[name]++
		})
	}
	require.Equal(t, map[string]int{"flat": 25}, backings)
	require.Equal(t, map[string]int{"": 24, "redoLogFormat": 1}, formats)
	require.Equal(t, map[string]int{"": 6, "vmc-hostswitch": 9}, switches)
}

func testRecordedHost(t *testing.T, h *inventory.Host) {
	t.Helper()
	require.Equal(t, "/SDDC-Datacenter/host/Cluster-1/10.2.32.4", h.Path)
	require.Equal(t, inventory.Known(inventory.HostPhysical), h.Kind)
	require.Equal(t, inventory.Known(int64(36)), h.Cores)
	require.Equal(t, inventory.Known(int64(2300)), h.CPUMHz)
	require.Equal(t, inventory.Known("ACPI P-states, ACPI C-states"), h.PowerHardware)
	require.NotNil(t, h.Cluster())

	options, _ := h.Options.Value()
	threshold := options["Net.NetNetqNumaIOCpuPinThreshold"]
	require.Equal(t, inventory.LongValue(0), threshold.Value)
	require.EqualValues(t, 60, *threshold.Max)
	off, _ := h.OffDefault.Value()
	for key, o := range options {
		require.NotNil(t, o.Default, "%s: every option that is read is defined", key)
		doc, ok := inventory.LookupOption(key)
		if !ok {
			require.Contains(t, off, key)
			continue
		}
		if doc.Type == inventory.TypeString || doc.Type == inventory.TypeBool {
			require.Equal(t, doc.Type, o.Value.Type, key)
		}
	}
	nics, _ := h.PNICs.Value()
	require.Len(t, nics, 1)
	require.Equal(t, inventory.Known(int64(25_000)), nics[0].LinkMbps)
	require.Equal(t, inventory.Known(int64(0)), nics[0].NUMANode)
	require.Equal(t, inventory.Known(true), nics[0].Uplink)
	require.Equal(t, inventory.Known(int64(25_000)), nics[0].BestMbps)
	require.Equal(t, inventory.Known(true), nics[0].FullDuplex)
	require.Equal(t, inventory.Known("vmc-hostswitch"), nics[0].Switch)
	nodes, _ := h.NUMANodes.Value()
	require.Len(t, nodes, 2)
	require.Equal(t, inventory.Known(true), h.HyperThreadingAvailable)
	require.Equal(t, inventory.Known(false), h.HyperThreadingActive, "it is configured, and yet not in use")
	require.Equal(t, inventory.Known(true), h.HyperThreadingConfigured)
	require.Equal(t, inventory.Known(true), h.LatencySensitivitySupported)
	require.Equal(t, inventory.Known(int64(524_143)), h.MemoryMB)
	require.Equal(t, inventory.Known(int64(2)), h.CPUPackages)
	require.Equal(t, inventory.Known(int64(36)), h.CPUThreads)
	require.Equal(t, inventory.Known("intel"), h.CPUVendor)
	require.Equal(t, inventory.Known("Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz"), h.CPUDescription)
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.CPUFamily))
	require.Equal(t, "absent", vspheretest.ReasonOf(&h.CPUScheduler))
	require.Equal(t, inventory.Known("noTiering"), h.MemoryTiering)
	require.Equal(t, inventory.Known("Amazon EC2"), h.Vendor)
	require.Equal(t, inventory.Known(int64(261_998)), nodes[0].MemoryMB)
	require.Equal(t, inventory.Known(true), nics[0].EDPSupported)
	require.Equal(t, []string{
		"LSOM.lsomEnableRebuildOnLSE", "Mem.VMOverheadGrowthLimit", "Migrate.VMotionStreamHelpers", "Misc.LogPort", "Misc.LogToSerial",
		"Misc.PanicLogToSerial", "Net.FollowHardwareMac", "Net.NetSchedHClkMQ", "Net.NetSchedHClkMaxHwQueue", "Net.NetSchedHClkVnicMQ",
		"RdmFilter.HbaIsShared", "VMkernel.Boot.hyperthreadingMitigation", "VSAN.DedupScope", "VSAN.TrimDisksBeforeUseGranularity",
	}, off)
	require.Equal(t, inventory.Known([]*inventory.Switch{}), h.VSwitches)
	testRecordedStorage(t, h)
	testRecordedVMKNICs(t, h)
}

func testRecordedStorage(t *testing.T, h *inventory.Host) {
	t.Helper()
	require.Equal(t, inventory.Known(true), h.VSAN)
	require.Equal(t, inventory.Known(false), h.VSANESA)
	group := inventory.DiskGroup{CacheMB: 1_811_981, CapacityMB: 3 * 1_811_981, Disks: 3, AllFlash: true}
	require.Equal(t, inventory.Known([]*inventory.DiskGroup{&group, &group}), h.DiskGroups)
	require.Equal(t, inventory.Known(int64(0)), h.SwapCacheMB)
	require.Equal(t, inventory.Known(int64(0)), h.FlashCacheMB, "there is a configuration, and no resource")
	luns, _ := h.LUNs.Value()
	require.Len(t, luns, 9)
	for _, l := range luns {
		require.Equal(t, inventory.Known(true), l.Local)
		require.Equal(t, inventory.Known(true), l.SSD)
		require.Equal(t, inventory.Known("vStorageUnsupported"), l.HardwareAcceleration)
		require.Equal(t, inventory.Known("FIXED"), l.PathPolicy)
		require.Equal(t, "absent", vspheretest.ReasonOf(&l.ArrayType), "NVMe devices belong to the high-performance plug-in")
		require.Equal(t, inventory.Known(int64(1)), l.Paths)
		require.Equal(t, inventory.Known(int64(1)), l.ActivePaths)
	}
	require.Equal(t, inventory.Known("Amazon EC2 NVMe Instance Storage"), luns[0].Model)
	require.Equal(t, inventory.Known(int64(254)), luns[0].QueueDepth)
	hbas, _ := h.HBAs.Value()
	require.Len(t, hbas, 9)
	require.Equal(t, inventory.Known("nvme"), hbas[0].Kind)
	require.Equal(t, inventory.Known("nvme_pcie"), hbas[0].Driver)
}

func testRecordedVMKNICs(t *testing.T, h *inventory.Host) {
	t.Helper()
	nics, _ := h.VMKNICs.Value()
	got := map[string]string{}
	for _, n := range nics {
		services, _ := n.Services.Value()
		stack, _ := n.NetStack.Value()
		mtu, _ := n.MTU.Value()
		subnet, _ := n.Subnet.Value()
		got[n.Device] = fmt.Sprintf("%v %s %d %s", services, stack, mtu, subnet)
		if on, ok := n.Switch.Value(); ok {
			require.Equal(t, "vmc-hostswitch", on)
			require.Equal(t, inventory.Known(int64(9000)), n.SwitchMTU)
		}
		require.Equal(t, inventory.Known(true), n.TSO)
	}
	require.Equal(t, "[management] defaultTcpipStack 1500 10.2.32.0/20", got["vmk0"])
	require.Equal(t, "[vsan] defaultTcpipStack 9000 10.2.0.0/20", got["vmk1"])
	require.Equal(t, "[vmotion] vmotion 9000 10.2.16.0/20", got["vmk2"])
	require.Contains(t, got["vmk10"], "[] vxlan 9000")
}

func testRecordedVMs(t *testing.T, vms []*inventory.VM) {
	t.Helper()
	snapshots, features := 0, 0
	for _, v := range vms {
		points, _ := v.Snapshots.Value()
		snapshots += len(points)
		nics, _ := v.VNICs.Value()
		for _, n := range nics {
			if f, _ := n.PNICFeatures.Value(); f != 0 {
				features++
			}
		}
		keys, _ := v.VMX.Value()
		for key := range keys {
			require.True(t, vmfacts.IsTuning(key), key)
		}
	}
	hotAdd, tools, controllers, versions := 0, map[string]int{}, map[string]int{}, map[int64]int{}
	for _, v := range vms {
		if on, _ := v.CPUHotAdd.Value(); on {
			hotAdd++
		}
		status, _ := v.ToolsStatus.Value()
		tools[status]++
		version, _ := v.HardwareVersion.Value()
		versions[version]++
		disks, _ := v.Disks.Value()
		for _, d := range disks {
			kind, _ := d.Controller.Value()
			controllers[kind]++
			require.Equal(t, inventory.Known(int64(-1)), d.IOPSLimit)
		}
		require.Equal(t, inventory.Known(int64(1)), v.CoresPerSocket)
		require.Equal(t, inventory.Known([]int64{}), v.CPUAffinity)
		require.Equal(t, inventory.Known(int64(-1)), v.MemoryLimitMB)
		require.Equal(t, inventory.Unread[bool]("the server does not report whether virtual NUMA is exposed"), v.VNUMAOnHotAdd)
	}
	require.Equal(t, 1, hotAdd)
	require.Equal(t, map[string]int{"guestToolsNotInstalled": 1, "guestToolsUnmanaged": 6}, tools)
	require.Equal(t, map[string]int{"lsilogic": 24, "pvscsi": 1}, controllers)
	require.Equal(t, map[int64]int{10: 1, 13: 3, 14: 1, 19: 2}, versions)
	require.Positive(t, snapshots)
	require.Equal(t, 10, features, "the vNICs of the two edges")
}
