// Package esxi makes a host of the simulator an ESXi host of the demo fleet: it shows the hardware, storage and network of its
// row, and it has the managers that the simulator lacks.
package esxi

import (
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Host is one host of the fleet with the managers that the simulator lacks.
type Host struct {
	*world.Host
	number    int // 1 for the first
	power     *powerSystem
	options   *optionManager
	scheduler *cpuScheduler
}

// New is a host that the simulator has added, the number-th of the fleet. SetUp has to follow.
func New(row fleetdata.Host, host *simulator.HostSystem, number int, now func() time.Time) *Host {
	return &Host{Host: world.NewHost(row, host, now), number: number}
}

// managerLock makes the managers of a host share one lock instead of the one that the registry would give each: a
// power policy is an advanced option as well.
type managerLock struct{ *sync.Mutex }
