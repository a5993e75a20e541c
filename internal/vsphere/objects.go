package vsphere

import (
	"context"
	"errors"
	"slices"

	"github.com/vmware/govmomi/vim25/types"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// Types of managed objects.
const (
	typeHost      = "HostSystem"
	typeVM        = "VirtualMachine"
	typeCluster   = "ClusterComputeResource"
	typeDatastore = "Datastore"
	typeSwitch    = "DistributedVirtualSwitch" // of any maker
)

func isPool(r ref) bool    { return r.Type == "ResourcePool" || r.Type == "VirtualApp" }
func isSwitch(r ref) bool  { return queried(r.Type) == typeSwitch }
func isCluster(r ref) bool { return r.Type == "ClusterComputeResource" }
func isCompute(r ref) bool { return r.Type == "ComputeResource" || isCluster(r) }

// newReader reads for a caller that wants no progress.
func newReader(s *Session) *reader {
	return &reader{Session: s, progress: func(string) {}, sees: slices.Clone(viewTypes)}
}

// objectsOf reads properties of objects that are named, and of what the specs lead to, as they are now. One that the server
// does not have is left out.
func objectsOf(ctx context.Context, s *Session, what string, from []types.ObjectSpec, paths ...types.PropertySpec) ([]*props, error) {
	if len(from) == 0 {
		return nil, nil
	}
	r := newReader(s)
	var order []ref
	all := map[ref]*props{}
	err := r.collect(ctx, &query{what: what, from: from, paths: paths, page: pageOfIndex}, func(p *props) {
		if p.missed() {
			return
		}
		if all[p.ref] == nil {
			order = append(order, p.ref)
		}
		all[p.ref] = p
	})
	if err != nil {
		return nil, err
	}
	list := make([]*props, len(order))
	for i, o := range order {
		list[i] = all[o]
	}
	return list, nil
}

// missed reports an object that the server lists and does not have.
func (p *props) missed() bool {
	for _, f := range p.missing {
		if isFault[*types.ManagedObjectNotFound](f) {
			return true
		}
	}
	return false
}

var errGone = errors.New("the server has no such object any more")

// objectOf reads properties of one object as they are now.
func objectOf(ctx context.Context, s *Session, o ref, paths ...string) (*props, error) {
	found, err := objectsOf(ctx, s, plain(o.String()), []types.ObjectSpec{{Obj: o}}, types.PropertySpec{Type: queried(o.Type), PathSet: paths})
	switch {
	case isFault[*types.ManagedObjectNotFound](faultOf(err)), err == nil && len(found) == 0:
		return nil, errGone
	case err != nil:
		return nil, err
	}
	return found[0], nil
}

// along leads from an object to others, and from these on.
func along(of, path string, on ...types.BaseSelectionSpec) types.BaseSelectionSpec {
	return &types.TraversalSpec{Type: of, Path: path, SelectSet: on}
}
