package simfleet

import (
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// loads is what the fleet's hosts and VMs have to do. All that shows counters asks it.
type loads struct{}

// counters is what a host has counted up to a moment. No moment before the last that was asked for is answered: what is
// counted never falls. It is false for what is no host.
func (l *loads) counters(host types.ManagedObjectReference, at time.Time) (hostCounters, bool) {
	_, _ = host, at
	return hostCounters{}, false
}
