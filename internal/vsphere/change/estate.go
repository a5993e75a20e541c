package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// estate is the server as vperf changes it: a session, how long changes may take, and the objects that are never changed.
type estate struct {
	*session.Session
	limits    limits
	protected []namePattern
}

// newEstate is the server behind a session. Objects whose names match a pattern are never changed: * is any text, ? one
// character, and capitals do not count.
func newEstate(s *session.Session, protected ...string) *estate {
	e := &estate{Session: s, limits: defaultLimits}
	for _, text := range protected {
		e.protected = append(e.protected, newNamePattern(text))
	}
	return e
}

// Estate is the server as tuning changes it. Objects whose names match a pattern are never changed: * is any text, ? one
// character, and capitals do not count.
func Estate(s *session.Session, protected ...string) tuning.Estate {
	return newEstate(s, protected...).tuning()
}

func (s *estate) tuning() tuning.Estate {
	return tuning.Estate{Settings: &settings{s}, Power: &power{s}, Events: &events{s}}
}

// SandboxVendor is the vendor that the about information of vperf sim names, so that nobody takes it for a real vCenter.
const SandboxVendor = "vperf sim (govmomi simulator)"

// Server says which server this is: a vCenter by the UUID of its instance, a host by that of its hardware, since hosts
// have no other that lasts.
func Server(ctx context.Context, s *session.Session) (tuning.Server, error) {
	about := s.Client().ServiceContent.About
	server := tuning.Server{
		Name: s.Name(ctx), UUID: about.InstanceUuid, Address: s.Host(),
		Product: about.FullName, Sandbox: about.Vendor == SandboxVendor,
	}
	if s.Client().IsVC() {
		return server, nil
	}
	r := property.NewReader(s)
	r.Sees = []string{property.TypeHost}
	defer r.CloseView(ctx)
	q := &property.Query{What: "the host's identity", Paths: []types.PropertySpec{{Type: property.TypeHost, PathSet: []string{pathHostUUID}}}, Page: property.PageOfIndex}
	found := inventory.Unread[string]("the server shows no host")
	if err := r.Collect(ctx, q, func(p *property.Props) { found = property.Read(p, pathHostUUID, property.Text, property.Must) }); err != nil {
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
	inventory.ScopeHost:      {property.TypeHost},
	inventory.ScopeVM:        {property.TypeVM},
	inventory.ScopeCluster:   {property.TypeCluster},
	inventory.ScopePool:      {"ResourcePool", "VirtualApp"},
	inventory.ScopeSwitch:    {"VmwareDistributedVirtualSwitch", property.TypeSwitch},
	inventory.ScopeDatastore: {property.TypeDatastore},
}

// target reads properties of a target as they are now. Its id alone does not tell of which type it is; what this returns
// knows it.
func (s *estate) target(ctx context.Context, t tuning.Target, paths ...string) (*property.Props, error) {
	for _, of := range kinds[t.Kind] {
		p, err := s.object(ctx, ref{Type: of, Value: t.ID}, paths...)
		if !errors.Is(err, property.ErrGone) {
			return p, err
		}
	}
	return nil, fmt.Errorf("%s %s: %w", t.Kind, session.Plain(t.ID), property.ErrGone)
}

// manager finds one of a host's managers, such as configManager.powerSystem. A host without it has none of its settings.
func (s *estate) manager(ctx context.Context, t tuning.Target, path string) (inventory.Fact[ref], error) {
	p, err := s.target(ctx, t, path)
	if err != nil {
		return inventory.Fact[ref]{}, err
	}
	return property.Read(p, path, property.As[ref], property.None), nil
}

// objects reads properties of objects that are named, and of what the specs lead to, as they are now.
func (s *estate) objects(ctx context.Context, what string, from []types.ObjectSpec, paths ...types.PropertySpec) ([]*property.Props, error) {
	return property.Objects(ctx, s.Session, what, from, paths...)
}

// object reads properties of one object as they are now.
func (s *estate) object(ctx context.Context, o ref, paths ...string) (*property.Props, error) {
	return property.Object(ctx, s.Session, o, paths...)
}
