package diffreport

import (
	"io"
	"time"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/inventory"
)

// Schema is the version of the JSON form. Its JSON Schema is docs/schema/vperf.diff-v1.schema.json; fields may be added within v1,
// never renamed or removed.
const Schema = "vperf.diff/v1"

type jsonDiff struct {
	Schema       string           `json:"schema"`
	Old          jsonSide         `json:"old"`
	New          jsonSide         `json:"new"`
	FindingsOnly bool             `json:"findingsOnly"`
	Summary      jsonSummary      `json:"summary"`
	Changes      []jsonChange     `json:"changes"`
	Came         []jsonObject     `json:"came"`
	Went         []jsonObject     `json:"went"`
	Renamed      []jsonRenamed    `json:"renamed"`
	Findings     jsonFindings     `json:"findings"`
	Counters     jsonCounters     `json:"counters"`
	Uncompared   []jsonUncompared `json:"uncompared"`
	Notes        []string         `json:"notes"`
}

type jsonSide struct {
	Name     string    `json:"name"`
	Kind     string    `json:"kind"`
	Source   string    `json:"source"`
	TakenAt  time.Time `json:"takenAt"`
	LiveFrom time.Time `json:"liveFrom,omitzero"`
	LiveTo   time.Time `json:"liveTo,omitzero"`
}

type jsonSummary struct {
	Settings   int `json:"settings"`
	Platform   int `json:"platform"`
	Placement  int `json:"placement"`
	State      int `json:"state"`
	Came       int `json:"came"`
	Went       int `json:"went"`
	Renamed    int `json:"renamed"`
	New        int `json:"newFindings"`
	Gone       int `json:"goneFindings"`
	Still      int `json:"stillFindings"`
	Unclear    int `json:"unclearFindings"`
	Uncompared int `json:"uncompared"`
}

type jsonChange struct {
	Address   string        `json:"address"`
	Object    inventory.Ref `json:"object"`
	Owner     inventory.Ref `json:"owner"`
	Role      string        `json:"role"`
	Kind      string        `json:"kind"`
	Fact      string        `json:"fact"`
	Part      string        `json:"part,omitempty"`
	Key       string        `json:"key,omitempty"`
	From      any           `json:"from"`
	To        any           `json:"to"`
	FromNames []string      `json:"fromNames,omitempty"`
	ToNames   []string      `json:"toNames,omitempty"`
	Note      string        `json:"note,omitempty"`
	Run       *jsonRun      `json:"run,omitempty"`
	Events    []jsonEvent   `json:"events,omitempty"`
}

type jsonRun struct {
	ID           string    `json:"id"`
	User         string    `json:"user"`
	When         time.Time `json:"when"`
	Rules        []string  `json:"rules,omitempty"`
	ChangedSince bool      `json:"changedSince,omitempty"`
}

type jsonEvent struct {
	When  time.Time `json:"when"`
	User  string    `json:"user,omitempty"`
	Class string    `json:"class"`
	Text  string    `json:"text"`
}

type jsonObject struct {
	Object inventory.Ref `json:"object"`
	Host   string        `json:"host,omitempty"`
	Note   string        `json:"note,omitempty"`
	Events []jsonEvent   `json:"events,omitempty"`
}

type jsonRenamed struct {
	Object inventory.Ref `json:"object"`
	From   string        `json:"from"`
	To     string        `json:"to"`
}

type jsonFindings struct {
	New     []jsonFinding `json:"new"`
	Gone    []jsonFinding `json:"gone"`
	Still   []jsonFinding `json:"still"`
	Unclear []jsonFinding `json:"unclear"`
}

type jsonFinding struct {
	Rule     string        `json:"rule"`
	Title    string        `json:"title"`
	Severity string        `json:"severity"`
	Object   inventory.Ref `json:"object"`
	Was      string        `json:"was"`
	Is       string        `json:"is"`
	Reason   string        `json:"reason,omitempty"`
}

type jsonCounters struct {
	Note    string        `json:"note"`
	Medians []jsonCounter `json:"medians"`
}

type jsonCounter struct {
	Object     inventory.Ref `json:"object"`
	Metric     string        `json:"metric"`
	Unit       string        `json:"unit"`
	Old        float64       `json:"old"`
	New        float64       `json:"new"`
	OldSamples int64         `json:"oldSamples"`
	NewSamples int64         `json:"newSamples"`
}

type jsonUncompared struct {
	Object inventory.Ref `json:"object"`
	Facts  []string      `json:"facts"`
	Side   string        `json:"side"`
	Reason string        `json:"reason"`
}

// JSON writes a difference for programs. It is always complete.
func JSON(w io.Writer, d *diff.Diff) error {
	out := jsonDiff{
		Schema: Schema, Old: sideOf(d.Old), New: sideOf(d.New), FindingsOnly: d.FindingsOnly, Summary: summary(d),
		Changes: collect.Map(notNil(d.Changes), changeJSON), Came: collect.Map(notNil(d.Came), objectJSON), Went: collect.Map(notNil(d.Went), objectJSON),
		Renamed: collect.Map(notNil(d.Renamed), func(r diff.Renamed) jsonRenamed { return jsonRenamed(r) }),
		Findings: jsonFindings{
			New: findingsJSON(d.Findings.New), Gone: findingsJSON(d.Findings.Gone), Still: findingsJSON(d.Findings.Still), Unclear: findingsJSON(d.Findings.Unclear),
		},
		Counters: jsonCounters{CounterNote, collect.Map(notNil(d.Counters), func(c diff.Counter) jsonCounter { return jsonCounter(c) })},
		Uncompared: collect.Map(notNil(d.Uncompared), func(u diff.Uncompared) jsonUncompared {
			return jsonUncompared{u.Object, notNil(u.Facts), u.Side, u.Reason}
		}),
		Notes: notNil(d.Notes),
	}
	return report.WriteDocument(w, "the difference", out)
}

func sideOf(s diff.Side) jsonSide {
	return jsonSide{Name: s.Name, Kind: s.Kind, Source: s.Source, TakenAt: s.TakenAt.UTC(), LiveFrom: s.LiveFrom, LiveTo: s.LiveTo}
}

func summary(d *diff.Diff) jsonSummary {
	roles := map[inventory.Role]int{}
	for i := range d.Changes {
		roles[d.Changes[i].Role]++
	}
	return jsonSummary{
		Settings: roles[inventory.RoleSetting], Platform: roles[inventory.RolePlatform], Placement: roles[inventory.RolePlacement], State: roles[inventory.RoleState],
		Came: len(d.Came), Went: len(d.Went), Renamed: len(d.Renamed), New: len(d.Findings.New), Gone: len(d.Findings.Gone),
		Still: len(d.Findings.Still), Unclear: len(d.Findings.Unclear), Uncompared: len(d.Uncompared),
	}
}

func changeJSON(c diff.Change) jsonChange {
	out := jsonChange{
		Address: c.Address, Object: c.Object, Owner: c.Owner(), Role: string(c.Role), Kind: string(c.Kind), Fact: c.Fact, Part: c.Part, Key: c.Key,
		From: valueJSON(c.From), To: valueJSON(c.To), FromNames: c.FromNames, ToNames: c.ToNames, Note: c.Note, Events: collect.Map(c.Events, eventJSON),
	}
	if r := c.Run; r != nil {
		out.Run = &jsonRun{ID: r.ID, User: r.User, When: r.When.UTC(), Rules: r.Rules, ChangedSince: r.Since}
	}
	return out
}

func eventJSON(e diff.Event) jsonEvent {
	return jsonEvent{When: e.When.UTC(), User: e.User, Class: e.Class, Text: e.Text}
}

func objectJSON(o diff.Object) jsonObject {
	return jsonObject{Object: o.Ref, Host: o.Host, Note: o.Note, Events: collect.Map(o.Events, eventJSON)}
}

func findingsJSON(all []diff.Finding) []jsonFinding {
	return collect.Map(notNil(all), func(f diff.Finding) jsonFinding {
		return jsonFinding{f.Rule, f.Title, string(f.Severity), f.Object, f.Was, f.Is, f.Reason}
	})
}

// valueJSON returns a known value, or an object that says that it is absent.
func valueJSON(f inventory.Fact[any]) any {
	if v, known := f.Value(); known {
		return v
	}
	return map[string]bool{"absent": true}
}

// notNil returns a list that is not nil but may be empty.
func notNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
