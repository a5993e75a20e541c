package simfleet

import (
	"context"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/simulator"
)

// UnknownHostError reports a host that is not in the fleet.
type UnknownHostError struct{ Name string }

func (e *UnknownHostError) Error() string { return fmt.Sprintf("the fleet has no host %q", e.Name) }

// CrashHost stops a host without a warning and starts it again. Options, module options and the power policy that were set within
// the last hour revert to their previous values; older changes are kept. Module options that waited for a restart are applied.
// The VMs run again as before, and all statistics start anew.
func (f *Fleet) CrashHost(name string) error {
	for _, s := range f.servers {
		for _, e := range s.built.hostOrder {
			if e.Row.Name == name || e.Row.Short() == name {
				e.Crash(&simulator.Context{Context: context.Background(), Map: s.built.ctx.Map})
				s.built.loads.History.Restart(e.System.Self.Value)
				return nil
			}
		}
	}
	return &UnknownHostError{name}
}

// NoProfileError reports a cluster without a configuration profile.
type NoProfileError struct{ Cluster string }

func (e *NoProfileError) Error() string {
	return fmt.Sprintf("no configuration profile owns the hosts of cluster %q", e.Cluster)
}

// Remediate applies a cluster's configuration profile: it resets all options of the hosts to their values at the start of the
// fleet.
func (f *Fleet) Remediate(cluster string) error {
	if !slices.Contains(f.ProfileClusters(), cluster) {
		return &NoProfileError{cluster}
	}
	built := f.vcenter().built
	for _, e := range built.hostOrder {
		if e.Row.Cluster == cluster {
			e.Remediate(&simulator.Context{Context: context.Background(), Map: built.ctx.Map})
		}
	}
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

// RaiseAlarm turns an alarm red on a host of the vCenter.
func (f *Fleet) RaiseAlarm(host, name string) error {
	b := f.vcenter().built
	for _, e := range b.hostOrder {
		if e.Row.Name == host || e.Row.Short() == host {
			b.raise(e, name, b.cfg.Now())
			return nil
		}
	}
	return &UnknownHostError{host}
}
