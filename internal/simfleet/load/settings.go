package load

import "slices"

// VM is what of a VM's configuration its load depends on, as it was for a while. Nobody changes one.
type VM struct {
	Name            string
	VCPUs, MemoryMB int64
	CPU, Memory     Grant // in MHz and MB
	PoolMHz         int64 // its part of what its pool is limited to; -1 is none
	Threads         int64 // vCPUs that share a core
	Latency         bool  // high sensitivity, of some vCPU at least
	Affinity        []int32
	Node            int // that it is kept on; -1 is where the scheduler likes
	MemoryNode      int // that its memory is kept on; -1 as above
	UnevenNUMA      bool
	BalloonDriver   bool
	Snapshots       int64
	NICs            []VNIC
	Disks           []VDisk
}

// unbounded is a limit that is none.
const unbounded = -1

// Grant is a reservation, a limit (-1 is none) and shares.
type Grant struct{ Reservation, Limit, Shares int64 }

// VNIC is a virtual NIC.
type VNIC struct {
	Key         int32
	Kind        vnicKind
	ManyQueues  bool // pnicFeatures asks for RSS
	Distributed bool // on a distributed switch
	Bypass      bool // it is no port of a switch
}

// Stores are the datastores that the VM has disks on.
func (v *VM) Stores() (names []string) {
	for _, d := range v.Disks {
		if d.Store != "" && !slices.Contains(names, d.Store) {
			names = append(names, d.Store)
		}
	}
	return names
}

// vnicKind is what a virtual NIC looks like to its guest.
type vnicKind int

// The kinds of virtual NICs that differ in what they can do.
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

// Host is what a host is and has set, as it was for a while. Nobody changes one.
type Host struct {
	Stream                         Stream
	Cores, Sockets, PerCore, Nodes int
	MHz                            int64
	MemoryKB                       int64
	Policy                         PowerPolicy
	MaxFreqPct                     int64 // of the custom policy
	BIOS                           bool  // which keeps power control
	NUMAIO                         bool  // worlds that handle packets stay on the NIC's node
	LRO                            bool  // packets are joined before guests see them
	NUMAMoves                      bool  // the NUMA scheduler places VMs and moves their memory
	Alone                          bool  // no vCenter looks after it
	Booted                         int64 // Unix seconds
	PNICs                          []PNIC
	Switches                       []Switch // the first is the standard one that VMs are on
	Devices                        []Device
	Adapters                       []Adapter // that paths go through, by name
	Volumes                        []Volume
	NFS                            []string // mounts
	VSAN                           bool
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
	// rings are how many share what arrives for one VM, each with a world that polls it.
	Rings int
}

// Switch is a switch with the NICs that VMs' ports take turns over, by number, and its VMkernel adapters.
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
	QueueDepth    int64 // with several VMs on it
	Local         bool
	Millis, IOPS  float64 // how long a command takes at least, and the most that it can do; 0 is what others of its kind do
	VSAN          bool
	Paths         []Path
}

// Adapter is a storage adapter with room for some commands.
type Adapter struct {
	Name       string
	QueueDepth int64
}

// Volume is a datastore and the disk that it is on, which not all hosts have.
type Volume struct{ Name, Device string }

// Path is a path to a disk. Used is set if I/O goes over it.
type Path struct {
	Name, Adapter string
	Used          bool
}

// switchOf is the switch that a virtual NIC is on: where there is no distributed one with NICs, the first.
func (h *Host) switchOf(n VNIC) int {
	for i, s := range h.Switches {
		if n.Distributed && i > 0 && s.Name[0] == 'd' && len(s.Active) > 0 {
			return i
		}
	}
	return 0
}
