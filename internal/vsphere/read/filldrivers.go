package read

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

func hasDrivers(h *host) bool { return len(drivers(h)) > 0 }

// drivers returns the drivers of the NICs that are or may be uplinks.
func drivers(h *host) []string {
	var all []string
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		driver, ok := n.Driver.Value()
		if ok && possibleUplink(n) && !slices.Contains(all, driver) {
			all = append(all, driver)
		}
	}
	return all
}

func possibleUplink(n *inventory.PNIC) bool {
	uplink, known := n.Uplink.Value()
	return uplink || !known
}

// moduleSystems finds the kernel module manager of each host. It fails if ctx has ended.
func moduleSystems(ctx context.Context, s *session.Session, hosts []*host) (map[ref]inventory.Fact[ref], error) {
	q := &property.Query{
		What:  "module systems of hosts",
		Paths: []types.PropertySpec{{Type: "HostSystem", PathSet: []string{perhost.PathModules}}},
		Page:  property.PageOfIndex,
	}
	for _, h := range hosts {
		q.From = append(q.From, types.ObjectSpec{Obj: hostRef(h)})
	}
	found := map[ref]inventory.Fact[ref]{}
	r := property.NewReader(s)
	err := r.Collect(ctx, q, func(p *property.Props) {
		found[p.Ref] = property.Read(p, perhost.PathModules, property.As[ref], property.UnreadIfUnset[ref](perhost.NoModules))
	})
	if ctx.Err() != nil {
		return nil, err
	}
	missing := "the server returned nothing about the host"
	if err != nil {
		missing = session.Cause(err)
	}
	for _, h := range hosts {
		if _, ok := found[hostRef(h)]; !ok {
			found[hostRef(h)] = inventory.Unread[ref](missing)
		}
	}
	return found, nil
}

// drivers reads the drivers of a host's uplinks and stores the result in every NIC with those drivers.
func (a *hostReader) drivers(ctx context.Context) {
	options := map[string]inventory.Fact[string]{}
	for _, driver := range drivers(a.host) {
		options[driver] = property.Then(a.modules, func(m ref) inventory.Fact[string] { return a.ModuleOptions(ctx, m, driver) })
	}
	if ctx.Err() != nil {
		return // the last error is no reason for these facts
	}
	nics, _ := a.host.PNICs.Value()
	for _, n := range nics {
		driver, _ := n.Driver.Value()
		if _, asked := options[driver]; !asked && !possibleUplink(n) {
			continue // a NIC that carries no traffic needs no facts
		}
		n.DriverOptions = property.Then(n.Driver, func(driver string) inventory.Fact[string] { return options[driver] })
		n.RSS = property.Then(n.DriverOptions, func(text string) inventory.Fact[bool] { return hostfacts.Rss(driver, text) })
	}
}
