package vsphere

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

func hasDrivers(h *host) bool { return len(drivers(h)) > 0 }

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
func moduleSystems(ctx context.Context, s *Session, hosts []*host) (map[ref]inventory.Fact[ref], error) {
	q := &query{
		what:  "module systems of hosts",
		paths: []types.PropertySpec{{Type: "HostSystem", PathSet: []string{pathModules}}},
		page:  pageOfIndex,
	}
	for _, h := range hosts {
		q.from = append(q.from, types.ObjectSpec{Obj: hostRef(h)})
	}
	found := map[ref]inventory.Fact[ref]{}
	r := newReader(s)
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

// drivers asks a host about the drivers of its uplinks, and tells every NIC of those drivers.
func (a *asker) drivers(ctx context.Context) {
	options := map[string]inventory.Fact[string]{}
	for _, driver := range drivers(a.host) {
		options[driver] = then(a.modules, func(m ref) inventory.Fact[string] { return moduleOptions(ctx, a.session, m, driver) })
	}
	if ctx.Err() != nil {
		return // what was met last is no reason
	}
	nics, _ := a.host.PNICs.Value()
	for _, n := range nics {
		driver, _ := n.Driver.Value()
		if _, asked := options[driver]; !asked && !mayBeUplink(n) {
			continue // nobody asks about a NIC that carries nothing
		}
		n.DriverOptions = then(n.Driver, func(driver string) inventory.Fact[string] { return options[driver] })
		n.RSS = then(n.DriverOptions, func(text string) inventory.Fact[bool] { return rss(driver, text) })
	}
}
