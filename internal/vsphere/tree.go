package vsphere

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// node is an object of the tree that paths are made of.
type node struct {
	ref    ref
	name   string // as the server writes it, with escapes
	parent ref
	// host only
	down  string         // why its facts must not be used, or ""
	named inventory.Host // DNS name and addresses, if targets have to be found by them
}

// tree is the inventory without its VMs: enough to name everything, match targets and tell which hosts answer.
type tree struct {
	root  ref
	nodes map[ref]*node
	order []ref // as the server listed them
}

// containers is what the tree takes of the objects that others lie in, beside pools.
func containers() []types.PropertySpec {
	var all []types.PropertySpec
	for _, t := range []string{"Folder", "Datacenter", "ComputeResource"} {
		all = append(all, types.PropertySpec{Type: t, PathSet: []string{pathName, pathParent}})
	}
	return all
}

// hostNaming is what the tree takes of hosts; targets can be found by more.
func hostNaming(targets bool) []string {
	if targets {
		return []string{pathDNSDomain, pathDNSHost, pathVMK, pathVersion, pathName, pathParent, pathConnection}
	}
	return []string{pathName, pathParent, pathConnection}
}

func newTree(root ref) *tree { return &tree{root: root, nodes: map[ref]*node{}} }

// add takes an object in. It may be there already.
func (x *tree) add(p *props) *node {
	n := &node{ref: p.ref, name: p.ref.Value}
	if name, ok := read(p, pathName, asText, must).Value(); ok && name != "" {
		n.name = name
	}
	n.parent, _ = read(p, pathParent, asIs[ref], must).Value()
	if p.ref.Type == typeHost {
		n.down = hostDown(p)
		n.named.DNSName, n.named.Addresses = dnsName(p), hostAddresses(p)
	}
	if _, twice := x.nodes[p.ref]; !twice {
		x.order = append(x.order, p.ref)
	}
	x.nodes[p.ref] = n
	return n
}

// path is the inventory path of an object in the index, as govc's finder writes it.
func (x *tree) path(r ref) string {
	n := x.nodes[r]
	if n == nil {
		return "…"
	}
	return x.under(n.parent) + "/" + n.name
}

// under is the path that the children of parent begin with. The root folder has no name in paths; a parent that the
// user may not see leaves a hole.
func (x *tree) under(parent ref) string {
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
func (x *tree) compute(r ref) ref {
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

func (x *tree) entity(n *node) inventory.Entity {
	return inventory.Entity{ID: n.ref.Value, Name: unescape(n.name), Path: x.path(n.ref)}
}

// name gives an object of the index its identity.
func (x *tree) name(e *inventory.Entity, n *node) {
	e.ID, e.Name, e.Path = n.ref.Value, unescape(n.name), x.path(n.ref)
}

// members are the ids of a cluster's hosts, in scope or not.
func (x *tree) members(cluster ref) []string {
	ids := []string{}
	for _, n := range x.hosts() {
		if x.compute(n.ref) == cluster {
			ids = append(ids, n.ref.Value)
		}
	}
	return ids
}

// clusterID is the cluster of a host or pool; what belongs to a standalone host has none.
func (x *tree) clusterID(r ref) inventory.Fact[string] {
	switch c := x.compute(r); {
	case isCluster(c):
		return inventory.Known(c.Value)
	case isCompute(c):
		return inventory.Absent[string]()
	}
	return inventory.Unread[string]("the server shows no cluster or host above it")
}

// datacenter is the name of the one that an object lies in; a host by itself has one, too.
func (x *tree) datacenter(r ref) string {
	for range maxDepth {
		n := x.nodes[r]
		switch {
		case n == nil:
			return ""
		case r.Type == "Datacenter":
			return unescape(n.name)
		}
		r = n.parent
	}
	return ""
}

// typeOf is the very type of an object of a general one: tags go by it.
func (x *tree) typeOf(general, id string) string {
	for _, t := range []string{"VirtualApp", "VmwareDistributedVirtualSwitch"} {
		if queried(t) == general && x.nodes[ref{Type: t, Value: id}] != nil {
			return t
		}
	}
	return general
}

// hosts lists the hosts in the server's order.
func (x *tree) hosts() []*node {
	var all []*node
	for _, r := range x.order {
		if r.Type == typeHost {
			all = append(all, x.nodes[r])
		}
	}
	return all
}
