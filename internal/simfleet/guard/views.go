package guard

import (
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Listing is held while hosts' lists of VMs change, and while the simulator reads them.
//
// govmomi v0.56.0 simulator: a container view reads hosts' lists of VMs without a lock.
type Listing struct{ sync.Mutex }

// Views replaces methods of the simulator's view manager.
type Views struct {
	world.Replacement
	listing *Listing
}

// NewViews returns a Views that holds l while it creates a view.
func NewViews(l *Listing) *Views { return &Views{world.NewReplacement("views"), l} }

// Answers returns the methods that it implements.
func (*Views) Answers() []string { return []string{"ViewManager.CreateContainerView"} }

// CreateContainerView prevents VMs from moving while the simulator reads the hosts' lists without a lock.
func (v *Views) CreateContainerView(ctx *simulator.Context, req *types.CreateContainerView) soap.HasFault {
	manager, ok := ctx.Map.Get(req.This).(*simulator.ViewManager)
	if !ok {
		return &methods.CreateContainerViewBody{Fault_: world.NotFound(req.This)}
	}
	v.listing.Lock()
	defer v.listing.Unlock()
	return manager.CreateContainerView(ctx, req)
}
