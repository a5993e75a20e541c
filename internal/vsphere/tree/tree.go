package tree

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// Node is an object of the tree.
type Node struct {
	Ref    ref
	Name   string // in the server's form, with escapes
	Parent ref
	// Hosts only:
	UnreadReason string         // why its facts must not be used, or ""
	named        inventory.Host // DNS name and addresses, if targets are matched by them
}

// Tree is the inventory without its VMs. It is enough to name all objects, match targets and know which hosts respond.
type Tree struct {
	Root  ref
	Nodes map[ref]*Node
	Order []ref // in the server's order
}

// Containers returns the properties of container objects other than pools that the tree needs.
func Containers() []types.PropertySpec {
	var all []types.PropertySpec
	for _, t := range []string{"Folder", "Datacenter", "ComputeResource"} {
		all = append(all, types.PropertySpec{Type: t, PathSet: []string{PathName, PathParent}})
	}
	return all
}

// HostNamePaths returns the properties of hosts that the tree needs; matching targets needs more.
func HostNamePaths(targets bool) []string {
	paths := append(StatePaths(), PathName, PathParent)
	if targets {
		paths = append(paths, PathDNSDomain, PathDNSHost, PathVMK, PathVersion)
	}
	return paths
}

// NewTree returns an empty tree. Paths of objects start below root.
func NewTree(root ref) *Tree { return &Tree{Root: root, Nodes: map[ref]*Node{}} }

// Add adds an object. It may be there already.
func (x *Tree) Add(p *property.Props) *Node {
	n := &Node{Ref: p.Ref, Name: p.Ref.Value}
	if name, ok := property.Read(p, PathName, property.Text, property.Required).Value(); ok && name != "" {
		n.Name = name
	}
	n.Parent, _ = property.Read(p, PathParent, property.As[ref], property.Required).Value()
	if p.Ref.Type == property.TypeHost {
		n.UnreadReason = HostUnreadReason(p)
		n.named.DNSName, n.named.Addresses = DNSName(p), HostAddresses(p)
	}
	if _, twice := x.Nodes[p.Ref]; !twice {
		x.Order = append(x.Order, p.Ref)
	}
	x.Nodes[p.Ref] = n
	return n
}

// Path returns the inventory path of an object in the index, as govc's finder writes it.
func (x *Tree) Path(r ref) string {
	n := x.Nodes[r]
	if n == nil {
		return "…"
	}
	return x.Under(n.Parent) + "/" + n.Name
}

// Under returns the path prefix of the children of parent. The root folder has no name in paths; a parent that the user may not
// see is omitted.
func (x *Tree) Under(parent ref) string {
	var above []string
	for range maxDepth { // protects against a cycle in the server's data
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

// Name sets the identity of an object of the index.
func (x *Tree) Name(e *inventory.Entity, n *Node) {
	e.ID, e.Name, e.Path = n.Ref.Value, Unescape(n.Name), x.Path(n.Ref)
}

// Members returns the ids of a cluster's hosts, in scope or not.
func (x *Tree) Members(cluster ref) []string {
	ids := []string{}
	for _, n := range x.Hosts() {
		if x.Compute(n.Ref) == cluster {
			ids = append(ids, n.Ref.Value)
		}
	}
	return ids
}

// ClusterID returns the cluster of a host or pool; objects of a standalone host have none.
func (x *Tree) ClusterID(r ref) inventory.Fact[string] {
	switch c := x.Compute(r); {
	case property.IsCluster(c):
		return inventory.Known(c.Value)
	case property.IsCompute(c):
		return inventory.Absent[string]()
	}
	return inventory.Unread[string]("the server does not report its cluster or host")
}

// Datacenter returns the name of an object's datacenter; a standalone host has one, too.
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

// TypeOf returns the exact type of an object of a general type, which tags require.
func (x *Tree) TypeOf(general, id string) string {
	for _, t := range []string{"VirtualApp", "VmwareDistributedVirtualSwitch"} {
		if property.QueryType(t) == general && x.Nodes[ref{Type: t, Value: id}] != nil {
			return t
		}
	}
	return general
}

// Hosts returns the hosts in the server's order.
func (x *Tree) Hosts() []*Node {
	var all []*Node
	for _, r := range x.Order {
		if r.Type == property.TypeHost {
			all = append(all, x.Nodes[r])
		}
	}
	return all
}
