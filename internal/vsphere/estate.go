package vsphere

import (
	"context"
	"errors"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// estate is the server as vperf changes it: a session, how long changes may take, and the objects that are never changed.
type estate struct {
	*Session
	limits    limits
	protected []namePattern
}

// newEstate is the server behind a session. Objects whose names match a pattern are never changed: * is any text, ? one
// character, and capitals do not count.
func newEstate(s *Session, protected ...string) *estate {
	e := &estate{Session: s, limits: defaultLimits}
	for _, text := range protected {
		e.protected = append(e.protected, newNamePattern(text))
	}
	return e
}

// Estate is the server as tuning changes it. Objects whose names match a pattern are never changed: * is any text, ? one
// character, and capitals do not count.
func Estate(s *Session, protected ...string) tuning.Estate {
	return newEstate(s, protected...).tuning()
}

func (s *estate) tuning() tuning.Estate {
	return tuning.Estate{Settings: &settings{s}, Power: &power{s}, Events: &events{s}}
}

// SandboxVendor is the vendor that the about information of vperf sim names, so that nobody takes it for a real vCenter.
const SandboxVendor = "vperf sim (govmomi simulator)"

// Server says which server this is: a vCenter by the UUID of its instance, a host by that of its hardware, since hosts
// have no other that lasts.
func Server(ctx context.Context, s *Session) (tuning.Server, error) {
	about := s.Client().ServiceContent.About
	server := tuning.Server{
		Name: s.Name(ctx), UUID: about.InstanceUuid, Address: s.Host(),
		Product: about.FullName, Sandbox: about.Vendor == SandboxVendor,
	}
	if s.Client().IsVC() {
		return server, nil
	}
	r := newReader(s)
	r.sees = []string{typeHost}
	defer r.closeView(ctx)
	q := &query{what: "the host's identity", paths: []types.PropertySpec{{Type: typeHost, PathSet: []string{pathHostUUID}}}, page: pageOfIndex}
	found := inventory.Unread[string]("the server shows no host")
	if err := r.collect(ctx, q, func(p *props) { found = read(p, pathHostUUID, asText, must) }); err != nil {
		return server, err
	}
	uuid, _, reason := found.Get()
	if uuid == "" {
		return server, fmt.Errorf("reading the identity of %s: %s", s.Host(), reason)
	}
	server.UUID = uuid
	return server, nil
}

// kinds are the managed objects that a target of a kind can be. The server knows which it is.
var kinds = map[inventory.Scope][]string{
	inventory.ScopeHost:      {typeHost},
	inventory.ScopeVM:        {typeVM},
	inventory.ScopeCluster:   {typeCluster},
	inventory.ScopePool:      {"ResourcePool", "VirtualApp"},
	inventory.ScopeSwitch:    {"VmwareDistributedVirtualSwitch", typeSwitch},
	inventory.ScopeDatastore: {typeDatastore},
}

// target reads properties of a target as they are now. Its id alone does not tell of which type it is; what this returns
// knows it.
func (s *estate) target(ctx context.Context, t tuning.Target, paths ...string) (*props, error) {
	for _, of := range kinds[t.Kind] {
		p, err := s.object(ctx, ref{Type: of, Value: t.ID}, paths...)
		if !errors.Is(err, errGone) {
			return p, err
		}
	}
	return nil, fmt.Errorf("%s %s: %w", t.Kind, plain(t.ID), errGone)
}

// manager finds one of a host's managers, such as configManager.powerSystem. A host without it has none of its settings.
func (s *estate) manager(ctx context.Context, t tuning.Target, path string) (inventory.Fact[ref], error) {
	p, err := s.target(ctx, t, path)
	if err != nil {
		return inventory.Fact[ref]{}, err
	}
	return read(p, path, asIs[ref], none), nil
}

// objects reads properties of objects that are named, and of what the specs lead to, as they are now.
func (s *estate) objects(ctx context.Context, what string, from []types.ObjectSpec, paths ...types.PropertySpec) ([]*props, error) {
	return objectsOf(ctx, s.Session, what, from, paths...)
}

// object reads properties of one object as they are now.
func (s *estate) object(ctx context.Context, o ref, paths ...string) (*props, error) {
	return objectOf(ctx, s.Session, o, paths...)
}
