package vsphere

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// portion is the part of the index that is in scope.
type portion struct {
	*index
	hosts []*node
	whole bool // everything, so that the view can be read as it is
}

// portionOf is what a scope holds. Its errors are inventory's, for targets that match nothing or too much.
func portionOf(x *index, scope Scope) (*portion, error) {
	hosts, err := x.choose(scope)
	return &portion{index: x, hosts: hosts, whole: scope.whole()}, err
}

// responding lists the hosts to read, or nil for the whole view, and whether there is any.
func (p *portion) responding() (from []types.ObjectSpec, some bool) {
	for _, n := range p.hosts {
		if n.down == "" {
			from = append(from, types.ObjectSpec{Obj: n.ref})
		}
	}
	if p.whole {
		return nil, len(from) > 0
	}
	return from, len(from) > 0
}

// vmsOf are the objects to start at for the VMs in scope; nil is the whole view.
func (p *portion) vmsOf() []types.ObjectSpec {
	if p.whole {
		return nil
	}
	var from []types.ObjectSpec
	for _, n := range p.hosts {
		from = append(from, types.ObjectSpec{Obj: n.ref, Skip: new(true), SelectSet: []types.BaseSelectionSpec{
			&types.TraversalSpec{Type: "HostSystem", Path: "vm"},
		}})
	}
	return from
}

// host gives the facts read of a host their identity. Of one that is down all facts are left out.
func (p *portion) host(n *node, facts *host, wanted bool, failed error) *host {
	h := facts
	if h == nil || n.down != "" {
		h = new(host)
	}
	h.Entity = p.entity(n)
	h.Attributes = p.attributes[n.ref]
	h.ClusterID = p.clusterID(n.ref)
	switch {
	case n.down != "":
		h.Unread = n.down
	case facts == nil && failed != nil:
		h.Unread = failed.Error()
	case facts == nil && wanted:
		h.Unread = "the server returned nothing about the host"
	}
	return h
}

// vm makes a VM of its properties.
func (p *portion) vm(from *props, plan plan[*vm]) *vm {
	v := &vm{Entity: p.vmEntity(from)}
	v.HostID = read(from, pathVMHost, asID, must)
	if v.Unread = p.vmGap(from); v.Unread == "" {
		plan.fill(from, v)
		if from.needs.Any("VNIC.switch") {
			p.plugs.fill(from, v)
		}
	}
	return v
}

func (p *portion) vmEntity(from *props) inventory.Entity {
	name, _ := read(from, pathName, asText, must).Value()
	name = cmp.Or(name, from.ref.Value)
	parent, ok := read(from, pathParent, asIs[ref], must).Value()
	if !ok { // a VM in a vApp is in no folder
		parent, _ = read(from, pathVApp, asIs[ref], must).Value()
	}
	return inventory.Entity{ID: from.ref.Value, Name: unescape(name), Path: p.under(parent) + "/" + name}
}

// vmGap is why nothing that the server says about a VM can be used, or "".
func (p *portion) vmGap(from *props) string {
	if on, ok := read(from, pathVMHost, asIs[ref], must).Value(); ok {
		if n := p.nodes[on]; n != nil && n.down != "" {
			return "on host " + plain(unescape(n.name)) + ", which " + downWords(n.down)
		}
	}
	if down := vmDown(from); down != "" {
		return down
	}
	if !from.has("config") {
		return from.whole("config")
	}
	return ""
}

func downWords(down string) string {
	switch {
	case strings.Contains(down, "notResponding"):
		return "does not respond"
	case strings.Contains(down, "disconnected"):
		return "is disconnected"
	}
	return "cannot be relied on: " + down
}

// addGroups adds the clusters and pools that the hosts in scope belong to.
func (p *portion) addGroups(vc *inventory.VCenter, needs inventory.Needs) {
	mine := map[ref]bool{}
	for _, n := range p.hosts {
		mine[p.compute(n.ref)] = true
	}
	for _, r := range p.order {
		n := p.nodes[r]
		if !p.whole && !mine[p.compute(r)] {
			continue
		}
		if isCluster(r) {
			vc.Clusters = append(vc.Clusters, p.cluster(n, p.clusters[r], needs))
		}
		if pool := p.pools[r]; pool != nil {
			p.name(&pool.Entity, n)
			pool.ClusterID = p.clusterID(r)
			pool.Root = isCompute(n.parent) || n.parent.Value == "" && n.name == "Resources"
			vc.Pools = append(vc.Pools, pool)
		}
	}
}

func (x *index) cluster(n *node, c *inventory.Cluster, needs inventory.Needs) *inventory.Cluster {
	x.name(&c.Entity, n)
	c.HostIDs = inventory.Known(x.members(n.ref))
	if needs.Any("Cluster.evcBest") {
		c.EVCBest = x.bestEVC(n.ref)
	}
	return c
}

// addSwitches adds the distributed switches that a host in scope is a member of.
func (p *portion) addSwitches(vc *inventory.VCenter, needs inventory.Needs) {
	for r, s := range p.switches {
		if p.whole || p.concerns(s.HostIDs) {
			n := p.nodes[r]
			p.name(&s.Entity, n)
			if s.Unread == "" && needs.Any(portgroupFacts...) {
				s.Portgroups = p.groupsOf(n)
			}
			vc.Switches = append(vc.Switches, s)
		}
	}
}

// addStores adds the datastores that a host in scope mounts.
func (p *portion) addStores(vc *inventory.VCenter) {
	for r, d := range p.datastores {
		if _, read := d.HostIDs.Value(); !read && p.whole || p.concerns(d.HostIDs) {
			p.name(&d.Entity, p.nodes[r])
			vc.Datastores = append(vc.Datastores, d)
		}
	}
}

// concerns reports a list of hosts with one in scope.
func (p *portion) concerns(hosts inventory.Fact[[]string]) bool {
	ids, _ := hosts.Value()
	return slices.ContainsFunc(p.hosts, func(n *node) bool { return slices.Contains(ids, n.ref.Value) })
}
