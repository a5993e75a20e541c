package simfleet

import (
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// nicModel is a kind of physical NIC.
type nicModel struct {
	vendor, device     string
	vendorID, deviceID uint16
	driver             string
	driverVersion      string
	firmware           string
	mbps               int32
}

// onboard is the NIC of a server's board that nobody uses.
var onboard = nicModel{
	vendor: "Intel Corporation", device: "I350 Gigabit Network Connection", vendorID: 0x8086, deviceID: 0x1521,
	driver: "igbn", driverVersion: "1.11.4.0", firmware: "1.63, 0x80000cbc", mbps: 1000,
}

// virtual10 is what a nested host has.
var virtual10 = nicModel{
	vendor: "VMware Inc.", device: "vmxnet3 Virtual Ethernet Controller", vendorID: 0x15ad, deviceID: 0x07b0,
	driver: "nvmxnet3", driverVersion: "2.0.0.33", mbps: 10_000,
}

const onboardBus = 0x3d

var (
	mellanox40 = nicModel{
		vendor: "Mellanox Technologies", device: "MT27700 Family [ConnectX-4]", vendorID: 0x15b3, deviceID: 0x1013,
		driver: "nmlx5_core", driverVersion: "4.19.71.101", firmware: "12.28.2006", mbps: 40_000,
	}
	mellanox40old = nicModel{
		vendor: "Mellanox Technologies", device: "MT27500 Family [ConnectX-3]", vendorID: 0x15b3, deviceID: 0x1003,
		driver: "nmlx4_en", driverVersion: "3.16.11.6", firmware: "2.42.5000", mbps: 40_000,
	}
	intel10 = nicModel{
		vendor: "Intel Corporation", device: "Ethernet Controller X550", vendorID: 0x8086, deviceID: 0x1563,
		driver: "ixgben", driverVersion: "1.18.2.0", firmware: "1.73, 0x80000d9f", mbps: 10_000,
	}
)

// slot is where a NIC sits: its PCI bus, and the socket that the bus hangs off.
type slot struct {
	bus    byte
	socket int
}

// serverModel is a kind of server.
type serverModel struct {
	vendor, model, bios string
	cpu                 string
	sockets, cores      int // cores of one socket
	memoryGB            int64
	nic                 nicModel
	slots               []slot // one NIC in each
}

var (
	r730 = serverModel{
		vendor: "Dell Inc.", model: "PowerEdge R730", bios: "2.19.0",
		cpu: "Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", sockets: 2, cores: 14, memoryGB: 512,
		nic: mellanox40, slots: []slot{{0x04, 0}, {0x82, 1}},
	}
	sys6029 = serverModel{
		vendor: "Supermicro", model: "SYS-6029P-WTRT", bios: "3.8b",
		cpu: "Intel(R) Xeon(R) Gold 6142 CPU @ 2.60GHz", sockets: 2, cores: 16, memoryGB: 384,
		nic: intel10, slots: []slot{{0x18, 0}, {0x19, 0}},
	}
	r930 = serverModel{
		vendor: "Dell Inc.", model: "PowerEdge R930", bios: "2.9.1",
		cpu: "Intel(R) Xeon(R) CPU E7-8890 v4 @ 2.20GHz", sockets: 4, cores: 24, memoryGB: 3072,
		nic: intel10, slots: []slot{{0x02, 0}, {0x03, 0}, {0x43, 1}, {0x44, 1}},
	}
	r730oneSide = serverModel{ // both NICs on the second socket
		vendor: "Dell Inc.", model: "PowerEdge R730", bios: "2.5.5",
		cpu: "Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", sockets: 2, cores: 14, memoryGB: 512,
		nic: mellanox40old, slots: []slot{{0x82, 1}, {0x84, 1}},
	}
	nested = serverModel{
		vendor: "VMware, Inc.", model: "VMware20,1", bios: "VMW201.00V.21805430.B64.2305221830",
		cpu: "Intel(R) Xeon(R) Gold 6142 CPU @ 2.60GHz", sockets: 1, cores: 8, memoryGB: 64,
		nic: virtual10, slots: []slot{{0x0b, 0}, {0x13, 0}},
	}
)

// edp is what a host says of Enhanced Data Path on its NICs.
type edp int

const (
	edpSilent edp = iota // releases before 7.0 have no such field
	edpOff
	edpOn
)

// hostRow is one host of the fleet.
type hostRow struct {
	name, cluster string
	server        serverModel
	hz            int64
	release       string // as inventory.Releases names it
	version       string
	build         string
	policy        int32  // key of the power policy
	powerHardware string // what hardware support the host names; "" where the BIOS keeps power control
	hidePCI       bool   // numaInfo lists no PCI devices, as some servers do
	edp           edp
	options       map[string]inventory.Value
	modules       map[string]moduleOptions // by driver
	links         map[int]link             // of the NICs whose link is not what it could be
	uplinks       int                      // NICs on vSwitch0; the rest is on the distributed switch; 0 is all
	dvs           string
	idleNIC       bool // a NIC of the board that is down and on no switch
	threads       hyperThreading
	free          bool   // the licence that allows no writes
	address       string // of vmk0
	booted        time.Time
}

// link is how a NIC is connected; the zero value is not at all.
type link struct {
	mbps int32
	half bool
}

// hyperThreading is what became of a host's second threads.
type hyperThreading int

const (
	threadsOn     hyperThreading = iota
	threadsOff                   // configured off, in force since the last boot
	threadsHidden                // the BIOS does not show them
	threadsNone                  // the CPU has none
)

// moduleOptions are a driver's options; those that run are the ones of the last boot.
type moduleOptions struct{ configured, running string }

// biosPower is a host whose firmware keeps power control to itself.
func (r *hostRow) biosPower() bool { return r.powerHardware == "" }

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
		options: map[string]inventory.Value{"Net.Vmxnet3HwLRO": inventory.LongValue(0)},
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
	{ // the clean reference
		name: "host06.demo.local", cluster: "general", server: sys6029, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff, dvs: dvsGeneral,
		address: "192.0.2.16", booted: day(2026, 6, 21, 3),
	},
	{ // four sockets and many old settings; Hyper-Threading configured off; links at half duplex and down
		name: "host04.demo.local", cluster: "general", server: r930, hz: 2_194_917_000,
		release: "6.7U3", version: "6.7.0", build: "14320388",
		policy: policyDynamic, powerHardware: bothStates, edp: edpSilent, threads: threadsOff,
		uplinks: 2, dvs: dvsArchive, links: map[int]link{2: {mbps: 100, half: true}, 3: {}},
		options: map[string]inventory.Value{
			"DataMover.HardwareAcceleratedMove": inventory.LongValue(0),
			"Mem.AllocGuestLargePage":           inventory.LongValue(0),
			"Migrate.VMotionStreamHelpers":      inventory.LongValue(8),
			"Net.TcpipDefLROEnabled":            inventory.LongValue(0),
			"Net.UseHwTSO6":                     inventory.LongValue(0),
			hyperthreadingOption:                inventory.BoolValue(false),
			"VMkernel.Boot.netNetqueueEnabled":  inventory.BoolValue(false),
		},
		address: "192.0.2.14", booted: day(2025, 9, 14, 2),
	},
	{ // low power; second threads hidden by the BIOS; one NIC of a team at 1 Gb, one at half duplex, one down
		name: "host05.demo.local", cluster: "general", server: r930, hz: 2_194_917_000,
		release: "7.0U3r", version: "7.0.3", build: "24411414",
		policy: policyLow, powerHardware: bothStates, edp: edpOff, threads: threadsHidden,
		uplinks: 2, dvs: dvsArchive, links: map[int]link{1: {mbps: 1000}, 2: {mbps: 100, half: true}, 3: {}},
		options: map[string]inventory.Value{
			"LPage.LPageAlwaysTryForNPT":       inventory.LongValue(0),
			"Migrate.VMotionStreamHelpers":     inventory.LongValue(8),
			"Net.UseHwTSO":                     inventory.LongValue(0),
			"Net.Vmxnet3SwLRO":                 inventory.LongValue(0),
			"VMFS3.HardwareAcceleratedLocking": inventory.LongValue(0),
		},
		address: "192.0.2.15", booted: day(2026, 1, 18, 5),
	},
	{ // the BIOS gives C-states only; one NIC of the team at 1 Gb; a NIC that is down and that nobody uses
		name: "host07.demo.local", cluster: "general", server: sys6029, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyStatic, powerHardware: "ACPI C-states", edp: edpOff, dvs: dvsGeneral,
		links: map[int]link{1: {mbps: 1000}}, idleNIC: true,
		address: "192.0.2.17", booted: day(2026, 6, 21, 5),
	},
	{ // as clean as host06, until a scenario cuts it off
		name: "host08.demo.local", cluster: "general", server: sys6029, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff, dvs: dvsGeneral,
		address: "192.0.2.18", booted: day(2026, 6, 21, 7),
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
	{ // ESXi in a VM: what hardware rules say does not apply
		name: "esxi-b.demo.local", server: nested, hz: 2_600_000_000,
		release: "9.0.1", version: "9.0.1", build: "24957456",
		policy: policyDynamic, powerHardware: "", edp: edpOff, threads: threadsNone,
		address: "192.0.2.22", booted: day(2026, 8, 3, 12),
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
