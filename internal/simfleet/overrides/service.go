// Package overrides implements methods of the vSphere API in place of the simulator's objects: maintenance mode, host restarts,
// guest shutdown, events, privileges, and changes of VMs, resource pools, clusters and distributed switches. It refuses invalid changes
// as a host does, and completes the simulator's changes.
package overrides

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Config holds the objects and settings of the methods.
type Config struct {
	Now    func() time.Time
	Hosts  map[types.ManagedObjectReference]*esxi.Host // by their own references and those of their managers
	Order  []*esxi.Host                                // in the order of the tables
	Denied Denial
	Loads  *load.Model

	NoServices bool     // the account may not use the hosts' services
	Lacks      []string // privileges that the account does not have

	RebootTakes, ShutdownTakes time.Duration   // 0: a moment
	LoggedOut                  func()          // ends all sessions of a restarted host
	Gone                       <-chan struct{} // closed with the fleet
	Listing                    sync.Locker     // held while the hosts' lists of VMs change or are read
}

// Service answers the methods.
type Service struct {
	world.Replacement
	Config
	tasks  atomic.Int64
	events eventTimes
}

// New returns the service of one server.
func New(cfg Config) *Service {
	return &Service{Replacement: world.NewReplacement("overrides"), Config: cfg}
}

// Answers returns the methods that it implements.
func (*Service) Answers() []string {
	return []string{
		"AuthorizationManager.FetchUserPrivilegeOnEntities", "AuthorizationManager.HasPrivilegeOnEntities",
		"AuthorizationManager.HasPrivilegeOnEntity", "AuthorizationManager.HasUserPrivilegeOnEntities",
		"ClusterComputeResource.ReconfigureComputeResource_Task",
		"EventManager.CreateCollectorForEvents", "EventManager.LogUserEvent", "EventManager.QueryEvents",
		"HostSystem.EnterMaintenanceMode_Task", "HostSystem.ExitMaintenanceMode_Task", "HostSystem.RebootHost_Task",
		"ResourcePool.UpdateConfig", "ServiceInstance.CurrentTime", "ViewManager.CreateContainerView",
		"VirtualMachine.MarkAsTemplate", "VirtualMachine.MarkAsVirtualMachine", "VirtualMachine.MigrateVM_Task", "VirtualMachine.PowerOnVM_Task", "VirtualMachine.ReconfigVM_Task", "VirtualMachine.ShutdownGuest",
		"VmwareDistributedVirtualSwitch.EnableNetworkResourceManagement",
	}
}

// CurrentTime returns the time of the fleet's clock.
func (o *Service) CurrentTime(*types.CurrentTime) soap.HasFault {
	return &methods.CurrentTimeBody{Res: &types.CurrentTimeResponse{Returnval: o.Now()}}
}
