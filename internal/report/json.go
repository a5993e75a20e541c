package report

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// jsonHead begins the JSON form. Its JSON Schema is audit.schema.json; fields may be added within v1, never renamed or
// removed. The lists "findings" and "unread" are between head and tail.
type jsonHead struct {
	Schema  string      `json:"schema"`
	Source  string      `json:"source"`
	TakenAt time.Time   `json:"takenAt"`
	Profile string      `json:"profile"`
	Summary jsonSummary `json:"summary"`
}

type jsonTail struct {
	Baseline *jsonBaseline `json:"baseline,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
}

type jsonBaseline struct {
	Known  int `json:"known"`
	Fixed  int `json:"fixed"`
	Unseen int `json:"unseen"`
}

type jsonSummary struct {
	Hosts         int `json:"hosts"`
	VMs           int `json:"vms"`
	Off           int `json:"off,omitempty"`
	Templates     int `json:"templates,omitempty"`
	Checks        int `json:"checks"`
	Pass          int `json:"pass"`
	Fail          int `json:"fail"`
	Unknown       int `json:"unknown"`
	NotApplicable int `json:"notApplicable"`
	Manual        int `json:"manual"`
	Waived        int `json:"waived"`
}

type jsonFinding struct {
	Rule       string         `json:"rule"`
	Title      string         `json:"title"`
	Category   string         `json:"category"`
	Severity   string         `json:"severity"`
	Profile    string         `json:"profile"`
	ProfileWhy string         `json:"profileWhy"`
	Outcome    string         `json:"outcome"`
	Reason     string         `json:"reason,omitempty"`
	Object     inventory.Ref  `json:"object"`
	Missing    []jsonUnread   `json:"missing,omitempty"`
	Evidence   map[string]any `json:"evidence"`
	Remedy     []jsonRemedy   `json:"remedy"`
	Notes      []string       `json:"notes,omitempty"`
	Docs       string         `json:"docs,omitempty"`
	Waiver     *jsonWaiver    `json:"waiver,omitempty"`
	InBaseline bool           `json:"inBaseline,omitempty"`
	Pending    string         `json:"pending,omitempty"`
	Covers     []jsonCovered  `json:"covers,omitempty"`
}

type jsonCovered struct {
	Rule   string        `json:"rule"`
	Object inventory.Ref `json:"object"`
}

type jsonRemedy struct {
	Object     inventory.Ref `json:"object"`
	Setting    string        `json:"setting"`
	From       any           `json:"from"`
	To         any           `json:"to"`
	Activation string        `json:"activation"`
	Consent    string        `json:"consent"`
}

// JSON writes the audit for programs: in a stable order, with dates instead of ages. It streams the findings, because those
// of a large fleet need more memory as text.
func JSON(w io.Writer, a Audit) error {
	r := a.Result
	j := newJSONStream(w)
	j.fields(jsonHead{
		Schema: AuditSchema, Source: a.Source, TakenAt: a.TakenAt.UTC(), Profile: a.profile(),
		Summary: jsonSummary{
			Hosts: r.Hosts, VMs: r.VMs, Off: r.Off, Templates: r.Templates, Checks: r.Checks,
			Pass: r.Counts[advice.Pass], Fail: r.Counts[advice.Fail], Unknown: r.Counts[advice.Unknown],
			NotApplicable: r.Counts[advice.NotApplicable], Manual: r.Counts[advice.Manual], Waived: r.Counts[advice.Waived],
		},
	})
	j.list("findings", len(r.Findings), func(i int) any { return findingJSON(r.Findings[i]) })
	listJSON(j, "unread", r.Unread, gapJSON)
	j.fields(jsonTail{(*jsonBaseline)(r.Baseline), r.Warnings})
	if err := j.end(); err != nil {
		return fmt.Errorf("writing the audit as JSON: %w", err)
	}
	return nil
}

func findingJSON(f *advice.Finding) jsonFinding {
	out := jsonFinding{
		Rule: f.Rule.ID, Title: f.Rule.Title, Category: string(f.Rule.Category), Severity: string(f.Severity),
		Profile: string(f.Profile), ProfileWhy: f.ProfileWhy, Outcome: string(f.Outcome), Reason: f.Reason, Object: f.Object,
		Evidence: map[string]any{}, Remedy: make([]jsonRemedy, len(f.Remedies)), Notes: f.Notes, Docs: wording.Docs(f.Rule),
		InBaseline: f.InBaseline, Pending: f.Pending,
	}
	out.Waiver = waiverJSON(f.Waiver)
	out.Covers = collect.Map(f.Covers, func(c advice.Covered) jsonCovered { return jsonCovered(c) })
	for _, g := range f.Gaps {
		out.Missing = append(out.Missing, gapJSON(g))
	}
	for _, m := range f.Measurements() {
		out.Evidence[m.Name] = evidenceJSON(m.Value)
	}
	for i, c := range f.Remedies {
		out.Remedy[i] = jsonRemedy{
			Object: c.Object, Setting: c.Setting.String(), From: factJSON(c.From), To: factJSON(c.To),
			Activation: string(c.Activation), Consent: string(c.Consent),
		}
	}
	return out
}

// evidenceJSON returns a piece of evidence as JSON. A value that is not a number, such as 0/0, is written like an unread
// fact.
func evidenceJSON(f inventory.Fact[any]) any {
	v, _ := f.Value()
	if x, has := noNumber(v); has {
		return map[string]string{"unread": fmt.Sprintf("the computed value is not a number (%v)", x)}
	}
	return factJSON(f)
}

// noNumber finds NaN or an infinity in a value or in a list.
func noNumber(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, math.IsNaN(x) || math.IsInf(x, 0)
	case []any:
		for _, one := range x {
			if f, has := noNumber(one); has {
				return f, true
			}
		}
	}
	return 0, false
}
