package vsphere

import (
	"cmp"
	"context"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

type ref = types.ManagedObjectReference

// node is an object of the tree that paths are made of.
type node struct {
	ref    ref
	name   string // as the server writes it, with escapes
	parent ref
	// host only
	down    string                 // why its facts must not be used, or ""
	named   inventory.Host         // DNS name and addresses, if targets have to be found by them
	bestEVC inventory.Fact[string] // the newest EVC mode it can be in
	// distributed switch only
	groups inventory.Fact[int64] // how many port groups it has
}

// index is the inventory without its VMs: enough to name everything, match targets and tell which hosts answer. Facts of
// objects that are few ride on it.
type index struct {
	root  ref
	nodes map[ref]*node
	order []ref // as the server listed them

	clusters   map[ref]*inventory.Cluster
	pools      map[ref]*inventory.Pool
	switches   map[ref]*inventory.Switch
	datastores map[ref]*inventory.Datastore
	groups     map[ref]dvGroup
	attributes map[ref]inventory.Fact[map[string]string]

	fields    fields
	evc       evcTiers
	intervals inventory.Fact[[]*inventory.StatsInterval]
	plugs     plugs
}

func newIndex(root ref) *index {
	return &index{
		root: root, nodes: map[ref]*node{}, clusters: map[ref]*inventory.Cluster{}, pools: map[ref]*inventory.Pool{},
		switches: map[ref]*inventory.Switch{}, datastores: map[ref]*inventory.Datastore{}, groups: map[ref]dvGroup{},
		attributes: map[ref]inventory.Fact[map[string]string]{},
		plugs:      plugs{distributed: map[string]string{}, standard: map[ref]inventory.Fact[map[string]string]{}},
		fields:     inventory.Unread[map[string]string]("the server shows no names of custom attributes"),
		evc:        inventory.Unread[map[string]types.EVCMode]("the server shows no EVC modes"),
		intervals:  inventory.Unread[[]*inventory.StatsInterval]("the server shows no performance manager"),
	}
}

func (r *reader) readIndex(ctx context.Context, needs inventory.Needs, targets bool) (*index, error) {
	x := newIndex(r.client.ServiceContent.RootFolder)
	plan := r.planIndex(needs, targets)
	r.sees = plan.sees
	version, _ := parseVersion(r.client.ServiceContent.About.Version).Value()
	q := &query{what: "inventory", paths: plan.paths, beside: plan.beside, page: r.pages.index, needs: needs, server: version}
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
		x.add(p)
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

func (x *index) add(p *props) {
	n := &node{ref: p.ref, name: p.ref.Value}
	if name, ok := read(p, pathName, asText, must).Value(); ok && name != "" {
		n.name = name
	}
	n.parent, _ = read(p, pathParent, asIs[ref], must).Value()
	if p.ref.Type == "HostSystem" {
		n.down = hostDown(p)
		fillDNSName(p, &n.named)
		fillAddresses(p, &n.named)
		n.bestEVC = read(p, pathBestEVC, asText, must)
		x.plugs.standard[p.ref] = read(p, pathPortgroups, asPortgroups, means(map[string]string{}))
	}
	if isSwitch(p.ref) {
		n.groups = read(p, pathGroups, asCount, means(int64(0)))
		if id, ok := read(p, pathUUID, asText, must).Value(); ok {
			x.plugs.distributed[id] = unescape(n.name)
		}
	}
	// Other objects have theirs in their tables.
	if p.ref == x.root && p.needs.Any("VCenter.attributes") || p.ref.Type == "HostSystem" && p.needs.Any("Host.attributes") {
		x.attributes[p.ref] = numbered(p)
	}
	if _, twice := x.nodes[p.ref]; !twice {
		x.order = append(x.order, p.ref)
	}
	x.nodes[p.ref] = n
}

// hostDown is why a host's facts must not be used: what vCenter says of a host that does not answer is what it
// remembers of it.
func hostDown(p *props) string {
	state, ok := read(p, pathConnection, asText, must).Value()
	switch types.HostSystemConnectionState(state) {
	case types.HostSystemConnectionStateConnected:
		return ""
	case types.HostSystemConnectionStateNotResponding:
		return "host not responding (state notResponding)"
	case types.HostSystemConnectionStateDisconnected:
		return "host disconnected (state disconnected)"
	}
	if !ok {
		return "the server does not say whether the host responds"
	}
	return "host in state " + plain(state)
}

func isPool(r ref) bool    { return r.Type == "ResourcePool" || r.Type == "VirtualApp" }
func isSwitch(r ref) bool  { return queried(r.Type) == typeSwitch }
func isCluster(r ref) bool { return r.Type == "ClusterComputeResource" }
func isCompute(r ref) bool { return r.Type == "ComputeResource" || isCluster(r) }

// path is the inventory path of an object in the index, as govc's finder writes it.
func (x *index) path(r ref) string {
	n := x.nodes[r]
	if n == nil {
		return "…"
	}
	return x.under(n.parent) + "/" + n.name
}

// under is the path that the children of parent begin with. The root folder has no name in paths; a parent that the
// user may not see leaves a hole.
func (x *index) under(parent ref) string {
	var above []string
	for range maxDepth { // a server that shows a ring must not hang us
		if parent == x.root {
			return strings.Join(above, "")
		}
		n := x.nodes[parent]
		if n == nil {
			break
		}
		above = append([]string{"/" + n.name}, above...)
		parent = n.parent
	}
	return "…" + strings.Join(above, "")
}

const maxDepth = 200

// compute is the compute resource that a pool or host belongs to.
func (x *index) compute(r ref) ref {
	for range maxDepth {
		if isCompute(r) {
			return r
		}
		n := x.nodes[r]
		if n == nil {
			break
		}
		r = n.parent
	}
	return ref{}
}

func (x *index) entity(n *node) inventory.Entity {
	return inventory.Entity{ID: n.ref.Value, Name: unescape(n.name), Path: x.path(n.ref)}
}

// hosts lists the hosts in the server's order.
func (x *index) hosts() []*node {
	var all []*node
	for _, r := range x.order {
		if r.Type == "HostSystem" {
			all = append(all, x.nodes[r])
		}
	}
	return all
}

// unescaper undoes what vSphere does to names, and nothing else: other percent signs stand for themselves.
var unescaper = strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%25", "%")

func unescape(name string) string { return unescaper.Replace(name) }
