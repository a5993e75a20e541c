package vsphere

import (
	"cmp"
	"context"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// index is the inventory without its VMs: the tree, and facts of objects that are few, which ride on it.
type index struct {
	*tree

	clusters   map[ref]*inventory.Cluster
	pools      map[ref]*inventory.Pool
	switches   map[ref]*inventory.Switch
	datastores map[ref]*inventory.Datastore
	groups     map[ref]dvGroup
	attributes map[ref]inventory.Fact[map[string]string]

	fields    fields
	evc       evcTiers
	intervals inventory.Fact[[]*inventory.StatsInterval]
	bestModes map[ref]inventory.Fact[string] // the newest EVC mode that a host can be in
	has       map[ref]inventory.Fact[int64]  // how many port groups a distributed switch has
	plugs     plugs
}

func newIndex(root ref) *index {
	return &index{
		tree: newTree(root), clusters: map[ref]*inventory.Cluster{}, pools: map[ref]*inventory.Pool{},
		switches: map[ref]*inventory.Switch{}, datastores: map[ref]*inventory.Datastore{}, groups: map[ref]dvGroup{},
		attributes: map[ref]inventory.Fact[map[string]string]{},
		plugs:      newPlugs(),
		fields:     inventory.Unread[map[string]string]("the server shows no names of custom attributes"),
		evc:        inventory.Unread[map[string]types.EVCMode]("the server shows no EVC modes"),
		bestModes:  map[ref]inventory.Fact[string]{},
		has:        map[ref]inventory.Fact[int64]{},
		intervals:  inventory.Unread[[]*inventory.StatsInterval]("the server shows no performance manager"),
	}
}

func (r *inventoryReader) readIndex(ctx context.Context, needs inventory.Needs, targets bool) (*index, error) {
	x := newIndex(r.Client().ServiceContent.RootFolder)
	plan := r.planIndex(needs, targets)
	r.sees = plan.sees
	version, _ := parseVersion(r.Client().ServiceContent.About.Version).Value()
	q := &query{what: "inventory", paths: plan.paths, beside: plan.beside, page: pageOfIndex, needs: needs, server: version}
	err := r.collect(ctx, q, func(p *props) { x.take(p, plan) })
	return x, err
}

// take puts an object that the server listed where it belongs.
func (x *index) take(p *props, plan indexPlan) {
	switch p.ref.Type {
	case "CustomFieldsManager":
		x.fields = read(p, pathFields, asFields, means(map[string]string{}))
	case "PerformanceManager":
		x.intervals = read(p, pathIntervals, asIntervals, must)
	case "ServiceInstance":
		x.evc = read(p, pathEVC, asEVCTiers, must)
	case typeGroup:
		x.addGroup(p)
	default:
		x.see(p, x.add(p))
		x.fill(p, plan)
	}
}

func (x *index) addGroup(p *props) {
	on, _ := read(p, pathGroupSwitch, asIs[ref], must).Value()
	name, _ := read(p, pathName, asText, must).Value()
	x.groups[p.ref] = dvGroup{on, newGroup(p, unescape(cmp.Or(name, p.ref.Value)))}
}

// fill reads the facts of an object that ride on the index.
func (x *index) fill(p *props, plan indexPlan) {
	switch {
	case isCluster(p.ref):
		c := new(inventory.Cluster)
		plan.clusters.fill(p, c)
		x.clusters[p.ref] = c
	case isPool(p.ref):
		pool := new(inventory.Pool)
		plan.pools.fill(p, pool)
		x.pools[p.ref] = pool
	case isSwitch(p.ref):
		x.switches[p.ref] = newSwitch(p, plan.switches)
	case p.ref.Type == typeDatastore:
		x.datastores[p.ref] = newStore(p, plan.datastores)
	}
}

// see notes what only some kinds of objects have.
func (x *index) see(p *props, n *node) {
	if p.ref.Type == typeHost {
		x.bestModes[p.ref] = read(p, pathBestEVC, asText, must)
		x.plugs.addHost(p)
	}
	if isSwitch(p.ref) {
		x.has[p.ref] = read(p, pathGroups, asCount, means(int64(0)))
		if id, ok := read(p, pathUUID, asText, must).Value(); ok {
			x.plugs.addDistributed(id, unescape(n.name))
		}
	}
	// Other objects have theirs in their tables.
	if p.ref == x.root && p.needs.Any("VCenter.attributes") || p.ref.Type == typeHost && p.needs.Any("Host.attributes") {
		x.attributes[p.ref] = numbered(p)
	}
}
