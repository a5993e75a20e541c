package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// shareEvidence is the name of the evidence with the ratio of samples, from 0 to 1, that show a symptom.
const shareEvidence = "share"

// fleet finds VMs by their hosts.
type fleet struct {
	snapshot *inventory.Snapshot
	on       map[*inventory.Host][]*inventory.VM // VMs that may be running; under nil, VMs whose host is unknown
	shares   map[*Finding]float64                // of the samples that show a symptom; negative: unknown
	vms      tally[*inventory.VM]                // of the impact that is being computed
	objects  tally[inventory.Object]
}

// tally counts different elements. Many tallies are taken one after another, and share its memory.
type tally[T comparable] struct {
	seen  map[T]int // the last tally with an element
	now   int
	count int
}

// begin begins a new tally.
func (t *tally[T]) begin() {
	if t.seen == nil {
		t.seen = map[T]int{}
	}
	t.now, t.count = t.now+1, 0
}

func (t *tally[T]) add(x T) {
	if t.seen[x] != t.now {
		t.seen[x] = t.now
		t.count++
	}
}

func fleetOf(s *inventory.Snapshot) *fleet {
	f := &fleet{snapshot: s, on: map[*inventory.Host][]*inventory.VM{}, shares: map[*Finding]float64{}}
	for _, v := range s.VCenters {
		for _, vm := range v.VMs {
			if runs(vm) {
				f.on[vm.Host()] = append(f.on[vm.Host()], vm)
			}
		}
	}
	return f
}

// runs reports whether a VM may be running. VMs that are off have no impact.
func runs(vm *inventory.VM) bool {
	state, known := vm.PowerState.Value()
	template, _ := vm.Template.Value()
	return (!known || state == "poweredOn") && !template
}

// impact returns the present impact of findings. VMs of findings in around are not counted, because it is unknown how
// many of them are affected.
func (f *fleet) impact(findings []*Finding, around map[*Finding]bool) Impact {
	f.vms.begin()
	f.objects.begin()
	var out Impact
	lost, share := 0.0, 0.0
	counted, timed, reason := false, false, "no counter measures the loss"
	for _, x := range findings {
		f.objects.add(x.object)
		if !around[x] {
			for _, vm := range f.vmsOf(x.object) {
				f.vms.add(vm)
			}
		}
		switch v, state, why := x.Lost.Get(); {
		case state == inventory.StateKnown:
			lost, counted = lost+v, true
		case why != "":
			reason = why
		}
		if v := f.shareOf(x); v >= 0 {
			share, timed = max(share, v), true
		}
	}
	out.Objects, out.VMs = f.objects.count, f.vms.count
	out.Lost, out.Share = inventory.Unread[float64](reason), inventory.Absent[float64]()
	if counted {
		out.Lost = inventory.Known(lost)
	}
	if timed {
		out.Share = inventory.Known(share)
	}
	return out
}

// shareOf returns the ratio of samples that show a symptom; negative if it is unknown.
func (f *fleet) shareOf(x *Finding) float64 {
	share, known := f.shares[x]
	if known {
		return share
	}
	share = -1
	if i := slices.IndexFunc(x.Evidence, func(m Measured) bool { return m.Name == shareEvidence }); i >= 0 {
		v, _ := x.Evidence[i].Value.Value()
		if ratio, ok := v.(float64); ok {
			share = ratio
		}
	}
	f.shares[x] = share
	return share
}

// vmsOf returns the VMs that a fault of an object affects: the VM itself, or those on a host.
func (f *fleet) vmsOf(o inventory.Object) []*inventory.VM {
	switch x := mark.OwnerOf(o).(type) {
	case *inventory.VM:
		return []*inventory.VM{x}
	case *inventory.Host:
		if l, ok := o.(*inventory.LUN); ok {
			stores, _ := l.Datastores.Value()
			return f.keptOn(f.on[x], stores...)
		}
		return f.on[x]
	case *inventory.Cluster:
		return f.where(func(vm *inventory.VM) bool { return vm.Host().Cluster() == x })
	case *inventory.Pool:
		return f.where(func(vm *inventory.VM) bool {
			id, _ := vm.PoolID.Value()
			return id == x.ID && vm.VCenter() == x.VCenter()
		})
	case *inventory.Datastore:
		return f.keptOn(f.where(func(vm *inventory.VM) bool { return vm.VCenter() == x.VCenter() }), x)
	case *inventory.Switch:
		ids, _ := x.HostIDs.Value()
		return f.where(func(vm *inventory.VM) bool { return vm.VCenter() == x.VCenter() && slices.Contains(ids, vm.Host().ID) })
	case *inventory.VCenter:
		return f.where(func(vm *inventory.VM) bool { return vm.VCenter() == x })
	}
	return nil
}

// where returns the VMs of all hosts for which wanted is true.
func (f *fleet) where(wanted func(*inventory.VM) bool) []*inventory.VM {
	var all []*inventory.VM
	for _, v := range f.snapshot.VCenters {
		for _, h := range v.Hosts {
			for _, vm := range f.on[h] {
				if wanted(vm) {
					all = append(all, vm)
				}
			}
		}
	}
	return all
}

// keptOn returns the VMs with a disk on one of the datastores.
func (f *fleet) keptOn(vms []*inventory.VM, stores ...*inventory.Datastore) []*inventory.VM {
	var all []*inventory.VM
	for _, vm := range vms {
		disks, _ := vm.Disks.Value()
		if slices.ContainsFunc(disks, func(d *inventory.VDisk) bool {
			store, _ := d.Datastore.Value()
			return slices.Contains(stores, store)
		}) {
			all = append(all, vm)
		}
	}
	return all
}
