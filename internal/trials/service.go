package trials

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// serviceOnly is the value of [trial.Outcome.Counters] of outcomes that only the Esxtop service has.
const serviceOnly = "esxtop"

// keepsNoPast is why a plan does not know the noise of an outcome.
const keepsNoPast = "measured by the Esxtop service, which keeps nothing of the past: its noise is not known before the trial. Give the trial time with --for"

// serviceHost returns the host whose Esxtop service has to be read for the outcome that decides, or "".
func serviceHost(o *trial.Outcome, units []unit) (string, error) {
	if o.Counters != serviceOnly {
		return "", nil
	}
	hosts := hostsOf(units)
	if len(hosts) != 1 {
		return "", fmt.Errorf("outcome %s cannot be measured through the PerformanceManager. The Esxtop service has it, and a trial reads that of one host only, "+
			"because it costs CPU there; these objects are on %d hosts: name one host, or another outcome with --outcome", o.ID, len(hosts))
	}
	return hosts[0], nil
}

// measurable drops the outcomes that a design cannot measure: only a switching trial with an outcome of the Esxtop service that decides
// reads that service.
func measurable(design inventory.Design, list []trial.Outcome) []trial.Outcome {
	if design.Switches() && len(list) > 0 && list[0].Counters == serviceOnly {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(o trial.Outcome) bool { return o.Counters == serviceOnly })
}

// watchable drops the guards that the Esxtop service does not have, and returns their ids. A guard of the user is not dropped silently.
func watchable(r *trial.Registration) (unwatched []string, err error) {
	r.Guards = slices.DeleteFunc(slices.Clone(r.Guards), func(g trial.Guard) bool {
		term := trial.Outcome{ID: g.ID, Cost: []trial.Term{g.Term}}
		figures, bad := term.Figures()
		missing := slices.ContainsFunc(figures, func(f trial.Figure) bool { return !esxtop.Service.Has(f.Object, f.Metric) })
		switch {
		case bad != nil:
			err = errors.Join(err, bad)
		case missing && g.Limit != nil:
			err = errors.Join(err, fmt.Errorf("guard %s cannot be watched: the Esxtop service, which the outcome %s needs, does not have it", g.ID, r.Outcome.ID))
		case missing:
			unwatched = append(unwatched, g.ID)
		}
		return missing
	})
	return unwatched, err
}

// measureGuards computes the baseline of the guards alone: the PerformanceManager's hour does not have the outcome that decides.
func measureGuards(r *trial.Registration, rounds []*esxtop.Round) (trial.Baseline, error) {
	only := *r
	only.Others = nil
	only.Outcome = trial.Outcome{ID: "host", Form: trial.Difference, Cost: []trial.Term{{Object: esxtop.Host.String(), Metric: "host.cpuUsageMHz"}}}
	b, err := only.Measure(rounds)
	for i := range b.Units {
		b.Units[i].Outcomes = make([]float64, len(r.Outcomes())) // 0: unknown
	}
	return b, err
}

// openService replaces the samples of the PerformanceManager, from which the hour before was read, by those of the Esxtop service.
func (p *Prepared) openService(ctx context.Context) error {
	host, err := serviceHost(&p.Registration.Outcome, p.units)
	if host == "" || err != nil {
		return err
	}
	samples, err := p.server.EverySampleOfEsxtop(ctx, host, p.Registration.Objects())
	if err != nil {
		return fmt.Errorf("outcome %s cannot be measured through the PerformanceManager, and the Esxtop service of its host cannot be read "+
			"(it needs the privilege Global.ServiceManagers; or connect to the host itself; or name another outcome with --outcome): %w", p.Registration.Outcome.ID, err)
	}
	p.samples.Close(ctx)
	p.samples = samples
	return nil
}

// explainService says of outcomes of the Esxtop service why nothing is known of them.
func explainService(list []trial.Prospect) {
	for i := range list {
		if list[i].Outcome.Counters == serviceOnly {
			list[i].Missing = keepsNoPast
		}
	}
}
