package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// AdviceSchema is the version of the JSON form of advice. Its JSON Schema is docs/schema/vperf.advice-v2.schema.json; fields may be added
// within v2, never renamed or removed. Lists are always complete. Findings are in groups, as in an audit.
const AdviceSchema = "vperf.advice/v2"

type jsonWindow struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Seconds float64   `json:"seconds"`
	// Replayed is omitted for live counters.
	Replayed bool `json:"replayed,omitempty"`
}

type jsonAdviceSummary struct {
	Hosts           int  `json:"hosts"`
	VMs             int  `json:"vms"`
	RulesHeld       int  `json:"rulesHeld"`
	Recommendations int  `json:"recommendations"`
	Showing         int  `json:"showing"`
	Symptoms        int  `json:"symptoms"`
	Explained       int  `json:"explained"`
	Harmless        int  `json:"harmless"`
	Unexplained     int  `json:"unexplained"`
	Unread          int  `json:"unread"`
	Waived          int  `json:"waived"`
	NothingWrong    bool `json:"nothingWrong"`
}

type jsonRecommendation struct {
	Rank         int                 `json:"rank"`
	ID           string              `json:"id"`
	Title        string              `json:"title"`
	Verdict      advice.Verdict      `json:"verdict"`
	Severity     advice.Severity     `json:"severity"`
	Object       any                 `json:"object"`
	Objects      []jsonPart          `json:"objects"`
	Showing      bool                `json:"showing"`
	Possible     bool                `json:"possible"`
	Impact       jsonImpact          `json:"impact"`
	Symptoms     []jsonGroup         `json:"symptoms"`
	Proof        []jsonGroup         `json:"proof"` // diagnoses
	Action       string              `json:"action,omitempty"`
	Findings     []jsonGroup         `json:"findings"`
	Fixes        []jsonFix           `json:"fixes"`
	Waived       []jsonGroup         `json:"waived"`
	Commands     []string            `json:"commands"`
	Benefits     []jsonExpected      `json:"benefits"`
	MeasuredHere []view.MeasuredHere `json:"measuredHere,omitempty"`
	Effort       advice.Effort       `json:"effort,omitempty"`
	Risk         advice.Consent      `json:"risk,omitempty"`
	Tradeoffs    []string            `json:"tradeoffs"`
	Unseen       []jsonUnread        `json:"unseen"`
	OtherCauses  []jsonGroup         `json:"otherCauses"`
	Notes        []string            `json:"notes"`
	Docs         string              `json:"docs,omitempty"`
}

// jsonPart is one of the objects with the cause.
type jsonPart struct {
	Object inventory.Ref `json:"object"`
	Impact jsonImpact    `json:"impact"`
}

type jsonImpact struct {
	Objects int `json:"objects"`
	VMs     int `json:"vms"`
	Lost    any `json:"lostSecondsPerSecond"`
	Share   any `json:"share"`
}

// jsonHarmless holds the harmless explanations by one rule.
type jsonHarmless struct {
	jsonGroup

	Symptoms []jsonGroup `json:"symptoms"`
}

// jsonUnexplained holds the unexplained symptoms of one rule and severity, and the causes that were considered.
type jsonUnexplained struct {
	jsonGroup

	Possible []jsonGroup `json:"possible"`
	RuledOut []jsonGroup `json:"ruledOut"`
}

// jsonAgainst is a condition that does not hold and therefore rules a cause out.
type jsonAgainst struct {
	Condition string         `json:"condition"`
	Rules     []string       `json:"rules,omitempty"`
	Evidence  map[string]any `json:"evidence,omitempty"`
}

type jsonCounter struct {
	Metric  string    `json:"metric"`
	Unit    string    `json:"unit"`
	Median  any       `json:"median"`
	P95     any       `json:"p95"`
	Worst   any       `json:"worst"`
	Mean    any       `json:"mean"`
	Samples int64     `json:"samples"`
	WorstAt time.Time `json:"worstAt,omitzero"`
}

// jsonFix is a setting that a rule wants to be changed.
type jsonFix struct {
	Rule       string               `json:"rule"`
	Setting    string               `json:"setting"`
	Activation inventory.Activation `json:"activation"`
	Consent    advice.Consent       `json:"consent"`
	Count      int                  `json:"count"` // of objects
	Objects    []jsonFixRow         `json:"objects"`
}

type jsonFixRow struct {
	Object  inventory.Ref `json:"object"`
	From    any           `json:"from"`
	To      any           `json:"to"`
	Command string        `json:"command,omitempty"`
}

type jsonExpected struct {
	Figure string   `json:"figure,omitempty"`
	Text   string   `json:"text"`
	Metric string   `json:"metric,omitempty"`
	Change *float64 `json:"change,omitempty"`
	When   string   `json:"when,omitempty"`
	Source string   `json:"source,omitempty"`
	Holds  any      `json:"holds"`
}

// jsonFigure is a figure of objects.
type jsonFigure struct {
	ID      string          `json:"id"`
	Title   string          `json:"title"`
	Unit    string          `json:"unit"`
	About   string          `json:"about,omitempty"`
	Count   int             `json:"count"` // of objects
	Objects []jsonFigureRow `json:"objects"`
}

type jsonFigureRow struct {
	Object inventory.Ref `json:"object"`
	Value  any           `json:"value"`
	From   []string      `json:"from,omitempty"`
}

type jsonSpot struct {
	Metric         string    `json:"metric"`
	Column         string    `json:"column,omitempty"`
	Host           string    `json:"host"`
	Object         string    `json:"object,omitempty"`
	ID             string    `json:"id,omitempty"`
	Unit           string    `json:"unit"`
	Worst          any       `json:"worst"`
	Mean           any       `json:"mean"`
	At             time.Time `json:"at,omitzero"`
	Samples        int       `json:"samples"`
	Beyond         int       `json:"beyond"`
	LongestSeconds float64   `json:"longestSeconds"`
}

// Levels of lists: how deep their items have lines of their own. Below, a row of a group is one line.
const (
	levelsOfGroup          = 2
	levelsOfRecommendation = 4
)

// AdviceJSON writes advice for programs: complete, streamed, in a stable order.
func AdviceJSON(w io.Writer, v *view.View) error {
	j := newJSONStream(w)
	j.field("schema", AdviceSchema)
	j.field("source", v.Source)
	j.field("takenAt", v.TakenAt.UTC())
	j.field("window", windowJSON(v))
	j.field("profile", v.ProfileName())
	j.field("verdict", v.Verdict())
	j.field("summary", jsonAdviceSummary{
		Hosts: v.Result.Hosts, VMs: v.Result.VMs, RulesHeld: v.Held(), Recommendations: len(v.Recommendations), Showing: len(v.Showing()),
		Symptoms: v.Explained + len(v.Unexplained), Explained: v.Explained, Harmless: len(v.Harmless), Unexplained: len(v.Unexplained),
		Unread: len(v.Result.Unread), Waived: len(v.Waived), NothingWrong: v.NothingWrong(),
	})
	formedJSON(j, "recommendations", levelsOfRecommendation, slices.Values(v.Recommendations), recommendationJSON)
	listJSON(j, "harmless", levelsOfRecommendation, harmlessJSON(v.Harmless))
	listJSON(j, "unexplained", levelsOfRecommendation, unexplainedJSON(v.Unexplained))
	listJSON(j, "efficiency", levelsOfGroup, figuresJSON(v.Efficiency))
	formedJSON(j, "hotspots", 0, slices.Values(v.Spots), spotJSON)
	listJSON(j, "waived", levelsOfGroup, groupsJSON(v.Waived, shortRow))
	listJSON(j, "unread", levelsOfGroup, unreadJSON(v.Result.Unread))
	j.field("notes", notNil(v.Notes))
	j.field("warnings", notNil(v.Result.Warnings))
	if err := j.end(); err != nil {
		return fmt.Errorf("writing advice as JSON: %w", err)
	}
	return nil
}

func windowJSON(v *view.View) any {
	if !v.Measured() {
		return absent
	}
	return jsonWindow{v.From.UTC(), v.To.UTC(), v.To.Sub(v.From).Seconds(), v.Replayed}
}

func recommendationJSON(r *view.Recommendation) jsonRecommendation {
	return jsonRecommendation{
		Rank: r.Rank, ID: r.Rule.ID, Title: r.Rule.Title, Verdict: cmp.Or(r.Rule.Verdict, advice.VerdictFault), Severity: r.Severity,
		Object: objectJSON(r.Object), Objects: collect.Map(partsOf(r), partJSON), Showing: r.Showing(), Possible: r.Possible, Impact: impactJSON(r.Impact),
		Symptoms: symptomsJSON(r.Symptoms), Proof: diagnosesJSON(r.Diagnoses), Action: wording.OneLine(r.Rule.Action),
		Findings: groupsJSON(r.Findings, findingRow), Fixes: fixesJSON(r.Changes), Waived: groupsJSON(r.Waived, shortRow), Commands: notNil(r.Commands),
		Benefits: collect.Map(r.Benefits, expectedJSON), MeasuredHere: r.MeasuredHere, Effort: r.Effort, Risk: r.Risk, Tradeoffs: notNil(r.Tradeoffs),
		Unseen: unreadJSON(r.Unseen), OtherCauses: diagnosesJSON(slices.Concat(r.Also, r.Undecided, r.RuledOut)),
		Notes: notNil(r.Notes), Docs: wording.Docs(r.Rule),
	}
}

// grouped returns the findings of items by rule, outcome and severity, in the order of the first of each; row returns the row of an item.
func grouped[T any](all []T, finding func(T) *advice.Finding, row func(T) jsonRow) []jsonGroup {
	type key struct {
		rule     string
		outcome  advice.Outcome
		severity advice.Severity
	}
	var by collect.ByKey[key, jsonGroup]
	for _, x := range all {
		f := finding(x)
		g := by.At(key{f.Rule.ID, f.Outcome, f.Severity})
		g.Rule, g.Title, g.Category, g.Outcome, g.Severity = f.Rule.ID, f.Rule.Title, f.Rule.Category, f.Outcome, f.Severity
		g.Count, g.Objects = g.Count+1, append(g.Objects, row(x))
	}
	groups := by.Values()
	for i := range groups {
		groups[i].jsonCommon = common(groups[i].Objects)
	}
	return groups
}

func groupsJSON(all []*advice.Finding, row func(*advice.Finding) jsonRow) []jsonGroup {
	return grouped(all, func(f *advice.Finding) *advice.Finding { return f }, row)
}

// shortRow is a row without evidence.
func shortRow(f *advice.Finding) jsonRow {
	return jsonRow{Object: f.Object, jsonCommon: jsonCommon{Waiver: f.Waiver, Pending: f.Pending, Reason: f.Reason, Missing: missingJSON(f)}}
}

func findingRow(f *advice.Finding) jsonRow {
	row := shortRow(f)
	row.Evidence = evidenceOf(f.Evidence)
	return row
}

func symptomsJSON(all []*view.Symptom) []jsonGroup {
	return grouped(all, func(s *view.Symptom) *advice.Finding { return s.Finding }, func(s *view.Symptom) jsonRow {
		row := findingRow(s.Finding)
		row.Counters, row.Lost = collect.Map(s.Counters, counterJSON), factJSON(s.Lost)
		return row
	})
}

// diagnosesJSON returns diagnoses with their evidence, and those that are ruled out with the conditions against them.
func diagnosesJSON(all []*advice.Diagnosis) []jsonGroup {
	return grouped(all, func(d *advice.Diagnosis) *advice.Finding { return d.Finding }, func(d *advice.Diagnosis) jsonRow {
		row := shortRow(d.Finding)
		if d.Finding.Outcome == advice.Fail {
			row.Evidence = evidenceOf(d.Finding.Evidence)
		}
		if d.Cause != d.Finding.Object && d.Cause != (inventory.Ref{}) {
			row.Cause = &d.Cause
		}
		row.Against = collect.Map(d.Against, func(a advice.Against) jsonAgainst { return jsonAgainst{a.Condition, a.Rules, evidenceOf(a.Evidence)} })
		return row
	})
}

// symptomKey is a rule and the severity of its symptoms.
type symptomKey struct {
	rule     string
	severity advice.Severity
}

func harmlessJSON(all []*view.Harmless) []jsonHarmless {
	var by collect.ByKey[symptomKey, []*view.Harmless]
	for _, h := range all {
		list := by.At(symptomKey{h.Finding.Rule.ID, h.Finding.Severity})
		*list = append(*list, h)
	}
	return collect.Each(by, func(_ symptomKey, list *[]*view.Harmless) jsonHarmless {
		var symptoms []*view.Symptom
		for _, h := range *list {
			symptoms = append(symptoms, h.Symptoms...)
		}
		group := grouped(*list, func(*view.Harmless) *advice.Finding { return (*list)[0].Finding }, func(h *view.Harmless) jsonRow {
			row := findingRow(h.Finding)
			row.Notes = h.Notes
			return row
		})
		return jsonHarmless{group[0], symptomsJSON(symptoms)}
	})
}

func unexplainedJSON(all []*view.Unexplained) []jsonUnexplained {
	var by collect.ByKey[symptomKey, []*view.Unexplained]
	for _, u := range all {
		list := by.At(symptomKey{u.Symptom.Rule.ID, u.Symptom.Severity})
		*list = append(*list, u)
	}
	return collect.Each(by, func(_ symptomKey, list *[]*view.Unexplained) jsonUnexplained {
		var possible, ruledOut []*advice.Diagnosis
		for _, u := range *list {
			possible, ruledOut = append(possible, u.Possible...), append(ruledOut, u.RuledOut...)
		}
		group := symptomsJSON(collect.Map(*list, func(u *view.Unexplained) *view.Symptom { return u.Symptom }))
		return jsonUnexplained{group[0], diagnosesJSON(possible), diagnosesJSON(ruledOut)}
	})
}

func impactJSON(i advice.Impact) jsonImpact {
	return jsonImpact{Objects: i.Objects, VMs: i.VMs, Lost: factJSON(i.Lost), Share: factJSON(i.Share)}
}

// partsOf returns the objects with the cause, or none if the findings are about many objects.
func partsOf(r *view.Recommendation) []*advice.Recommendation {
	if len(r.Parts) == 0 && r.Object != (inventory.Ref{}) {
		return []*advice.Recommendation{r.Recommendation}
	}
	return r.Parts
}

func partJSON(p *advice.Recommendation) jsonPart { return jsonPart{p.Object, impactJSON(p.Impact)} }

// objectJSON returns nil if the findings are about many objects.
func objectJSON(o inventory.Ref) any {
	if o == (inventory.Ref{}) {
		return absent
	}
	return o
}

func counterJSON(m view.Counter) jsonCounter {
	return jsonCounter{
		Metric: m.Metric.Name, Unit: m.Metric.Unit, Median: valueJSON(m.Median), P95: valueJSON(m.P95), Worst: valueJSON(m.Worst),
		Mean: valueJSON(m.Mean), Samples: m.Samples, WorstAt: m.WorstAt.UTC(),
	}
}

func fixesJSON(all []view.Change) []jsonFix {
	type key struct {
		rule, setting string
		activation    inventory.Activation
		consent       advice.Consent
	}
	var by collect.ByKey[key, []jsonFixRow]
	for _, c := range all {
		rows := by.At(key{c.Finding.Rule.ID, c.Setting.String(), c.Activation, c.Consent})
		*rows = append(*rows, jsonFixRow{c.Object, factJSON(c.From), factJSON(c.To), c.Command})
	}
	return collect.Each(by, func(k key, rows *[]jsonFixRow) jsonFix {
		return jsonFix{k.rule, k.setting, k.activation, k.consent, len(*rows), *rows}
	})
}

func expectedJSON(e advice.Expected) jsonExpected {
	out := jsonExpected{
		Figure: e.Figure, Text: wording.OneLine(e.Text), Metric: e.Metric, Change: e.Change, When: wording.OneLine(e.When), Source: wording.OneLine(e.Source),
	}
	if _, state, reason := e.Holds.Get(); state == inventory.StateKnown || state == inventory.StateUnread && reason != "" {
		out.Holds = factJSON(e.Holds)
	}
	return out
}

func figuresJSON(all []efficiency.Figure) []jsonFigure {
	var by collect.ByKey[string, jsonFigure]
	for _, f := range all {
		g := by.At(f.ID)
		g.ID, g.Title, g.Unit, g.About, g.Count = f.ID, f.Title, f.Unit, wording.OneLine(f.About), g.Count+1
		g.Objects = append(g.Objects, jsonFigureRow{f.Object, factJSON(f.Value), f.From})
	}
	return by.Values()
}

func spotJSON(s hotspot.Spot) jsonSpot {
	return jsonSpot{
		Metric: s.Metric.ID, Column: s.Metric.Column, Host: s.Host, Object: s.Object, ID: s.MoID, Unit: string(s.Metric.Unit),
		Worst: valueJSON(s.Worst), Mean: valueJSON(s.Mean), At: s.At.UTC(), Samples: s.Samples, Beyond: s.Beyond, LongestSeconds: s.Longest.Seconds(),
	}
}
