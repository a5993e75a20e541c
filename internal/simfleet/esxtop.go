package simfleet

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

// serviceLocation begins how a vCenter tells the services of its hosts apart: a host's name in the inventory follows.
const serviceLocation = "vmware.host."

// serviceManagers is the privilege that services take, on the root folder.
const serviceManagers = "Global.ServiceManagers"

// serviceManager finds the services of hosts. Nothing in it changes, so it needs no lock.
type serviceManager struct {
	mo.ServiceManager
	hosts []*node
	alone bool // the server is the host itself
	scene scene
}

// Lock and Unlock keep a host that hangs from making others wait.
func (*serviceManager) Lock()   {}
func (*serviceManager) Unlock() {}

// simpleCommand is a service of a host.
type simpleCommand struct {
	mo.SimpleCommand
	node  *node
	loads *load.Model
	now   func() time.Time
	kept  *keptStats
}

// Lock and Unlock let several clients fetch at once.
func (*simpleCommand) Lock()   {}
func (*simpleCommand) Unlock() {}

// addServices gives each host its services, and the server a manager that finds them: the simulator has none.
func (b *builder) addServices() error {
	m := &serviceManager{hosts: b.nodes(), alone: b.site.standalone(), scene: b.scene}
	m.Self = *b.model.ServiceContent.ServiceManager
	b.kept = &keptStats{clients: map[keeper]bool{}}
	for _, e := range b.hostOrder {
		for _, info := range hostServices {
			info.Service = types.ManagedObjectReference{Type: "SimpleCommand", Value: uuid(e.row.Name + " " + info.ServiceName)}
			info.Location = []string{serviceLocation + e.row.Name}
			c := &simpleCommand{node: e.node, loads: b.loads, now: b.cfg.Now, kept: b.kept}
			c.Self, c.EncodingType, c.Entity = info.Service, types.SimpleCommandEncodingSTRING, info
			b.ctx.Map.Put(c)
			e.offers = append(e.offers, info)
		}
	}
	if m.alone {
		m.Service = b.hostOrder[0].offers
	}
	b.ctx.Map.Put(m)
	return nil
}

// QueryServiceList finds services by name and by location. A vCenter has none of its own, so who names no host finds
// nothing; neither does who names one that is not there, or does not respond.
func (m *serviceManager) QueryServiceList(ctx *simulator.Context, req *types.QueryServiceList) soap.HasFault {
	res := new(types.QueryServiceListResponse)
	for _, e := range m.hosts {
		if !m.asked(req.Location, e) || m.scene.isDown(e) || !e.connected(ctx) {
			continue
		}
		for _, info := range e.offers {
			if req.ServiceName == "" || req.ServiceName == info.ServiceName {
				res.Returnval = append(res.Returnval, info)
			}
		}
	}
	return &methods.QueryServiceListBody{Res: res}
}

func (m *serviceManager) asked(locations []string, e *node) bool {
	if len(locations) == 0 {
		return m.alone
	}
	return !slices.ContainsFunc(locations, func(l string) bool { return l != serviceLocation+e.row.Name })
}

// ExecuteSimpleCommand answers the three commands that the Esxtop service knows.
func (c *simpleCommand) ExecuteSimpleCommand(ctx *simulator.Context, req *types.ExecuteSimpleCommand) soap.HasFault {
	text, ok := c.run(ctx, req.Arguments)
	if !ok {
		return &methods.ExecuteSimpleCommandBody{Fault_: world.InvalidArgument("arguments")}
	}
	return &methods.ExecuteSimpleCommandBody{Res: &types.ExecuteSimpleCommandResponse{Returnval: text}}
}

func (c *simpleCommand) run(ctx *simulator.Context, arguments []string) (text string, ok bool) {
	if len(arguments) != 1 || c.Entity.ServiceName != esxtopService {
		return "", false
	}
	client := keeper{ctx.Session.Key, c.Self.Value}
	switch arguments[0] {
	case "CounterInfo":
		return counterInfo(c.node.row.Version), true
	case "FetchStats":
		c.kept.keep(client)
		return c.fetch()
	case "FreeStats":
		c.kept.free(client)
		return "", true
	}
	return "", false
}

// fetch is all that the host has counted until now.
func (c *simpleCommand) fetch() (string, bool) {
	counted, ok := c.loads.Counters(c.node.host.Self.Value, c.now())
	if !ok {
		return "", false
	}
	dropGone(&counted, c.loads.History.Running(c.node.host.Self.Value))
	renumber(&counted, c.node.row.Version)
	return newSnapshot(c.node, counted).text(), true
}

// keeper is a client that a host keeps statistics for.
type keeper struct{ session, service string }

// keptStats is what hosts keep for clients from their first fetch until they say that they need it no more.
type keptStats struct {
	mu      sync.Mutex
	clients map[keeper]bool
}

func (k *keptStats) keep(c keeper) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clients[c] = true
}

func (k *keptStats) free(c keeper) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.clients, c)
}

func (k *keptStats) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.clients)
}

// StatsKept counts the statistics that the fleet's hosts keep for clients of the Esxtop service: one for each session that
// has fetched from a host and has not freed.
func (f *Fleet) StatsKept() (n int) {
	for _, s := range f.servers {
		n += s.built.kept.count()
	}
	return n
}
