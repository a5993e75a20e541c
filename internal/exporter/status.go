package exporter

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
)

// Status is how a target is, for the landing page, readiness and metrics.
type Status struct {
	Name, Address string
	Up            bool   // the last round came, from all or some hosts
	Trouble       string // why it is not up, or what is missing; empty: all is well
	Since         time.Time
	Rounds        int // of samples that were asked for so far, each with what was caught up on
	Ledger        ledger.Stats
	Collectors    []CollectorStatus // by name
	Costs         map[string]session.Cost
	Logins        int
	Findings      []FindingCount // by severity, then rule; nil: not judged yet
	Judged        time.Time
	Outcomes      map[advice.Outcome]int
}

// CollectorStatus is how a part of the collection goes: performance, esxtop, inventory, and the modules of the survey.
type CollectorStatus struct {
	Name                string
	Ran                 time.Time     // last; zero: it has not yet
	Took                time.Duration // then
	Success             bool          // all that was expected came
	Err                 string
	Expected, Collected int
}

// FindingCount is how many findings of a rule have an outcome.
type FindingCount struct {
	Rule, Title string
	Severity    advice.Severity
	Outcome     advice.Outcome
	Count       int
}

// Status is how it is now.
func (t *Target) Status() Status {
	s := t.look()
	now := t.clock().Add(s.ahead)
	out := Status{
		Name: t.config.Name, Address: t.config.Address, Trouble: s.trouble, Since: s.since,
		Ledger: t.books.Stats(now), Collectors: sorted(s.collectors), Costs: s.costs(), Rounds: s.rounds,
	}
	out.Up = t.isUp(&s, now, out.Ledger.Newest)
	login := out.Costs["Login"]
	out.Logins = max(0, login.Calls-login.Failures)
	if s.survey != nil && s.survey.findings != nil && s.survey.until(t.config.SurveyEvery).After(t.clock()) {
		out.Findings, out.Judged, out.Outcomes = s.survey.findings, s.survey.judged, s.survey.outcomes
	}
	return out
}

// costs are those of all sessions that there were.
func (s *state) costs() map[string]session.Cost {
	if s.session == nil {
		return s.spent
	}
	return total(s.spent, s.session.Costs())
}

// counted counts findings by rule, severity and outcome: the worst severity first.
func counted(r *advice.Result) []FindingCount {
	type kind struct {
		rule     string
		severity advice.Severity
		outcome  advice.Outcome
	}
	at, list := map[kind]int{}, []FindingCount{}
	for i := range r.Findings {
		f := &r.Findings[i]
		k := kind{f.Rule.ID, f.Severity, f.Outcome}
		place, there := at[k]
		if !there {
			place = len(list)
			at[k] = place
			list = append(list, FindingCount{Rule: f.Rule.ID, Title: f.Rule.Title, Severity: f.Severity, Outcome: f.Outcome})
		}
		list[place].Count++
	}
	slices.SortFunc(list, func(a, b FindingCount) int {
		return cmp.Or(
			cmp.Compare(slices.Index(advice.Severities(), a.Severity), slices.Index(advice.Severities(), b.Severity)),
			strings.Compare(a.Rule, b.Rule),
			cmp.Compare(slices.Index(advice.Outcomes(), a.Outcome), slices.Index(advice.Outcomes(), b.Outcome)),
		)
	})
	return list
}
