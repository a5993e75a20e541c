package simfleet

import "fmt"

// workVMs are for work of one kind: what they run on is judged by what it is for.
var workVMs = append([]vmRow{
	// two to a core of their host, and more memory than it has; each wider than a node, the second by a number that its nodes
	// do not share evenly
	{
		name: "hpc-mesh-01", host: "host14", folder: folderScience, guest: rhel9, vcpus: 96, memoryMB: 655_360, hardware: 20,
		latency: normal,
	},
	{
		name: "hpc-mesh-02", host: "host14", folder: folderScience, guest: rhel9, vcpus: 100, memoryMB: 524_288, hardware: 20,
		latency: normal,
	},
	// two vCPUs to a core without a level that cares; vCPUs of high latency in a VM of none; real-time networking that is not
	// allowed where it would help
	{
		name: "trade-smt-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 8192, hardware: 19,
		latency: normal, threads: 2, nics: []vnicRow{{nicVmxnet3, "4", false}},
	},
	{
		name: "nfv-core-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 8192, hardware: 20,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}}, with: []touch{latencyOf(2)},
	},
	{
		name: "rt-robot-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 2, memoryMB: 4096, hardware: 21,
		latency: high, reserve: reserveAll, nics: []vnicRow{{nicVmxnet3, "4", false}}, with: []touch{slackLatency},
	},
	// a thread for each queue of a NIC that has one queue
	{
		name: "feed-keys-03", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 8192, hardware: 20,
		latency: normal, keys: []keyRow{{"ethernet0.ctxPerDev", "3"}},
	},
	// two that share a datastore
	{
		name: "app-arch-01", host: "host04", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: twoGB, hardware: 14,
		latency: normal, data: []diskRow{{kind: diskPVSCSI, store: storeShared}},
	},
	{
		name: "app-arch-02", host: "host05", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: twoGB, hardware: 14,
		latency: normal, data: []diskRow{{kind: diskPVSCSI, store: storeShared}},
	},
}, desktops(25)...)

// desktops are more than four cores can bear.
func desktops(n int) []vmRow {
	var rows []vmRow
	for i := range n {
		rows = append(rows, vmRow{
			name: fmt.Sprintf("desk-%02d", i+1), host: "host16", folder: folderApps, guest: windows2022, vcpus: 2, memoryMB: twoGB,
			hardware: 17, latency: normal,
		})
	}
	return rows
}

// desktopParents are what a manager of desktops makes clones of: their old snapshots are as they should be.
var desktopParents = []vmRow{{
	name: "cp-replica-3f9a5c20-7d1e-4b86-9a42-0c5e8f6b1d37", host: "host06", folder: folderApps, guest: windows2022, vcpus: 2, memoryMB: twoGB,
	hardware: 17, latency: normal, off: true, snapshots: []snapshotRow{{name: "replica", taken: day(2026, 2, 1, 8), gb: 1}},
}}
