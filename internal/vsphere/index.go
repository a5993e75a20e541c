package vsphere

import (
	"context"
	"slices"
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
	down  string         // why its facts must not be used, or ""
	named inventory.Host // DNS name and addresses, if targets have to be found by them
}

// index is the inventory without its VMs: enough to name everything, match targets and tell which hosts answer.
type index struct {
	root  ref
	nodes map[ref]*node
	order []ref // as the server listed them
	pools map[ref]*inventory.Pool

	switches map[ref]*inventory.Switch
}

func (r *reader) readIndex(ctx context.Context, needs inventory.Needs, targets bool) (*index, error) {
	x := &index{
		root: r.client.ServiceContent.RootFolder, nodes: map[ref]*node{}, pools: map[ref]*inventory.Pool{},
		switches: map[ref]*inventory.Switch{},
	}
	pools, switches := poolTable.plan(needs), switchTable.plan(needs)
	paths := indexPaths(pools, targets)
	if r.sees = viewTypes; !switches.empty() && r.client.IsVC() {
		r.sees = append(slices.Clone(viewTypes), switches.spec.Type)
		paths = append(paths, switches.spec)
	}
	err := r.collect(ctx, &query{what: "inventory", paths: paths, page: r.pages.index, needs: needs}, func(p *props) {
		x.add(p)
		switch {
		case isPool(p.ref):
			pool := new(inventory.Pool)
			pools.fill(p, pool)
			x.pools[p.ref] = pool
		case isSwitch(p.ref):
			x.switches[p.ref] = newSwitch(p, switches)
		}
	})
	return x, err
}

func indexPaths(pools plan[*inventory.Pool], targets bool) []types.PropertySpec {
	host := []string{pathName, pathParent, pathConnection}
	if targets {
		host = append(host, pathVersion, pathDNSHost, pathDNSDomain, pathVMK)
	}
	specs := []types.PropertySpec{pools.spec, {Type: "HostSystem", PathSet: host}}
	for _, t := range []string{"Folder", "Datacenter", "ComputeResource"} {
		specs = append(specs, types.PropertySpec{Type: t, PathSet: []string{pathName, pathParent}})
	}
	return specs
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
