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
	Trouble       string // why it is not up, or what is missing; empty: no problem
	Since         time.Time
	Rounds        int // rounds requested so far, including catching up
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

// counted counts findings by rule, severity and outcome: the worst severity first.
func counted(r *advice.Result) []FindingCount {
	type kind struct {
		rule     string
		severity advice.Severity
		outcome  advice.Outcome
	}
	at, list := map[kind]int{}, []FindingCount{}
	for _, f := range r.Findings {
		k := kind{f.Rule.ID, f.Severity, f.Outcome}
		place, there := at[k]
		if !there {
			place = len(list)
			at[k] = place
			list = append(list, FindingCount{Rule: f.Rule.ID, Title: f.Rule.Title, Severity: f.Severity, Outcome: f.Outcome})
		}
		list[place].Count++
	}
	slices.SortStableFunc(list, func(a, b FindingCount) int {
		return cmp.Or(
			cmp.Compare(slices.Index(advice.Severities(), a.Severity), slices.Index(advice.Severities(), b.Severity)),
			strings.Compare(a.Rule, b.Rule),
			cmp.Compare(slices.Index(advice.Outcomes(), a.Outcome), slices.Index(advice.Outcomes(), b.Outcome)),
		)
	})
	return list
}
