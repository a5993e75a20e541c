package inventory

import (
	"cmp"
	"fmt"
)

// countVMs counts the running VMs of each pool, unless the count is known. A VM counts for its own pool and for all
// pools above it. If a VM's pool or power state is unread, the counts of its cluster are unread.
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

// poolCounts counts the running VMs in each pool and at any depth below it, and collects unread facts.
type poolCounts struct {
	pools     map[string]*Pool
	in, below map[*Pool]int64
	gaps      map[*Cluster]string
	anywhere  string // about a VM whose host is unknown
}

func (c *poolCounts) count(vm *VM) {
	running, gap := vm.isRunning()
	switch {
	case gap != "" && vm.host == nil:
		c.anywhere = gap
	case gap != "":
		c.gaps[vm.host.cluster] = gap
	case running:
		c.add(vm)
	}
}

// add counts one VM. The loop is bounded in case a broken file has a cycle of pools.
func (c *poolCounts) add(vm *VM) {
	id, _ := vm.PoolID.Value()
	if p := c.pools[id]; p != nil {
		c.in[p]++
	}
	for range c.pools {
		p := c.pools[id]
		if p == nil {
			return
		}
		c.below[p]++
		var state State
		if id, state, _ = p.ParentID.Get(); state == StateUnread {
			c.anywhere = "the resource pool above " + p.Name + " was not read"
		}
	}
}

// fillCount sets a count unless it is set already, as in a saved snapshot.
func fillCount(f *Fact[int64], n int64, gap string) {
	switch {
	case !f.IsZero():
	case gap != "":
		*f = Unread[int64](gap)
	default:
		*f = Known(n)
	}
}

// missingVMs returns why the snapshot does not have all VMs of a cluster, or "".
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

// isRunning reports whether a VM is powered on and in a pool; gap names a fact that was not read. Templates are in no
// pool.
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
