package simfleet

import (
	"context"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/simulator"
)

// UnknownHostError is a host that the fleet has not.
type UnknownHostError struct{ Name string }

func (e *UnknownHostError) Error() string { return fmt.Sprintf("the fleet has no host %q", e.Name) }

// CrashHost has a host stop without a warning and start again. Options, module options and the power policy that were
// set within the last hour are what they were before, and nothing older is lost. Modules run with their options, which
// waited for a start. The VMs run again as they were, and the statistics of all begin anew.
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

// NoProfileError is a cluster whose hosts no profile owns.
type NoProfileError struct{ Cluster string }

func (e *NoProfileError) Error() string {
	return fmt.Sprintf("no configuration profile owns the hosts of cluster %q", e.Cluster)
}

// Remediate has a cluster's configuration profile applied: all options of its hosts are as the profile has them, which
// is how they were when the fleet started.
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

// RaiseAlarm has an alarm of that name turn red on a host of the vCenter.
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
