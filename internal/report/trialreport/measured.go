package trialreport

import (
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/trials"
)

// MeasuredHere returns what a trial found, for advice about its rule.
func MeasuredHere(t *trials.Recorded) view.MeasuredHere {
	m := view.MeasuredHere{
		Rule: t.Registration.Rule, Units: []string{}, Verdict: string(t.Result.Verdict), Text: Sentence(t.Registration, t.Result), Simulated: t.Conditions.Simulated,
	}
	for _, u := range t.Registration.Units {
		m.Units = append(m.Units, u.Name)
	}
	if text := alarm(t.Result); text != "" {
		m.Text = text + " " + m.Text
	}
	if t.Run != nil {
		m.Run, m.Date, m.Server = t.Run.ID, t.Run.Began, t.Run.Server.Name
	}
	return m
}
