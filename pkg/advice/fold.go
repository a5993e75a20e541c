package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// fold puts causes that are the consequence of another to that one: a slow array shows at its device, at the host and at
// the disks of VMs, and is one thing to do. What a rule follows is followed in turn; rules that would go in a ring are refused.
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

// leader is the cause that this one is the consequence of: the likeliest of those around, and of several such the one with
// the worst symptom, which came first; nil where there is none.
func (r *reasons) leader(by map[string][]*reasons) *reasons {
	for _, id := range r.rule.Follows {
		for _, c := range by[id] {
			if near(r.object, c.object) {
				return c
			}
		}
	}
	return nil
}

// first is the cause at the end of the chain.
func (r *reasons) first() *reasons {
	for r.lead != nil {
		r = r.lead
	}
	return r
}

// followedBy takes in a consequence: its symptoms are further ones of this cause.
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

// near reports whether a cause at one object can have a consequence at another: at a part of it, at what it is a part of,
// or, where it lies at a device of a host, at a VM that runs there and does not do without the device.
func near(consequence, cause inventory.Object) bool {
	if consequence == cause || partOf(consequence, cause) || partOf(cause, consequence) {
		return true
	}
	vm, ok := mark.OwnerOf(consequence).(*inventory.VM)
	return ok && mark.OwnerOf(cause) == inventory.Object(vm.Host()) && uses(vm, cause)
}

// partOf reports a device of an object, and of a host also its VMs and their devices.
func partOf(o, whole inventory.Object) bool {
	owner := mark.OwnerOf(o)
	if owner != o && owner == whole {
		return true
	}
	vm, ok := owner.(*inventory.VM)
	return ok && inventory.Object(vm.Host()) == whole
}

// uses reports a VM that a fault of its host, or of a device there, can reach: of a disk only one that has files on it, as
// far as that is known.
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
