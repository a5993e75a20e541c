package simfleet

import (
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// How memory goes on beyond DRAM: on NVMe, or on slower memory modules.
const (
	softwareTiering = "softwareTiering"
	hardwareTiering = "hardwareTiering"
)

// vsanGroup is the port group of vSAN on a standard switch.
const vsanGroup = "vSAN"

const (
	bothStates = "ACPI P-states, ACPI C-states"
	numaIO     = "Net.NetNetqNumaIOCpuPinThreshold"
)

// hostTable is the vCenter's hosts, and what is wrong with each, in the order in which they joined: ids follow it.
var hostTable = []hostRow{
	{ // the flagship: fast NICs on both sockets and NUMA I/O off; balanced power; RSS off
		name: "host01.demo.local", cluster: "lowlat", server: r730, hz: 2_599_998_000,
		release: "7.0U3r", version: "7.0.3", build: "24411414",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff,
		modules: rssOptions("RSS=0", "RSS=0"), dvs: dvsLowlat,
		address: "192.0.2.11", booted: day(2026, 3, 7, 4),
	},
	{ // NUMA I/O off, but the host does not tell where its NICs are; hardware LRO off; one vMotion adapter; RSS waits for a reboot
		name: "host02.demo.local", cluster: "lowlat", server: r730, hz: 2_599_998_000,
		release: "6.7U3", version: "6.7.0", build: "14320388",
		policy: policyStatic, powerHardware: bothStates, hidePCI: true, edp: edpSilent,
		modules: rssOptions("RSS=4 DRSS=4", ""), dvs: dvsLowlat,
		options: map[string]inventory.Value{
			"Net.CoalesceDefaultOn": inventory.LongValue(0),
			"Net.Vmxnet3HwLRO":      inventory.LongValue(0),
		},
		san:     map[string]sanRow{sanDisk: {policy: pathRecent}},
		address: "192.0.2.12", booted: day(2025, 11, 2, 22),
	},
	{ // the clean twin for NUMA I/O, with Enhanced Data Path, which wants no RSS options; the BIOS keeps power control
		name: "host03.demo.local", cluster: "lowlat", server: r730, hz: 2_593_993_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyStatic, powerHardware: "", edp: edpOn,
		dvs:     dvsLowlat,
		options: map[string]inventory.Value{numaIO: inventory.LongValue(60)},
		address: "192.0.2.13", booted: day(2026, 6, 20, 3),
	},
	{ // the clean reference; ESXi runs from flash
		name: "host06.demo.local", cluster: "general", server: sys6029, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff, dvs: dvsGeneral, iscsi: true, noDelayedAck: true, osData: true,
		address: "192.0.2.16", booted: day(2026, 6, 21, 3),
	},
	{ // four sockets, many old settings and an old NIC driver; Hyper-Threading configured off; links at half duplex and
		// down, vMotion on 1 Gb, a standby uplink that idles; one path to a disk
		name: "host04.demo.local", cluster: "general", server: r930old, hz: 2_194_917_000,
		release: "6.7U3", version: "6.7.0", build: "14320388",
		policy: policyDynamic, powerHardware: bothStates, edp: edpSilent, threads: threadsOff,
		uplinks: 2, dvs: dvsArchive, links: map[int]link{2: {mbps: 100, half: true}, 3: {}},
		options: map[string]inventory.Value{
			"Cpu.Quantum":                       inventory.LongValue(50),
			"DataMover.HardwareAcceleratedMove": inventory.LongValue(0),
			"Disk.QFullSampleSize":              inventory.LongValue(32),
			"Disk.QFullThreshold":               inventory.LongValue(4),
			"Disk.SchedulerWithReservation":     inventory.LongValue(0),
			"ISCSI.MaxIoSizeKB":                 inventory.LongValue(512),
			"Mem.AllocGuestLargePage":           inventory.LongValue(0),
			"Mem.CtlMaxPercent":                 inventory.LongValue(20),
			"Mem.MemZipEnable":                  inventory.LongValue(0),
			"Migrate.NetTimeout":                inventory.LongValue(60),
			"Migrate.VMotionStreamHelpers":      inventory.LongValue(8),
			"NFS.MaxQueueDepth":                 inventory.LongValue(16),
			"NFS.MaxVolumes":                    inventory.LongValue(256),
			"Net.MaxNetifTxQueueLen":            inventory.LongValue(500),
			"Net.NetSplitRxMode":                inventory.LongValue(0),
			"Net.TcpipDefLROEnabled":            inventory.LongValue(0),
			"Net.TcpipHeapMax":                  inventory.LongValue(128),
			"Net.TcpipHeapSize":                 inventory.LongValue(32),
			"Net.UseHwTSO6":                     inventory.LongValue(0),
			"Numa.RebalanceEnable":              inventory.LongValue(0),
			"VMFS3.EnableBlockDelete":           inventory.LongValue(1),
			hyperthreadingOption:                inventory.BoolValue(false),
			"VMkernel.Boot.netNetqueueEnabled":  inventory.BoolValue(false),
		},
		board: 1, switches: []switchRow{{name: "vSwitch1", nics: []int{4}, groups: []string{vmotionGroup}}},
		teams: map[string]teamRow{networkName: {policy: "failover_explicit", active: []int{0}, standby: []int{1}}},
		vmks:  []vmkRow{{service: "faultToleranceLogging", group: vmotionGroup, address: "192.0.2.114"}},
		iscsi: true, swapCacheMB: 102_400, san: map[string]sanRow{flashDisk: {paths: []string{"active"}}},
		address: "192.0.2.14", booted: day(2025, 9, 14, 2),
	},
	{ // low power; second threads hidden by the BIOS; one NIC of a team at 1 Gb, one at half duplex, one down; two vMotion
		// adapters of which one would do, and frames larger than their switch's; a disk with a fixed path
		name: "host05.demo.local", cluster: "general", server: r930, hz: 2_194_917_000,
		release: "7.0U3r", version: "7.0.3", build: "24411414",
		policy: policyLow, powerHardware: bothStates, edp: edpOff, threads: threadsHidden,
		uplinks: 2, dvs: dvsArchive, links: map[int]link{1: {mbps: 1000}, 2: {mbps: 100, half: true}, 3: {}},
		options: map[string]inventory.Value{
			"CBRC.DCacheMemReserved":                  inventory.LongValue(2048),
			"CBRC.Enable":                             inventory.BoolValue(true),
			"Disk.DiskMaxIOSize":                      inventory.LongValue(128),
			"ISCSI.SocketSndBufLenKB":                 inventory.LongValue(1200),
			"LPage.LPageAlwaysTryForNPT":              inventory.LongValue(0),
			"Mem.MemEagerZero":                        inventory.LongValue(1),
			"Mem.ShareForceSalting":                   inventory.LongValue(0),
			"Migrate.SdpsEnabled":                     inventory.LongValue(0),
			"Migrate.VMotionStreamHelpers":            inventory.LongValue(8),
			"Misc.EnablePSPLatencyPolicy":             inventory.LongValue(0),
			"NFS.ReceiveBufferSize":                   inventory.LongValue(512),
			"NFS.SendBufferSize":                      inventory.LongValue(512),
			"Net.NetTuneHostMode":                     inventory.StringValue("dense"),
			"Net.TcpipRxDispatchQueues":               inventory.LongValue(1),
			"Net.UseHwTSO":                            inventory.LongValue(0),
			"Net.Vmxnet3SwLRO":                        inventory.LongValue(0),
			"Numa.PageMigEnable":                      inventory.LongValue(0),
			"Numa.PreferHT":                           inventory.LongValue(1),
			"VMFS3.HardwareAcceleratedLocking":        inventory.LongValue(0),
			"VMFS3.UseATSForHBOnVMFS5":                inventory.LongValue(0),
			"VMkernel.Boot.isPerFileSchedModelActive": inventory.BoolValue(false),
		},
		vmotionMTU: 9000, vmks: []vmkRow{{service: "vmotion", group: vmotionGroup, address: "198.18.128.105"}},
		teams: map[string]teamRow{networkName: {policy: "loadbalance_ip", active: []int{0, 1}}},
		iscsi: true, flashCacheGB: 400, san: map[string]sanRow{sanDisk: {policy: pathFixed}, localDisk: {policy: pathRoundRobin}},
		address: "192.0.2.15", booted: day(2026, 1, 18, 5),
	},
	{ // the BIOS gives C-states only; one NIC of the team at 1 Gb; a NIC that is down and that nobody uses; a scheduler
		// that guards against side channels; a dead path; slower memory modules below the DRAM
		name: "host07.demo.local", cluster: "general", server: sys6029, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyStatic, powerHardware: "ACPI C-states", edp: edpOff, dvs: dvsGeneral,
		links: map[int]link{1: {mbps: 1000}}, idleNIC: true,
		tiering: hardwareTiering, scheduler: "scav2", options: map[string]inventory.Value{
			"Net.UplinkTSOSplit":                            inventory.LongValue(0),
			"VMkernel.Boot.hyperthreadingMitigation":        inventory.BoolValue(true),
			"VMkernel.Boot.hyperthreadingMitigationIntraVM": inventory.BoolValue(false),
		},
		iscsi: true, noDelayedAck: true, san: map[string]sanRow{sanDisk: {paths: []string{"active", "active", "active", "dead"}}},
		address: "192.0.2.17", booted: day(2026, 6, 21, 5),
	},
	{ // as clean as host06, until a scenario cuts it off
		name: "host08.demo.local", cluster: "general", server: sys6029, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff, dvs: dvsGeneral, iscsi: true, noDelayedAck: true,
		address: "192.0.2.18", booted: day(2026, 6, 21, 7),
	},
	{ // vSAN as it should be
		name: "host09.demo.local", cluster: clusterVSAN, server: r750, hz: 2_000_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff,
		uplinks: 2, dvs: dvsVSAN, vmks: []vmkRow{{service: "vsan", dvs: dvsVSAN, address: "198.19.0.9", mtu: 9000}},
		diskGroups: []diskGroupRow{{cacheGB: 800, capacityGB: 3840, disks: 2, flash: true}, {cacheGB: 800, capacityGB: 3840, disks: 2, flash: true}},
		address:    "192.0.2.19", booted: day(2026, 7, 4, 3),
	},
	{ // vSAN over 1 Gb; a power policy of somebody's own; sub-NUMA clustering; settings from an old guide
		name: "host10.demo.local", cluster: clusterVSAN, server: r750, hz: 2_000_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyCustom, powerHardware: bothStates, edp: edpOff, nodes: 4,
		options: map[string]inventory.Value{
			"LSOM.enableLargeWb":          inventory.LongValue(1),
			"Net.NetSchedHClkMQ":          inventory.LongValue(0),
			"Power.CStateMaxLatency":      inventory.LongValue(500),
			"Power.MaxFreqPct":            inventory.LongValue(80),
			"Power.UseCStates":            inventory.LongValue(0),
			"VSAN.ClomRebalanceThreshold": inventory.LongValue(95),
			"VSAN.ObjectScrubsPerYear":    inventory.LongValue(1),
		},
		board: 1, switches: []switchRow{{name: "vSwitch1", nics: []int{4}, groups: []string{vsanGroup}}},
		uplinks: 2, dvs: dvsVSAN, vmks: []vmkRow{{service: "vsan", group: vsanGroup, address: "198.19.0.10"}},
		diskGroups: []diskGroupRow{{cacheGB: 800, capacityGB: 3840, disks: 4, flash: true}},
		address:    "192.0.2.20", booted: day(2026, 7, 4, 5),
	},
	{ // rebuilt with other disks and a small cache; node interleaving; memory tiers; low power
		name: "host11.demo.local", cluster: clusterVSAN, server: r750, hz: 2_000_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyLow, powerHardware: bothStates, edp: edpOff, nodes: 1, tiering: softwareTiering,
		options: map[string]inventory.Value{
			"Mem.TierNvmePct":                   inventory.LongValue(50),
			"Numa.LocalityWeightActionAffinity": inventory.LongValue(50),
			"Numa.FollowCoresPerSocket":         inventory.LongValue(1),
		},
		uplinks: 2, dvs: dvsVSAN, vmks: []vmkRow{{service: "vsan", dvs: dvsVSAN, address: "198.19.0.11"}},
		diskGroups: []diskGroupRow{{cacheGB: 200, capacityGB: 2400, disks: 6}},
		address:    "192.0.2.23", booted: day(2026, 7, 5, 3),
	},
	{ // two hosts alike, as all of a cluster should be, rented from VMware Cloud on AWS
		name: "host12.demo.local", cluster: clusterDR, server: i3metal, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff, dvs: dvsGeneral, iscsi: true, noDelayedAck: true,
		address: "192.0.2.25", booted: day(2026, 7, 6, 3),
	},
	{
		name: "host13.demo.local", cluster: clusterDR, server: i3metal, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff, dvs: dvsGeneral, iscsi: true, noDelayedAck: true,
		address: "192.0.2.26", booted: day(2026, 7, 7, 3),
	},
	{ // for computing, and given away more than once; the newest release and hardware, with memory tiers and more active
		// memory than half of the DRAM
		name: "host14.demo.local", cluster: clusterCompute, server: r770, hz: 2_000_000_000,
		release: "9.0.1", version: "9.0.1", build: "24957456",
		policy: policyStatic, powerHardware: bothStates, edp: edpOn, nodes: 4, tiering: softwareTiering,
		uplinks: 1, dvs: dvsLab, options: map[string]inventory.Value{numaIO: inventory.LongValue(60)},
		address: "192.0.2.27", booted: day(2026, 9, 12, 8),
	},
	{ // for low latency, and asleep when it is idle; with the values that the vendor of its flash array publishes
		name: "host15.demo.local", cluster: clusterCompute, server: sys6029, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff, uplinks: 1, dvs: dvsLab, iscsi: true, noDelayedAck: true,
		options: map[string]inventory.Value{"Disk.DiskMaxIOSize": inventory.LongValue(4096)},
		address: "192.0.2.28", booted: day(2026, 7, 8, 3),
	},
	{ // small, old, and full of desktops, which share pages
		name: "host16.demo.local", cluster: clusterCompute, server: r310, hz: 2_527_000_000,
		release: "7.0U3r", version: "7.0.3", build: "24411414",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff, uplinks: 1, dvs: dvsLab,
		options: map[string]inventory.Value{"Mem.AllocGuestLargePage": inventory.LongValue(0), "Mem.ShareForceSalting": inventory.LongValue(0)},
		address: "192.0.2.29", booted: day(2026, 2, 1, 3),
	},
}

// standaloneTable is the hosts that no vCenter manages.
var standaloneTable = []hostRow{
	{ // fast NICs on one socket only, NUMA I/O off, balanced power, and a licence that allows no writes
		name: "esxi-a.demo.local", server: r730oneSide, hz: 2_599_998_000,
		release: "6.5U2", version: "6.5.0", build: "8294253",
		policy: policyDynamic, powerHardware: bothStates, edp: edpSilent, free: true,
		options: map[string]inventory.Value{
			"Net.TcpipDefLROEnabled":           inventory.LongValue(0),
			"VMkernel.Boot.netNetqueueEnabled": inventory.BoolValue(false),
		},
		address: "192.0.2.21", booted: day(2024, 12, 1, 9),
	},
	{ // ESXi in a VM: what hardware rules say does not apply; an iSCSI adapter that nobody uses
		name: "esxi-b.demo.local", server: nested, hz: 2_600_000_000,
		release: "9.0.1", version: "9.0.1", build: "24957456",
		policy: policyDynamic, powerHardware: "", edp: edpOff, threads: threadsNone, iscsi: true, unbound: true,
		address: "192.0.2.22", booted: day(2026, 8, 3, 12),
	},
	{ // a release newer than the option table, whose options are those of the last one in it, on the newest hardware:
		// half-socket NUMA nodes, memory tiers on NVMe
		name: "esxi-c.demo.local", server: r770, hz: 2_000_000_000,
		release: "9.0.1", version: "9.1.0", build: "25100000",
		policy: policyStatic, powerHardware: bothStates, edp: edpOn, nodes: 4, tiering: softwareTiering,
		options: map[string]inventory.Value{numaIO: inventory.LongValue(60)},
		address: "192.0.2.24", booted: day(2026, 9, 12, 6),
	},
}

// rssOptions are options of the Mellanox driver.
func rssOptions(configured, running string) map[string]moduleOptions {
	return map[string]moduleOptions{mellanox40.driver: {configured, running}}
}

// day is a full hour of a calendar day. Past dates are fixed, so that two runs give the same audit.
func day(year int, month time.Month, d, hour int) time.Time {
	return time.Date(year, month, d, hour, 0, 0, 0, time.UTC)
}
