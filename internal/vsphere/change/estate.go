package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

func vmRef(t tuning.Target) ref      { return ref{Type: property.TypeVM, Value: t.ID} }
func targetHost(t tuning.Target) ref { return ref{Type: property.TypeHost, Value: t.ID} }

// estate is the server as vperf changes it: a session, how long changes may take, and the objects that are never changed.
type estate struct {
	*session.Session
	limits    limits
	protected []condition.NamePattern
}

// newEstate is the server behind a session. Objects whose names match a pattern are never changed: * is any text, ? one
// character, and capitals do not count.
func newEstate(s *session.Session, protected ...string) *estate {
	e := &estate{Session: s, limits: defaultLimits}
	for _, text := range protected {
		e.protected = append(e.protected, condition.NewNamePattern(text))
	}
	return e
}

// target reads properties of a target as they are now. Its id alone does not tell of which type it is; what this returns
// knows it.
func (s *estate) target(ctx context.Context, t tuning.Target, paths ...string) (*property.Props, error) {
	for _, of := range condition.Types[t.Kind] {
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

// limits bound what takes long.
type limits struct {
	poll     time.Duration // between two looks, once it has taken a while
	change   time.Duration // for a task that changes settings: those of vperf take a second or two
	shutDown time.Duration // for a guest to shut down
	powerOn  time.Duration
	enter    time.Duration // for a host to be evacuated
	exit     time.Duration
	reboot   time.Duration // for a host to come back
	cancel   time.Duration // for a task that was cancelled to end
	prove    time.Duration // for what a task has done to be seen
}

var defaultLimits = limits{
	poll: 2 * time.Second, change: 2 * time.Minute, shutDown: 5 * time.Minute, powerOn: 5 * time.Minute, enter: time.Hour, exit: 10 * time.Minute,
	reboot: 30 * time.Minute, cancel: 2 * time.Minute, prove: time.Minute,
}
