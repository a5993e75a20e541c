// Package esxi turns a host of the simulator into an ESXi host of the demo fleet, with the hardware, storage and network of its
// row and the managers that the simulator does not have.
package esxi

import (
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Host is one host of the fleet with the managers that the simulator does not have.
type Host struct {
	*world.Host
	number    int // 1 for the first
	power     *powerSystem
	options   *optionManager
	scheduler *cpuScheduler
}

// New returns a Host for a host that the simulator has added, with its number in the fleet. The caller has to call SetUp.
func New(row fleetdata.Host, host *simulator.HostSystem, number int, now func() time.Time) *Host {
	return &Host{Host: world.NewHost(row, host, now), number: number}
}

// managerLock makes the managers of a host share one lock instead of the registry's lock for each: a power policy, for example,
// is also an advanced option.
type managerLock struct{ *sync.Mutex }
