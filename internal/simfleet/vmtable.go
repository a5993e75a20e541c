package simfleet

import (
	"slices"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// Folders of VMs.
const (
	folderTrading   = "trading"
	folderApps      = "apps"
	folderDatabases = "databases"
	folderScience   = "science"
)

var vmFolders = []string{folderTrading, folderApps, folderDatabases, folderScience}

// reserve says how much of a VM's hardware is guaranteed to it.
type reserve int

const (
	reserveNothing reserve = iota
	reserveCPU             // every vCPU at the host's full clock
	reserveAll             // CPU as above, and the memory reservation locked to the memory size
)

// Kinds of virtual NIC and of disk controller.
const (
	nicVmxnet3 = "vmxnet3"
	nicE1000   = "e1000"
	nicE1000e  = "e1000e"
	nicSRIOV   = "sriov"
	diskPVSCSI = "pvscsi"
	diskLSI    = "lsilogic-sas"

	diskLSIParallel = "lsilogic"
)

// diskRow is a disk for data, beside the one that the VM starts from.
type diskRow struct {
	kind      string // of its controller
	iopsLimit int64  // 0 is no limit
	beside    bool   // on the controller of the disk before it
	form      diskForm
	store     string // the datastore, if it is not the VM's
}

// diskForm is how a disk keeps what is written to it.
type diskForm int

const (
	formThin diskForm = iota
	formLazy          // thick, zeroed as it is written
	formEager
	formSESparse // a delta
	formRedo     // a delta in the old format
)

// keyRow is one more VMX key, in the case in which somebody wrote it.
type keyRow struct{ key, value string }

// vnicRow is a virtual NIC; pnicFeatures is "" where the key is not set.
type vnicRow struct {
	kind         string
	pnicFeatures string
	lowerCase    bool // the key as VCF writes it
}

// snapshotRow is one snapshot, a child of the row before it. Its age counts when it has no date.
type snapshotRow struct {
	name  string
	taken time.Time
	age   time.Duration
	gb    int64 // that the disk has changed since
}

// guestRow is what runs in a VM.
type guestRow struct{ id, name, family, tools, toolsStatus string }

var (
	rhel9 = guestRow{
		id: "rhel9_64Guest", name: "Red Hat Enterprise Linux 9 (64-bit)", family: "linuxGuest",
		tools: "12389", toolsStatus: "guestToolsUnmanaged",
	}
	windows2022 = guestRow{
		id: "windows2019srvNext_64Guest", name: "Microsoft Windows Server 2022 (64-bit)", family: "windowsGuest",
		tools: "12389", toolsStatus: "guestToolsCurrent",
	}
	windows2019 = guestRow{
		id: "windows2019srv_64Guest", name: "Microsoft Windows Server 2019 (64-bit)", family: "windowsGuest",
		tools: "12389", toolsStatus: "guestToolsCurrent",
	}
	ubuntu = guestRow{
		id: "ubuntu64Guest", name: "Ubuntu Linux (64-bit)", family: "linuxGuest",
		tools: "12389", toolsStatus: "guestToolsUnmanaged",
	}
	centos7 = guestRow{
		id: "centos7_64Guest", name: "CentOS 7 (64-bit)", family: "linuxGuest",
		tools: "10341", toolsStatus: "guestToolsSupportedOld",
	}
)

// vmRow is one VM of the fleet. What a row leaves out is as a new VM has it: no reservation, no limit, powered on,
// one vmxnet3 NIC, a PVSCSI controller.
type vmRow struct {
	name, host   string
	folder, pool string // pool is "" for the cluster's root pool
	guest        guestRow
	vcpus        int32
	memoryMB     int32
	hardware     int // hardware version: 19 is vmx-19
	latency      types.LatencySensitivitySensitivityLevel
	threads      int32 // vCPUs that share a core; 0 leaves the field unset
	reserve      reserve
	cpuLimitMHz  int64 // 0 is no limit
	nics         []vnicRow
	disk         string
	off          bool

	cores         int32 // of a virtual socket; 0 is 1, or left to ESXi where it can pick
	hotAdd        bool  // of vCPUs
	vnumaOnHotAdd bool
	affinity      []int32 // the logical CPUs that the VM is pinned to
	memoryLimitMB int64   // 0 is no limit
	iopsLimit     int64   // of the first disk; 0 is no limit
	data          []diskRow
	keys          []keyRow
	with          []touch

	template    bool
	consolidate bool
	snapshots   []snapshotRow
	secret      string // key of a VMX entry that must never leave the reader
}

const (
	high   = types.LatencySensitivitySensitivityLevelHigh
	medium = types.LatencySensitivitySensitivityLevelMedium
	normal = types.LatencySensitivitySensitivityLevelNormal
	unset  = types.LatencySensitivitySensitivityLevel("")
)

// planted is the value of each secret, easy to look for.
const planted = "SECRET-do-not-leak"

// vmTable is the vCenter's VMs. Each fault stands there beside a VM that is right in that respect.
var vmTable = slices.Concat(firstVMs, laterVMs, tunedVMs, workVMs, desktopParents)

// firstVMs are the VMs that scripts and documentation speak of.
var firstVMs = []vmRow{
	// latency level high with nothing guaranteed
	{
		name: "trade-lat-01", host: "host01", folder: folderTrading, guest: rhel9, vcpus: 8, memoryMB: 32768, hardware: 19,
		latency: high, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "trade-lat-02", host: "host02", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 15,
		latency: high, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	// high with its CPU, but not its memory
	{
		name: "trade-md-01", host: "host01", folder: folderTrading, guest: rhel9, vcpus: 8, memoryMB: 65536, hardware: 19,
		latency: high, reserve: reserveCPU, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "trade-md-02", host: "host02", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 32768, hardware: 14,
		latency: high, reserve: reserveCPU, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	// high and exactly reserved: clean
	{
		name: "trade-gw-01", host: "host01", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 19,
		latency: high, reserve: reserveAll, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "trade-gw-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 20,
		latency: high, reserve: reserveAll, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	// high with two vCPUs to a core, which halves what has to be reserved: clean, and so is the key in lower case
	{
		name: "trade-smt-01", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 8, memoryMB: 32768, hardware: 20,
		latency: high, threads: 2, reserve: reserveAll, nics: []vnicRow{{nicVmxnet3, "4", true}},
	},
	// one hardware queue on a host that could give more
	{
		name: "feed-rx-01", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 20,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "", false}},
	},
	{
		name: "feed-rx-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 19,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "", false}},
	},
	// the first NIC is right, the second has LRO and no RSS
	{
		name: "feed-tx-01", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 20,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}, {nicVmxnet3, "1", false}},
	},
	// emulated NICs
	{
		name: "web-01", host: "host06", folder: folderApps, pool: "web", guest: centos7, vcpus: 2, memoryMB: 8192, hardware: 13,
		latency: unset, nics: []vnicRow{{nicE1000, "", false}}, disk: diskLSI,
	},
	{
		name: "web-02", host: "host06", folder: folderApps, pool: "web", guest: windows2022, vcpus: 2, memoryMB: 8192, hardware: 17,
		latency: normal, nics: []vnicRow{{nicE1000e, "", false}}, disk: diskLSI, secret: "guestinfo.x",
	},
	// a snapshot taken a moment ago is work, not waste: clean
	{
		name: "web-03", host: "host06", folder: folderApps, pool: "web", guest: rhel9, vcpus: 2, memoryMB: 8192, hardware: 20,
		latency: normal, snapshots: []snapshotRow{{name: "before patch", age: 2 * time.Hour, gb: 1}},
	},
	// a CPU limit somebody forgot
	{
		name: "db-oltp-01", host: "host06", folder: folderApps, guest: rhel9, vcpus: 8, memoryMB: 65536, hardware: 19,
		latency: normal, cpuLimitMHz: 10_000,
	},
	{
		name: "batch-etl-01", host: "host06", folder: folderApps, pool: "batch", guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 18,
		latency: normal, cpuLimitMHz: 4000,
	},
	// a chain of snapshots
	{
		name: "app-build-01", host: "host06", folder: folderApps, pool: "batch", guest: rhel9, vcpus: 8, memoryMB: 32768, hardware: 19,
		latency: normal, secret: "guestinfo.userdata",
		snapshots: []snapshotRow{
			{name: "toolchain 12", taken: day(2026, 2, 2, 9), gb: 6},
			{name: "toolchain 13", taken: day(2026, 2, 16, 9), gb: 2},
			{name: "runner upgrade", taken: day(2026, 3, 3, 14), gb: 11},
			{name: "before cleanup", taken: day(2026, 3, 20, 11), gb: 1},
			{name: "before cleanup (2)", taken: day(2026, 3, 20, 12), gb: 48},
		},
	},
	// delta disks that a backup left behind, with no snapshot to show for them
	{
		name: "app-mail-01", host: "host06", folder: folderApps, guest: windows2022, vcpus: 4, memoryMB: 16384, hardware: 17,
		latency: unset, disk: diskLSI, consolidate: true,
	},
	// powered off for long, with a snapshot older still
	{
		name: "app-legacy-01", host: "host06", folder: folderApps, guest: centos7, vcpus: 2, memoryMB: 4096, hardware: 13,
		latency: unset, disk: diskLSI, off: true, snapshots: []snapshotRow{{name: "before migration", taken: day(2025, 9, 12, 18), gb: 14}},
	},
	// more vCPUs than a NUMA node has cores
	{
		name: "hpc-monster-01", host: "host02", folder: folderApps, guest: rhel9, vcpus: 24, memoryMB: 262_144, hardware: 15,
		latency: normal,
	},
	{
		name: "tmpl-rhel9", host: "host06", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: 4096, hardware: 20,
		latency: normal, off: true, template: true, snapshots: []snapshotRow{{name: "base of clones", taken: day(2026, 3, 1, 8), gb: 1}},
	},
}
