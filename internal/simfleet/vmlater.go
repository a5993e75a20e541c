package simfleet

import "fmt"

// twoGB is the memory of VMs whose memory does not matter.
const twoGB = 2048

// laterVMs came after those that scripts speak of. Ids go by the row's place: new rows belong at the end.
var laterVMs = []vmRow{
	// level medium, which ESXi treats as normal
	{
		name: "trade-mid-01", host: "host01", folder: folderTrading, guest: rhel9, vcpus: 2, memoryMB: 8192, hardware: 19,
		latency: medium, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "trade-mid-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 2, memoryMB: 8192, hardware: 20,
		latency: medium, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	// rightly reserved, and one too many for the cores of the host; its twin would be, but is off
	{
		name: "trade-book-01", host: "host01", folder: folderTrading, guest: rhel9, vcpus: 8, memoryMB: 32768, hardware: 19,
		latency: high, reserve: reserveAll, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "trade-book-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 16, memoryMB: 65536, hardware: 20,
		latency: high, reserve: reserveAll, off: true, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	// pinned to CPUs by the field, and by hand in the file
	{
		name: "feed-pin-01", host: "host01", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 8192, hardware: 19,
		latency: normal, affinity: []int32{8, 9, 10, 11}, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "feed-pin-02", host: "host02", folder: folderTrading, guest: rhel9, vcpus: 2, memoryMB: 8192, hardware: 15,
		latency: normal, affinity: []int32{4, 5}, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "feed-pin-03", host: "host02", folder: folderTrading, guest: rhel9, vcpus: 2, memoryMB: 8192, hardware: 15,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}},
		keys: []keyRow{{"sched.vcpu0.affinity", "6"}, {"sched.vcpu1.affinity", "7"}},
	},
	{
		name: "feed-pin-04", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 2, memoryMB: 8192, hardware: 20,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}}, keys: []keyRow{{"sched.vcpu0.Affinity", "12"}},
	},
	// in the pools of the cluster
	{
		name: "replay-01", host: "host01", folder: folderTrading, pool: "replay", guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 19,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "replay-02", host: "host02", folder: folderTrading, pool: "replay", guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 15,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "research-01", host: "host02", folder: folderTrading, pool: "research", guest: ubuntu, vcpus: 8, memoryMB: 32768, hardware: 15,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	// CPU hot-add on VMs that fit a node, which harms nothing; disks for data on old controllers
	{
		name: "db-ora-01", host: "host05", folder: folderDatabases, guest: rhel9, vcpus: 12, memoryMB: 131_072, hardware: 19,
		latency: normal, hotAdd: true, data: []diskRow{{kind: diskLSIParallel}, {kind: diskLSIParallel}},
	},
	{
		name: "db-ora-02", host: "host04", folder: folderDatabases, guest: rhel9, vcpus: 16, memoryMB: 196_608, hardware: 15,
		latency: normal, hotAdd: true, data: []diskRow{{kind: diskLSI}},
	},
	// hot-add with virtual NUMA, which vSphere 8 can do; data on PVSCSI: clean
	{
		name: "db-ora-03", host: "host08", folder: folderDatabases, guest: rhel9, vcpus: 16, memoryMB: 131_072, hardware: 20,
		latency: normal, hotAdd: true, vnumaOnHotAdd: true, data: []diskRow{{kind: diskPVSCSI}, {kind: diskPVSCSI}},
	},
	// hot-add on a VM too narrow for virtual NUMA: clean
	{
		name: "db-my-01", host: "host06", folder: folderDatabases, guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 20,
		latency: normal, hotAdd: true, data: []diskRow{{kind: diskPVSCSI}},
	},
	// starts from LSI Logic SAS, as Windows installs, and has its data on PVSCSI: clean
	{
		name: "db-sql-01", host: "host06", folder: folderDatabases, guest: windows2022, vcpus: 8, memoryMB: 65536, hardware: 20,
		latency: normal, disk: diskLSI, data: []diskRow{{kind: diskPVSCSI}, {kind: diskPVSCSI}},
	},
	// Windows with receive segment coalescing, which only a person can look at
	{
		name: "db-sql-02", host: "host07", folder: folderDatabases, guest: windows2019, vcpus: 8, memoryMB: 65536, hardware: 20,
		latency: normal, data: []diskRow{{kind: diskLSI}, {kind: diskLSI}},
	},
	{
		name: "app-iis-01", host: "host07", folder: folderApps, guest: windows2019.with("12448", "guestToolsTooNew"), vcpus: 4, memoryMB: 16384, hardware: 20,
		latency: normal,
	},
	// a disk that may do 500 I/Os a second
	{
		name: "db-pg-01", host: "host06", folder: folderDatabases, guest: ubuntu, vcpus: 4, memoryMB: 32768, hardware: 20,
		latency: normal, data: []diskRow{{kind: diskPVSCSI, iopsLimit: 500}, {kind: diskPVSCSI}},
	},
	{
		name: "app-files-01", host: "host05", folder: folderApps, guest: ubuntu, vcpus: 2, memoryMB: 8192, hardware: 19,
		latency: normal, iopsLimit: 500,
	},
	// less memory allowed than configured
	{
		name: "db-pg-02", host: "host05", folder: folderDatabases, guest: ubuntu, vcpus: 4, memoryMB: 65536, hardware: 19,
		latency: normal, memoryLimitMB: 32768, data: []diskRow{{kind: diskPVSCSI}},
	},
	{
		name: "app-cache-01", host: "host04", folder: folderApps, guest: ubuntu, vcpus: 4, memoryMB: 32768, hardware: 15,
		latency: normal, memoryLimitMB: 24576,
	},
	// a limit of all it has: clean
	{
		name: "app-cache-02", host: "host04", folder: folderApps, guest: ubuntu, vcpus: 4, memoryMB: 32768, hardware: 15,
		latency: normal, memoryLimitMB: 32768,
	},
	// one virtual socket wider than a NUMA node of the host
	{
		name: "hpc-cfd-01", host: "host02", folder: folderScience, guest: rhel9, vcpus: 16, memoryMB: 65536, hardware: 15,
		latency: normal, cores: 16, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "hpc-cfd-02", host: "host01", folder: folderScience, guest: rhel9, vcpus: 16, memoryMB: 65536, hardware: 19,
		latency: normal, cores: 16, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	// two sockets on two nodes: clean
	{
		name: "hpc-cfd-03", host: "host02", folder: folderScience, guest: rhel9, vcpus: 16, memoryMB: 65536, hardware: 15,
		latency: normal, cores: 8, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	// more vCPUs than the host has cores, the second without virtual NUMA, which its hardware could show
	{
		name: "spark-01", host: "host07", folder: folderScience, guest: ubuntu, vcpus: 40, memoryMB: 131_072, hardware: 20,
		latency: normal, cores: 20,
	},
	{
		name: "spark-02", host: "host08", folder: folderScience, guest: ubuntu, vcpus: 48, memoryMB: 131_072, hardware: 20,
		latency: normal, cores: 24, hotAdd: true,
	},
	// a monster that fits: two nodes of four, data on PVSCSI
	{
		name: "hpc-monster-02", host: "host05", folder: folderScience, guest: rhel9, vcpus: 48, memoryMB: 1_048_576, hardware: 19,
		latency: normal, cores: 24, data: []diskRow{{kind: diskPVSCSI}},
	},
	// one that spans nodes, is kept on one of them by hand, has CPU hot-add, and has its data on LSI Logic
	{
		name: "hpc-monster-03", host: "host04", folder: folderScience, guest: rhel9, vcpus: 32, memoryMB: 786_432, hardware: 15,
		latency: normal, cores: 16, hotAdd: true, keys: []keyRow{{"numa.nodeAffinity", "0"}}, data: []diskRow{{kind: diskLSIParallel}},
	},
	// VMware Tools missing, too old, unsafe, too new
	{
		name: "appl-fw-01", host: "host06", folder: folderApps, guest: centos7.with("0", toolsMissing), vcpus: 2, memoryMB: twoGB,
		hardware: 13, latency: unset,
	},
	{
		name: "appl-fw-02", host: "host08", folder: folderApps, guest: centos7.with("0", toolsMissing), vcpus: 2, memoryMB: twoGB,
		hardware: 13, latency: unset,
	},
	{
		name: "app-old-01", host: "host04", folder: folderApps, guest: centos7.with("8394", "guestToolsTooOld"), vcpus: 2,
		memoryMB: twoGB, hardware: 8, latency: unset, disk: diskLSIParallel,
	},
	{
		name: "app-old-02", host: "host04", folder: folderApps, guest: centos7.with("9354", "guestToolsTooOld"), vcpus: 2,
		memoryMB: twoGB, hardware: 11, latency: unset, disk: diskLSIParallel,
	},
	{
		name: "app-print-01", host: "host05", folder: folderApps, guest: windows2019.with("10272", "guestToolsBlacklisted"), vcpus: 2,
		memoryMB: 4096, hardware: 13, latency: unset, disk: diskLSI,
	},
	{
		name: "app-print-02", host: "host06", folder: folderApps, guest: windows2022.with("10272", "guestToolsBlacklisted"), vcpus: 2,
		memoryMB: 4096, hardware: 17, latency: normal, disk: diskLSI,
	},
	{
		name: "app-next-01", host: "host04", folder: folderApps, guest: windows2022.with("12448", "guestToolsTooNew"), vcpus: 2,
		memoryMB: 8192, hardware: 14, latency: normal,
	},
	// keys that ESXi has not read for years, in any case
	{
		name: "app-lega-01", host: "host04", folder: folderApps, guest: centos7, vcpus: 2, memoryMB: 4096, hardware: 13, latency: unset,
		keys: []keyRow{{"ethernet0.intrmode", "1"}, {"sched.cpu.htSharing", "internal"}, {"monitor.idleLoopSpinBeforeHalt", "TRUE"}},
	},
	{
		name: "app-lega-02", host: "host05", folder: folderApps, guest: centos7, vcpus: 2, memoryMB: 4096, hardware: 13, latency: unset,
		keys: []keyRow{{"monitor_control.restrict_backdoor", "TRUE"}, {"Ethernet0.IntrMode", "1"}},
	},
	// right in every respect
	{
		name: "app-clean-01", host: "host08", folder: folderApps, guest: ubuntu, vcpus: 4, memoryMB: 16384, hardware: 21, latency: normal,
	},
}

// standaloneVMs are the VMs of the hosts that no vCenter manages, by host.
var standaloneVMs = map[string][]vmRow{
	"esxi-a": {
		// together they want every core of the host, so that the second could get no guarantee
		{
			name: "edge-lat-01", host: "esxi-a", guest: rhel9, vcpus: 16, memoryMB: 65536, hardware: 13, cores: 8,
			latency: high, reserve: reserveAll, nics: []vnicRow{{nicVmxnet3, "4", false}},
		},
		{
			name: "edge-lat-02", host: "esxi-a", guest: rhel9, vcpus: 12, memoryMB: 32768, hardware: 13,
			latency: high, nics: []vnicRow{{nicVmxnet3, "4", false}},
		},
		{
			name: "edge-web-01", host: "esxi-a", guest: centos7, vcpus: 2, memoryMB: 4096, hardware: 11,
			latency: unset, nics: []vnicRow{{nicE1000, "", false}}, disk: diskLSI,
		},
	},
	"esxi-b": append([]vmRow{
		{
			name: "lab-web-01", host: "esxi-b", guest: ubuntu, vcpus: 2, memoryMB: 4096, hardware: 21, latency: normal,
			nics: []vnicRow{{nicE1000e, "", false}},
		},
		{name: "lab-db-01", host: "esxi-b", guest: ubuntu, vcpus: 2, memoryMB: 8192, hardware: 22, latency: normal},
	}, labFarm()...),
	"esxi-c": {
		// what answers at once on a host whose memory goes on in NVMe
		{
			name: "rt-ctrl-01", host: "esxi-c", guest: rhel9, vcpus: 4, memoryMB: 16384, hardware: 22,
			latency: high, reserve: reserveAll, nics: []vnicRow{{nicVmxnet3, "4", false}},
		},
	},
}

// labFarm is more than a host of eight cores and 64 GB should carry.
func labFarm() []vmRow {
	rows := make([]vmRow, 8)
	for i := range rows {
		rows[i] = vmRow{
			name: fmt.Sprintf("lab-farm-%02d", i+1), host: "esxi-b", guest: ubuntu, vcpus: 8, memoryMB: 10_240, hardware: 22, latency: normal,
		}
	}
	return rows
}
