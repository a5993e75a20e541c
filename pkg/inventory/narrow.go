package inventory

import "slices"

// Narrow keeps the hosts that targets name, directly or by their cluster, with their VMs, clusters, datastores, pools
// and switches. If targets name VMs, it keeps only these VMs and their hosts. A target has to match at one endpoint at
// least.
func (s *Snapshot) Narrow(t Targets) (*Snapshot, error) {
	if t.Everything() {
		return s, nil
	}
	hosts, err := s.chooseHosts(t)
	if err != nil {
		return nil, err
	}
	vms, err := s.chooseVMs(t, hosts)
	if err != nil {
		return nil, err
	}
	if len(t.VMs) > 0 {
		hosts = hostsOf(vms)
	}
	out := &Snapshot{Schema: s.Schema, Source: s.Source}
	for _, v := range s.VCenters {
		if n := v.narrow(hosts, vms, len(t.VMs) > 0); len(n.Hosts)+len(n.VMs) > 0 {
			out.VCenters = append(out.VCenters, n)
		}
	}
	out.Link()
	return out, nil
}

func (s *Snapshot) chooseHosts(t Targets) ([]*Host, error) {
	var all []*Host
	var clusters []*Cluster
	for _, v := range s.VCenters {
		all = append(all, v.Hosts...)
		clusters = append(clusters, v.Clusters...)
	}
	if len(t.Hosts)+len(t.Clusters) == 0 {
		return all, nil
	}
	hosts, err := MatchHosts(all, t.Hosts)
	if err != nil {
		return nil, err
	}
	clusters, err = MatchClusters(clusters, t.Clusters)
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		if h.cluster != nil && slices.Contains(clusters, h.cluster) && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts, nil
}

// chooseVMs returns the VMs on the hosts; VMs whose host is unknown are included only without targets.
func (s *Snapshot) chooseVMs(t Targets, hosts []*Host) ([]*VM, error) {
	var all []*VM
	for _, v := range s.VCenters {
		for _, vm := range v.VMs {
			if len(t.Hosts)+len(t.Clusters) == 0 || vm.host != nil && slices.Contains(hosts, vm.host) {
				all = append(all, vm)
			}
		}
	}
	if len(t.VMs) == 0 {
		return all, nil
	}
	return vmMatcher.match(all, t.VMs)
}

func hostsOf(vms []*VM) []*Host {
	var hosts []*Host
	for _, vm := range vms {
		if vm.host != nil && !slices.Contains(hosts, vm.host) {
			hosts = append(hosts, vm.host)
		}
	}
	return hosts
}

func (v *VCenter) narrow(hosts []*Host, vms []*VM, chosen bool) *VCenter {
	keepHost, keepVM := setOf(hosts), setOf(vms)
	n := *v
	n.ChosenVMs, n.Whole = v.ChosenVMs || chosen, false
	n.Hosts = slices.DeleteFunc(slices.Clone(v.Hosts), func(h *Host) bool { return !keepHost[h] })
	n.VMs = slices.DeleteFunc(slices.Clone(v.VMs), func(vm *VM) bool { return !keepVM[vm] })
	clusters := map[string]bool{}
	for _, h := range n.Hosts {
		id, _ := h.ClusterID.Value()
		clusters[id] = true
	}
	n.Clusters = slices.DeleteFunc(slices.Clone(v.Clusters), func(c *Cluster) bool { return !clusters[c.ID] })
	n.Pools = slices.DeleteFunc(slices.Clone(v.Pools), func(p *Pool) bool {
		id, _ := p.ClusterID.Value()
		return !clusters[id]
	})
	for i, p := range n.Pools { // Link counts again: the pools' VMs are unknown in a part of the cluster
		recount := *p
		recount.RunningVMs, recount.DirectRunningVMs = Fact[int64]{}, Fact[int64]{}
		n.Pools[i] = &recount
	}
	n.Switches = slices.DeleteFunc(slices.Clone(v.Switches), func(s *Switch) bool {
		members, _ := s.HostIDs.Value()
		return !slices.ContainsFunc(n.Hosts, func(h *Host) bool { return slices.Contains(members, h.ID) })
	})
	n.Datastores = slices.DeleteFunc(slices.Clone(v.Datastores), func(d *Datastore) bool {
		mounts, _ := d.HostIDs.Value()
		return !slices.ContainsFunc(n.Hosts, func(h *Host) bool { return slices.Contains(mounts, h.ID) })
	})
	return &n
}

func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, x := range list {
		set[x] = true
	}
	return set
}
