package inventory

import (
	"cmp"
	"fmt"
)

// countVMs counts the running VMs of each pool, where that was not done before. A VM counts for its own pool and for all pools
// above that one. A VM whose pool or power state was not read makes the counts of its cluster unread.
func (v *VCenter) countVMs() {
	c := &poolCounts{pools: byID(v.Pools), in: map[*Pool]int64{}, below: map[*Pool]int64{}, gaps: map[*Cluster]string{}}
	for _, vm := range v.VMs {
		c.count(vm)
	}
	for _, p := range v.Pools {
		gap := cmp.Or(v.missingVMs(p.cluster), c.anywhere, c.gaps[p.cluster])
		fillCount(&p.DirectRunningVMs, c.in[p], gap)
		fillCount(&p.RunningVMs, c.below[p], gap)
	}
}

// poolCounts are the running VMs in each pool and at any depth below it, and the facts that were not read.
type poolCounts struct {
	pools     map[string]*Pool
	in, below map[*Pool]int64
	gaps      map[*Cluster]string
	anywhere  string // of a VM whose host is not known
}

func (c *poolCounts) count(vm *VM) {
	running, gap := vm.isRunning()
	switch {
	case gap != "" && vm.host == nil:
		c.anywhere = gap
	case gap != "":
		c.gaps[vm.host.cluster] = gap
	case running:
		id, _ := vm.PoolID.Value()
		c.add(id)
	}
}

// add counts one VM. A ring of pools, which a broken file may have, ends it.
func (c *poolCounts) add(id string) {
	if p := c.pools[id]; p != nil {
		c.in[p]++
	}
	for range c.pools {
		p := c.pools[id]
		if p == nil {
			return
		}
		c.below[p]++
		id, _ = p.ParentID.Value()
	}
}

// fillCount keeps a count that is there already, as in a snapshot that was saved.
func fillCount(f *Fact[int64], n int64, gap string) {
	switch {
	case !f.IsZero():
	case gap != "":
		*f = Unread[int64](gap)
	default:
		*f = Known(n)
	}
}

// missingVMs is why the snapshot does not hold all VMs of a cluster, or "".
func (v *VCenter) missingVMs(c *Cluster) string {
	switch {
	case v.Unread != "":
		return v.Unread
	case v.ChosenVMs:
		return "not in scope: only some of the cluster's virtual machines were asked for"
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
