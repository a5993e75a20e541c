// Package overrides answers methods of the vSphere API in the place of the simulator's objects: maintenance mode, restarts of
// hosts, guests that shut down, events and privileges.
package overrides

import (
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Config is what the methods work on.
type Config struct {
	Now    func() time.Time
	Hosts  map[types.ManagedObjectReference]*esxi.Host // by their own references and those of their managers
	Order  []*esxi.Host                                // as the tables have them
	Denied Denial
	Loads  *load.Model

	NoServices bool // the account may not use those of hosts

	RebootTakes, ShutdownTakes time.Duration   // 0 is a moment
	LoggedOut                  func()          // ends all sessions of a host that was started again
	Gone                       <-chan struct{} // closed with the fleet
}

// Service answers the methods.
type Service struct {
	world.Stand
	Config
	tasks atomic.Int64
}

// New makes the service of one server.
func New(cfg Config) *Service { return &Service{Stand: world.NewStand("overrides"), Config: cfg} }

// Answers names the methods that it answers.
func (*Service) Answers() []string {
	return []string{
		"AuthorizationManager.FetchUserPrivilegeOnEntities", "AuthorizationManager.HasPrivilegeOnEntities",
		"AuthorizationManager.HasPrivilegeOnEntity", "AuthorizationManager.HasUserPrivilegeOnEntities",
		"EventManager.LogUserEvent",
		"HostSystem.EnterMaintenanceMode_Task", "HostSystem.ExitMaintenanceMode_Task", "HostSystem.RebootHost_Task",
		"ServiceInstance.CurrentTime",
		"VirtualMachine.ShutdownGuest",
	}
}

// CurrentTime is the fleet's clock.
func (o *Service) CurrentTime(*types.CurrentTime) soap.HasFault {
	return &methods.CurrentTimeBody{Res: &types.CurrentTimeResponse{Returnval: o.Now()}}
}
