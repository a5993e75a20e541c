package esxi

import (
	"maps"
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// moduleSystem is a host's HostKernelModuleSystem, which the simulator does not have.
type moduleSystem struct {
	mo.HostKernelModuleSystem
	managerLock
	node *world.Host
}

// addModules registers the host's modules: the drivers of its NICs and some others.
func (e *Host) addModules(ctx *simulator.Context) {
	m := &moduleSystem{managerLock: managerLock{&e.Mu}, node: e.Host}
	for _, name := range fleetdata.Demo().Modules {
		e.Modules[name] = fleetdata.ModuleOptions{}
	}
	for _, c := range e.Cards() {
		e.Modules[c.Driver] = e.Row.Modules[c.Driver]
	}
	m.Self = types.ManagedObjectReference{Type: "HostKernelModuleSystem", Value: "kernelModuleSystem-" + e.System.Self.Value}
	self := m.Self
	e.System.ConfigManager.KernelModuleSystem = &self
	ctx.Map.Put(m)
}

// QueryModules lists the modules by name, each with its configured options.
func (m *moduleSystem) QueryModules(*types.QueryModules) soap.HasFault {
	res := new(types.QueryModulesResponse)
	for i, name := range slices.Sorted(maps.Keys(m.node.Modules)) {
		res.Returnval = append(res.Returnval, types.KernelModuleInfo{
			Id: int32(i + 1), Name: name, Filename: name, OptionString: m.node.Modules[name].Configured, Loaded: true, Enabled: true, UseCount: 1,
		})
	}
	return &methods.QueryModulesBody{Res: res}
}

// QueryConfiguredModuleOptionString returns the options with which the module will be loaded.
func (m *moduleSystem) QueryConfiguredModuleOptionString(req *types.QueryConfiguredModuleOptionString) soap.HasFault {
	body := new(methods.QueryConfiguredModuleOptionStringBody)
	options, ok := m.node.Modules[req.Name]
	if !ok {
		body.Fault_ = noModule(req.Name)
		return body
	}
	body.Res = &types.QueryConfiguredModuleOptionStringResponse{Returnval: options.Configured}
	return body
}

// UpdateModuleOptionString replaces the whole string. The active options do not change until the host restarts.
func (m *moduleSystem) UpdateModuleOptionString(req *types.UpdateModuleOptionString) soap.HasFault {
	body := new(methods.UpdateModuleOptionStringBody)
	options, ok := m.node.Modules[req.Name]
	if !ok {
		body.Fault_ = noModule(req.Name)
		return body
	}
	old := options.Configured
	m.node.Wrote(func(*simulator.Context) { m.configure(req.Name, old) })
	m.configure(req.Name, req.Options)
	body.Res = new(types.UpdateModuleOptionStringResponse)
	return body
}

func (m *moduleSystem) configure(name, options string) {
	both := m.node.Modules[name]
	both.Configured = options
	m.node.Modules[name] = both
}

func noModule(name string) *soap.Fault {
	return simulator.Fault("The object or item referred to could not be found: "+name, &types.NotFound{})
}
