package simfleet

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/simulator"
)

// UnknownHostError reports a host that is not in the fleet.
type UnknownHostError struct{ Name string }

func (e *UnknownHostError) Error() string { return fmt.Sprintf("the fleet has no host %q", e.Name) }

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
