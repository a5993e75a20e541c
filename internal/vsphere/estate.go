package vsphere

import (
	"context"
	"errors"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Estate is the server as tuning changes it.
func (s *Session) Estate() tuning.Estate {
	return tuning.Estate{Settings: &settings{s}, Power: &power{s}, Events: &events{s}}
}

// SandboxVendor is the vendor that the about information of vperf sim names, so that nobody takes it for a real vCenter.
const SandboxVendor = "vperf sim (govmomi simulator)"

// Server says which server this is: a vCenter by the UUID of its instance, a host by that of its hardware, since hosts
// have no other that lasts.
func (s *Session) Server(ctx context.Context) (tuning.Server, error) {
	about := s.client.ServiceContent.About
	server := tuning.Server{
		Name: s.name(ctx), UUID: about.InstanceUuid, Address: s.call.host,
		Product: about.FullName, Sandbox: about.Vendor == SandboxVendor,
	}
	if s.client.IsVC() {
		return server, nil
	}
	r := s.reader()
	r.sees = []string{typeHost}
	defer r.closeView(ctx)
	q := &query{what: "the host's identity", paths: []types.PropertySpec{{Type: typeHost, PathSet: []string{pathHostUUID}}}, page: r.pages.index}
	found := inventory.Unread[string]("the server shows no host")
	if err := r.collect(ctx, q, func(p *props) { found = read(p, pathHostUUID, asText, must) }); err != nil {
		return server, err
	}
	uuid, _, reason := found.Get()
	if uuid == "" {
		return server, fmt.Errorf("reading the identity of %s: %s", s.call.host, reason)
	}
	server.UUID = uuid
	return server, nil
}

// Types of managed objects that settings hang on.
const (
	typeHost    = "HostSystem"
	typeVM      = "VirtualMachine"
	typeCluster = "ClusterComputeResource"

	pathHostUUID = "hardware.systemInfo.uuid"
)

// kinds are the managed objects that a target of a kind can be. The server knows which it is.
var kinds = map[inventory.Scope][]string{
	inventory.ScopeHost:      {typeHost},
	inventory.ScopeVM:        {typeVM},
	inventory.ScopeCluster:   {typeCluster},
	inventory.ScopePool:      {"ResourcePool", "VirtualApp"},
	inventory.ScopeSwitch:    {"VmwareDistributedVirtualSwitch", typeSwitch},
	inventory.ScopeDatastore: {typeDatastore},
}

// reader reads for somebody who wants to know no progress.
func (s *Session) reader() *reader { return &reader{Session: s, progress: func(string) {}} }

// objects reads properties of objects that are named, and of what the specs lead to, as they are now. One that the server
// does not have is left out.
func (s *Session) objects(ctx context.Context, what string, from []types.ObjectSpec, paths ...types.PropertySpec) ([]*props, error) {
	if len(from) == 0 {
		return nil, nil
	}
	r := s.reader()
	var order []ref
	all := map[ref]*props{}
	err := r.collect(ctx, &query{what: what, from: from, paths: paths, page: r.pages.index}, func(p *props) {
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

// object reads properties of one object as they are now.
func (s *Session) object(ctx context.Context, o ref, paths ...string) (*props, error) {
	found, err := s.objects(ctx, plain(o.String()), []types.ObjectSpec{{Obj: o}}, types.PropertySpec{Type: queried(o.Type), PathSet: paths})
	switch {
	case isFault[*types.ManagedObjectNotFound](faultOf(err)), err == nil && len(found) == 0:
		return nil, errGone
	case err != nil:
		return nil, err
	}
	return found[0], nil
}

// target reads properties of a target as they are now. Its id alone does not tell of which type it is; what this returns
// knows it.
func (s *Session) target(ctx context.Context, t tuning.Target, paths ...string) (*props, error) {
	for _, of := range kinds[t.Kind] {
		p, err := s.object(ctx, ref{Type: of, Value: t.ID}, paths...)
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

// along leads from an object to others, and from these on.
func along(of, path string, on ...types.BaseSelectionSpec) types.BaseSelectionSpec {
	return &types.TraversalSpec{Type: of, Path: path, SelectSet: on}
}
