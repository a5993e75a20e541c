package rvtools_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/rvtools"
	"github.com/vperf/vperf/internal/rvtools/rvtoolstest"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// without returns the sheets without one of them, or without a column of it if column is not negative.
func without(sheets []rvtoolstest.Sheet, sheet, column int) []rvtoolstest.Sheet {
	out := slices.Clone(sheets)
	if column < 0 {
		return slices.Delete(out, sheet, sheet+1)
	}
	rows := make([][]any, len(out[sheet].Rows))
	for i, row := range out[sheet].Rows {
		rows[i] = slices.Delete(slices.Clone(row), column, column+1)
	}
	out[sheet].Rows = rows
	return out
}

// TestProveMissingPartsNeverPass removes each sheet and each column from the export of the demo fleet. Whatever the export then still
// decides is what the fleet's audit finds.
func TestProveMissingPartsNeverPass(t *testing.T) {
	s := demo(t)
	sheets := rvtoolstest.Of(s)
	fleet := judge(t, s, advice.ProfileGeneral)
	type part struct{ sheet, column int }
	var whole, single []part
	for i := range sheets {
		whole = append(whole, part{i, -1})
		for j := range sheets[i].Rows[0] {
			single = append(single, part{i, j})
		}
	}
	tried := 0
	for _, p := range append(proof.Sample(t, 3, whole), proof.Sample(t, 5, single)...) {
		less := without(sheets, p.sheet, p.column)
		name := sheets[p.sheet].Name
		if p.column >= 0 {
			name += " " + sheets[p.sheet].Rows[0][p.column].(string)
		}
		var b bytes.Buffer
		require.NoError(t, rvtoolstest.WriteWorkbook(&b, less, rvtoolstest.Form{}))
		export, err := rvtools.LoadWorkbook(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), "fleet.xlsx", time.Now())
		if err != nil {
			require.ErrorContains(t, err, "neither vInfo nor vHost", name)
			continue
		}
		tried++
		for at, got := range judge(t, export, advice.ProfileGeneral) {
			if want, both := fleet[at]; both && (got.Outcome == advice.Pass || got.Outcome == advice.Fail) {
				require.Equal(t, want.Outcome, got.Outcome, "without %s: %v", name, at)
			}
		}
	}
	require.Greater(t, tried, 4)
}

// table makes a sheet of texts.
func table(name string, rows ...string) rvtoolstest.Sheet {
	s := rvtoolstest.Sheet{Name: name}
	for _, row := range rows {
		var cells []any
		for cell := range strings.SplitSeq(row, "|") {
			cells = append(cells, cell)
		}
		s.Rows = append(s.Rows, cells)
	}
	return s
}

func small(t *testing.T, sheets ...rvtoolstest.Sheet) *inventory.VCenter {
	t.Helper()
	s := workbookAt(t, sheets)
	require.Len(t, s.VCenters, 1)
	return s.VCenters[0]
}

func workbookAt(t *testing.T, sheets []rvtoolstest.Sheet) *inventory.Snapshot {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, rvtoolstest.WriteWorkbook(&b, sheets, rvtoolstest.Form{}))
	s, err := rvtools.LoadWorkbook(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), "some/export.xlsx", time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	return s
}

// reason returns why a fact is unread.
func reason[T any](t *testing.T, f inventory.Fact[T]) string {
	t.Helper()
	_, state, why := f.Get()
	require.Equal(t, inventory.StateUnread, state)
	return why
}

func TestVMsOfAnExport(t *testing.T) {
	v := small(t,
		table("vHost", "Host|Cluster|# Cores|# Memory", "esx01||64|1.048.576"),
		table("vInfo",
			"VM|Powerstate|Template|Connection state|CPUs|Memory|NICs|Disks|HW version|PowerOn|Latency Sensitivity|Host|Annotation|vperf.profile|Host|VM ID",
			"web01|poweredOn|False|connected|4|16,384|1|1|vmx-19|3/4/2025 10:00:00|custom|another|VMware vCenter Server Appliance|hpc|esx01|vm-1",
			"vCLS-1|poweredOff|FALSCH|connected|many|-|2||19|||||  |esx01|vm-2",
			"gone|poweredOn|False|orphaned|2|4096|0|0||||||||vm-3"),
		table("vNetwork", "VM|NIC label|Adapter|VM ID", "web01|Network adapter 3|VMXNET 3|vm-1", "vCLS-1|Network adapter 1|E1000|vm-2"),
		table("vDisk", "VM|Disk|Disk Key|Capacity MB|Raw|Thin|Eagerly Scrub|Controller|Shared Bus|Path|VM ID",
			"web01|Hard disk 1|2016|1 024|False|False|False|SCSI controller 0|noSharing|[a] [b] c/d.vmdk|vm-1"),
		table("vSnapshot", "VM|Name|Date / time|VM ID", "web01|one|2026/05/01 10:00:00|vm-1", "web01|two|2026/05/02 10:00:00|vm-1"),
	)
	require.Equal(t, "export.xlsx", v.Name)
	require.Len(t, v.VMs, 3)
	gone, vcls, web := v.VMs[0], v.VMs[1], v.VMs[2]
	require.Contains(t, gone.Unread, "orphaned")
	require.Equal(t, inventory.Known("esx01"), web.HostID, "the last column Host: the first is a custom attribute")
	require.Equal(t, inventory.Known(int64(1<<20)), web.Host().MemoryMB)
	require.Equal(t, inventory.Known(int64(16384)), web.MemoryMB)
	require.Equal(t, inventory.Known(int64(19)), web.HardwareVersion)
	require.Equal(t, inventory.Known(int64(19)), vcls.HardwareVersion)
	require.Equal(t, inventory.Known("normal"), web.LatencySensitivity)
	require.Equal(t, inventory.Known("annotation VMware vCenter Server Appliance"), web.Appliance)
	require.Contains(t, vcls.Appliance.String(), "vCLS")
	require.Equal(t, inventory.Known(map[string]string{"vperf.profile": "hpc"}), web.Attributes)
	require.Equal(t, inventory.Known(map[string]string{}), vcls.Attributes)
	require.Equal(t, inventory.Known(false), vcls.Template)
	require.Equal(t, `column CPUs of the export is "many", not a number`, reason(t, vcls.VCPUs))
	require.Contains(t, reason(t, vcls.MemoryMB), "not a number")
	require.Contains(t, reason(t, web.BootTime), "day and month")
	require.Equal(t, inventory.Absent[time.Time](), vcls.BootTime)
	require.Equal(t, rvtools.NotHere, reason(t, web.GuestID))
	require.Equal(t, rvtools.NotHere, reason(t, web.VMX))

	nics, _ := web.VNICs.Value()
	require.Len(t, nics, 1)
	require.Equal(t, int32(4002), nics[0].Key)
	require.Equal(t, inventory.Known(inventory.VNICVmxnet3), nics[0].Type)
	require.Equal(t, "column NICs of vInfo counts 2, and vNetwork lists 1", reason(t, vcls.VNICs))
	disks, _ := web.Disks.Value()
	require.Len(t, disks, 1)
	require.Equal(t, int32(2016), disks[0].Key)
	require.Equal(t, inventory.Known(int64(1024)), disks[0].CapacityMB)
	require.Equal(t, inventory.Known(false), disks[0].Thin)
	require.Equal(t, rvtools.NotHere, reason(t, disks[0].EagerZeroed), "False has two meanings for a thick disk")
	require.Contains(t, reason(t, disks[0].Controller), "does not show the kind")
	require.Equal(t, rvtools.NotHere, reason(t, vcls.Disks), "nothing counts them")
	require.Contains(t, reason(t, web.Snapshots), "how the 2 snapshots depend on each other")
	require.Equal(t, inventory.Known([]*inventory.SnapshotPoint{}), vcls.Snapshots)
	all, _ := web.Host().VMs.Value()
	require.Len(t, all, 2, "a VM that is not read has no host")
}

func TestHostsOfAnExport(t *testing.T) {
	v := small(t,
		table("vCluster", "Name|NumHosts|DRS enabled|DRS vmotion rate|Object ID|VI SDK Server|VI SDK UUID", "prod|2|True|3|domain-c1|vc|u", "test|3|True|0|domain-c2|vc|u", "twice|0||||vc|u", "twice|0||||vc|u"),
		table("vHost", "Host|Cluster|HT Available|HT Active|# NICs|CPU Model|ESX Version|Host Power Policy|Vendor|Model|VI SDK Server|VI SDK UUID",
			"a|prod|True|False|1|Intel(R) Xeon(R)|VMware ESXi 8.0.3 build-24022510|Balanced|HPE|ProLiant|vc|u", "b|prod|False|False|2|AMD EPYC|ESXi|Ausgeglichen|VMware, Inc.|VMware7,1|vc|u",
			"c|test||||POWER||PowerPolicy.static.name||x|vc|u", "d|twice|||||||||vc|u", "e||||||||||vc|u"),
		table("vNIC", "Host|Network Device|Speed|Duplex|Switch|VI SDK UUID", "a|vmnic0|0|False||u", "b|vmnic0|10000|Full|vSwitch0|u"),
		table("vMultiPath", "Host|Disk|Path 1|Path 1 state|Path 2|Path 2 state|Queue depth|VI SDK Server", "a|naa.1|x|active|y|dead|0|vc", "a|naa.2|x||||64|vc"),
		table("vSC_VMK", "Host|Device|IP Address|Subnet mask|MTU|VI SDK Server", "a|vmk0|192.0.2.17|255.255.255.240|9.000|vc"),
		table("vDatastore", "Name|Type|Accessible|# Hosts|Hosts|# Extents|Address|Major Version|VI SDK Server", "one|VMFS|True|2|a, b|1|naa.1|6|vc", "two|NFS|True|3|a, b|||| vc", "far|VMFS|False|1|a||||vc"),
	)
	require.Equal(t, []string{"u", "vc"}, []string{v.ID, v.Name})
	d, e, a, b, c := v.Hosts[0], v.Hosts[1], v.Hosts[2], v.Hosts[3], v.Hosts[4]
	require.Equal(t, inventory.Absent[string](), e.ClusterID)
	require.Equal(t, rvtools.NotHere, reason(t, d.ClusterID), "two clusters have that name")
	prod, test := v.Clusters[0], v.Clusters[1]
	hosts, _ := prod.Hosts.Value()
	require.Len(t, hosts, 2)
	require.Equal(t, "vCluster counts 3 hosts of the cluster, and vHost lists 1", reason(t, test.Hosts))
	require.Contains(t, reason(t, test.DRSMigrationRate), "does not report")
	require.Equal(t, inventory.Known(false), a.HyperThreadingActive)
	require.Contains(t, reason(t, b.HyperThreadingActive), "Hyper-Threading")
	require.Equal(t, []inventory.Fact[string]{inventory.Known("intel"), inventory.Known("amd")}, []inventory.Fact[string]{a.CPUVendor, b.CPUVendor})
	require.Contains(t, reason(t, c.CPUVendor), "vendor")
	require.Equal(t, inventory.Known(inventory.Version{Major: 8, Update: 3}), a.Version)
	require.Equal(t, inventory.Known("24022510"), a.Build)
	require.Contains(t, reason(t, b.Version), "no release")
	require.Equal(t, inventory.Known("dynamic"), a.PowerPolicy)
	require.Contains(t, reason(t, b.PowerPolicy), "Ausgeglichen")
	require.Equal(t, inventory.Known("static"), c.PowerPolicy)
	require.Equal(t, []inventory.Fact[string]{inventory.Known(inventory.HostPhysical), inventory.Known(inventory.HostNested)}, []inventory.Fact[string]{a.Kind, b.Kind})
	require.Equal(t, rvtools.NotHere, reason(t, c.Kind))
	nics, _ := a.PNICs.Value()
	require.Equal(t, inventory.Absent[bool](), nics[0].FullDuplex)
	require.Equal(t, rvtools.NotHere, reason(t, nics[0].Uplink))
	require.Contains(t, reason(t, b.PNICs), "counts 2")
	luns, _ := a.LUNs.Value()
	require.Equal(t, []inventory.Fact[int64]{inventory.Known(int64(2)), inventory.Known(int64(1)), inventory.Known(int64(1)), inventory.Absent[int64]()},
		[]inventory.Fact[int64]{luns[0].Paths, luns[0].ActivePaths, luns[0].DeadPaths, luns[0].QueueDepth})
	require.Equal(t, rvtools.NotHere, reason(t, luns[1].ActivePaths))
	vmks, _ := a.VMKNICs.Value()
	require.Equal(t, inventory.Known("192.0.2.16/28"), vmks[0].Subnet)
	require.Equal(t, inventory.Known(int64(9000)), vmks[0].MTU)
	far, one, two := v.Datastores[0], v.Datastores[1], v.Datastores[2]
	require.Equal(t, "no host reaches the datastore", far.Unread)
	require.Equal(t, inventory.Known([]string{"naa.1"}), one.Extents)
	require.Equal(t, inventory.Absent[int64](), two.VMFSVersion)
	require.Contains(t, reason(t, two.HostIDs), "all hosts")
	require.Equal(t, "not in this export: it has no sheet vInfo", reason(t, a.VMs))
}

// TestPoolsOfAnExport checks that pools are either all placed or not at all.
func TestPoolsOfAnExport(t *testing.T) {
	clusters := table("vCluster", "Name|NumHosts|Object ID", "prod|0|domain-c1")
	pools := []string{
		"Resource Pool name|Resource Pool path|CPU limit|CPU shares|Object ID", "Resources|/DC/host/prod/Resources|1000|4000|p1", "web|/DC/host/prod/Resources/web|-1|8000|p2",
	}
	info := table("vInfo", "VM|Powerstate|Template|Resource pool|VM ID", "a|poweredOn|False|web|vm-1", "b|poweredOn|True|web|vm-2", "c|poweredOn|False|/DC/host/prod/Resources/web|vm-3")
	v := small(t, clusters, table("vRP", pools...), info)
	root, web := v.Pools[0], v.Pools[1]
	require.True(t, root.Root)
	require.Equal(t, inventory.Known("p1"), web.ParentID)
	require.Equal(t, inventory.Known("domain-c1"), web.ClusterID)
	require.Equal(t, inventory.Known(int64(-1)), web.CPULimitMHz)
	require.Equal(t, []inventory.Fact[string]{inventory.Known("p2"), inventory.Absent[string](), inventory.Known("p2")},
		[]inventory.Fact[string]{v.VMs[0].PoolID, v.VMs[1].PoolID, v.VMs[2].PoolID})
	require.Len(t, v.Clusters[0].Pools, 2)

	v = small(t, clusters, table("vRP", append(pools, "lost|somewhere/lost|-1|1|p3")...), info)
	for _, p := range v.Pools {
		require.Contains(t, reason(t, p.ClusterID), "do not show their tree")
	}
	require.Empty(t, v.Clusters[0].Pools)
}

func TestSeveralVCentersInOneExport(t *testing.T) {
	s := workbookAt(t, []rvtoolstest.Sheet{
		table("vInfo", "VM|VM ID|VI SDK Server|VI SDK UUID", "a|vm-1|vc1|u1", "a|vm-1|vc2|u2", "b|vm-2|vc2|u2"),
		table("vCPU", "VM|Limit|VM ID|VI SDK Server|VI SDK UUID", "a|100|vm-1|vc1|u1", "a|200|vm-1|vc2|u2"),
		table("vMemory", "VM|Limit|VI SDK Server", "a|300|vc2", "x|1|vc2"),
		table("vSource", "API type|Version|VI SDK UUID", "HostAgent|8.0.3|u2"),
	})
	require.Len(t, s.VCenters, 2)
	vc2, vc1 := s.VCenters[0], s.VCenters[1] // vSource is read first
	require.Equal(t, []string{"u1", "vc1", "u2", "vc2"}, []string{vc1.ID, vc1.Name, vc2.ID, vc2.Name})
	require.Equal(t, inventory.EndpointESXi, vc2.Kind)
	require.Equal(t, inventory.Known(int64(100)), vc1.VMs[0].CPULimitMHz)
	require.Equal(t, inventory.Known(int64(200)), vc2.VMs[0].CPULimitMHz)
	require.Equal(t, inventory.Known(int64(300)), vc2.VMs[0].MemoryLimitMB, "one VM of that name")
	require.Equal(t, rvtools.NotHere, reason(t, vc1.VMs[0].MemoryLimitMB))
}

// TestVMsWithoutAHost checks that the VMs of hosts are unread if the host of one VM is unknown, because any of them may have it.
func TestVMsWithoutAHost(t *testing.T) {
	v := small(t, table("vHost", "Host", "a"), table("vInfo", "VM|Host", "one|a", "two|b"))
	require.Contains(t, reason(t, v.Hosts[0].VMs), `on which host "two" is`)
	v = small(t, table("vInfo", "VM|Host", "one|a", "two|b"))
	require.Equal(t, "not in this export: it has no sheet vHost", v.Unread)
}

func TestWrongExports(t *testing.T) {
	for want, sheets := range map[string][]rvtoolstest.Sheet{
		`neither vInfo nor vHost, but the sheets "Sheet1"`:              {table("Sheet1", "a")},
		`sheet vInfo, row 1: there is no column VM, but "vinfohost", a`: {table("vInfo", "vInfoVMName|vInfoHost", "a|b")},
		"sheet vInfo, row 1: there is no column VM":                     {table("vInfo", "Name", "a")},
		"its sheets have no rows":                                       {table("vInfo", "VM")},
	} {
		var b bytes.Buffer
		require.NoError(t, rvtoolstest.WriteWorkbook(&b, sheets, rvtoolstest.Form{}))
		_, err := rvtools.LoadWorkbook(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), "x.xlsx", time.Now())
		require.ErrorContains(t, err, want)
	}
	var b bytes.Buffer
	require.NoError(t, rvtoolstest.WriteWorkbook(&b, []rvtoolstest.Sheet{table("vInfo", "VM", "a")}, rvtoolstest.Form{}))
	_, err := rvtools.LoadWorkbook(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), "-", time.Time{})
	require.ErrorContains(t, err, "the export has no date")
}

func TestMerge(t *testing.T) {
	one := workbookAt(t, []rvtoolstest.Sheet{table("vInfo", "VM|VI SDK Server", "a|vc1")})
	two := workbookAt(t, []rvtoolstest.Sheet{table("vInfo", "VM|VI SDK Server", "a|vc2")})
	merged, err := rvtools.Merge([]*inventory.Snapshot{one, two}, []string{"a", "b"})
	require.NoError(t, err)
	require.Len(t, merged.VCenters, 2)
	require.Equal(t, "vc1, vc2", merged.Source)
	_, err = rvtools.Merge([]*inventory.Snapshot{one, two, one}, []string{"a", "b", "c"})
	require.ErrorContains(t, err, `a and c are both of "vc1"; to compare two exports of one vCenter, use the command diff`)
}

// TestHostileNames keeps names as they are, as readers of servers do: whoever shows them escapes them.
func TestHostileNames(t *testing.T) {
	name := "\u202eevil\x1b[31m <script> =cmd|' /C calc'!A0"
	v := small(t, table("vInfo", "VM|CPUs", strings.ReplaceAll(strings.ReplaceAll(name, "\x1b", ""), "|", "/")+"|\u202e"+strings.Repeat("9", 500)))
	require.Contains(t, v.VMs[0].Name, "\u202eevil")
	why := reason(t, v.VMs[0].VCPUs)
	require.NotContains(t, why, "\u202e")
	require.Less(t, len(why), 200)
}
