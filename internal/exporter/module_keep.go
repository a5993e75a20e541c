package exporter

import (
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// keep says which hosts and VMs are told of, by their ids. Without a function all are.
type keep struct{ host, vm func(moid string) bool }

// of is what is left of what was read: the same, without the hosts and VMs that nobody is told of. Counts of clusters and
// datastores stay those of all.
func (k keep) of(v *inventory.VCenter) *inventory.VCenter {
	kept := *v
	kept.Hosts = filtered(v.Hosts, k.host, func(h *inventory.Host) string { return h.ID })
	kept.VMs = filtered(v.VMs, k.vm, func(vm *inventory.VM) string { return vm.ID })
	return &kept
}

func filtered[O any](all []O, keep func(string) bool, id func(O) string) []O {
	if keep == nil {
		return all
	}
	kept := make([]O, 0, len(all))
	for _, o := range all {
		if keep(id(o)) {
			kept = append(kept, o)
		}
	}
	return kept
}

// object is advice.Options.Keep: a device is told of when what it is in is. Clusters, datastores and what else is no part of
// one host or VM always are.
func (k keep) object(r inventory.Ref) bool {
	owner, _, isDevice := strings.Cut(r.ID, "/")
	switch r.Kind {
	case inventory.ScopeVM, inventory.ScopeVNIC, inventory.ScopeVDisk:
		return k.vm == nil || k.vm(owner)
	case inventory.ScopeHost, inventory.ScopePNIC, inventory.ScopeVMKNIC, inventory.ScopeHBA, inventory.ScopeLUN:
		return k.host == nil || k.host(owner)
	case inventory.ScopeSwitch: // a standard one is a part of its host
		return !isDevice || k.host == nil || k.host(owner)
	}
	return true
}
