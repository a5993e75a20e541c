package inventory

import (
	"cmp"
	"fmt"
)

// countVMs counts the running VMs of each pool. A VM counts for its own pool and for all pools above that one. A VM whose pool
// or power state was not read makes the counts of its cluster unread.
func (v *VCenter) countVMs() {
	pools, gaps, anywhere := byID(v.Pools), map[*Cluster]string{}, ""
	for _, p := range v.Pools {
		gap := v.missingVMs(p.cluster)
		p.RunningVMs, p.DirectRunningVMs = counted(0, gap), counted(0, gap)
	}
	for _, vm := range v.VMs {
		running, gap := vm.isRunning()
		switch {
		case gap != "" && vm.host == nil:
			anywhere = gap
		case gap != "":
			gaps[vm.host.cluster] = gap
		}
		id, _ := vm.PoolID.Value()
		if p := pools[id]; running && p != nil {
			increment(&p.DirectRunningVMs)
			p.addRunning(pools)
		}
	}
	for _, p := range v.Pools {
		if gap := cmp.Or(anywhere, gaps[p.cluster]); gap != "" {
			p.RunningVMs, p.DirectRunningVMs = Unread[int64](gap), Unread[int64](gap)
		}
	}
}

// missingVMs is why the snapshot does not hold all VMs of a cluster, or "".
func (v *VCenter) missingVMs(c *Cluster) string {
	switch {
	case v.Unread != "":
		return v.Unread
	case v.ChosenVMs:
		return "only some of the cluster's virtual machines were asked for"
	case c == nil:
		return ""
	}
	if _, state, reason := c.Hosts.Get(); state != StateKnown {
		return cmp.Or(reason, "not all hosts of "+c.Name+" were read")
	}
	return ""
}

// isRunning reports a VM that is powered on and in a pool, or which fact was not read. A template is in no pool.
func (v *VM) isRunning() (running bool, gap string) {
	_, pool, why := v.PoolID.Get()
	power, state, reason := v.PowerState.Get()
	switch {
	case pool == StateAbsent, state == StateKnown && power != "poweredOn":
		return false, ""
	case state != StateKnown:
		return false, fmt.Sprintf("the power state of %s was not read: %s", v.Name, cmp.Or(reason, v.Gap()))
	case pool != StateKnown:
		return false, fmt.Sprintf("the pool of %s was not read: %s", v.Name, cmp.Or(why, v.Gap()))
	}
	return true, ""
}

// addRunning adds one VM to the pool and to all pools above it. A ring of pools, which a broken file may have, ends it.
func (p *Pool) addRunning(pools map[string]*Pool) {
	for range pools {
		if p == nil {
			return
		}
		increment(&p.RunningVMs)
		id, _ := p.ParentID.Value()
		p = pools[id]
	}
}

func counted(n int64, gap string) Fact[int64] {
	if gap != "" {
		return Unread[int64](gap)
	}
	return Known(n)
}

// increment adds one to a count that is known.
func increment(f *Fact[int64]) {
	if n, known := f.Value(); known {
		*f = Known(n + 1)
	}
}
