package tree

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// Node is an object of the tree that paths are made of.
type Node struct {
	Ref    ref
	Name   string // as the server writes it, with escapes
	Parent ref
	// host only
	Down  string         // why its facts must not be used, or ""
	named inventory.Host // DNS name and addresses, if targets have to be found by them
}

// Tree is the inventory without its VMs: enough to name everything, match targets and tell which hosts answer.
type Tree struct {
	Root  ref
	Nodes map[ref]*Node
	Order []ref // as the server listed them
}

// Containers is what the tree takes of the objects that others lie in, beside pools.
func Containers() []types.PropertySpec {
	var all []types.PropertySpec
	for _, t := range []string{"Folder", "Datacenter", "ComputeResource"} {
		all = append(all, types.PropertySpec{Type: t, PathSet: []string{PathName, PathParent}})
	}
	return all
}

// HostNaming is what the tree takes of hosts; targets can be found by more.
func HostNaming(targets bool) []string {
	if targets {
		return []string{PathDNSDomain, PathDNSHost, PathVMK, PathVersion, PathName, PathParent, PathConnection}
	}
	return []string{PathName, PathParent, PathConnection}
}

// NewTree returns an empty tree. Paths of objects begin below root.
func NewTree(root ref) *Tree { return &Tree{Root: root, Nodes: map[ref]*Node{}} }

// Add takes an object in. It may be there already.
func (x *Tree) Add(p *property.Props) *Node {
	n := &Node{Ref: p.Ref, Name: p.Ref.Value}
	if name, ok := property.Read(p, PathName, property.Text, property.Must).Value(); ok && name != "" {
		n.Name = name
	}
	n.Parent, _ = property.Read(p, PathParent, property.As[ref], property.Must).Value()
	if p.Ref.Type == property.TypeHost {
		n.Down = HostDown(p)
		n.named.DNSName, n.named.Addresses = DNSName(p), HostAddresses(p)
	}
	if _, twice := x.Nodes[p.Ref]; !twice {
		x.Order = append(x.Order, p.Ref)
	}
	x.Nodes[p.Ref] = n
	return n
}

// Path is the inventory path of an object in the index, as govc's finder writes it.
func (x *Tree) Path(r ref) string {
	n := x.Nodes[r]
	if n == nil {
		return "…"
	}
	return x.Under(n.Parent) + "/" + n.Name
}

// Under is the path that the children of parent begin with. The root folder has no name in paths; a parent that the
// user may not see leaves a hole.
func (x *Tree) Under(parent ref) string {
	var above []string
	for range maxDepth { // a server that shows a ring must not hang us
		if parent == x.Root {
			return strings.Join(above, "")
		}
		n := x.Nodes[parent]
		if n == nil {
			break
		}
		above = append([]string{"/" + n.Name}, above...)
		parent = n.Parent
	}
	return "…" + strings.Join(above, "")
}

const maxDepth = 200

// Compute returns the compute resource that a pool or host belongs to, or the zero reference if the tree does not have it.
func (x *Tree) Compute(r ref) types.ManagedObjectReference {
	for range maxDepth {
		if property.IsCompute(r) {
			return r
		}
		n := x.Nodes[r]
		if n == nil {
			break
		}
		r = n.Parent
	}
	return ref{}
}

// Entity returns the id, the name and the inventory path of an object of the tree.
func (x *Tree) Entity(n *Node) inventory.Entity {
	return inventory.Entity{ID: n.Ref.Value, Name: Unescape(n.Name), Path: x.Path(n.Ref)}
}

// Name gives an object of the index its identity.
func (x *Tree) Name(e *inventory.Entity, n *Node) {
	e.ID, e.Name, e.Path = n.Ref.Value, Unescape(n.Name), x.Path(n.Ref)
}

// Members are the ids of a cluster's hosts, in scope or not.
func (x *Tree) Members(cluster ref) []string {
	ids := []string{}
	for _, n := range x.Hosts() {
		if x.Compute(n.Ref) == cluster {
			ids = append(ids, n.Ref.Value)
		}
	}
	return ids
}

// ClusterID is the cluster of a host or pool; what belongs to a standalone host has none.
func (x *Tree) ClusterID(r ref) inventory.Fact[string] {
	switch c := x.Compute(r); {
	case property.IsCluster(c):
		return inventory.Known(c.Value)
	case property.IsCompute(c):
		return inventory.Absent[string]()
	}
	return inventory.Unread[string]("the server shows no cluster or host above it")
}

// Datacenter is the name of the one that an object lies in; a host by itself has one, too.
func (x *Tree) Datacenter(r ref) string {
	for range maxDepth {
		n := x.Nodes[r]
		switch {
		case n == nil:
			return ""
		case r.Type == "Datacenter":
			return Unescape(n.Name)
		}
		r = n.Parent
	}
	return ""
}

// TypeOf is the very type of an object of a general one: tags go by it.
func (x *Tree) TypeOf(general, id string) string {
	for _, t := range []string{"VirtualApp", "VmwareDistributedVirtualSwitch"} {
		if property.Queried(t) == general && x.Nodes[ref{Type: t, Value: id}] != nil {
			return t
		}
	}
	return general
}

// Hosts lists the hosts in the server's order.
func (x *Tree) Hosts() []*Node {
	var all []*Node
	for _, r := range x.Order {
		if r.Type == property.TypeHost {
			all = append(all, x.Nodes[r])
		}
	}
	return all
}
