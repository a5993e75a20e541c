// Package evacuation checks whether a host can be taken out of service, and returns the obstacles. It changes nothing.
package evacuation

import (
	"context"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
)

const (
	pathMemory       = "hardware.memorySize"
	pathVSAN         = "config.vsanHostConfig.enabled"
	pathVSANSystem   = "configManager.vsanSystem"
	pathVSANInternal = "configManager.vsanInternalSystem"
	pathPinned       = "config.cpuAffinity.affinitySet"
	pathReserved     = "config.memoryAllocation.reservation"
	pathStores       = "datastore"
	pathShared       = "summary.multipleHostAccess"
	pathLatencyLevel = "config.latencySensitivity.level"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// evacuation holds a host that would be taken out of service and the objects around it.
type evacuation struct {
	*session.Session
	host    *property.Props
	cluster *property.Props   // nil for a standalone host
	others  []*property.Props // the other hosts of the cluster
	running []*property.Props // the VMs that run on it, except those that vSphere manages itself
	nearby  []*property.Props // the VMs of the other hosts
	local   map[ref]string
	own     condition.OwnVM
}

// look reads a host, its VMs and their datastores, its cluster and the cluster's other hosts in one pass.
func look(ctx context.Context, s *session.Session, host ref) (*evacuation, error) {
	from := []types.ObjectSpec{{Obj: host, SelectSet: []types.BaseSelectionSpec{
		property.Traverse(property.TypeHost, "vm", property.Traverse(property.TypeVM, pathStores)),
		property.Traverse(property.TypeHost, tree.PathParent, property.Traverse("ComputeResource", "host")),
	}}}
	found, err := property.Objects(ctx, s, "the host and its cluster", from,
		types.PropertySpec{Type: property.TypeHost, PathSet: []string{
			tree.PathName, tree.PathConnection, tree.PathPower, tree.PathStandby, condition.PathQuarantine, tree.PathMaintenance, tree.PathVersion, pathMemory,
			pathVSAN, pathVSANSystem, pathVSANInternal,
		}},
		types.PropertySpec{Type: property.TypeVM, PathSet: append([]string{
			tree.PathName, tree.PathPower, tree.PathTemplate, vmfacts.PathDevices, pathPinned, pathLatencyLevel, pathReserved, pathStores,
		}, condition.OwnVMPaths...)},
		types.PropertySpec{Type: property.TypeDatastore, PathSet: []string{tree.PathName, pathShared}},
		types.PropertySpec{Type: property.TypeCluster, PathSet: []string{tree.PathName, estatefacts.PathCluster}})
	if err != nil {
		return nil, err
	}
	e := &evacuation{Session: s, local: map[ref]string{}}
	for _, p := range found {
		e.sort(p, host)
	}
	if e.host == nil {
		return nil, fmt.Errorf("%s no longer has it", s.Host())
	}
	if e.own, err = condition.FindOwnVM(ctx, s); err != nil {
		return nil, err
	}
	e.nearby, err = e.vmsOfOthers(ctx)
	return e, err
}

// sort assigns an object to the field for its relation to the host.
func (e *evacuation) sort(p *property.Props, host ref) {
	switch {
	case p.Ref == host:
		e.host = p
	case p.Ref.Type == property.TypeHost:
		e.others = append(e.others, p)
	case property.IsCluster(p.Ref):
		e.cluster = p
	case p.Ref.Type == property.TypeVM && mayRun(p) && !vmfacts.IsVCLS(tree.NameOf(p)):
		e.running = append(e.running, p)
	case p.Ref.Type == property.TypeDatastore:
		if shared, known := property.Read(p, pathShared, property.Bool, property.AbsentIfUnset).Value(); known && !shared {
			e.local[p.Ref] = tree.NameOf(p)
		}
	}
}

// vmsOfOthers reads only the needed properties of the VMs on other hosts, because a cluster has many VMs.
func (e *evacuation) vmsOfOthers(ctx context.Context) ([]*property.Props, error) {
	var from []types.ObjectSpec
	for _, h := range e.usable() {
		from = append(from, types.ObjectSpec{Obj: h.Ref, Skip: new(true), SelectSet: []types.BaseSelectionSpec{property.Traverse(property.TypeHost, "vm")}})
	}
	return property.Objects(ctx, e.Session, "the reservations on the other hosts", from, types.PropertySpec{Type: property.TypeVM, PathSet: []string{
		tree.PathName, tree.PathVMHost, tree.PathPower, pathReserved,
	}})
}

// mayRun excludes VMs that are known not to run: they stay and are not in the way.
func mayRun(p *property.Props) bool {
	state, known := property.Read(p, tree.PathPower, property.Text, property.Required).Value()
	return !known || state == string(types.VirtualMachinePowerStatePoweredOn)
}

// usable returns the hosts that could take VMs.
func (e *evacuation) usable() []*property.Props {
	return slices.DeleteFunc(slices.Clone(e.others), func(h *property.Props) bool {
		in, known := property.Read(h, tree.PathMaintenance, property.Bool, property.Required).Value()
		return tree.HostUnreadReason(h) != "" || condition.HostState(h) != "" || in || !known
	})
}
