package simfleet

import (
	"errors"
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/esxtopservice"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

const (
	datacenterName = "demo"
	networkName    = world.VMNetwork
	datastoreName  = "san01"
)

// builder holds a fleet under construction. The construction is sequential and ends before the first request is served, so that
// ids are the same each time.
type builder struct {
	cfg   Config
	site  site
	dir   string // directories of datastores
	model *simulator.Model
	ctx   *simulator.Context

	datacenter *simulator.Datacenter
	clusters   map[string]*simulator.ClusterComputeResource
	pools      map[string]*simulator.ResourcePool // by cluster/pool; cluster/ is the root pool
	folders    map[string]*simulator.Folder
	hosts      map[string]*esxi.Host
	hostOrder  []*esxi.Host
	datastore  *simulator.Datastore
	datastores map[string]*simulator.Datastore
	groups     map[string]types.DistributedVirtualSwitchPortConnection // of distributed switches, by name
	rest       *restService
	network    types.ManagedObjectReference
	vmOrder    []*simulator.VirtualMachine
	tags       map[types.ManagedObjectReference][]string
	scene      scene
	loads      *load.Model
	observer   *observer
	kept       *esxtopservice.Kept
}

// compute returns the compute resource of a host's VMs: its cluster, or for a standalone host its own.
func (b *builder) compute(cluster string) *mo.ComputeResource {
	if b.site.standalone() {
		return b.ctx.Map.Any("ComputeResource").(*mo.ComputeResource)
	}
	return &b.clusters[cluster].ComputeResource
}

// get returns the object behind a reference that the builder has just created.
func get[T any](b *builder, ref types.ManagedObjectReference) T {
	return any(b.ctx.Map.Get(ref)).(T)
}

// refused converts the fault of a call to an error.
func refused(body soap.HasFault, doing string) error {
	if f := body.Fault(); f != nil {
		return fmt.Errorf("%s: %w: %T %s", doing, errRefused, f.VimFault(), f.String)
	}
	return nil
}

// nodes returns the hosts with their rows in the tables.
func (b *builder) nodes() []*world.Host {
	list := make([]*world.Host, len(b.hostOrder))
	for i, e := range b.hostOrder {
		list[i] = e.Host
	}
	return list
}

// errRefused is wrapped if the simulator refuses a step of the fleet's construction.
var errRefused = errors.New("the simulator refused")
