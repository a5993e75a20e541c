package read

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// selection is the part of the index that is in scope.
type selection struct {
	*index
	hosts []*tree.Node
	whole bool // everything: the view can be read as it is
}

// selectionOf returns the objects in a scope. Its errors are inventory's, for targets that match nothing or too much.
func selectionOf(x *index, scope tree.Scope) (*selection, error) {
	hosts, err := x.Choose(scope)
	return &selection{index: x, hosts: hosts, whole: scope.Whole()}, err
}

// responding returns the hosts to read, or nil for the whole view, and whether there are any.
func (p *selection) responding() (from []types.ObjectSpec, some bool) {
	for _, n := range p.hosts {
		if n.UnreadReason == "" {
			from = append(from, types.ObjectSpec{Obj: n.Ref})
		}
	}
	if p.whole {
		return nil, len(from) > 0
	}
	return from, len(from) > 0
}

// vmsOf returns the objects from which to read the VMs in scope; nil is the whole view.
func (p *selection) vmsOf() []types.ObjectSpec {
	if p.whole {
		return nil
	}
	var from []types.ObjectSpec
	for _, n := range p.hosts {
		from = append(from, types.ObjectSpec{Obj: n.Ref, Skip: new(true), SelectSet: []types.BaseSelectionSpec{
			&types.TraversalSpec{Type: "HostSystem", Path: "vm"},
		}})
	}
	return from
}

// host sets the identity of a host whose facts were read. All facts of a host that is down are omitted.
func (p *selection) host(n *tree.Node, facts *host, wanted bool, failed error) *host {
	h := facts
	if h == nil || n.UnreadReason != "" {
		h = new(host)
	}
	h.Entity = p.Entity(n)
	h.Attributes = p.attributes[n.Ref]
	h.ClusterID = p.ClusterID(n.Ref)
	switch {
	case n.UnreadReason != "":
		h.Unread = n.UnreadReason
	case facts == nil && failed != nil:
		h.Unread = failed.Error()
	case facts == nil && wanted:
		h.Unread = "the server returned nothing about the host"
	}
	return h
}

// vm creates a VM from its properties.
func (p *selection) vm(from *property.Props, plan property.Plan[*vm]) *vm {
	v := &vm{Entity: p.vmEntity(from)}
	v.HostID = property.Read(from, tree.PathVMHost, property.ID, property.Required)
	if v.Unread = p.vmGap(from); v.Unread == "" {
		plan.Fill(from, v)
		if from.Needs.Any("VNIC.switch") {
			p.plugs.Fill(from, v)
		}
	}
	return v
}

func (p *selection) vmEntity(from *property.Props) inventory.Entity {
	name, _ := property.Read(from, tree.PathName, property.Text, property.Required).Value()
	name = cmp.Or(name, from.Ref.Value)
	parent, ok := property.Read(from, tree.PathParent, property.As[ref], property.Required).Value()
	if !ok { // a VM in a vApp is in no folder
		parent, _ = property.Read(from, tree.PathVApp, property.As[ref], property.Required).Value()
	}
	return inventory.Entity{ID: from.Ref.Value, Name: tree.Unescape(name), Path: p.Under(parent) + "/" + name}
}

// vmGap returns why none of the server's data about a VM can be used, or "".
func (p *selection) vmGap(from *property.Props) string {
	if on, ok := property.Read(from, tree.PathVMHost, property.As[ref], property.Required).Value(); ok {
		if n := p.Nodes[on]; n != nil && n.UnreadReason != "" {
			return hostGap(n, "on")
		}
	}
	if down := tree.VMUnreadReason(from); down != "" {
		return down
	}
	if !from.Has("config") {
		return from.SectionGap("config")
	}
	return ""
}

// hostGap returns the reason of facts that depend on a host that is not read. The reason of a planned absence stays one.
func hostGap(n *tree.Node, on string) string {
	host := on + " host " + session.Plain(tree.Unescape(n.Name)) + ", which "
	if why, planned := inventory.PlannedAbsence(n.UnreadReason); planned {
		return inventory.Planned(host + "is " + why)
	}
	return host + unreadReasonText(n.UnreadReason)
}

func unreadReasonText(down string) string {
	switch {
	case strings.Contains(down, "notResponding"):
		return "does not respond"
	case strings.Contains(down, "disconnected"):
		return "is disconnected"
	}
	return "cannot be read reliably: " + down
}

// addGroups adds the clusters and pools of the hosts in scope.
func (p *selection) addGroups(vc *inventory.VCenter, needs inventory.Needs) {
	owners := map[ref]bool{}
	for _, n := range p.hosts {
		owners[p.Compute(n.Ref)] = true
	}
	for _, r := range p.Order {
		n := p.Nodes[r]
		if !p.whole && !owners[p.Compute(r)] {
			continue
		}
		if property.IsCluster(r) {
			vc.Clusters = append(vc.Clusters, p.cluster(n, p.clusters[r], needs))
		}
		if pool := p.pools[r]; pool != nil {
			p.Name(&pool.Entity, n)
			pool.ClusterID = p.ClusterID(r)
			pool.Root = property.IsCompute(n.Parent) || n.Parent.Value == "" && n.Name == "Resources"
			vc.Pools = append(vc.Pools, pool)
		}
	}
}

func (x *index) cluster(n *tree.Node, c *inventory.Cluster, needs inventory.Needs) *inventory.Cluster {
	x.Name(&c.Entity, n)
	c.HostIDs = inventory.Known(x.Members(n.Ref))
	if needs.Any("Cluster.evcBest") {
		c.EVCBest = x.bestEVC(n.Ref)
	}
	return c
}

// addSwitches adds the distributed switches that have a host in scope as a member.
func (p *selection) addSwitches(vc *inventory.VCenter, needs inventory.Needs) {
	for r, s := range p.switches {
		if p.whole || p.concerns(s.HostIDs) {
			n := p.Nodes[r]
			p.Name(&s.Entity, n)
			if s.Unread == "" && needs.Any(estatefacts.PortgroupFacts...) {
				s.Portgroups = p.groupsOf(n)
			}
			vc.Switches = append(vc.Switches, s)
		}
	}
}

// addStores adds the datastores that a host in scope mounts.
func (p *selection) addStores(vc *inventory.VCenter) {
	for r, d := range p.datastores {
		if _, read := d.HostIDs.Value(); !read && p.whole || p.concerns(d.HostIDs) {
			p.Name(&d.Entity, p.Nodes[r])
			vc.Datastores = append(vc.Datastores, d)
		}
	}
}

// concerns reports whether a list of hosts has one in scope.
func (p *selection) concerns(hosts inventory.Fact[[]string]) bool {
	ids, _ := hosts.Value()
	return slices.ContainsFunc(p.hosts, func(n *tree.Node) bool { return slices.Contains(ids, n.Ref.Value) })
}
