package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// fold merges causes into the causes they are a consequence of: a slow array shows at its device, at the host and at
// the disks of VMs, and needs one fix. Chains of consequences are followed to their end; rules with cycles are refused
// when they are loaded.
func (a *adviser) fold() {
	by := map[string][]*reasons{}
	for _, c := range a.causes {
		by[c.rule.ID] = append(by[c.rule.ID], c)
	}
	for _, c := range a.causes {
		c.lead = c.leader(by)
	}
	for _, c := range a.causes {
		if first := c.first(); first != c {
			first.followedBy(c)
		}
	}
	a.causes = slices.DeleteFunc(a.causes, func(c *reasons) bool { return c.lead != nil })
}

// leader returns the cause that this one is a consequence of: the likeliest one nearby, and of several objects the one
// with the worst symptom, which comes first; nil if there is none.
func (r *reasons) leader(by map[string][]*reasons) *reasons {
	for _, id := range r.rule.Follows {
		for _, c := range by[id] {
			if related(r.object, c.object) {
				return c
			}
		}
	}
	return nil
}

// first returns the cause at the end of the chain.
func (r *reasons) first() *reasons {
	for r.lead != nil {
		r = r.lead
	}
	return r
}

// followedBy adds a consequence: its symptoms become symptoms of this cause.
func (r *reasons) followedBy(c *reasons) {
	r.follow = append(r.follow, c.diagnoses.list...)
	for _, d := range c.also.list {
		r.also.add(d)
	}
	r.symptoms, r.unseen = append(r.symptoms, c.symptoms...), append(r.unseen, c.unseen...)
	for _, f := range c.symptoms {
		if partOf(r.object, f.object) {
			r.around[f] = true
		}
	}
}

// related reports whether a cause at one object can have a consequence at another: at a part of it, at an object it is a
// part of, or, for a device of a host, at a VM on that host that may use the device.
func related(consequence, cause inventory.Object) bool {
	if consequence == cause || partOf(consequence, cause) || partOf(cause, consequence) {
		return true
	}
	vm, ok := mark.OwnerOf(consequence).(*inventory.VM)
	return ok && mark.OwnerOf(cause) == inventory.Object(vm.Host()) && uses(vm, cause)
}

// partOf reports whether o is a device of whole, or, if whole is a host, one of its VMs or their devices.
func partOf(o, whole inventory.Object) bool {
	owner := mark.OwnerOf(o)
	if owner != o && owner == whole {
		return true
	}
	vm, ok := owner.(*inventory.VM)
	return ok && inventory.Object(vm.Host()) == whole
}

// uses reports whether a fault of a VM's host, or of a device there, can affect the VM. For a LUN, the VM must have
// files on it, if that is known.
func uses(vm *inventory.VM, o inventory.Object) bool {
	l, ok := o.(*inventory.LUN)
	disks, known := vm.Disks.Value()
	if !ok || !known {
		return true
	}
	return slices.ContainsFunc(disks, func(d *inventory.VDisk) bool {
		store, known := d.Datastore.Value()
		return !known || slices.Contains(l.Datastores, store)
	})
}
