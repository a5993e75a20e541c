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

// AdviceSchema is the version of the JSON form of advice.
const AdviceSchema = "vperf.advice/v1"

// jsonAdviceHead begins the JSON form of advice. Its JSON Schema is docs/schema/vperf.advice-v1.schema.json; fields may be
// added within v1, never renamed or removed. The lists follow the head and are always complete.
type jsonAdviceHead struct {
	Schema  string            `json:"schema"`
	Source  string            `json:"source"`
	TakenAt time.Time         `json:"takenAt"`
	Window  any               `json:"window"`
	Profile string            `json:"profile"`
	Verdict string            `json:"verdict"`
	Summary jsonAdviceSummary `json:"summary"`
}

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

// The fields of a recommendation between its lists, in the order of its JSON form.
type (
	jsonRecommendationHead struct {
		Rank     int             `json:"rank"`
		ID       string          `json:"id"`
		Title    string          `json:"title"`
		Verdict  advice.Verdict  `json:"verdict"`
		Severity advice.Severity `json:"severity"`
		Object   any             `json:"object"`
	}
	jsonRecommendationImpact struct {
		Showing  bool       `json:"showing"`
		Possible bool       `json:"possible"`
		Impact   jsonImpact `json:"impact"`
	}
	jsonRecommendationAction struct {
		Action string `json:"action,omitempty"`
	}
	jsonRecommendationEffort struct {
		Benefits []jsonExpected      `json:"benefits"`
		Here     []view.MeasuredHere `json:"measuredHere,omitempty"`
		Effort   advice.Effort       `json:"effort,omitempty"`
		Risk     advice.Consent      `json:"risk,omitempty"`
		Tradeoff []string            `json:"tradeoffs"`
	}
	jsonRecommendationTail struct {
		Notes []string `json:"notes"`
		Docs  string   `json:"docs,omitempty"`
	}
)

// jsonSubject is a rule and the object that it applies to.
type jsonSubject struct {
	Rule   string        `json:"rule"`
	Title  string        `json:"title"`
	Object inventory.Ref `json:"object"`
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

// jsonCause is another cause that was considered: also proven, undecided, or ruled out.
type jsonCause struct {
	jsonSubject

	Outcome advice.Outcome `json:"outcome"`
	Against []jsonAgainst  `json:"against,omitempty"`
	Missing []jsonUnread   `json:"missing,omitempty"`
}

type jsonSymptom struct {
	jsonSubject

	Severity advice.Severity `json:"severity"`
	Evidence map[string]any  `json:"evidence"`
	Counters []jsonCounter   `json:"counters"`
	Lost     any             `json:"lostPerSecond"`
}

type jsonFound struct {
	jsonSubject

	Severity advice.Severity `json:"severity"`
	Outcome  advice.Outcome  `json:"outcome"`
	Pending  string          `json:"pending,omitempty"`
}

type jsonWaived struct {
	jsonSubject

	Waiver *jsonWaiver `json:"waiver"`
}

type jsonHarmless struct {
	jsonSubject

	Symptoms []jsonSymptom `json:"symptoms"`
	Chain    []jsonLink    `json:"chain"`
	Waiver   *jsonWaiver   `json:"waiver,omitempty"` // of the cause
	Notes    []string      `json:"notes"`
}

// jsonAgainst is a condition that does not hold and therefore rules a cause out.
type jsonAgainst struct {
	Condition string         `json:"condition"`
	Rules     []string       `json:"rules"`
	Evidence  map[string]any `json:"evidence"`
	Text      string         `json:"text"`
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

type jsonLink struct {
	Kind   view.LinkKind `json:"kind"`
	Rule   string        `json:"rule"`
	Object inventory.Ref `json:"object"`
	Name   string        `json:"name,omitempty"`
	Value  any           `json:"value"`
	Unit   string        `json:"unit,omitempty"`
	Stat   string        `json:"stat,omitempty"`
	Text   string        `json:"text"`
}

type jsonFix struct {
	Rule       string               `json:"rule"`
	Object     inventory.Ref        `json:"object"`
	Setting    string               `json:"setting"`
	From       any                  `json:"from"`
	To         any                  `json:"to"`
	Activation inventory.Activation `json:"activation"`
	Consent    advice.Consent       `json:"consent"`
	Command    string               `json:"command,omitempty"`
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

type jsonUnexplained struct {
	Symptom  jsonSymptom    `json:"symptom"`
	Possible []jsonPossible `json:"possible"`
	RuledOut []jsonRuledOut `json:"ruledOut"`
}

type jsonPossible struct {
	Rule    string       `json:"rule"`
	Title   string       `json:"title"`
	Reason  string       `json:"reason,omitempty"`
	Missing []jsonUnread `json:"missing"`
}

type jsonRuledOut struct {
	Rule    string        `json:"rule"`
	Title   string        `json:"title"`
	Against []jsonAgainst `json:"against"`
}

type jsonFigure struct {
	ID     string        `json:"id"`
	Object inventory.Ref `json:"object"`
	Title  string        `json:"title"`
	Value  any           `json:"value"`
	Unit   string        `json:"unit"`
	From   []string      `json:"from"`
	About  string        `json:"about,omitempty"`
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

type jsonAdviceTail struct {
	Notes    []string `json:"notes"`
	Warnings []string `json:"warnings"`
}

// AdviceJSON writes advice for programs as vperf.advice/v1: complete, streamed, in a stable order.
func AdviceJSON(w io.Writer, v *view.View) error {
	j := newJSONStream(w)
	j.fields(jsonAdviceHead{
		Schema: AdviceSchema, Source: v.Source, TakenAt: v.TakenAt.UTC(), Window: windowJSON(v), Profile: v.ProfileName(), Verdict: v.Verdict(),
		Summary: jsonAdviceSummary{
			Hosts: v.Result.Hosts, VMs: v.Result.VMs, RulesHeld: v.Held(), Recommendations: len(v.Recommendations), Showing: len(v.Showing()),
			Symptoms: v.Explained + len(v.Unexplained), Explained: v.Explained, Harmless: len(v.Harmless), Unexplained: len(v.Unexplained),
			Unread: len(v.Result.Unread), Waived: len(v.Waived), NothingWrong: v.NothingWrong(),
		},
	})
	j.objects("recommendations", len(v.Recommendations), func(i int) { j.recommendation(v.Recommendations[i]) })
	listJSON(j, "harmless", v.Harmless, harmlessJSON)
	listJSON(j, "unexplained", v.Unexplained, unexplainedJSON)
	listJSON(j, "efficiency", v.Efficiency, figureJSON)
	listJSON(j, "hotspots", v.Spots, spotJSON)
	listJSON(j, "waived", v.Waived, waivedJSON)
	listJSON(j, "unread", v.Result.Unread, gapJSON)
	j.fields(jsonAdviceTail{notNil(v.Notes), notNil(v.Result.Warnings)})
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

// recommendation adds a recommendation. In a large estate one of them has tens of megabytes, so its lists are written item by item.
func (j *jsonStream) recommendation(r *view.Recommendation) {
	j.fields(jsonRecommendationHead{
		Rank: r.Rank, ID: r.Rule.ID, Title: r.Rule.Title, Verdict: cmp.Or(r.Rule.Verdict, advice.VerdictFault), Severity: r.Severity,
		Object: objectJSON(r.Object),
	})
	listJSON(j, "objects", partsOf(r), partJSON)
	j.fields(jsonRecommendationImpact{Showing: r.Showing(), Possible: r.Possible, Impact: impactJSON(r.Impact)})
	listJSON(j, "symptoms", r.Symptoms, symptomJSON)
	listJSON(j, "chain", r.Chain(), linkJSON)
	j.fields(jsonRecommendationAction{wording.OneLine(r.Rule.Action)})
	listJSON(j, "findings", r.Findings, foundJSON)
	listJSON(j, "fixes", r.Changes, fixJSON)
	listJSON(j, "waived", r.Waived, waivedJSON)
	listJSON(j, "commands", r.Commands, func(s string) string { return s })
	j.fields(jsonRecommendationEffort{collect.Map(r.Benefits, expectedJSON), r.MeasuredHere, r.Effort, r.Risk, notNil(r.Tradeoffs)})
	listJSON(j, "unseen", r.Unseen, gapJSON)
	listJSON(j, "otherCauses", slices.Concat(r.Also, r.Undecided, r.RuledOut.Diagnoses()), causeJSON)
	j.fields(jsonRecommendationTail{notNil(r.Notes), wording.Docs(r.Rule)})
}

func subjectJSON(f *advice.Finding) jsonSubject {
	return jsonSubject{f.Rule.ID, f.Rule.Title, f.Object}
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

func causeJSON(d *advice.Diagnosis) jsonCause {
	f := d.Finding
	return jsonCause{subjectJSON(f), f.Outcome, againstJSON(d), collect.Map(f.Gaps, gapJSON)}
}

func againstJSON(d *advice.Diagnosis) []jsonAgainst {
	return collect.Map(d.Against, func(a advice.Against) jsonAgainst {
		return jsonAgainst{Condition: a.Condition, Rules: notNil(a.Rules), Evidence: evidenceOf(a.Evidence), Text: view.AgainstText(d.Finding.Rule, a)}
	})
}

// objectJSON returns nil if the findings are about many objects.
func objectJSON(o inventory.Ref) any {
	if o == (inventory.Ref{}) {
		return absent
	}
	return o
}

func symptomJSON(s *view.Symptom) jsonSymptom {
	return jsonSymptom{subjectJSON(s.Finding), s.Severity, evidenceOf(s.Measurements()), collect.Map(s.Counters, counterJSON), factJSON(s.Lost)}
}

func evidenceOf(all []advice.Measured) map[string]any {
	out := map[string]any{}
	for _, m := range all {
		out[m.Name] = factJSON(m.Value)
	}
	return out
}

func counterJSON(m view.Counter) jsonCounter {
	return jsonCounter{
		Metric: m.Metric.Name, Unit: m.Metric.Unit, Median: valueJSON(m.Median), P95: valueJSON(m.P95), Worst: valueJSON(m.Worst),
		Mean: valueJSON(m.Mean), Samples: m.Samples, WorstAt: m.WorstAt.UTC(),
	}
}

func linkJSON(p view.Piece) jsonLink {
	l := p.Link()
	return jsonLink{l.Kind, l.Rule.ID, l.Object, l.Name, factJSON(l.Value), l.Unit, l.Stat, l.Text()}
}

func foundJSON(f *advice.Finding) jsonFound {
	return jsonFound{subjectJSON(f), f.Severity, f.Outcome, f.Pending}
}

func waivedJSON(f *advice.Finding) jsonWaived {
	return jsonWaived{subjectJSON(f), waiverJSON(f.Waiver)}
}

func fixJSON(c view.Change) jsonFix {
	return jsonFix{
		Rule: c.Finding.Rule.ID, Object: c.Object, Setting: c.Setting.String(), From: factJSON(c.From), To: factJSON(c.To),
		Activation: c.Activation, Consent: c.Consent, Command: c.Command,
	}
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

func harmlessJSON(h *view.Harmless) jsonHarmless {
	return jsonHarmless{
		subjectJSON(h.Finding), collect.Map(h.Symptoms, symptomJSON), collect.Map(h.Chain(), linkJSON), waiverJSON(h.Finding.Waiver), notNil(h.Notes),
	}
}

func unexplainedJSON(u *view.Unexplained) jsonUnexplained {
	return jsonUnexplained{
		Symptom: symptomJSON(u.Symptom),
		Possible: collect.Map(u.Possible, func(d *advice.Diagnosis) jsonPossible {
			f := d.Finding
			return jsonPossible{Rule: f.Rule.ID, Title: f.Rule.Title, Reason: wording.OneLine(f.Reason), Missing: collect.Map(f.Gaps, gapJSON)}
		}),
		RuledOut: collect.Map(u.RuledOut.Diagnoses(), func(d *advice.Diagnosis) jsonRuledOut {
			return jsonRuledOut{d.Finding.Rule.ID, d.Finding.Rule.Title, againstJSON(d)}
		}),
	}
}

func figureJSON(f efficiency.Figure) jsonFigure {
	return jsonFigure{ID: f.ID, Object: f.Object, Title: f.Title, Value: factJSON(f.Value), Unit: f.Unit, From: notNil(f.From), About: wording.OneLine(f.About)}
}

func spotJSON(s hotspot.Spot) jsonSpot {
	return jsonSpot{
		Metric: s.Metric.ID, Column: s.Metric.Column, Host: s.Host, Object: s.Object, ID: s.MoID, Unit: string(s.Metric.Unit),
		Worst: valueJSON(s.Worst), Mean: valueJSON(s.Mean), At: s.At.UTC(), Samples: s.Samples, Beyond: s.Beyond, LongestSeconds: s.Longest.Seconds(),
	}
}
