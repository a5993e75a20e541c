// Package esxtopservice teaches the simulator the Esxtop service of hosts: the text that it answers with is a view of what the load model
// has counted.
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

// hostServices are the services of each host. The second answers nothing here: it is there so that a client has to take
// the right one.
var hostServices = []types.ServiceManagerServiceInfo{
	{ServiceName: esxtopService, Description: "Pack esxtop data"},
	{ServiceName: "VscsiStats", Description: "Manage vscsiStats"},
}

const esxtopService = "Esxtop"

// Location begins how a vCenter tells the services of its hosts apart: a host's name in the inventory follows.
const Location = "vmware.host."

// Privilege is the privilege that services take, on the root folder.
const Privilege = "Global.ServiceManagers"

// serviceManager finds the services of hosts. Nothing in it changes, so it needs no lock.
type serviceManager struct {
	mo.ServiceManager
	hosts []*world.Host
	alone bool // the server is the host itself
	down  func(*world.Host) bool
}

// Lock and Unlock keep a host that hangs from making others wait.
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

// Lock does nothing, so that several clients can fetch at once.
func (*Command) Lock() {}

// Unlock does nothing, like Lock.
func (*Command) Unlock() {}

// Add gives each host its services, and the server a manager that finds them: the simulator has none. A server may be its only
// host itself. It returns what the hosts keep for clients.
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

// NewCommand returns the service that host offers. Counters are read from loads at the time now returns; kept records the clients
// that fetch from the service.
func NewCommand(host *world.Host, loads *load.Model, now func() time.Time, kept *Kept) *Command {
	return &Command{node: host, loads: loads, now: now, kept: kept}
}

// QueryServiceList finds services by name and by location. A vCenter has none of its own, so who names no host finds
// nothing; neither does who names one that is not there, or does not respond.
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

// ExecuteSimpleCommand answers the three commands that the Esxtop service knows.
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

// Fetch is all that the host has counted until now.
func (c *Command) Fetch() (string, bool) {
	counted, ok := c.loads.Counters(c.node.System.Self.Value, c.now())
	if !ok {
		return "", false
	}
	dropGone(&counted, c.loads.History.Running(c.node.System.Self.Value))
	renumber(&counted, c.node.Row.Version)
	return newSnapshot(c.node, counted).text(), true
}

// keeper is a client that a host keeps statistics for.
type keeper struct{ session, service string }

// Kept is what hosts keep for clients from their first fetch until they say that they need it no more.
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

// Count returns the number of clients that hosts keep statistics for; one that uses two services counts twice.
func (k *Kept) Count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.clients)
}
