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

var (
	mellanox40 = nicModel{
		vendor: "Mellanox Technologies", device: "MT27700 Family [ConnectX-4]", vendorID: 0x15b3, deviceID: 0x1013,
		driver: "nmlx5_core", driverVersion: "4.19.71.101", firmware: "12.28.2006", mbps: 40_000,
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
	address       string // of vmk0
	booted        time.Time
}

// biosPower is a host whose firmware keeps power control to itself.
func (r *hostRow) biosPower() bool { return r.powerHardware == "" }

const (
	bothStates = "ACPI P-states, ACPI C-states"
	numaIO     = "Net.NetNetqNumaIOCpuPinThreshold"
)

// hostTable is the fleet's hosts, and what is wrong with each.
var hostTable = []hostRow{
	{ // the flagship: fast NICs on both sockets and NUMA I/O off; balanced power
		name: "host01.demo.local", cluster: "lowlat", server: r730, hz: 2_599_998_000,
		release: "7.0U3r", version: "7.0.3", build: "24411414",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff,
		address: "192.0.2.11", booted: day(2026, 3, 7, 4),
	},
	{ // NUMA I/O off, but the host does not tell where its NICs are; hardware LRO off
		name: "host02.demo.local", cluster: "lowlat", server: r730, hz: 2_599_998_000,
		release: "6.7U3", version: "6.7.0", build: "14320388",
		policy: policyStatic, powerHardware: bothStates, hidePCI: true, edp: edpSilent,
		options: map[string]inventory.Value{"Net.Vmxnet3HwLRO": inventory.LongValue(0)},
		address: "192.0.2.12", booted: day(2025, 11, 2, 22),
	},
	{ // the clean twin for NUMA I/O, with Enhanced Data Path; the BIOS keeps power control
		name: "host03.demo.local", cluster: "lowlat", server: r730, hz: 2_593_993_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyStatic, powerHardware: "", edp: edpOn,
		options: map[string]inventory.Value{numaIO: inventory.LongValue(60)},
		address: "192.0.2.13", booted: day(2026, 6, 20, 3),
	},
	{ // the clean reference
		name: "host06.demo.local", cluster: "general", server: sys6029, hz: 2_600_000_000,
		release: "8.0U3", version: "8.0.3", build: "24784735",
		policy: policyDynamic, powerHardware: bothStates, edp: edpOff,
		address: "192.0.2.16", booted: day(2026, 6, 21, 3),
	},
}

// day is a full hour of a calendar day. Past dates are fixed, so that two runs give the same audit.
func day(year int, month time.Month, d, hour int) time.Time {
	return time.Date(year, month, d, hour, 0, 0, 0, time.UTC)
}
