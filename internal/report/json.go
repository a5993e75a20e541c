package report

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// The JSON form of an audit. Its JSON Schema is docs/schema/vperf.audit-v2.schema.json; fields may be added within v2, never renamed or
// removed.

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

// jsonGroup holds the findings of one rule with the same outcome and severity: what they have in common once, and a row for each object.
type jsonGroup struct {
	Rule     string          `json:"rule"`
	Title    string          `json:"title"`
	Category advice.Category `json:"category"`
	Outcome  advice.Outcome  `json:"outcome"`
	Severity advice.Severity `json:"severity"`
	Count    int             `json:"count"` // of objects
	jsonCommon

	Why      string    `json:"why,omitempty"`
	Tradeoff string    `json:"tradeoff,omitempty"`
	Sources  []string  `json:"sources,omitempty"`
	Docs     string    `json:"docs,omitempty"`
	Objects  []jsonRow `json:"objects"`
}

// jsonCommon are the fields that the objects of a group often have in common. Then the group has them, and its rows do not.
type jsonCommon struct {
	Profile    advice.Profile `json:"profile,omitempty"`
	ProfileWhy string         `json:"profileWhy,omitempty"`
	Reason     string         `json:"reason,omitempty"`
	Missing    []jsonMissing  `json:"missing,omitempty"`
	Notes      []string       `json:"notes,omitempty"`
	Waiver     *advice.Waiver `json:"waiver,omitempty"`
	Pending    string         `json:"pending,omitempty"`
}

// jsonRow is an object with a finding.
type jsonRow struct {
	Object inventory.Ref `json:"object"`
	jsonCommon

	Evidence   map[string]any   `json:"evidence,omitempty"`
	Counters   []jsonCounter    `json:"counters,omitempty"` // of a symptom: the counters that its rule evaluated
	Lost       any              `json:"lostPerSecond,omitempty"`
	Cause      *inventory.Ref   `json:"cause,omitempty"`   // of a diagnosis: the object with the cause, if it is another
	Against    []jsonAgainst    `json:"against,omitempty"` // of a diagnosis that is ruled out
	Remedy     []jsonRemedy     `json:"remedy,omitempty"`
	InBaseline bool             `json:"inBaseline,omitempty"`
	Covers     []advice.Covered `json:"covers,omitempty"`
}

// jsonMissing is a fact that an unknown outcome needs.
type jsonMissing struct {
	Object *inventory.Ref `json:"object,omitempty"` // nil: the object of the finding
	Fact   string         `json:"fact"`
	Reason string         `json:"reason"`
}

type jsonRemedy struct {
	Object     *inventory.Ref       `json:"object,omitempty"` // nil: the object of the finding
	Setting    string               `json:"setting"`
	From       any                  `json:"from"`
	To         any                  `json:"to"`
	Activation inventory.Activation `json:"activation"`
	Consent    advice.Consent       `json:"consent"`
}

// JSON writes the audit for programs: in a stable order, with dates instead of ages. It has an entry for each rule, outcome and severity.
func JSON(w io.Writer, a Audit) error {
	r := a.Result
	j := newJSONStream(w)
	j.field("schema", AuditSchema)
	j.field("source", a.Source)
	j.field("takenAt", a.TakenAt.UTC())
	j.field("profile", a.profile())
	j.field("summary", jsonSummary{
		Hosts: r.Hosts, VMs: r.VMs, Off: r.Off, Templates: r.Templates, Checks: r.Checks,
		Pass: r.Counts[advice.Pass], Fail: r.Counts[advice.Fail], Unknown: r.Counts[advice.Unknown],
		NotApplicable: r.Counts[advice.NotApplicable], Manual: r.Counts[advice.Manual], Waived: r.Counts[advice.Waived],
	})
	j.field("rules", r.Rules)
	formedJSON(j, "findings", levelsOfGroup, a.groups(), groupJSON)
	listJSON(j, "unread", levelsOfGroup, unreadJSON(r.Unread))
	if r.Baseline != nil {
		j.field("baseline", r.Baseline)
	}
	if len(r.Warnings) > 0 {
		j.field("warnings", r.Warnings)
	}
	if err := j.end(); err != nil {
		return fmt.Errorf("writing the audit as JSON: %w", err)
	}
	return nil
}

// groups returns the groups of the findings, and then those of the rest.
func (a Audit) groups() iter.Seq[group] {
	return func(yield func(group) bool) {
		for _, g := range groups(a.Result.Findings) {
			if !yield(g) {
				return
			}
		}
		for rest := range a.rest() {
			for _, g := range groups(rest) {
				if !yield(g) {
					return
				}
			}
		}
	}
}

func groupJSON(g group) jsonGroup {
	r := g[0].Rule
	out := jsonGroup{
		Rule: r.ID, Title: r.Title, Category: r.Category, Outcome: g[0].Outcome, Severity: g[0].Severity, Count: len(g),
		Why: wording.OneLine(r.Why), Tradeoff: wording.OneLine(r.Tradeoff), Sources: r.Sources, Docs: wording.Docs(r), Objects: collect.Map(g, rowJSON),
	}
	out.jsonCommon = common(out.Objects)
	return out
}

// common moves the fields that all rows have in common out of the rows.
func common(rows []jsonRow) (out jsonCommon) {
	to := reflect.ValueOf(&out).Elem()
	for i := range to.NumField() {
		first := reflect.ValueOf(rows[0].jsonCommon).Field(i).Interface()
		if slices.ContainsFunc(rows, func(r jsonRow) bool {
			return !reflect.DeepEqual(reflect.ValueOf(r.jsonCommon).Field(i).Interface(), first)
		}) {
			continue
		}
		to.Field(i).Set(reflect.ValueOf(first))
		for k := range rows {
			reflect.ValueOf(&rows[k].jsonCommon).Elem().Field(i).SetZero()
		}
	}
	return out
}

func rowJSON(f *advice.Finding) jsonRow {
	return jsonRow{
		Object: f.Object,
		jsonCommon: jsonCommon{
			Profile: f.Profile, ProfileWhy: f.ProfileWhy, Reason: f.Reason, Notes: f.Notes, Waiver: f.Waiver, Pending: f.Pending,
			Missing: missingJSON(f),
		},
		Evidence: evidenceOf(f.Evidence),
		Remedy: collect.Map(f.Remedies, func(c advice.Change) jsonRemedy {
			return jsonRemedy{
				Object: otherThan(f, c.Object), Setting: c.Setting.String(), From: factJSON(c.From), To: factJSON(c.To), Activation: c.Activation, Consent: c.Consent,
			}
		}),
		InBaseline: f.InBaseline, Covers: f.Covers,
	}
}

func missingJSON(f *advice.Finding) []jsonMissing {
	return collect.Map(f.Gaps, func(g advice.Gap) jsonMissing { return jsonMissing{otherThan(f, g.Object), g.Fact, g.Reason} })
}

// otherThan returns an object, or nil for the object of the finding.
func otherThan(f *advice.Finding, o inventory.Ref) *inventory.Ref {
	if o == f.Object {
		return nil
	}
	return &o
}

// jsonUnread is an unread fact of objects, with one reason.
type jsonUnread struct {
	Fact    string          `json:"fact"`
	Reason  string          `json:"reason"`
	Count   int             `json:"count"` // of objects
	Objects []inventory.Ref `json:"objects"`
}

// unreadJSON folds gaps by fact and reason.
func unreadJSON(all []advice.Gap) []jsonUnread {
	type key struct{ fact, reason string }
	var by collect.ByKey[key, jsonUnread]
	for _, g := range all {
		u := by.At(key{g.Fact, g.Reason})
		u.Fact, u.Reason, u.Count, u.Objects = g.Fact, g.Reason, u.Count+1, append(u.Objects, g.Object)
	}
	return by.Values()
}
