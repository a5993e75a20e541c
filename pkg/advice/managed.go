package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// managedScopes are the objects whose settings belong to the provider of a managed cloud, and the facts that lead from them to
// their hosts.
var managedScopes = map[inventory.Scope][]string{
	inventory.ScopeCluster: {"Cluster.hostIds", "Host.clusterId"},
	inventory.ScopePool:    {"Pool.clusterId", "Pool.parentId", "Cluster.hostIds", "Host.clusterId"},
	inventory.ScopeHost:    nil, inventory.ScopePNIC: nil, inventory.ScopeVMKNIC: nil, inventory.ScopeHBA: nil, inventory.ScopeLUN: nil,
	inventory.ScopeSwitch: {"Switch.hostIds"}, inventory.ScopeDatastore: {"Datastore.hostIds"},
}

// aboutSettings reports a rule on settings of an object that may be a provider's. What counters show is left as it is: customers
// act on it by what they run there.
func (r *compiled) aboutSettings() bool {
	_, managed := managedScopes[r.Scope]
	return managed && !r.live && r.because == nil
}

// leaveToProvider lowers a finding on what the provider of a managed cloud administers to info, says so, and proposes nothing: the
// customer cannot act on it. A manual check is not applicable: the customer cannot look either.
func (r *compiled) leaveToProvider(f *Finding, s *subject) {
	if !r.aboutSettings() {
		return
	}
	cloud, evidence := s.provider()
	if cloud == "" {
		return
	}
	why := "The provider of " + cloud + " administers this; a customer cannot change it (" + evidence + ")."
	if f.Outcome == Manual {
		f.Outcome, f.Reason = NotApplicable, why
		return
	}
	f.Severity, f.Remedies, f.Notes = Info, nil, append(f.Notes, why)
}

// provider is the cloud whose provider administers all hosts of the object, and what shows it; "" where not all are known to be
// in such a cloud.
func (s *subject) provider() (cloud, evidence string) {
	hosts := s.hosts()
	for _, h := range hosts {
		of, _ := h.Cloud.Value()
		if !inventory.ProviderAdministers(of) {
			return "", ""
		}
		cloud = of
		evidence, _ = h.CloudEvidence.Value()
	}
	return cloud, evidence
}

// hosts are those that the object is, is in, or belongs to; none where they are not all known.
func (s *subject) hosts() []*inventory.Host {
	if h, ok := s.vars[inventory.ScopeHost].(*inventory.Host); ok {
		return []*inventory.Host{h}
	}
	var all inventory.Fact[[]*inventory.Host]
	switch o := s.object.(type) {
	case *inventory.Cluster:
		all = o.Hosts
	case *inventory.Pool:
		if c := o.Cluster(); c != nil && !customersOwn(o, c) {
			all = c.Hosts
		}
	case *inventory.Switch:
		all = o.Hosts
	case *inventory.Datastore:
		all = o.Hosts
	}
	hosts, _ := all.Value()
	return hosts
}

// customersOwn reports a pool that the customer made: the provider makes those that lie in the cluster itself.
func customersOwn(p *inventory.Pool, c *inventory.Cluster) bool {
	parent, _ := p.ParentID.Value()
	return !p.Root && !slices.ContainsFunc(c.Pools, func(q *inventory.Pool) bool { return q.Root && q.ID == parent })
}
