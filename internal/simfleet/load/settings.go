package load

import "slices"

// VM holds the settings of a VM that affect its load, for a period. It is immutable.
type VM struct {
	Name            string
	VCPUs, MemoryMB int64
	CPU, Memory     Grant // in MHz and MB
	PoolMHz         int64 // its part of its pool's limit; -1 is none
	Threads         int64 // vCPUs per core
	Latency         bool  // latency sensitivity high, of at least one vCPU
	Affinity        []int32
	Node            int // NUMA node affinity; -1 is none
	MemoryNode      int // memory node affinity; -1 is none
	UnevenNUMA      bool
	BalloonDriver   bool
	Snapshots       int64
	NICs            []VNIC
	Disks           []VDisk
	VGPUMB          int64 // memory of its vGPU; 0: it has none
}

// unbounded is the value for no limit.
const unbounded = -1

// Grant is a reservation, a limit (-1 is none) and shares.
type Grant struct{ Reservation, Limit, Shares int64 }

// VNIC is a virtual NIC.
type VNIC struct {
	Key         int32
	Kind        vnicKind
	ManyQueues  bool // pnicFeatures requests RSS
	Distributed bool // on a distributed switch
	Bypass      bool // it bypasses the virtual switch
}

// Stores returns the datastores of the VM's disks.
func (v *VM) Stores() (names []string) {
	for _, d := range v.Disks {
		if d.Store != "" && !slices.Contains(names, d.Store) {
			names = append(names, d.Store)
		}
	}
	return names
}

// vnicKind is the type of a virtual NIC in its guest.
type vnicKind int

// The types of virtual NICs with different capabilities.
const (
	Vmxnet3 vnicKind = iota
	E1000
	E1000e
)

// VDisk is a virtual disk. Delta is set while it writes to a snapshot; Store is the datastore, or "".
type VDisk struct {
	Key       int32
	Name      string // scsi0:0
	Store     string
	IOPSLimit int64 // -1 is none
	Delta     bool
}

// Host holds the properties and settings of a host, for a period. It is immutable.
type Host struct {
	Stream                         Stream
	Cores, Sockets, PerCore, Nodes int
	MHz                            int64
	MemoryKB                       int64
	Policy                         PowerPolicy
	MaxFreqPct                     int64 // of the custom policy
	BIOS                           bool  // which controls power
	NUMAIO                         bool  // worlds that handle packets stay on the NIC's node
	LRO                            bool  // packets are combined before guests get them
	NUMAMoves                      bool  // the NUMA scheduler places VMs and moves their memory
	Alone                          bool  // the host is standalone
	Booted                         int64 // Unix seconds
	PNICs                          []PNIC
	Switches                       []Switch // the first is the standard switch of VMs
	Devices                        []Device
	Adapters                       []Adapter // adapters of paths, by name
	Volumes                        []Volume
	NFS                            []string // mounts
	VSAN                           bool
	GPUs                           []GPU // that VMs share
}

// GPU is a graphics device.
type GPU struct {
	ID       string // of its counters
	MemoryKB int64
}

// PowerPolicy is the policy of power management, by its key.
type PowerPolicy int32

// The policies.
const (
	HighPerformance PowerPolicy = iota + 1
	balanced
	lowPower
	customPower
)

// PNIC is a physical NIC. Full is full duplex.
type PNIC struct {
	Name string
	Mbps int64 // 0 is down
	Full bool
	Ring int // descriptors to receive into
	// Rings is the number of rings that share the packets of one VM, each with a polling world.
	Rings int
}

// Switch is a switch with its VMkernel adapters and, by number, the NICs over which VMs' ports are distributed.
type Switch struct {
	Name    string
	Uplinks []int // all of them
	Active  []int // those that are up and in use
	VMKs    []string
}

// Device is a disk of a host: a LUN, a local disk or one of vSAN.
type Device struct {
	Name, Display string
	Blocks        int64
	QueueDepth    int64 // with several active VMs
	Local         bool
	Millis, IOPS  float64 // minimum latency and maximum throughput; 0: the default of its type
	VSAN          bool
	Paths         []Path
}

// Adapter is a storage adapter with its queue depth.
type Adapter struct {
	Name       string
	QueueDepth int64
}

// Volume is a datastore with its disk, which not all hosts have.
type Volume struct{ Name, Device string }

// Path is a path to a disk. Used is set if I/O goes over it.
type Path struct {
	Name, Adapter string
	Used          bool
}

// switchOf returns the switch of a virtual NIC: the first one unless there is a distributed switch with NICs.
func (h *Host) switchOf(n VNIC) int {
	for i, s := range h.Switches {
		if n.Distributed && i > 0 && s.Name[0] == 'd' && len(s.Active) > 0 {
			return i
		}
	}
	return 0
}
