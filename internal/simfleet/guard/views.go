package guard

import (
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Listing is held while hosts' lists of VMs change, and while the simulator walks through them, which it does without a lock.
type Listing struct{ sync.Mutex }

// Views answers for the simulator's view manager.
type Views struct {
	world.Stand
	listing *Listing
}

// NewViews returns a Views that holds l while it creates a view.
func NewViews(l *Listing) *Views { return &Views{world.NewStand("views"), l} }

// Answers names the methods that it answers.
func (*Views) Answers() []string { return []string{"ViewManager.CreateContainerView"} }

// CreateContainerView keeps VMs where they are while the simulator walks through the hosts' lists of them, without a lock.
func (v *Views) CreateContainerView(ctx *simulator.Context, req *types.CreateContainerView) soap.HasFault {
	manager, ok := ctx.Map.Get(req.This).(*simulator.ViewManager)
	if !ok {
		return &methods.CreateContainerViewBody{Fault_: world.NotFound(req.This)}
	}
	v.listing.Lock()
	defer v.listing.Unlock()
	return manager.CreateContainerView(ctx, req)
}
