package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// managedScopes maps the scopes whose settings belong to the provider of a managed cloud to the facts that lead from
// them to their hosts.
var managedScopes = map[inventory.Scope][]string{
	inventory.ScopeCluster: {"Cluster.hostIds", "Host.clusterId"},
	inventory.ScopePool:    {"Pool.clusterId", "Pool.parentId", "Cluster.hostIds", "Host.clusterId"},
	inventory.ScopeHost:    nil, inventory.ScopePNIC: nil, inventory.ScopeVMKNIC: nil, inventory.ScopeHBA: nil, inventory.ScopeLUN: nil,
	inventory.ScopeSwitch: {"Switch.hostIds"}, inventory.ScopeDatastore: {"Datastore.hostIds"},
}

// aboutSettings reports whether a rule is about settings that a provider may administer. Rules over counters are
// excluded, because customers can change their load.
func (r *compiled) aboutSettings() bool {
	_, managed := managedScopes[r.Scope]
	return managed && !r.live && r.because == nil
}

// leaveToProvider lowers a finding about an object that the provider of a managed cloud administers to info, adds a
// note, and removes its remedies, because the customer cannot change it. A manual check becomes not applicable, because
// the customer cannot make it.
func (r *compiled) leaveToProvider(f *Finding, s *subject) {
	if !r.aboutSettings() {
		return
	}
	cloud, evidence, unread := s.provider()
	if unread && f.Outcome == Fail && len(f.Remedies) > 0 {
		f.Remedies, f.Notes = nil, append(f.Notes, "It was not read whether the provider of a managed cloud administers this, so no change is proposed.")
	}
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

// provider returns the cloud whose provider administers all hosts of the object, and the evidence for it; "" unless all
// hosts are known to be in such a cloud. unread is true if they may all be, because facts are unread.
func (s *subject) provider() (cloud, evidence string, unread bool) {
	hosts, unread := s.hosts()
	for _, h := range hosts {
		of, state, reason := h.Cloud.Get()
		switch {
		case state == inventory.StateUnread && !inventory.NotInSource(reason):
			unread = true
		case !inventory.ProviderAdministers(of):
			return "", "", false
		default:
			cloud = of
			evidence, _ = h.CloudEvidence.Value()
		}
	}
	if unread {
		return "", "", true
	}
	return cloud, evidence, false
}

// hosts returns the hosts that the object is, is on, or belongs to; none if some are unknown. unread is true if they were not read.
func (s *subject) hosts() (hosts []*inventory.Host, unread bool) {
	if h, ok := s.vars.Get(inventory.ScopeHost).(*inventory.Host); ok {
		return []*inventory.Host{h}, false
	}
	all := inventory.Absent[[]*inventory.Host]()
	switch o := s.object.(type) {
	case *inventory.Cluster:
		all = o.Hosts
	case *inventory.Pool:
		c, belongs := o.Cluster(), o.ClusterID
		_, above, _ := o.ParentID.Get()
		if _, state, reason := belongs.Get(); c == nil && state == inventory.StateUnread || above == inventory.StateUnread && !o.Root {
			all = inventory.Unread[[]*inventory.Host](reason)
		} else if c != nil && !customersOwn(o, c) {
			all = c.Hosts
		}
	case *inventory.Switch:
		all = o.Hosts
	case *inventory.Datastore:
		all = o.Hosts
	}
	hosts, state, reason := all.Get()
	return hosts, state == inventory.StateUnread && !inventory.NotInScope(reason) && !inventory.NotInSource(reason)
}

// customersOwn reports whether the customer created a pool: the provider creates those directly below the cluster's
// root pool.
func customersOwn(p *inventory.Pool, c *inventory.Cluster) bool {
	parent, _ := p.ParentID.Value()
	return !p.Root && !slices.ContainsFunc(c.Pools, func(q *inventory.Pool) bool { return q.Root && q.ID == parent })
}
