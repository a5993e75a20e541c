package esxtopservice

import (
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// snapshot is the state of a host at one moment in the order of its Esxtop service: the objects, then the counters of each.
type snapshot struct {
	node    *world.Host
	counted load.HostCounters
	groups  []schedGroup
	vectors []vector
	roles   []domRole
}

const pageKB = 4

// schedGroup is a scheduler group of the service. Groups with worlds have counters; there are many more, which have at most
// memory.
type schedGroup struct {
	id, leader    int64
	name, display string
	kind          groupKind
	of            *load.GroupCounters // the group, or the group of which it is a part
	worlds        []load.WorldCounters
	hidden        []load.HiddenWorld
	nodes         []load.GroupNode
	memClient     int64 // 0: none
}

// vector is an interrupt vector. Those of NICs and adapters interrupt one logical CPU each, in proportion to their I/O. The
// others interrupt all.
type vector struct {
	id         int64
	devices    string
	weight     int64 // share of the other interrupts of a CPU
	lcpu       int   // -1: all
	interrupts int64 // number of interrupts
}

// domRole is a role of vSAN's object manager, with its I/O.
type domRole struct {
	name string
	io   load.IO
}

type groupKind int

const (
	kernelGroup groupKind = iota
	userGroup             // a process of the host, such as hostd
	vmGroup               // a VM
	innerGroup            // a part of a process or a VM, without a scheduler client
	innerUser             // the memory of a VM's or a process's own process
	innerVMM              // the guest's part of a VM's memory
)
