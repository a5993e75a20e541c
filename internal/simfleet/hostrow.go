package simfleet

import (
	"time"

	"github.com/vperf/vperf/pkg/inventory"
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
	identity      string // what the hardware's UUID is made from; "" is the name
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

	nodes        int    // NUMA nodes; 0 is one a socket
	scheduler    string // of CPUs, as releases from 8.0 U3 say; "" is systemDefault
	tiering      string // of memory, as releases from 7.0 U3 say; "" is none
	swapCacheMB  int64
	flashCacheGB int64
	osData       bool               // ESXi runs from flash, and the API lists that volume as a virtual flash resource
	board        int                // NICs of the board that are up, at 1 Gb/s
	mtu          int32              // of vSwitch0; 0 is 1500
	switches     []switchRow        // beside vSwitch0
	teams        map[string]teamRow // of port groups that do not do as their switch does
	vmotionMTU   int32              // 0 is 1500
	vmks         []vmkRow           // beside the first two
	iscsi        bool               // the array is reached by iSCSI, not by Fibre Channel
	noDelayedAck bool               // of the iSCSI adapter
	unbound      bool               // the iSCSI adapter is bound to nothing and knows no target
	san          map[string]sanRow  // how disks of the array are reached where it is not as it should be
	diskGroups   []diskGroupRow     // of vSAN; none is no vSAN
}

// link is how a NIC is connected; the zero value is not at all.
type link struct {
	mbps int32
	half bool
}

// switchRow is a standard switch with the NICs it uses, by number, and its port groups.
type switchRow struct {
	name   string
	mtu    int32 // 0 is 1500
	nics   []int
	groups []string
}

// teamRow is how a port group uses the NICs of its switch.
type teamRow struct {
	policy          string
	active, standby []int
}

// vmkRow is a VMkernel adapter: on a port group, or on a distributed switch.
type vmkRow struct {
	service, group, dvs, address string
	mtu                          int32 // 0 is 1500
}

// sanRow is how a host reaches a disk; what is left out is as the disk has it.
type sanRow struct {
	policy string
	paths  []string // their states
}

// diskGroupRow is a vSAN disk group.
type diskGroupRow struct {
	cacheGB, capacityGB int64 // of one disk
	disks               int
	flash               bool // the capacity, too
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
