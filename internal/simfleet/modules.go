package simfleet

import (
	"maps"
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// moduleSystem is a host's HostKernelModuleSystem, which the simulator lacks.
type moduleSystem struct {
	mo.HostKernelModuleSystem
	managerLock
	node *node
}

// addModules puts the host's modules in the registry: the drivers of its NICs and some others.
func (e *esxi) addModules(ctx *simulator.Context) {
	m := &moduleSystem{managerLock: managerLock{&e.mu}, node: e.node}
	for _, name := range fleetdata.Demo().Modules {
		e.modules[name] = fleetdata.ModuleOptions{}
	}
	for _, c := range e.cards() {
		e.modules[c.Driver] = e.row.Modules[c.Driver]
	}
	m.Self = types.ManagedObjectReference{Type: "HostKernelModuleSystem", Value: "kernelModuleSystem-" + e.host.Self.Value}
	self := m.Self
	e.host.ConfigManager.KernelModuleSystem = &self
	ctx.Map.Put(m)
}

// QueryModules lists the modules by name, each with the options it will be loaded with.
func (m *moduleSystem) QueryModules(*types.QueryModules) soap.HasFault {
	res := new(types.QueryModulesResponse)
	for i, name := range slices.Sorted(maps.Keys(m.node.modules)) {
		res.Returnval = append(res.Returnval, types.KernelModuleInfo{
			Id: int32(i + 1), Name: name, Filename: name, OptionString: m.node.modules[name].Configured, Loaded: true, Enabled: true, UseCount: 1,
		})
	}
	return &methods.QueryModulesBody{Res: res}
}

// QueryConfiguredModuleOptionString is what the module will be loaded with.
func (m *moduleSystem) QueryConfiguredModuleOptionString(req *types.QueryConfiguredModuleOptionString) soap.HasFault {
	body := new(methods.QueryConfiguredModuleOptionStringBody)
	options, ok := m.node.modules[req.Name]
	if !ok {
		body.Fault_ = noModule(req.Name)
		return body
	}
	body.Res = &types.QueryConfiguredModuleOptionStringResponse{Returnval: options.Configured}
	return body
}

// UpdateModuleOptionString replaces the whole text. What runs stays as it is until the host is started again.
func (m *moduleSystem) UpdateModuleOptionString(req *types.UpdateModuleOptionString) soap.HasFault {
	body := new(methods.UpdateModuleOptionStringBody)
	options, ok := m.node.modules[req.Name]
	if !ok {
		body.Fault_ = noModule(req.Name)
		return body
	}
	old := options.Configured
	m.node.wrote(func(*simulator.Context) { m.configure(req.Name, old) })
	m.configure(req.Name, req.Options)
	body.Res = new(types.UpdateModuleOptionStringResponse)
	return body
}

func (m *moduleSystem) configure(name, options string) {
	both := m.node.modules[name]
	both.Configured = options
	m.node.modules[name] = both
}

func noModule(name string) *soap.Fault {
	return simulator.Fault("The object or item referred to could not be found: "+name, &types.NotFound{})
}
