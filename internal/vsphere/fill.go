package vsphere

import (
	"context"
	"slices"
	"sync"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// perHostCalls is how many hosts are asked at the same time; each is asked one thing after the other.
const perHostCalls = 8

const (
	pathModules = "configManager.kernelModuleSystem"
	noModules   = "this host shows no kernel modules"
)

// Fill reads the facts that take calls to each host, for the hosts it is given and in them. What a host does not tell
// stays unread with the reason; an error means that ctx has ended.
func (s *Session) Fill(ctx context.Context, hosts []*inventory.Host, needs inventory.Needs) error {
	if !needs.Any("PNIC.driverOptions", "PNIC.rss") {
		return nil
	}
	asked := askable(hosts)
	if len(asked) == 0 {
		return nil
	}
	managers, err := s.moduleSystems(ctx, asked)
	if err != nil {
		return err
	}
	slots := make(chan struct{}, perHostCalls)
	var all sync.WaitGroup
	for _, h := range asked {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			s.fillDrivers(ctx, h, managers[hostRef(h)])
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return s.call.interrupted(ctx, "QueryConfiguredModuleOptionString")
	}
	return nil
}

func hostRef(h *host) ref { return ref{Type: "HostSystem", Value: h.ID} }

// askable lists the hosts that have a driver to ask about, each once.
func askable(hosts []*host) []*host {
	var all []*host
	for _, h := range hosts {
		if h.Unread == "" && len(drivers(h)) > 0 && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}

// drivers lists the drivers of the NICs that are uplinks, or may be.
func drivers(h *host) []string {
	var all []string
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		driver, ok := n.Driver.Value()
		if ok && mayBeUplink(n) && !slices.Contains(all, driver) {
			all = append(all, driver)
		}
	}
	return all
}

func mayBeUplink(n *inventory.PNIC) bool {
	uplink, known := n.Uplink.Value()
	return uplink || !known
}

// moduleSystems finds the object of each host that knows its kernel modules. It fails when ctx has ended.
func (s *Session) moduleSystems(ctx context.Context, hosts []*host) (map[ref]inventory.Fact[ref], error) {
	q := &query{
		what:  "module systems of hosts",
		paths: []types.PropertySpec{{Type: "HostSystem", PathSet: []string{pathModules}}},
		page:  s.pages.index,
	}
	for _, h := range hosts {
		q.from = append(q.from, types.ObjectSpec{Obj: hostRef(h)})
	}
	found := map[ref]inventory.Fact[ref]{}
	r := &reader{Session: s, progress: func(string) {}}
	err := r.collect(ctx, q, func(p *props) {
		found[p.ref] = read(p, pathModules, asIs[ref], because[ref](noModules))
	})
	if ctx.Err() != nil {
		return nil, err
	}
	missing := "the server returned nothing about the host"
	if err != nil {
		missing = why(err)
	}
	for _, h := range hosts {
		if _, ok := found[hostRef(h)]; !ok {
			found[hostRef(h)] = inventory.Unread[ref](missing)
		}
	}
	return found, nil
}

// fillDrivers asks a host about the drivers of its uplinks, and tells every NIC of those drivers.
func (s *Session) fillDrivers(ctx context.Context, h *host, manager inventory.Fact[ref]) {
	options := map[string]inventory.Fact[string]{}
	for _, driver := range drivers(h) {
		options[driver] = then(manager, func(m ref) inventory.Fact[string] { return s.moduleOptions(ctx, m, driver) })
	}
	if ctx.Err() != nil {
		return // what was met last is no reason
	}
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		driver, _ := n.Driver.Value()
		if _, asked := options[driver]; !asked && !mayBeUplink(n) {
			continue // nobody asks about a NIC that carries nothing
		}
		n.DriverOptions = then(n.Driver, func(driver string) inventory.Fact[string] { return options[driver] })
		n.RSS = then(n.DriverOptions, func(text string) inventory.Fact[bool] { return rss(driver, text) })
	}
}

// moduleOptions is the option string configured for a module; "" is none.
func (s *Session) moduleOptions(ctx context.Context, manager ref, module string) inventory.Fact[string] {
	res, err := methods.QueryConfiguredModuleOptionString(ctx, s.call, &types.QueryConfiguredModuleOptionString{This: manager, Name: module})
	if err == nil {
		return inventory.Known(res.Returnval)
	}
	switch faultOf(err).(type) {
	case *types.ManagedObjectNotFound:
		return inventory.Unread[string](noModules)
	case *types.NotFound:
		return inventory.Unread[string]("the host has no module " + plain(module))
	}
	return inventory.Unread[string](why(err))
}
