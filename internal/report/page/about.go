package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// about holds the notes on how to read the page, and how it was made.
type about struct {
	Gist       string
	Version    string
	Source     string
	When       string
	Rules      []usedRule
	Severities []meaning
	Outcomes   []named
	Metrics    []named
}

type usedRule struct {
	ID, Title, Category, Scope, Checked, Failed, Sources string
}

type meaning struct {
	mark
	Text string
}

func (s *show) about() about {
	out := about{
		Version: clean(s.Version), Source: clean(s.Source), When: moment(s.TakenAt),
		Severities: []meaning{
			{markOf(advice.Critical), "a data path may fail"},
			{markOf(advice.High), "a measured loss of tens of percent, or a feature that fails silently"},
			{markOf(advice.Medium), "noticeable for the object's workload"},
			{markOf(advice.Low), "hygiene"},
			{markOf(advice.Info), "worth knowing"},
		},
		Outcomes: []named{
			{"passed", "checked, and as recommended"},
			{"unknown", "a fact was not read; neither good nor bad"},
			{"need manual review", "no API reports it"},
			{"waived", "accepted for a time"},
			{"not applicable", "the rule does not apply to the object"},
		},
	}
	failed := map[string]int{}
	for _, f := range s.failing() {
		failed[f.Rule.ID]++
	}
	for id, r := range s.rules {
		c := s.Result.Rules[id]
		if c == nil || c.Checked == 0 {
			continue
		}
		out.Rules = append(out.Rules, usedRule{
			ID: clean(id), Title: prose(r.Title), Category: clean(string(r.Category)), Scope: wording.PageKind(r.Scope),
			Checked: whole(c.Checked - c.Skipped), Failed: whole(failed[id]), Sources: prose(strings.Join(r.Sources, "; ")),
		})
	}
	out.Gist = "severities, outcomes and " + counted(len(out.Rules), "rule")
	slices.SortStableFunc(out.Rules, func(a, b usedRule) int {
		return cmp.Or(strings.Compare(a.Category, b.Category), strings.Compare(a.ID, b.ID))
	})
	return out
}
