package tree

import (
	"slices"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// Scope selects what to read.
type Scope struct {
	// Hosts are targets typed by users: inventory name, DNS name, short name, IP address of a VMkernel NIC, or managed object id.
	// None means the whole inventory. A target without a match is an inventory.NoMatchError; one that matches several hosts
	// equally well is an inventory.AmbiguousError.
	Hosts []string
	// Clusters select all of their hosts, by the cluster's name, path or id.
	Clusters []string
}

// Whole reports whether the scope is the whole inventory.
func (s Scope) Whole() bool { return len(s.Hosts)+len(s.Clusters) == 0 }

// Choose returns the hosts in scope. Its errors are inventory's, for targets that match nothing or too much.
func (x *Tree) Choose(scope Scope) ([]*Node, error) {
	if scope.Whole() {
		return x.Hosts(), nil
	}
	nodes := map[*inventory.Host]*Node{}
	var all []*inventory.Host
	for _, n := range x.Hosts() {
		h := &inventory.Host{Entity: x.Entity(n), DNSName: n.named.DNSName, Addresses: n.named.Addresses}
		all = append(all, h)
		nodes[h] = n
	}
	found, err := inventory.MatchHosts(all, scope.Hosts)
	if err != nil {
		return nil, err
	}
	chosen := map[*Node]bool{}
	for _, h := range found {
		chosen[nodes[h]] = true
	}
	if err := x.chooseClusters(scope.Clusters, chosen); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(x.Hosts(), func(n *Node) bool { return !chosen[n] }), nil
}

// chooseClusters adds the hosts of the clusters that match targets.
func (x *Tree) chooseClusters(targets []string, chosen map[*Node]bool) error {
	var all []*inventory.Cluster
	for _, r := range x.Order {
		if property.IsCluster(r) {
			all = append(all, &inventory.Cluster{Entity: x.Entity(x.Nodes[r])})
		}
	}
	found, err := inventory.MatchClusters(all, targets)
	if err != nil {
		return err
	}
	for _, n := range x.Hosts() {
		of := x.Compute(n.Ref)
		if property.IsCluster(of) && slices.ContainsFunc(found, func(c *inventory.Cluster) bool { return c.ID == of.Value }) {
			chosen[n] = true
		}
	}
	return nil
}
