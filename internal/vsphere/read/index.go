package read

import (
	"cmp"
	"context"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
)

// index holds the inventory without VMs: the tree, and the facts of object types with few objects.
type index struct {
	*tree.Tree

	clusters   map[ref]*inventory.Cluster
	pools      map[ref]*inventory.Pool
	switches   map[ref]*inventory.Switch
	datastores map[ref]*inventory.Datastore
	groups     map[ref]dvGroup
	attributes map[ref]inventory.Fact[map[string]string]

	fields    tagging.Fields
	evc       estatefacts.EVCTiers
	intervals inventory.Fact[[]*inventory.StatsInterval]
	bestModes map[ref]inventory.Fact[string] // the newest EVC mode that a host supports
	has       map[ref]inventory.Fact[int64]  // number of port groups of a distributed switch
	plugs     vmfacts.Plugs
}

func newIndex(root ref) *index {
	return &index{
		Tree: tree.NewTree(root), clusters: map[ref]*inventory.Cluster{}, pools: map[ref]*inventory.Pool{},
		switches: map[ref]*inventory.Switch{}, datastores: map[ref]*inventory.Datastore{}, groups: map[ref]dvGroup{},
		attributes: map[ref]inventory.Fact[map[string]string]{},
		plugs:      vmfacts.NewPlugs(),
		fields:     inventory.Unread[map[string]string]("the server does not list the names of custom attributes"),
		evc:        inventory.Unread[map[string]types.EVCMode]("the server does not list EVC modes"),
		bestModes:  map[ref]inventory.Fact[string]{},
		has:        map[ref]inventory.Fact[int64]{},
		intervals:  inventory.Unread[[]*inventory.StatsInterval]("the server does not offer a performance manager"),
	}
}

func (r *inventoryReader) readIndex(ctx context.Context, needs inventory.Needs, targets bool) (*index, error) {
	x := newIndex(r.Client().ServiceContent.RootFolder)
	plan := r.planIndex(needs, targets)
	r.ViewTypes = plan.sees
	version, _ := tree.ParseVersion(r.Client().ServiceContent.About.Version).Value()
	q := &property.Query{What: "inventory", Paths: plan.paths, Extra: plan.beside, Page: property.PageOfIndex, Needs: needs, Server: version}
	err := r.Collect(ctx, q, func(p *property.Props) { x.take(p, plan) })
	return x, err
}

// take adds an object of the answer to the index.
func (x *index) take(p *property.Props, plan indexPlan) {
	switch p.Ref.Type {
	case "CustomFieldsManager":
		x.fields = property.Read(p, tagging.PathFields, tagging.FieldNames, property.DefaultTo(map[string]string{}))
	case "PerformanceManager":
		x.intervals = property.Read(p, estatefacts.PathIntervals, estatefacts.AsIntervals, property.Required)
	case "ServiceInstance":
		x.evc = property.Read(p, estatefacts.PathEVC, estatefacts.AsEVCTiers, property.Required)
	case estatefacts.TypeGroup:
		x.addGroup(p)
	default:
		x.see(p, x.Add(p))
		x.fill(p, plan)
	}
}

func (x *index) addGroup(p *property.Props) {
	on, _ := property.Read(p, estatefacts.PathGroupSwitch, property.As[ref], property.Required).Value()
	name, _ := property.Read(p, tree.PathName, property.Text, property.Required).Value()
	x.groups[p.Ref] = dvGroup{on, estatefacts.NewGroup(p, tree.Unescape(cmp.Or(name, p.Ref.Value)))}
}

// fill reads the facts of an object that are part of the index.
func (x *index) fill(p *property.Props, plan indexPlan) {
	switch {
	case property.IsCluster(p.Ref):
		c := new(inventory.Cluster)
		plan.clusters.Fill(p, c)
		x.clusters[p.Ref] = c
	case property.IsPool(p.Ref):
		pool := new(inventory.Pool)
		plan.pools.Fill(p, pool)
		x.pools[p.Ref] = pool
	case property.IsSwitch(p.Ref):
		x.switches[p.Ref] = estatefacts.NewSwitch(p, plan.switches)
	case p.Ref.Type == property.TypeDatastore:
		x.datastores[p.Ref] = estatefacts.NewStore(p, plan.datastores)
	}
}

// see stores the properties that only some kinds of objects have.
func (x *index) see(p *property.Props, n *tree.Node) {
	if p.Ref.Type == property.TypeHost {
		x.bestModes[p.Ref] = property.Read(p, estatefacts.PathBestEVC, property.Text, property.Required)
		x.plugs.AddHost(p)
	}
	if property.IsSwitch(p.Ref) {
		x.has[p.Ref] = property.Read(p, estatefacts.PathGroups, property.Count, property.DefaultTo(int64(0)))
		if id, ok := property.Read(p, estatefacts.PathUUID, property.Text, property.Required).Value(); ok {
			x.plugs.AddDistributed(id, tree.Unescape(n.Name))
		}
	}
	// Other objects have their attributes in their tables.
	if p.Ref == x.Root && p.Needs.Any("VCenter.attributes") || p.Ref.Type == property.TypeHost && p.Needs.Any("Host.attributes") {
		x.attributes[p.Ref] = tagging.Numbered(p)
	}
}

// dvGroup is a port group and its switch.
type dvGroup struct {
	on ref
	*inventory.Portgroup
}
