package simfleet

import "slices"

// vmSettings is what of a VM's configuration its load depends on, as it was for a while. Nobody changes one.
type vmSettings struct {
	name            string
	vcpus, memoryMB int64
	cpu, memory     grant // in MHz and MB
	poolMHz         int64 // its part of what its pool is limited to; -1 is none
	threads         int64 // vCPUs that share a core
	latency         bool  // high sensitivity, of some vCPU at least
	affinity        []int32
	node            int // that it is kept on; -1 is where the scheduler likes
	memoryNode      int // that its memory is kept on; -1 as above
	unevenNUMA      bool
	balloonDriver   bool
	snapshots       int64
	nics            []vnicSettings
	disks           []vdiskSettings
}

// unbounded is a limit that is none.
const unbounded = -1

// grant is a reservation, a limit (-1 is none) and shares.
type grant struct{ reservation, limit, shares int64 }

type vnicSettings struct {
	key         int32
	kind        vnicKind
	manyQueues  bool // pnicFeatures asks for RSS
	distributed bool // on a distributed switch
	bypass      bool // it is no port of a switch
}

// stores are the datastores that the VM has disks on.
func (v *vmSettings) stores() (names []string) {
	for _, d := range v.disks {
		if d.store != "" && !slices.Contains(names, d.store) {
			names = append(names, d.store)
		}
	}
	return names
}

// vnicKind is what a virtual NIC looks like to its guest.
type vnicKind int

// The kinds of virtual NICs that differ in what they can do.
const (
	vmxnet3 vnicKind = iota
	e1000
	e1000e
)

type vdiskSettings struct {
	key       int32
	name      string // scsi0:0
	store     string
	iopsLimit int64 // -1 is none
	delta     bool
}

// hostSettings is what a host is and has set, as it was for a while. Nobody changes one.
type hostSettings struct {
	stream                         stream
	cores, sockets, perCore, nodes int
	mhz                            int64
	memoryKB                       int64
	policy                         policy
	maxFreqPct                     int64 // of the custom policy
	bios                           bool  // which keeps power control
	numaIO                         bool  // worlds that handle packets stay on the NIC's node
	lro                            bool  // packets are joined before guests see them
	numaMoves                      bool  // the NUMA scheduler places VMs and moves their memory
	alone                          bool  // no vCenter looks after it
	booted                         int64 // Unix seconds
	pnics                          []pnicSettings
	switches                       []switchSettings // the first is the standard one that VMs are on
	devices                        []deviceSettings
	adapters                       []adapterSettings // that paths go through, by name
	volumes                        []volumeSettings
	nfs                            []string // mounts
	vsan                           bool
}

// policy is the policy of power management, by its key.
type policy int32

// The policies.
const (
	highPerformance policy = iota + 1
	balanced
	lowPower
	customPower
)

type pnicSettings struct {
	name string
	mbps int64 // 0 is down
	full bool
	ring int // descriptors to receive into
	// rings are how many share what arrives for one VM, each with a world that polls it.
	rings int
}

// switchSettings is a switch with the NICs that VMs' ports take turns over, by number, and its VMkernel adapters.
type switchSettings struct {
	name    string
	uplinks []int // all of them
	active  []int // those that are up and in use
	vmks    []string
}

type deviceSettings struct {
	name, display string
	blocks        int64
	queueDepth    int64 // with several VMs on it
	local         bool
	slow          bool // of an old array
	vsan          bool
	paths         []pathSettings
}

// adapterSettings is a storage adapter with room for some commands.
type adapterSettings struct {
	name       string
	queueDepth int64
}

// volumeSettings is a datastore and the disk that it is on, which not all hosts have.
type volumeSettings struct{ name, device string }

type pathSettings struct {
	name, adapter string
	used          bool
}

// switchOf is the switch that a virtual NIC is on: where there is no distributed one with NICs, the first.
func (h *hostSettings) switchOf(n vnicSettings) int {
	for i, s := range h.switches {
		if n.distributed && i > 0 && s.name[0] == 'd' && len(s.active) > 0 {
			return i
		}
	}
	return 0
}
