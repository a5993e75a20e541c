package simfleet

import (
	"time"
)

// hostCounters is all that a host has counted up to a moment, and how things are at that moment. Times are microseconds
// and sizes kilobytes unless a name says else. What is counted only grows while the host runs, and what belongs to a VM
// while that is powered on. Ids last as long. Lists are in an order that lasts, too.
type hostCounters struct {
	at       time.Time
	uptime   int64 // since the host started
	cores    int
	packages int
	lcpus    []lcpuCounters
	load     [3]int64 // hundredths of all cores, over 1, 5 and 15 minutes
	mem      hostMemory
	nodes    []nodeMemory
	groups   []groupCounters
	adapters []adapterCounters
	devices  []deviceCounters
	paths    []pathCounters
	nfs      []nfsCounters
	portsets []portsetCounters
	pnics    []pnicCounters
	watts    int64
	vsan     bool
}

// lcpuCounters is a logical CPU. Two threads of a core have the same coreHalt. What it was in C-states adds up to the uptime.
type lcpuCounters struct {
	id, core, pkg   int
	hz              int64
	used            int64
	halt, coreHalt  int64
	busyWait        int64
	aperf, mperf    int64    // cycles
	slow            int64    // at half the clock
	cstates         [3]int64 // C0, C1, C2
	interrupts      int64    // a count
	interruptMicros int64
}

// hostMemory is the host's memory. Free and what the kernel and the rest have add up to physical.
type hostMemory struct {
	physical, managed, kernel, other, free     int64
	minFree, reserved, unreserved              int64
	state                                      int64 // 0 high, 1 clear, 2 soft, 3 hard, 4 low
	shared, common                             int64
	balloon, balloonTarget, balloonMax         int64
	swapped, swapTarget, swapRead, swapWritten int64 // the last two are counted
	zipped, zipSaved                           int64
	overcommit                                 [3]int64 // percent, over 1, 5 and 15 minutes
}

// stateWords are the words for hostMemory.state.
var stateWords = []string{"high", "clear", "soft", "hard", "low"}

type nodeMemory struct {
	id          int
	total, free int64
}

// groupCounters is a scheduler group that has worlds: a VM, or a part of the host itself.
type groupCounters struct {
	id, leader int64
	name       string // vm.2100500 for a VM
	display    string // the VM's name; of others as name
	vm         bool
	ref        string // the id of the VM

	worlds []worldCounters
	hidden []hiddenWorld // vmm0 and so on, one by vCPU

	cpu, memory allotment // in MHz and kB
	homeNodes   int64     // bit mask; 0 where there is no NUMA
	migrations  int64     // between nodes
	local       int64     // memory on its home nodes
	remote      int64
	nodes       []groupNode // by NUMA node
	timerPeriod int64       // microseconds
	watts       int64
	mem         *groupMemory // nil of system, helper and drivers
	disks       []vdiskCounters
}

// allotment is what a group is given: -1 is no limit; shares are -2 low, -3 normal, -4 high, or a number.
type allotment struct{ least, most, shares int64 }

type groupNode struct{ guest, overhead int64 }

type hiddenWorld struct {
	id   int64
	name string
}

// worldCounters is a world. up = run + ready + costop + wait, idle ≤ wait, latency ≥ ready + costop,
// maxLimited ≤ ready, swapWait ≤ wait − idle.
type worldCounters struct {
	id   int64
	name string // vmx-vcpu-0:web-03
	vcpu int    // its number; -1 for a world that is no vCPU

	up, run, used, sys, overlap, ready, costop, maxLimited, wait, idle, swapWait, latency, memLatency int64

	demand       int64 // percent, now
	effectiveMin int64 // MHz
	lcpu         int   // that it runs on now
	affinity     string

	switches, migrations, expires, wakeups int64
}

// groupMemory is a VM's memory, or that of a part of the host.
type groupMemory struct {
	size, target, granted, consumed, touched, touchedWrite int64
	activePct, slowPct, fastPct, nextPct                   int64
	shared, zero, saved                                    int64
	overhead, overheadMax, overheadUW                      int64
	balloonDriver                                          bool
	balloon, balloonTarget, balloonMax                     int64
	swapped, swapTarget                                    int64
	swapRead, swapWritten                                  int64 // counted
	zipCache, zipUsed                                      int64
	zipped, unzipped                                       int64 // counted
	entitlement, commitTarget, commitCharged               int64
}

// ioCounters is what has gone through a device, a path or an adapter. reads + writes ≤ commands; blocks are 512 bytes.
// total is what a guest waits: issue (device) and the kernel's, of which queue is a part.
type ioCounters struct {
	commands, reads, writes, blocksRead, blocksWritten int64
	aborts, resets, conflicts                          int64
	readIssue, readQueue, readTotal                    int64
	writeIssue, writeQueue, writeTotal                 int64
}

type adapterCounters struct {
	name       string
	queueDepth int64
}

type deviceCounters struct {
	name, display  string
	vsan           bool
	queueDepth     int64
	blocks         int64
	active, queued int64 // now
	io             ioCounters
	worlds         []deviceWorld
}

// deviceWorld is a VM's part of a device's I/O; its world is the VM's leader.
type deviceWorld struct {
	world          int64
	shares         int64
	active, queued int64
	io             ioCounters
}

// pathCounters: those of one device add up to it.
type pathCounters struct {
	name, device, adapter string
	io                    ioCounters
}

// nfsCounters is a mount.
type nfsCounters struct {
	name                                                      string
	reads, readBytes, readTime, writes, writeBytes, writeTime int64
}

// vdiskCounters is a virtual disk.
type vdiskCounters struct {
	id                                                        int64
	name                                                      string // scsi0:0
	reads, readBytes, readTime, writes, writeBytes, writeTime int64
}

type portsetCounters struct {
	name  string
	ports []portCounters
}

// portCounters is a port of a virtual switch. An uplink's bytes are those of the ports whose team it is.
type portCounters struct {
	id      int64
	uplink  bool
	client  string // web-03.eth0, vmk0, vmnic0
	team    string // the NIC that it goes through; "" for an uplink
	leader  int64  // hidden world vmm0 of the VM, or 0
	traffic traffic
}

// traffic is packets and bytes. tx is from the VM or the host to the wire.
type traffic struct {
	txPackets, txBytes, rxPackets, rxBytes, droppedTx, droppedRx int64
	txMulticast, txBroadcast, rxMulticast, rxBroadcast           int64
}

type pnicCounters struct {
	name string
	port int64
	up   bool
	mbps int64
	full bool
	// rings are those that share what arrives.
	rings int
}
