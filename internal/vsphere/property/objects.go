package property

import (
	"context"
	"errors"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// Objects reads the current properties of the given objects and of the objects that the specs lead to. Objects that the server
// does not have are skipped.
func Objects(ctx context.Context, s *session.Session, what string, from []types.ObjectSpec, paths ...types.PropertySpec) ([]*Props, error) {
	if len(from) == 0 {
		return nil, nil
	}
	r := NewReader(s)
	var order []ref
	all := map[ref]*Props{}
	err := r.Collect(ctx, &Query{What: what, From: from, Paths: paths, Page: PageOfIndex}, func(p *Props) {
		if p.NotFound() {
			return
		}
		if all[p.Ref] == nil {
			order = append(order, p.Ref)
		}
		all[p.Ref] = p
	})
	if err != nil {
		return nil, err
	}
	list := make([]*Props, len(order))
	for i, o := range order {
		list[i] = all[o]
	}
	return list, nil
}

// NotFound reports an object that the server lists but no longer has.
func (p *Props) NotFound() bool {
	for _, f := range p.Missing {
		if session.IsFault[*types.ManagedObjectNotFound](f) {
			return true
		}
	}
	return false
}

// ErrGone is the error of Object if the server no longer has the object.
var ErrGone = errors.New("the server no longer has this object")

// Object reads the current properties of one object.
func Object(ctx context.Context, s *session.Session, o ref, paths ...string) (*Props, error) {
	found, err := Objects(ctx, s, session.Plain(o.String()), []types.ObjectSpec{{Obj: o}}, types.PropertySpec{Type: QueryType(o.Type), PathSet: paths})
	switch {
	case session.IsFault[*types.ManagedObjectNotFound](session.FaultOf(err)), err == nil && len(found) == 0:
		return nil, ErrGone
	case err != nil:
		return nil, err
	}
	return found[0], nil
}

// Traverse selects the objects that a property of an object refers to, and continues from them with on.
func Traverse(of, path string, on ...types.BaseSelectionSpec) types.BaseSelectionSpec {
	return &types.TraversalSpec{Type: of, Path: path, SelectSet: on}
}
