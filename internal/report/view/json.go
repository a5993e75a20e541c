package view

import (
	"math"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// The JSON form of advice. Its JSON Schema is docs/schema/vperf.advice-v1.schema.json; fields may be added within v1, never
// renamed or removed. After the head stand the lists, whole whatever else is cut short.
type JsonAdviceHead struct {
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
	Rank     int            `json:"rank"`
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Verdict  string         `json:"verdict"`
	Severity string         `json:"severity"`
	Object   any            `json:"object"`
	Objects  []jsonPart     `json:"objects"`
	Showing  bool           `json:"showing"`
	Possible bool           `json:"possible"`
	Impact   jsonImpact     `json:"impact"`
	Symptoms []jsonSymptom  `json:"symptoms"`
	Chain    []jsonLink     `json:"chain"`
	Action   string         `json:"action,omitempty"`
	Findings []jsonFound    `json:"findings"`
	Fixes    []jsonFix      `json:"fixes"`
	Waived   []jsonWaived   `json:"waived"`
	Commands []string       `json:"commands"`
	Benefits []jsonExpected `json:"benefits"`
	Effort   string         `json:"effort,omitempty"`
	Risk     string         `json:"risk,omitempty"`
	Tradeoff []string       `json:"tradeoffs"`
	Unseen   []JsonUnread   `json:"unseen"`
	Others   []jsonCause    `json:"otherCauses"`
	Notes    []string       `json:"notes"`
	Docs     string         `json:"docs,omitempty"`
}

// jsonPart is one of the objects at which the cause lies.
type jsonPart struct {
	Object inventory.Ref `json:"object"`
	Impact jsonImpact    `json:"impact"`
}

// jsonCause is another cause that was considered: proven too, undecided, or ruled out.
type jsonCause struct {
	Rule    string        `json:"rule"`
	Title   string        `json:"title"`
	Object  inventory.Ref `json:"object"`
	Outcome string        `json:"outcome"`
	Against []jsonAgainst `json:"against,omitempty"`
	Missing []JsonUnread  `json:"missing,omitempty"`
}

// jsonAgainst is a condition that does not hold, which rules a cause out.
type jsonAgainst struct {
	Condition string         `json:"condition"`
	Rules     []string       `json:"rules"`
	Evidence  map[string]any `json:"evidence"`
	Text      string         `json:"text"`
}

type jsonImpact struct {
	Objects int `json:"objects"`
	VMs     int `json:"vms"`
	Lost    any `json:"lostSecondsPerSecond"`
	Share   any `json:"share"`
}

type jsonSymptom struct {
	Rule     string         `json:"rule"`
	Title    string         `json:"title"`
	Object   inventory.Ref  `json:"object"`
	Severity string         `json:"severity"`
	Evidence map[string]any `json:"evidence"`
	Counters []jsonCounter  `json:"counters"`
	Lost     any            `json:"lostPerSecond"`
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
	Kind   string        `json:"kind"`
	Rule   string        `json:"rule"`
	Object inventory.Ref `json:"object"`
	Name   string        `json:"name,omitempty"`
	Value  any           `json:"value"`
	Unit   string        `json:"unit,omitempty"`
	Stat   string        `json:"stat,omitempty"`
	Text   string        `json:"text"`
}

type jsonFound struct {
	Rule     string        `json:"rule"`
	Title    string        `json:"title"`
	Object   inventory.Ref `json:"object"`
	Severity string        `json:"severity"`
	Outcome  string        `json:"outcome"`
	Pending  string        `json:"pending,omitempty"`
}

type jsonWaived struct {
	Rule   string        `json:"rule"`
	Title  string        `json:"title"`
	Object inventory.Ref `json:"object"`
	Waiver *JsonWaiver   `json:"waiver"`
}

type jsonFix struct {
	Rule       string        `json:"rule"`
	Object     inventory.Ref `json:"object"`
	Setting    string        `json:"setting"`
	From       any           `json:"from"`
	To         any           `json:"to"`
	Activation string        `json:"activation"`
	Consent    string        `json:"consent"`
	Command    string        `json:"command,omitempty"`
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

type jsonHarmless struct {
	Rule     string        `json:"rule"`
	Title    string        `json:"title"`
	Object   inventory.Ref `json:"object"`
	Symptoms []jsonSymptom `json:"symptoms"`
	Chain    []jsonLink    `json:"chain"`
	Waiver   *JsonWaiver   `json:"waiver,omitempty"` // of the cause
	Notes    []string      `json:"notes"`
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
	Missing []JsonUnread `json:"missing"`
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

type JsonAdviceTail struct {
	Notes    []string `json:"notes"`
	Warnings []string `json:"warnings"`
}

// list is a list that is there, though nothing may be in it.
func NotNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

var absent = map[string]bool{"absent": true}

func WindowJSON(a Advice) any {
	if !a.measured() {
		return absent
	}
	return jsonWindow{a.From.UTC(), a.To.UTC(), a.To.Sub(a.From).Seconds()}
}

func AdviceSummary(a Advice) jsonAdviceSummary {
	explained := map[*advice.Finding]bool{}
	for _, r := range a.Advice.Recommendations {
		for _, s := range symptoms(r) {
			explained[s] = true
		}
	}
	for _, d := range a.Advice.Harmless {
		for _, s := range d.Symptoms {
			explained[s] = true
		}
	}
	return jsonAdviceSummary{
		Hosts: a.Result.Hosts, VMs: a.Result.VMs, RulesHeld: a.Held(),
		Recommendations: len(a.Advice.Recommendations), Showing: len(a.Showing()),
		Symptoms: len(explained) + len(a.Advice.Unexplained), Explained: len(explained), Harmless: len(a.Advice.Harmless),
		Unexplained: len(a.Advice.Unexplained), Unread: len(a.Result.Unread), Waived: len(WaivedIn(a)), NothingWrong: a.NothingWrong(),
	}
}

func RecommendationJSON(rank int, r *advice.Recommendation, c counters) jsonRecommendation {
	return jsonRecommendation{
		Rank: rank, ID: r.Rule.ID, Title: r.Rule.Title, Verdict: string(verdictOf(r.Rule)), Severity: string(r.Severity),
		Object: objectJSON(r.Object), Objects: partsJSON(r), Showing: len(r.Diagnoses) > 0, Possible: r.Possible, Impact: impactJSON(r.Impact),
		Symptoms: symptomsJSON(symptoms(r), c), Chain: collect.Map(Chain(r), linkJSON), Action: wording.OneLine(r.Rule.Action),
		Findings: collect.Map(r.Findings, foundJSON), Fixes: fixesJSON(r), Waived: collect.Map(r.Waived, WaivedJSON), Commands: NotNil(Commands(r)),
		Benefits: collect.Map(r.Benefits, expectedJSON), Effort: string(r.Effort), Risk: string(r.Risk), Tradeoff: NotNil(tradeoffs(r)),
		Unseen: collect.Map(r.Unseen, gapJSON), Others: othersJSON(r), Notes: NotNil(notesOf(r)), Docs: wording.Docs(r.Rule),
	}
}

func impactJSON(i advice.Impact) jsonImpact {
	return jsonImpact{Objects: i.Objects, VMs: i.VMs, Lost: FactJSON(i.Lost, figureOrNot), Share: FactJSON(i.Share, figureOrNot)}
}

// partsJSON are the objects at which the cause lies; none where the findings are of many objects.
func partsJSON(r *advice.Recommendation) []jsonPart {
	parts := r.Parts
	if len(parts) == 0 && r.Object != (inventory.Ref{}) {
		parts = []*advice.Recommendation{r}
	}
	return NotNil(collect.Map(parts, func(p *advice.Recommendation) jsonPart { return jsonPart{p.Object, impactJSON(p.Impact)} }))
}

// othersJSON are the other causes that were considered for the symptoms.
func othersJSON(r *advice.Recommendation) []jsonCause {
	return NotNil(collect.Map(slices.Concat(r.Also, r.Undecided, r.RuledOut), func(d *advice.Diagnosis) jsonCause {
		f := d.Finding
		return jsonCause{
			Rule: f.Rule.ID, Title: f.Rule.Title, Object: f.Object, Outcome: string(f.Outcome), Against: againstJSON(d), Missing: collect.Map(f.Gaps, gapJSON),
		}
	}))
}

func againstJSON(d *advice.Diagnosis) []jsonAgainst {
	return NotNil(collect.Map(d.Against, func(a advice.Against) jsonAgainst {
		out := jsonAgainst{Condition: a.Condition, Rules: NotNil(a.Rules), Evidence: map[string]any{}, Text: againstText(d.Finding.Rule, a)}
		for _, m := range a.Evidence {
			out.Evidence[m.Name] = FactJSON(m.Value, valueJSON)
		}
		return out
	}))
}

// verdictOf is the verdict of a rule; what says none has found a fault.
func verdictOf(r *advice.Rule) advice.Verdict {
	if r.Verdict == "" {
		return advice.VerdictFault
	}
	return r.Verdict
}

// objectJSON is absent where the findings are of many objects.
func objectJSON(o inventory.Ref) any {
	if o == (inventory.Ref{}) {
		return absent
	}
	return o
}

func symptomsJSON(all []*advice.Finding, c counters) []jsonSymptom {
	return collect.Map(all, func(f *advice.Finding) jsonSymptom { return symptomJSON(f, c) })
}

func symptomJSON(f *advice.Finding, c counters) jsonSymptom {
	s := jsonSymptom{
		Rule: f.Rule.ID, Title: f.Rule.Title, Object: f.Object, Severity: string(f.Severity), Evidence: map[string]any{},
		Counters: collect.Map(c.of(f), counterJSON), Lost: FactJSON(f.Lost, figureOrNot),
	}
	for _, m := range f.Evidence {
		s.Evidence[m.Name] = FactJSON(m.Value, valueJSON)
	}
	return s
}

func counterJSON(m counter) jsonCounter {
	return jsonCounter{
		Metric: m.Metric.Name, Unit: m.Metric.Unit, Median: figureOrNot(m.Median), P95: figureOrNot(m.P95), Worst: figureOrNot(m.Worst),
		Mean: figureOrNot(m.Mean), Samples: m.Samples, WorstAt: m.WorstAt.UTC(),
	}
}

func linkJSON(l Link) jsonLink {
	return jsonLink{
		Kind: string(l.Kind), Rule: l.Rule.ID, Object: l.Object, Name: l.Name, Value: FactJSON(l.Value, valueJSON), Unit: l.Unit, Stat: l.Stat,
		Text: l.Text(),
	}
}

func foundJSON(f *advice.Finding) jsonFound {
	return jsonFound{
		Rule: f.Rule.ID, Title: f.Rule.Title, Object: f.Object, Severity: string(f.Severity), Outcome: string(f.Outcome), Pending: f.Pending,
	}
}

func WaivedJSON(f *advice.Finding) jsonWaived {
	return jsonWaived{Rule: f.Rule.ID, Title: f.Rule.Title, Object: f.Object, Waiver: WaiverJSON(f.Waiver)}
}

func fixesJSON(r *advice.Recommendation) []jsonFix {
	all := []jsonFix{}
	for _, f := range r.Findings {
		command := commandOf(f)
		for _, c := range f.Remedies {
			fix := jsonFix{
				Rule: f.Rule.ID, Object: c.Object, Setting: c.Setting.String(), From: FactJSON(c.From, SettingJSON), To: FactJSON(c.To, SettingJSON),
				Activation: string(c.Activation), Consent: string(c.Consent),
			}
			if !byHand(c) {
				fix.Command = command
			}
			all = append(all, fix)
		}
	}
	return all
}

// commandOf is what to type to make the changes of one finding, or to see them where it cannot be named.
func commandOf(f *advice.Finding) string {
	if all := Commands(&advice.Recommendation{Findings: []*advice.Finding{f}}); len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

func expectedJSON(e advice.Expected) jsonExpected {
	out := jsonExpected{Figure: e.Figure, Text: wording.OneLine(e.Text), Metric: e.Metric, Change: e.Change, When: wording.OneLine(e.When), Source: wording.OneLine(e.Source)}
	if like, state, reason := e.Holds.Get(); state == inventory.StateKnown {
		out.Holds = like
	} else if state == inventory.StateUnread && reason != "" {
		out.Holds = map[string]string{"unread": reason}
	}
	return out
}

func gapJSON(g advice.Gap) JsonUnread { return JsonUnread(g) }

func HarmlessJSON(d *advice.Diagnosis, c counters) jsonHarmless {
	r := &advice.Recommendation{Diagnoses: []*advice.Diagnosis{d}}
	return jsonHarmless{
		Rule: d.Finding.Rule.ID, Title: d.Finding.Rule.Title, Object: d.Finding.Object, Symptoms: symptomsJSON(d.Symptoms, c),
		Chain: collect.Map(Chain(r), linkJSON), Waiver: WaiverJSON(d.Finding.Waiver), Notes: NotNil(notesOf(r)),
	}
}

func UnexplainedJSON(u *advice.Unexplained, c counters) jsonUnexplained {
	return jsonUnexplained{
		Symptom: symptomJSON(u.Symptom, c),
		Possible: collect.Map(u.Possible, func(d *advice.Diagnosis) jsonPossible {
			f := d.Finding
			return jsonPossible{Rule: f.Rule.ID, Title: f.Rule.Title, Reason: wording.OneLine(f.Reason), Missing: collect.Map(f.Gaps, gapJSON)}
		}),
		RuledOut: collect.Map(u.RuledOut, func(d *advice.Diagnosis) jsonRuledOut {
			return jsonRuledOut{d.Finding.Rule.ID, d.Finding.Rule.Title, againstJSON(d)}
		}),
	}
}

func FigureJSON(f efficiency.Figure) jsonFigure {
	return jsonFigure{
		ID: f.ID, Object: f.Object, Title: f.Title, Value: FactJSON(f.Value, figureOrNot), Unit: f.Unit, From: NotNil(f.From), About: wording.OneLine(f.About),
	}
}

func SpotJSON(s hotspot.Spot) jsonSpot {
	return jsonSpot{
		Metric: s.Metric.ID, Column: s.Metric.Column, Host: s.Host, Object: s.Object, ID: s.MoID, Unit: string(s.Metric.Unit),
		Worst: figureOrNot(s.Worst), Mean: figureOrNot(s.Mean), At: s.At.UTC(), Samples: s.Samples, Beyond: s.Beyond,
		LongestSeconds: s.Longest.Seconds(),
	}
}

// figureOrNot is a number; what is none, such as nothing by nothing, is absent: JSON has no word for it.
func figureOrNot(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return absent
	}
	return x
}

// valueJSON is a piece of evidence as it is.
func valueJSON(v any) any {
	switch x := v.(type) {
	case float64:
		return figureOrNot(x)
	case []any:
		return collect.Map(x, valueJSON)
	}
	return v
}

// display is a fact for machines: its value, or an object that says which of the two other states it has.
func FactJSON[T any](f inventory.Fact[T], value func(T) any) any {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return value(v)
	case inventory.StateAbsent:
		return map[string]bool{"absent": true}
	}
	return map[string]string{"unread": reason}
}

// settingJSON keeps numbers and booleans what they are.
func SettingJSON(v inventory.Value) any { return v.Native() }

// waiverJSON is the waiver of a finding; nil where none counts.
func WaiverJSON(w *advice.Waiver) *JsonWaiver {
	if w == nil {
		return nil
	}
	return &JsonWaiver{Reason: w.Reason, Owner: w.Owner, Until: string(w.Until), From: w.From}
}

type JsonWaiver struct {
	Reason string `json:"reason"`
	Owner  string `json:"owner,omitempty"`
	Until  string `json:"until"`
	From   string `json:"from"`
}

type JsonUnread struct {
	Object inventory.Ref `json:"object"`
	Fact   string        `json:"fact"`
	Reason string        `json:"reason"`
}
