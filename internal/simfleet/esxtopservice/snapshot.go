package esxtopservice

import (
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// snapshot is a host at one moment, as its esxtop service tells it: which objects there are, then what each counted.
type snapshot struct {
	node    *world.Host
	counted load.HostCounters
	groups  []schedGroup
	vectors []vector
	roles   []domRole
}

const pageKB = 4

// schedGroup is a scheduler group as the service tells it. Those with worlds are counted; around them there are many more,
// which have memory at most.
type schedGroup struct {
	id, leader    int64
	name, display string
	kind          groupKind
	of            *load.GroupCounters // whose group it is, or whose part
	worlds        []load.WorldCounters
	hidden        []load.HiddenWorld
	nodes         []load.GroupNode
	memClient     int64 // 0 is none
}

// vector is an interrupt vector. Those of NICs and adapters interrupt one logical CPU each, as often as they have something to
// tell. The others interrupt all.
type vector struct {
	id      int64
	devices string
	weight  int64 // of what else interrupts a CPU
	lcpu    int   // -1 is all
	told    int64 // interrupts
}

// domRole is a role of vSAN's object manager, with what it has done.
type domRole struct {
	name string
	io   load.IO
}

type groupKind int

const (
	kernelGroup groupKind = iota
	userGroup             // a process of the host: hostd
	vmGroup               // a VM
	innerGroup            // a part of one of those, without a scheduler's client
	innerUser             // what of a VM's or a process's memory is its own process
	innerVMM              // what of a VM's memory is the guest's
)
