package simfleet

// tunedVMs are what people did to single VMs. Each of their doings stands beside VMs that nobody did it to, and where
// it can be right, beside one for which it is.
var tunedVMs = []vmRow{
	// left behind by a support case: the debug monitor, no hardware MMU, no log
	{
		name: "case-4711", host: "host06", folder: folderApps, guest: ubuntu, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, with: []touch{debugMonitor, softwareMMU, quiet},
	},
	// shares its cores with nobody
	{
		name: "lic-oracle-01", host: "host07", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, with: []touch{ownThreads},
	},
	// a hypervisor in a VM; and Windows, which needs one for its security: clean
	{
		name: "lab-esxi-01", host: "host08", folder: folderScience, guest: ubuntu, vcpus: 2, memoryMB: twoGB, hardware: 20,
		latency: normal, with: []touch{nestable},
	},
	{
		name: "app-vbs-01", host: "host08", folder: folderApps, guest: windows2022, vcpus: 2, memoryMB: 4096, hardware: 20,
		latency: normal, with: []touch{virtualizedSecurity},
	},
	// virtual NUMA by old keys; frozen on an older host; counted by threads, for a VM that only then fits a node; memory bound to
	// a node
	{
		name: "hpc-keys-01", host: "host06", folder: folderScience, guest: rhel9, vcpus: 12, memoryMB: 4096, hardware: 19,
		latency: normal, keys: []keyRow{{"numa.vcpu.min", "6"}, {"numa.vcpu.maxPerVirtualNode", "6"}, {"numa.autosize.once", "FALSE"}},
	},
	{
		name: "hpc-moved-01", host: "host07", folder: folderScience, guest: rhel9, vcpus: 16, memoryMB: 4096, hardware: 15,
		latency: normal, keys: []keyRow{{"numa.autosize.vcpu.maxPerVirtualNode", "10"}, {"numa.autosize.once", "TRUE"}},
	},
	{
		name: "db-hana-01", host: "host08", folder: folderDatabases, guest: rhel9, vcpus: 24, memoryMB: 65536, hardware: 19,
		latency: normal, keys: []keyRow{{"numa.vcpu.preferHT", "TRUE"}},
	},
	{
		name: "app-prefer-01", host: "host07", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, keys: []keyRow{{"numa.vcpu.preferHT", "TRUE"}}, with: []touch{memoryOnNode(1)},
	},
	// pages of 1 GB without the memory for them, and with it
	{
		name: "nfv-pages-01", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 2, memoryMB: 4096, hardware: 20,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}}, keys: []keyRow{{"sched.mem.lpage.enable1GPage", "TRUE"}},
	},
	{
		name: "nfv-pages-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 2, memoryMB: 4096, hardware: 20,
		latency: normal, reserve: reserveAll, nics: []vnicRow{{nicVmxnet3, "4", false}}, keys: []keyRow{{"sched.mem.lpage.enable1GPage", "TRUE"}},
	},
	// no balloon; memory hot-add; swap in the host
	{
		name: "app-nobal-01", host: "host06", folder: folderApps, guest: ubuntu, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, keys: []keyRow{{"sched.mem.maxmemctl", "0"}},
	},
	{
		name: "app-grow-01", host: "host06", folder: folderApps, guest: ubuntu, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, with: []touch{memoryHotAdd, swapsOnHost},
	},
	// latency for half of the vCPUs, with all the keys that go with it, and with its swap
	{
		name: "nfv-core-01", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 8192, hardware: 20,
		latency: high, reserve: reserveAll, nics: []vnicRow{{nicVmxnet3, "4", false}}, with: []touch{latencyOf(2)},
		keys: []keyRow{
			{"timeTracker.lowLatency", "TRUE"}, {"sched.cpu.affinity.exclusiveNoStats", "TRUE"}, {"sched.swap.vmxSwapEnabled", "FALSE"},
			{"sched.cpu.latencySensitivity.sysContexts", "1"},
		},
	},
	// every key of a virtual NIC, two of them wrong; then as documented
	{
		name: "feed-keys-01", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 8192, hardware: 20,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}},
		keys: []keyRow{
			{"ethernet0.coalescingScheme", "static"}, {"ethernet0.coalescingParams", "16"}, {"ethernet0.ctxPerDev", "3"},
			{"ethernet0.udpRSS", "TRUE"}, {"ethernet0.rssoffload", "TRUE"}, {"ethernet0.emuRxMode", "1"},
		},
	},
	{
		name: "feed-keys-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 4, memoryMB: 8192, hardware: 20,
		latency: normal, nics: []vnicRow{{nicVmxnet3, "4", false}}, keys: []keyRow{{"ethernet0.ctxPerDev", "2"}, {"ethernet0.udpRSS", "1"}},
	},
	// a virtual function of the host's NIC: without and with what it is for
	{
		name: "nfv-vf-01", host: "host08", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: twoGB, hardware: 20,
		latency: normal, nics: []vnicRow{{nicSRIOV, "", false}},
	},
	{
		name: "nfv-vf-02", host: "host03", folder: folderTrading, guest: rhel9, vcpus: 2, memoryMB: 4096, hardware: 20,
		latency: high, reserve: reserveAll, nics: []vnicRow{{nicSRIOV, "", false}},
	},
	// uniform passthrough without and with reserved memory; real-time networking
	{
		name: "nfv-upt-01", host: "host08", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: twoGB, hardware: 20,
		latency: normal, with: []touch{uniformPassthrough},
	},
	{
		name: "nfv-upt-02", host: "host08", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: twoGB, hardware: 20,
		latency: normal, reserve: reserveAll, with: []touch{uniformPassthrough},
	},
	{
		name: "rt-robot-01", host: "host08", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: twoGB, hardware: 21,
		latency: normal, with: []touch{strictLatency, plugged(groupWeb)},
	},
	// a device of the host, on no node of a wide guest and without its memory; then as it should be
	{
		name: "ai-gpu-01", host: "host07", folder: folderScience, guest: ubuntu, vcpus: 20, memoryMB: 16384, hardware: 20,
		latency: normal, cores: 10, with: []touch{hostDevice(-1)},
	},
	{
		name: "ai-gpu-02", host: "host08", folder: folderScience, guest: ubuntu, vcpus: 4, memoryMB: 16384, hardware: 20,
		latency: normal, reserve: reserveAll, with: []touch{hostDevice(0)},
	},
	// all data on one controller, zeroed as it is written, on an array that does not help; spread and zeroed: clean
	{
		name: "db-pile-01", host: "host06", folder: folderDatabases, guest: rhel9, vcpus: 4, memoryMB: 8192, hardware: 19,
		latency: normal, data: []diskRow{
			{kind: diskPVSCSI, form: formLazy, store: storeOld}, {kind: diskPVSCSI, form: formLazy, store: storeOld, beside: true},
			{kind: diskPVSCSI, store: storeOld, beside: true}, {kind: diskPVSCSI, form: formEager, store: storeOld, beside: true},
		},
	},
	{
		name: "db-spread-01", host: "host06", folder: folderDatabases, guest: rhel9, vcpus: 4, memoryMB: 8192, hardware: 19,
		latency: normal, data: []diskRow{{kind: diskPVSCSI, form: formEager}, {kind: diskPVSCSI, form: formEager}},
	},
	// what snapshots of the two formats leave a disk in
	{
		name: "vdi-clone-01", host: "host07", folder: folderApps, guest: windows2022, vcpus: 2, memoryMB: 4096, hardware: 19,
		latency: normal, data: []diskRow{{kind: diskPVSCSI, form: formSESparse}},
	},
	{
		name: "vdi-clone-02", host: "host06", folder: folderApps, guest: windows2022, vcpus: 2, memoryMB: 4096, hardware: 14,
		latency: normal, data: []diskRow{{kind: diskPVSCSI, form: formRedo, store: storeOld}},
	},
	// a cache on flash that newer releases do not know
	{
		name: "app-vfrc-01", host: "host04", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: 4096, hardware: 14,
		latency: normal, with: []touch{flashCache(4096)},
	},
	// runs something else than it was made for
	{
		name: "app-guest-01", host: "host07", folder: folderApps, guest: rhel9, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, with: []touch{configuredAs("otherLinux64Guest", "Other Linux (64-bit)")},
	},
	// discs left in; an empty drive: clean
	{
		name: "app-disc-01", host: "host06", folder: folderApps, guest: ubuntu, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, with: []touch{cdrom(true), floppy},
	},
	{
		name: "app-disc-02", host: "host06", folder: folderApps, pool: "batch-night", guest: ubuntu, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, with: []touch{cdrom(false), plugged(groupWeb)},
	},
	// moves encrypted though nothing in it is; is encrypted, and has to: clean
	{
		name: "app-crypt-01", host: "host08", folder: folderApps, guest: ubuntu, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, with: []touch{encryptedMoves, plugged(groupLegacy)},
	},
	{
		name: "app-crypt-02", host: "host08", folder: folderApps, guest: ubuntu, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, with: []touch{encryptedMoves, encrypted},
	},
	// an appliance with keys of its maker, somebody else's to look after
	{
		name: "agent-01", host: "host07", folder: folderApps, guest: ubuntu, vcpus: 2, memoryMB: twoGB, hardware: 19,
		latency: normal, with: []touch{managedByAgents, edgeProduct}, keys: []keyRow{{"ethernet0.ctxPerDev", "3"}},
	},
}
