package simfleet

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/simulator"
)

// UnknownHostError reports a host that is not in the fleet.
type UnknownHostError struct{ Name string }

func (e *UnknownHostError) Error() string { return fmt.Sprintf("the fleet has no host %q", e.Name) }

// CrashHost stops a host without a warning and starts it again. Options, module options and the power policy that were set within
// the last hour revert to their previous values; older changes are kept. Module options that waited for a restart are applied.
// The VMs run again as before, and all statistics start anew.
func (f *Fleet) CrashHost(name string) error {
	b := f.vcenter().built
	e := b.hostNamed(name)
	if e == nil {
		return &UnknownHostError{name}
	}
	e.Crash(&simulator.Context{Context: context.Background(), Map: b.ctx.Map})
	b.loads.History.Restart(e.System.Self.Value)
	return nil
}

// Happen makes an incident happen now, whatever its time.
func (f *Fleet) Happen(kind IncidentKind, host string) error {
	s := f.vcenter()
	e := s.built.hostNamed(host)
	if e == nil {
		return &UnknownHostError{host}
	}
	s.timetable.happen(&simulator.Context{Context: context.Background(), Map: s.built.ctx.Map}, kind, e)
	return nil
}
