package simfleet

import (
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxcli"
	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/esxtopservice"
	"github.com/vperf/vperf/internal/simfleet/overrides"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// owners returns the hosts by their own references and those of their managers.
func (b *builder) owners() map[types.ManagedObjectReference]*esxi.Host {
	all := map[types.ManagedObjectReference]*esxi.Host{}
	for _, e := range b.hostOrder {
		all[e.System.Self] = e
		m := e.System.ConfigManager
		for _, ref := range []*types.ManagedObjectReference{
			m.AdvancedOption, m.CertificateManager, m.CpuScheduler, m.DatastoreSystem, m.FirewallSystem, m.FirmwareSystem,
			m.KernelModuleSystem, m.NetworkSystem, m.PowerSystem, m.StorageSystem, m.VirtualNicManager, m.VsanSystem, m.VsanInternalSystem,
			{Type: "ManagedMethodExecuter", Value: e.System.Self.Value},
		} {
			if ref != nil {
				all[*ref] = e
			}
		}
		for _, s := range e.Offers {
			all[s.Service] = e
		}
	}
	return all
}

// readingPrefixes are prefixes of methods that change nothing.
var readingPrefixes = []string{"Query", "Retrieve", "Find", "Fetch", "Validate", "Check", "List"}

func reads(method *simulator.Method) bool {
	switch method.Name {
	case "ExecuteSoap":
		_, writes, _ := esxcli.Command(method.Body)
		return !writes
	case "ExecuteSimpleCommand":
		return true
	}
	for _, p := range readingPrefixes {
		if strings.HasPrefix(method.Name, p) {
			return true
		}
	}
	return false
}

// linkMethods repair the connection between the vCenter and a host, and so do not need it.
var linkMethods = map[string]bool{"DisconnectHost_Task": true, "ReconnectHost_Task": true}

// refuse returns the fault for a call that the host, its licence or the account's privileges do not allow.
func (d *dispatcher) refuse(ctx *simulator.Context, method *simulator.Method) types.BaseMethodFault {
	e, write := d.hostBehind(ctx, method.This), !reads(method)
	if privilege := d.denied.Privilege(ctx, method.This, e); write && privilege != "" {
		return world.NoPermission(method.This, privilege)
	}
	if (d.scene[sceneNoEsxtop] || d.scene[sceneReadOnlyUser]) && usesServices(method) {
		return world.NoPermission(rootFolder(ctx), esxtopservice.Privilege)
	}
	switch {
	case e == nil, linkMethods[method.Name]:
		return nil
	case d.scene.isDown(e.Host) && (write || method.This.Type != "VirtualMachine"):
		return &types.HostNotConnected{}
	case write && (e.Row.Free || d.scene[sceneFreeLicence]):
		return &types.RestrictedVersion{}
	}
	return nil
}

// hostBehind returns the host that has to execute a call on an object, or nil.
func (d *dispatcher) hostBehind(ctx *simulator.Context, ref types.ManagedObjectReference) *esxi.Host {
	if vm, ok := ctx.Map.Get(ref).(*simulator.VirtualMachine); ok {
		return d.hosts[world.HostOf(ctx, vm)]
	}
	return d.hosts[ref]
}

// lockdown returns the fault for a login to a host in lockdown mode, even with the correct password.
func lockdown(ctx *simulator.Context) types.BaseMethodFault {
	return world.NoPermission(rootFolder(ctx), "System.View")
}

func rootFolder(ctx *simulator.Context) types.ManagedObjectReference {
	return ctx.Map.Get(vim25.ServiceInstance).(*simulator.ServiceInstance).Content.RootFolder
}

// readsSlowHost reports whether a call reads from the slow host, or from the vCenter more than the names of hosts including it.
func (d *dispatcher) readsSlowHost(method *simulator.Method) bool {
	if e := d.hosts[method.This]; e != nil {
		return e.Row.Name == slowHost
	}
	var specs []types.PropertyFilterSpec
	switch req := method.Body.(type) {
	case *types.QueryServiceList:
		return slices.Contains(req.Location, esxtopservice.Location+slowHost)
	case *types.RetrievePropertiesEx:
		specs = req.SpecSet
	case *types.RetrieveProperties:
		specs = req.SpecSet
	case *types.QueryPerf:
		for _, q := range req.QuerySpec {
			if d.isSlow(q.Entity) {
				return true
			}
		}
	}
	for _, s := range specs {
		if readsHosts(s.PropSet) && d.reaches(s.ObjectSet) {
			return true
		}
	}
	return false
}

func (d *dispatcher) isSlow(ref types.ManagedObjectReference) bool {
	e := d.hosts[ref]
	return e != nil && e.Row.Name == slowHost
}

// usesServices reports whether a call queries or uses services of hosts.
func usesServices(method *simulator.Method) bool {
	return method.Name == "QueryServiceList" || method.Name == "ExecuteSimpleCommand"
}

// fetchesFrom reports whether a call uses a service of a host.
func (d *dispatcher) fetchesFrom(host string, method *simulator.Method) bool {
	e := d.hosts[method.This]
	return method.Name == "ExecuteSimpleCommand" && e != nil && e.Row.Name == host
}

// readsHosts reports whether the properties of hosts are read. Names and parents come from the vCenter itself.
func readsHosts(props []types.PropertySpec) bool {
	for _, p := range props {
		if p.Type != "HostSystem" {
			continue
		}
		if p.All != nil && *p.All {
			return true
		}
		for _, path := range p.PathSet {
			if path != "name" && path != "parent" {
				return true
			}
		}
	}
	return false
}

// reaches reports whether the query includes the slow host, directly or by traversal.
func (d *dispatcher) reaches(objects []types.ObjectSpec) bool {
	for _, o := range objects {
		if d.isSlow(o.Obj) || len(o.SelectSet) > 0 && d.hosts[o.Obj] == nil {
			return true
		}
	}
	return false
}

// sessionLives counts the remaining calls of sessions.
type sessionLives struct {
	mu   sync.Mutex
	most int
	used map[string]int
}

func newSessionLives(most int) *sessionLives {
	return &sessionLives{most: most, used: map[string]int{}}
}

// remaining reports whether the session may make one more call, and counts it.
func (l *sessionLives) remaining(session string) bool {
	if session == "" {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used[session]++
	return l.used[session] <= l.most
}

// playScene changes the fleet's data for the scenarios.
func (b *builder) playScene() error {
	for name, e := range b.hosts {
		if !b.scene.startsDown(name) {
			continue
		}
		run := &e.System.Runtime
		run.ConnectionState, run.PowerState = types.HostSystemConnectionStateNotResponding, types.HostSystemPowerStateUnknown
		switch name {
		case standbyHost:
			run.PowerState, run.StandbyMode = types.HostSystemPowerStateStandBy, string(types.HostStandbyModeIn)
		case patchedHost:
			run.InMaintenanceMode = true
		default:
			e.System.Summary.OverallStatus = types.ManagedEntityStatusRed
		}
		for _, ref := range e.System.Vm {
			vm := get[*simulator.VirtualMachine](b, ref)
			vm.Runtime.ConnectionState = types.VirtualMachineConnectionStateDisconnected
			vm.Summary.Runtime = vm.Runtime
		}
	}
	return nil
}

// denial returns the restrictions of the account by the scenarios.
func (b *builder) denial() overrides.Denial {
	readOnly := b.scene[sceneReadOnlyUser]
	if !b.scene[sceneDeniedUser] || b.site.standalone() {
		return overrides.Denial{ReadOnly: readOnly}
	}
	return overrides.Denial{ReadOnly: readOnly, Host: b.hosts[deniedHost].System.Self, Folder: b.folders[deniedFolder].Self}
}
