// Package esxtopservice adds the Esxtop service of hosts to the simulator: its answers are a view of the load model's counters.
package esxtopservice

import (
	"slices"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// hostServices are the services of each host. The second has no function here; it tests that a client chooses the right one.
var hostServices = []types.ServiceManagerServiceInfo{
	{ServiceName: esxtopService, Description: "Pack esxtop data"},
	{ServiceName: "VscsiStats", Description: "Manage vscsiStats"},
}

const esxtopService = "Esxtop"

// Location is the prefix of the location of a host's services on a vCenter: a host's name in the inventory follows.
const Location = "vmware.host."

// Privilege is the privilege that services require, on the root folder.
const Privilege = "Global.ServiceManagers"

// serviceManager finds the services of hosts. It is immutable and needs no lock.
type serviceManager struct {
	mo.ServiceManager
	hosts []*world.Host
	alone bool // the server is the host itself
	down  func(*world.Host) bool
}

// Lock and Unlock do nothing, so that a hung host does not delay other calls.
func (*serviceManager) Lock()   {}
func (*serviceManager) Unlock() {}

// Command is a service of a host.
type Command struct {
	mo.SimpleCommand
	node  *world.Host
	loads *load.Model
	now   func() time.Time
	kept  *Kept
}

// Lock does nothing, so that several clients can fetch concurrently.
func (*Command) Lock() {}

// Unlock does nothing, like Lock.
func (*Command) Unlock() {}

// Add gives each host its services, and the server a manager that finds them, which the simulator does not have. A standalone
// host is the server itself. Add returns the data that the hosts keep for clients.
func Add(
	registry *simulator.Registry, manager types.ManagedObjectReference, hosts []*world.Host, alone bool,
	down func(*world.Host) bool, loads *load.Model, now func() time.Time,
) *Kept {
	m := &serviceManager{hosts: hosts, alone: alone, down: down}
	m.Self = manager
	kept := &Kept{clients: map[keeper]bool{}}
	for _, e := range hosts {
		for _, info := range hostServices {
			info.Service = types.ManagedObjectReference{Type: "SimpleCommand", Value: world.UUID(e.Row.Name + " " + info.ServiceName)}
			info.Location = []string{Location + e.Row.Name}
			c := NewCommand(e, loads, now, kept)
			c.Self, c.EncodingType, c.Entity = info.Service, types.SimpleCommandEncodingSTRING, info
			registry.Put(c)
			e.Offers = append(e.Offers, info)
		}
	}
	if m.alone {
		m.Service = hosts[0].Offers
	}
	registry.Put(m)
	return kept
}

// NewCommand returns the service of host. Counters are read from loads at the time that now returns; kept records the clients
// that fetch from the service.
func NewCommand(host *world.Host, loads *load.Model, now func() time.Time, kept *Kept) *Command {
	return &Command{node: host, loads: loads, now: now, kept: kept}
}

// QueryServiceList finds services by name and by location. A vCenter has none of its own, so a query without a host finds
// nothing, as does one for a host that does not exist or does not respond.
func (m *serviceManager) QueryServiceList(ctx *simulator.Context, req *types.QueryServiceList) soap.HasFault {
	res := new(types.QueryServiceListResponse)
	for _, e := range m.hosts {
		if !m.asked(req.Location, e) || m.down(e) || !e.Connected(ctx) {
			continue
		}
		for _, info := range e.Offers {
			if req.ServiceName == "" || req.ServiceName == info.ServiceName {
				res.Returnval = append(res.Returnval, info)
			}
		}
	}
	return &methods.QueryServiceListBody{Res: res}
}

func (m *serviceManager) asked(locations []string, e *world.Host) bool {
	if len(locations) == 0 {
		return m.alone
	}
	return !slices.ContainsFunc(locations, func(l string) bool { return l != Location+e.Row.Name })
}

// ExecuteSimpleCommand executes the three commands of the Esxtop service.
func (c *Command) ExecuteSimpleCommand(ctx *simulator.Context, req *types.ExecuteSimpleCommand) soap.HasFault {
	text, ok := c.run(ctx, req.Arguments)
	if !ok {
		return &methods.ExecuteSimpleCommandBody{Fault_: world.InvalidArgument("arguments")}
	}
	return &methods.ExecuteSimpleCommandBody{Res: &types.ExecuteSimpleCommandResponse{Returnval: text}}
}

func (c *Command) run(ctx *simulator.Context, arguments []string) (text string, ok bool) {
	if len(arguments) != 1 || c.Entity.ServiceName != esxtopService {
		return "", false
	}
	client := keeper{ctx.Session.Key, c.Self.Value}
	switch arguments[0] {
	case "CounterInfo":
		return CounterInfo(c.node.Row.Version), true
	case "FetchStats":
		c.kept.keep(client)
		return c.Fetch()
	case "FreeStats":
		c.kept.free(client)
		return "", true
	}
	return "", false
}

// Fetch returns the current values of all counters.
func (c *Command) Fetch() (string, bool) {
	counted, ok := c.loads.Counters(c.node.System.Self.Value, c.now())
	if !ok {
		return "", false
	}
	dropDeparted(&counted, c.loads.History.Running(c.node.System.Self.Value))
	renumber(&counted, c.node.Row.Version)
	return newSnapshot(c.node, counted).text(), true
}

// keeper identifies a client for which a host keeps statistics.
type keeper struct{ session, service string }

// Kept records the clients for which hosts keep statistics, from their first fetch until they free them.
type Kept struct {
	mu      sync.Mutex
	clients map[keeper]bool
}

func (k *Kept) keep(c keeper) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clients[c] = true
}

func (k *Kept) free(c keeper) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.clients, c)
}

// Count returns the number of clients for which hosts keep statistics; a client of two services counts twice.
func (k *Kept) Count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.clients)
}
