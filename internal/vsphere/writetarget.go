package vsphere

import (
	"context"
	"errors"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// targetTypes are what a target can be on the server. Its id alone does not tell.
var targetTypes = map[inventory.Scope][]string{
	inventory.ScopeHost:      {"HostSystem"},
	inventory.ScopeCluster:   {"ClusterComputeResource"},
	inventory.ScopePool:      {"ResourcePool", "VirtualApp"},
	inventory.ScopeSwitch:    {"VmwareDistributedVirtualSwitch", typeSwitch},
	inventory.ScopeDatastore: {typeDatastore},
}

var errGone = errors.New("the server has no such object any more")

// target reads some properties of a target as they are now; what it returns knows the object's own type.
func (s *Session) target(ctx context.Context, t tuning.Target, paths ...string) (*props, error) {
	for _, kind := range targetTypes[t.Kind] {
		p, err := s.properties(ctx, ref{Type: kind, Value: t.ID}, paths...)
		if !errors.Is(err, errGone) {
			return p, err
		}
	}
	return nil, fmt.Errorf("%s %s: %w", t.Kind, plain(t.ID), errGone)
}

// manager finds one of a host's managers, such as configManager.powerSystem. A host without it has none of its settings.
func (s *Session) manager(ctx context.Context, t tuning.Target, path string) (inventory.Fact[ref], error) {
	p, err := s.target(ctx, t, path)
	if err != nil {
		return inventory.Fact[ref]{}, err
	}
	return read(p, path, asIs[ref], none), nil
}

// properties reads some properties of one object as they are now.
func (s *Session) properties(ctx context.Context, object ref, paths ...string) (*props, error) {
	var found *props
	err := s.each(ctx, []ref{object}, func(p *props) { found = p }, paths...)
	if isFault[*types.ManagedObjectNotFound](faultOf(err)) || err == nil && found == nil {
		err = errGone
	}
	return found, err
}

// each reads some properties of objects of one type. One that is gone is left out.
func (s *Session) each(ctx context.Context, objects []ref, do func(*props), paths ...string) error {
	kind := objects[0].Type
	q := &query{what: kind, paths: []types.PropertySpec{{Type: queried(kind), PathSet: paths}}, page: s.pages.index}
	for _, o := range objects {
		q.from = append(q.from, types.ObjectSpec{Obj: o})
	}
	r := &reader{Session: s, progress: func(string) {}}
	return r.collect(ctx, q, func(p *props) {
		if !p.gone() {
			do(p)
		}
	})
}

// gone reports an object that the server lists and does not have.
func (p *props) gone() bool {
	for _, f := range p.missing {
		if isFault[*types.ManagedObjectNotFound](f) {
			return true
		}
	}
	return false
}
