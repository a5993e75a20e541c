package change

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

func vmRef(t tuning.Target) ref      { return ref{Type: property.TypeVM, Value: t.ID} }
func targetHost(t tuning.Target) ref { return ref{Type: property.TypeHost, Value: t.ID} }

// estate is the server that vperf changes: a session, time limits, and the objects that must never be changed.
type estate struct {
	*session.Session
	limits    limits
	protected []condition.NamePattern
	known     *hostCache
}

// hostCache remembers what stays the same while a host exists, so that reading or writing a setting repeatedly takes one call.
type hostCache struct {
	mu       sync.Mutex
	managers map[string]ref                     // by host and path
	policies map[string][]types.HostPowerPolicy // that hosts offer
	lines    map[string]*hostLine               // by host
}

// hostLine is the command line of a host, which takes one command at a time.
type hostLine struct {
	sync.Mutex
	perhost.CommandLine
}

func newHostCache() *hostCache {
	return &hostCache{managers: map[string]ref{}, policies: map[string][]types.HostPowerPolicy{}, lines: map[string]*hostLine{}}
}

// line returns the command line of a host.
func (s *estate) line(t tuning.Target) *hostLine {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	l := s.known.lines[t.ID]
	if l == nil {
		l = &hostLine{CommandLine: perhost.CommandLine{Session: s.Session, Host: targetHost(t)}}
		s.known.lines[t.ID] = l
	}
	return l
}

// forget opens the command line of a host anew with the next command.
func (s *estate) forget(t tuning.Target) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	delete(s.known.lines, t.ID)
}

// newEstate returns the estate behind a session. Objects whose names match a protected pattern are never changed: * matches any
// text and ? one character; case is ignored.
func newEstate(s *session.Session, protected ...string) *estate {
	e := &estate{Session: s, limits: defaultLimits, known: newHostCache()}
	for _, text := range protected {
		e.protected = append(e.protected, condition.NewNamePattern(text))
	}
	return e
}

// target reads the current properties of a target. The id alone does not show the object's type; the returned Props have it.
func (s *estate) target(ctx context.Context, t tuning.Target, paths ...string) (*property.Props, error) {
	for _, of := range condition.Types[t.Kind] {
		p, err := s.object(ctx, ref{Type: of, Value: t.ID}, paths...)
		if !errors.Is(err, property.ErrGone) {
			return p, err
		}
	}
	return nil, fmt.Errorf("%s %s: %w", t.Kind, session.Plain(t.ID), property.ErrGone)
}

// manager finds one of a host's managers, such as configManager.powerSystem. A host without the manager has none of its settings.
func (s *estate) manager(ctx context.Context, t tuning.Target, path string) (inventory.Fact[ref], error) {
	key := t.Key() + " " + path
	s.known.mu.Lock()
	known, found := s.known.managers[key]
	s.known.mu.Unlock()
	if found {
		return inventory.Known(known), nil
	}
	p, err := s.target(ctx, t, path)
	if err != nil {
		return inventory.Fact[ref]{}, err
	}
	manager := property.Read(p, path, property.As[ref], property.AbsentIfUnset)
	if m, ok := manager.Value(); ok {
		s.known.mu.Lock()
		s.known.managers[key] = m
		s.known.mu.Unlock()
	}
	return manager, nil
}

// objects reads the current properties of the given objects and of the objects that the specs lead to.
func (s *estate) objects(ctx context.Context, what string, from []types.ObjectSpec, paths ...types.PropertySpec) ([]*property.Props, error) {
	return property.Objects(ctx, s.Session, what, from, paths...)
}

// object reads the current properties of one object.
func (s *estate) object(ctx context.Context, o ref, paths ...string) (*property.Props, error) {
	return property.Object(ctx, s.Session, o, paths...)
}

// limits holds the time limits of slow operations.
type limits struct {
	poll     time.Duration // between two polls, after the first quick ones
	change   time.Duration // for a task that changes settings; vperf's tasks take a second or two
	shutDown time.Duration // for a guest to shut down
	powerOn  time.Duration
	enter    time.Duration // for a host to be evacuated
	exit     time.Duration
	reboot   time.Duration // for a host to come back
	cancel   time.Duration // for a cancelled task to end
	prove    time.Duration // for the effect of a task to become visible
}

var defaultLimits = limits{
	poll: 2 * time.Second, change: 2 * time.Minute, shutDown: 5 * time.Minute, powerOn: 5 * time.Minute, enter: time.Hour, exit: 10 * time.Minute,
	reboot: 30 * time.Minute, cancel: 2 * time.Minute, prove: time.Minute,
}
