package load

import (
	"time"
)

// HostCounters holds all counters of a host at a moment, and its current gauges. Times are microseconds and sizes kilobytes
// unless the name says otherwise. Counters only increase while the host runs, and those of a VM while it is powered on. Ids and
// the order of lists are stable for the same time.
type HostCounters struct {
	At       time.Time
	Uptime   int64 // since the host started
	Cores    int
	Packages int
	LCPUs    []LCPUCounters
	Load     [3]int64 // hundredths of all cores, over 1, 5 and 15 minutes
	Mem      HostMemory
	Nodes    []NodeMemory
	Groups   []GroupCounters
	Adapters []AdapterCounters
	Devices  []DeviceCounters
	Paths    []PathCounters
	NFS      []NFSCounters
	Portsets []PortsetCounters
	PNICs    []PNICCounters
	Watts    int64
	VSAN     bool
}

// LCPUCounters holds the counters of a logical CPU. Both threads of a core have the same CoreHalt. The C-state times add up to
// the uptime.
type LCPUCounters struct {
	ID, core, pkg   int
	Hz              int64
	Used            int64
	Halt, CoreHalt  int64
	BusyWait        int64
	Aperf, Mperf    int64    // cycles
	Slow            int64    // at half the clock rate
	Cstates         [3]int64 // C0, C1, C2
	Interrupts      int64    // a count
	InterruptMicros int64
}

// HostMemory is the host's memory. Free, the kernel's and the other memory add up to the physical memory.
type HostMemory struct {
	Physical, Managed, Kernel, Other, Free     int64
	MinFree, Reserved, Unreserved              int64
	State                                      int64 // 0 high, 1 clear, 2 soft, 3 hard, 4 low
	Shared, Common                             int64
	Balloon, BalloonTarget, BalloonMax         int64
	Swapped, SwapTarget, SwapRead, SwapWritten int64 // the last two are counters
	Zipped, ZipSaved                           int64
	Overcommit                                 [3]int64 // percent, over 1, 5 and 15 minutes
}

// StateWords are the names of HostMemory.State.
var StateWords = []string{"high", "clear", "soft", "hard", "low"}

// NodeMemory is the memory of a NUMA node.
type NodeMemory struct {
	ID          int
	Total, Free int64
}

// GroupCounters is a scheduler group that has worlds: a VM, or a part of the host itself.
type GroupCounters struct {
	ID, Leader int64
	Name       string // vm.2100500 for a VM
	Display    string // the VM's name; for others the same as name
	VM         bool
	Ref        string // the VM's id

	Worlds []WorldCounters
	Hidden []HiddenWorld // vmm0 and so on, one per vCPU

	CPU, Memory Allotment // in MHz and kB
	HomeNodes   int64     // bit mask; 0 without NUMA
	Migrations  int64     // between nodes
	Local       int64     // memory on its home nodes
	Remote      int64
	Nodes       []GroupNode // by NUMA node
	TimerPeriod int64       // microseconds
	Watts       int64
	Mem         *GroupMemory // nil of system, helper and drivers
	Disks       []VDiskCounters
}

// Allotment is a group's resource allocation: -1 is no limit; shares are -2 low, -3 normal, -4 high, or a number.
type Allotment struct{ Least, Most, Shares int64 }

// GroupNode is a VM's memory on one NUMA node: the guest's, and the host's overhead for the VM.
type GroupNode struct{ Guest, Overhead int64 }

// HiddenWorld is a world that esxtop lists without counters: the monitor of a vCPU.
type HiddenWorld struct {
	ID   int64
	Name string
}

// WorldCounters holds the counters of a world. Up = run + ready + costop + wait, idle ≤ wait, latency ≥ ready + costop,
// maxLimited ≤ ready, swapWait ≤ wait − idle.
type WorldCounters struct {
	ID   int64
	Name string // vmx-vcpu-0:web-03
	VCPU int    // its number; -1 for a world that is not a vCPU

	Up, Run, Used, Sys, Overlap, Ready, Costop, MaxLimited, Wait, Idle, SwapWait, Latency, MemLatency int64

	Demand       int64 // percent, now
	EffectiveMin int64 // MHz
	LCPU         int   // on which it runs now
	Affinity     string

	Switches, Migrations, Expires, Wakeups int64
}

// GroupMemory is a VM's memory, or that of a part of the host.
type GroupMemory struct {
	Size, Target, Granted, consumed, Touched, TouchedWrite int64
	ActivePct, SlowPct, FastPct, NextPct                   int64
	Shared, Zero, Saved                                    int64
	Overhead, OverheadMax, OverheadUW                      int64
	BalloonDriver                                          bool
	Balloon, BalloonTarget, BalloonMax                     int64
	Swapped, SwapTarget                                    int64
	SwapRead, SwapWritten                                  int64 // counters
	ZipCache, ZipUsed                                      int64
	Zipped, Unzipped                                       int64 // counters
	entitlement, CommitTarget, CommitCharged               int64
}

// IO holds the counters of a device, a path or an adapter. Reads + writes ≤ commands; blocks are 512 bytes. Total is the guest's
// latency: issue (device) plus the kernel's, of which queue is a part.
type IO struct {
	Commands, Reads, Writes, BlocksRead, BlocksWritten int64
	Aborts, Resets, Conflicts                          int64
	ReadIssue, ReadQueue, ReadTotal                    int64
	WriteIssue, WriteQueue, WriteTotal                 int64
}

// AdapterCounters is a storage adapter; its queue depth is in commands. Its I/O is the sum of its paths'.
type AdapterCounters struct {
	Name       string
	QueueDepth int64
}

// DeviceCounters is a disk. The queue depth is in commands, the size in blocks.
type DeviceCounters struct {
	Name, Display  string
	VSAN           bool
	QueueDepth     int64
	Blocks         int64
	Active, Queued int64 // now
	IO             IO
	Worlds         []DeviceWorld
}

// DeviceWorld is a VM's part of a device's I/O; its world is the VM's leader.
type DeviceWorld struct {
	World          int64
	Shares         int64
	Active, Queued int64
	IO             IO
}

// PathCounters is a path to a disk. The I/O of all paths to a disk adds up to the disk's.
type PathCounters struct {
	Name, Device, Adapter string
	IO                    IO
}

// NFSCounters is a mount.
type NFSCounters struct {
	Name                                                      string
	Reads, ReadBytes, ReadTime, Writes, WriteBytes, WriteTime int64
}

// VDiskCounters is a virtual disk.
type VDiskCounters struct {
	ID                                                        int64
	Name                                                      string // scsi0:0
	Reads, ReadBytes, ReadTime, Writes, WriteBytes, WriteTime int64
}

// PortsetCounters is a virtual switch.
type PortsetCounters struct {
	Name  string
	Ports []PortCounters
}

// PortCounters holds the counters of a port of a virtual switch. An uplink's bytes are those of the ports whose team it is.
type PortCounters struct {
	ID      int64
	Uplink  bool
	Client  string // web-03.eth0, vmk0, vmnic0
	Team    string // the NIC that it uses; "" for an uplink
	Leader  int64  // hidden world vmm0 of the VM, or 0
	Traffic Traffic
}

// Traffic counts packets and bytes. Tx is from the VM or the host to the wire.
type Traffic struct {
	TxPackets, TxBytes, RxPackets, RxBytes, DroppedTx, DroppedRx int64
	TxMulticast, TxBroadcast, RxMulticast, RxBroadcast           int64
}

// PNICCounters is a physical NIC with its port number on the virtual switch. The port has the NIC's traffic.
type PNICCounters struct {
	Name string
	Port int64
	Up   bool
	Mbps int64
	Full bool
	// Rings is the number of rings that share arriving packets.
	Rings int
}
