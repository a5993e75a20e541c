package remedy

import (
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// estate finds the objects of changes in a snapshot.
type estate struct {
	hosts map[key]*inventory.Host
	vms   map[key]*inventory.VM
}

// key is an object's id and its server.
type key struct{ vcenter, id string }

func newEstate(s *inventory.Snapshot) *estate {
	e := &estate{map[key]*inventory.Host{}, map[key]*inventory.VM{}}
	for _, v := range s.VCenters {
		for _, h := range v.Hosts {
			e.hosts[key{v.Name, h.ID}] = h
		}
		for _, vm := range v.VMs {
			e.vms[key{v.Name, vm.ID}] = vm
		}
	}
	return e
}

// place returns the managed object that carries a setting, and the setting's address there: a rule changes a NIC's
// option, but the host has one for all ports of a driver; it changes a key of a virtual NIC, but the VM's file numbers
// its NICs. astray says why there is no such place.
func (e *estate) place(c advice.Change) (t tuning.Target, a tuning.Address, problem string) {
	a.Setting = c.Setting.String()
	switch c.Setting.Kind.Scope {
	case inventory.ScopeVNIC:
		return e.vnicPlace(c, a)
	case inventory.ScopeVDisk:
		return e.vdiskPlace(c, a)
	case inventory.ScopePNIC:
		return e.pnicPlace(c, a)
	case inventory.ScopeLUN, inventory.ScopeHBA, inventory.ScopeVMKNIC:
		h := e.hosts[ownerOf(c.Object)]
		if h == nil {
			return targetOf(c.Object), a, "its host was not read"
		}
		a.Device = strings.TrimPrefix(c.Object.ID, h.ID+"/")
		return targetOf(h.Ref()), a, ""
	}
	return targetOf(c.Object), a, ""
}

func targetOf(r inventory.Ref) tuning.Target {
	return tuning.Target{Kind: r.Kind, ID: r.ID, Name: r.Name, Path: r.Path}
}

// ownerOf returns the host or VM of a device: the ids of devices begin with it.
func ownerOf(r inventory.Ref) key {
	id, _, _ := strings.Cut(r.ID, "/")
	return key{r.VCenter, id}
}

func (e *estate) vnicPlace(c advice.Change, a tuning.Address) (tuning.Target, tuning.Address, string) {
	t, n, problem := ofVM(e, c, func(vm *inventory.VM) inventory.Fact[[]*inventory.VNIC] { return vm.VNICs })
	if n == nil {
		return t, a, problem
	}
	a.Setting, a.Label = c.Setting.OfVM(n).String(), n.Label
	return t, a, ""
}

func (e *estate) vdiskPlace(c advice.Change, a tuning.Address) (tuning.Target, tuning.Address, string) {
	t, d, problem := ofVM(e, c, func(vm *inventory.VM) inventory.Fact[[]*inventory.VDisk] { return vm.Disks })
	if d == nil {
		return t, a, problem
	}
	a.Device, a.Label = strconv.Itoa(int(d.Key)), d.Label
	return t, a, ""
}

// ofVM returns the VM that has the device of a change, and the device. astray says why there is none; the target is
// then the device itself if the VM was not read either.
func ofVM[T interface {
	comparable
	inventory.Object
}](e *estate, c advice.Change, list func(*inventory.VM) inventory.Fact[[]T]) (t tuning.Target, found T, problem string) {
	vm := e.vms[ownerOf(c.Object)]
	if vm == nil {
		return targetOf(c.Object), found, "its VM was not read"
	}
	found, problem = device(list(vm), c.Object)
	return targetOf(vm.Ref()), found, problem
}

func (e *estate) pnicPlace(c advice.Change, a tuning.Address) (tuning.Target, tuning.Address, string) {
	h := e.hosts[ownerOf(c.Object)]
	if h == nil {
		return targetOf(c.Object), a, "its host was not read"
	}
	n, problem := device(h.PNICs, c.Object)
	if n == nil {
		return targetOf(h.Ref()), a, problem
	}
	if c.Setting.Kind.Name != inventory.KindDriverOptions {
		a.Device = n.Device
		return targetOf(h.Ref()), a, ""
	}
	module, known := n.Driver.Value()
	if !known || module == "" {
		return targetOf(h.Ref()), a, "the driver of " + n.Device + " is not known"
	}
	a.Device = module
	return targetOf(h.Ref()), a, ""
}

// device returns the device with a name in a list. Names of devices are untrusted texts: if two have the name, it
// returns none.
func device[T interface {
	comparable
	inventory.Object
}](list inventory.Fact[[]T], r inventory.Ref) (found T, problem string) {
	var none T
	all, _ := list.Value()
	for _, d := range all {
		if d.Ref() != r {
			continue
		}
		if found != none {
			return none, "two devices of the " + string(r.Kind) + " kind are called " + r.Name
		}
		found = d
	}
	if found == none {
		return none, "the device was not read"
	}
	return found, ""
}
