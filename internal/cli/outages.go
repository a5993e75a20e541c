package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// outages are the VMs and hosts that a run may shut down and start again, with the leave it has.
type outages struct{ vms, hosts []string }

// add counts in what one change takes.
func (r *outages) add(t tuning.Terms, target tuning.Target, needs inventory.Activation) {
	switch needs {
	case inventory.ActivationPowerCycle, inventory.ActivationPowerOff:
		if t.PowerCycle && target.Kind == inventory.ScopeVM && !slices.Contains(r.vms, target.Name) {
			r.vms = append(r.vms, target.Name)
		}
	case inventory.ActivationHostReboot, inventory.ActivationDriverReload:
		if t.HostReboot && target.Kind == inventory.ScopeHost && !slices.Contains(r.hosts, target.Name) {
			r.hosts = append(r.hosts, target.Name)
		}
	}
}

func outagesOf(p *tuning.Plan, t tuning.Terms) outages {
	var r outages
	for _, s := range p.Steps {
		for _, c := range s.Changes {
			r.add(t, s.Target, c.Activation)
		}
	}
	return r
}

// outagesBack are those of taking a run back. What a change needs is what its plan says.
func outagesBack(run *tuning.Run, t tuning.Terms) outages {
	var r outages
	if run.Plan == nil {
		return r
	}
	for i := range run.Results {
		result := &run.Results[i]
		if !sent(result) || result.State == tuning.StateUndone && result.Waits == "" {
			continue
		}
		for _, s := range run.Plan.Steps {
			for _, c := range s.Changes {
				if s.ID == result.Step && c.Key() == result.Key() {
					r.add(t, s.Target, c.Activation)
				}
			}
		}
	}
	return r
}

// say names what may be restarted: nobody is to be surprised by it.
func (r outages) say(streams *iostreams.IO) {
	if len(r.vms) > 0 {
		fmt.Fprintln(streams.Err, iostreams.Sanitize(fmt.Sprintf("may be shut down and started again (--allow %s): %s", allowPowerCycle, strings.Join(r.vms, ", "))))
	}
	if len(r.hosts) > 0 {
		fmt.Fprintln(streams.Err, iostreams.Sanitize(fmt.Sprintf("may enter maintenance mode and restart, one after the other (--allow %s): %s", allowHostReboot, strings.Join(r.hosts, ", "))))
	}
}

// words end a question.
func (r outages) words() string {
	var all []string
	if n := len(r.vms); n > 0 {
		all = append(all, plural.Count(n, "VM"))
	}
	if n := len(r.hosts); n > 0 {
		all = append(all, plural.Count(n, "host"))
	}
	if all == nil {
		return ""
	}
	return ", restarting up to " + strings.Join(all, " and ")
}
