package trials

import (
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// unit is what one coin is thrown for, with the steps of the plan that are switched for it.
type unit struct {
	trial.Unit

	steps []int // by tuning.Step.ID
}

// unitsOf groups the steps of a plan by the kind of object that is switched as one. A LUN is one unit with all its hosts, because the
// queue of one host changes the latency of the others.
func unitsOf(p *tuning.Plan, s *inventory.Snapshot, as inventory.Scope) ([]unit, error) {
	var units []unit
	for i := range p.Steps {
		found, err := unitOf(&p.Steps[i], s, as)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(units, func(u unit) bool { return u.ID == found.ID })
		if at < 0 {
			units = append(units, found)
			continue
		}
		units[at].steps = append(units[at].steps, found.steps...)
		units[at].Hosts = union(units[at].Hosts, found.Hosts)
	}
	return units, nil
}

func unitOf(step *tuning.Step, s *inventory.Snapshot, as inventory.Scope) (unit, error) {
	t := step.Target
	u := unit{Unit: trial.Unit{Kind: as, ID: t.ID, Name: t.Name}, steps: []int{step.ID}}
	switch as {
	case inventory.ScopeHost:
		u.Hosts = []string{t.ID}
	case inventory.ScopeVM:
		u.Hosts = []string{step.Host}
	case inventory.ScopeLUN:
		device := deviceOf(step)
		if device == "" {
			return u, fmt.Errorf("%s has changes for several LUNs; make a trial of each alone", t.Name)
		}
		u.ID, u.Name, u.Hosts = device, device, []string{t.ID}
	case inventory.ScopeCluster:
		if t.Kind != inventory.ScopeCluster && step.Cluster == "" { // a standalone host is alone with its storage
			u.Hosts = []string{t.ID}
			break
		}
		return clusterUnit(u, step, s)
	case inventory.ScopePool:
		of, err := clusterUnit(u, step, s)
		u.Hosts = of.Hosts
		return u, err
	case inventory.ScopeSwitch:
		u.Hosts = hostsOfSwitch(s, t.ID)
	default:
		return u, fmt.Errorf("a trial of %s %s is not possible: it can be made of hosts, VMs, LUNs, pools, clusters and distributed switches", as, t.Name)
	}
	if len(u.Hosts) == 0 || u.Hosts[0] == "" {
		return u, fmt.Errorf("a trial of %s is not possible: it is not known which hosts it is on", t.Name)
	}
	return u, nil
}

// deviceOf returns the device whose settings a step changes, if it is one.
func deviceOf(step *tuning.Step) string {
	device := step.Changes[0].Device
	for _, c := range step.Changes {
		if c.Device != device {
			return ""
		}
	}
	return device
}

// clusterUnit completes a unit that acts on all hosts of a cluster.
func clusterUnit(u unit, step *tuning.Step, s *inventory.Snapshot) (unit, error) {
	id := step.Cluster
	if step.Target.Kind == inventory.ScopeCluster {
		id = step.Target.ID
	}
	for _, v := range s.VCenters {
		for _, c := range v.Clusters {
			if hosts, known := c.HostIDs.Value(); c.ID == id && known && len(hosts) > 0 {
				u.ID, u.Name, u.Hosts = c.ID, c.Name, hosts
				return u, nil
			}
		}
	}
	return u, fmt.Errorf("a trial of %s %s is not possible: the hosts of its cluster were not read", step.Target.Kind, step.Target.Name)
}

// hostsOfSwitch returns the ids of the hosts that are on a distributed switch.
func hostsOfSwitch(s *inventory.Snapshot, id string) []string {
	for _, v := range s.VCenters {
		for _, w := range v.Switches {
			if hosts, known := w.HostIDs.Value(); w.ID == id && known {
				return hosts
			}
		}
	}
	return nil
}

func union(a, b []string) []string {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// hostsOf returns the ids of the hosts of units, each once.
func hostsOf(units []unit) []string {
	var ids []string
	for _, u := range units {
		ids = union(ids, u.Hosts)
	}
	return ids
}

// plainUnits returns the units as pkg/trial knows them.
func plainUnits(units []unit) []trial.Unit {
	all := make([]trial.Unit, len(units))
	for i, u := range units {
		all[i] = u.Unit
	}
	return all
}
