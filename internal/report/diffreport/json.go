package diffreport

import (
	"io"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/inventory"
)

// Schema is the version of the JSON form. Its JSON Schema is docs/schema/vperf.diff-v1.schema.json; fields may be added within v1,
// never renamed or removed.
const Schema = "vperf.diff/v1"

type jsonDiff struct {
	Schema       string            `json:"schema"`
	Old          diff.Side         `json:"old"`
	New          diff.Side         `json:"new"`
	FindingsOnly bool              `json:"findingsOnly"`
	Summary      jsonSummary       `json:"summary"`
	Changes      []jsonChange      `json:"changes"`
	Came         []diff.Object     `json:"came"`
	Went         []diff.Object     `json:"went"`
	Renamed      []diff.Renamed    `json:"renamed"`
	Findings     jsonFindings      `json:"findings"`
	Counters     jsonCounters      `json:"counters"`
	Uncompared   []diff.Uncompared `json:"uncompared"`
	Notes        []string          `json:"notes"`
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
	Run       *diff.Run     `json:"run,omitempty"`
	Events    []diff.Event  `json:"events,omitempty"`
}

type jsonFindings struct {
	New     []diff.Finding `json:"new"`
	Gone    []diff.Finding `json:"gone"`
	Still   []diff.Finding `json:"still"`
	Unclear []diff.Finding `json:"unclear"`
}

type jsonCounters struct {
	Note    string         `json:"note"`
	Medians []diff.Counter `json:"medians"`
}

// JSON writes a difference for programs. It is always complete.
func JSON(w io.Writer, d *diff.Diff) error {
	out := jsonDiff{
		Schema: Schema, Old: inUTC(d.Old), New: inUTC(d.New), FindingsOnly: d.FindingsOnly, Summary: summary(d),
		Changes: collect.Map(notNil(d.Changes), changeJSON), Came: notNil(d.Came), Went: notNil(d.Went),
		Renamed: notNil(d.Renamed),
		Findings: jsonFindings{
			New: notNil(d.Findings.New), Gone: notNil(d.Findings.Gone), Still: notNil(d.Findings.Still), Unclear: notNil(d.Findings.Unclear),
		},
		Counters:   jsonCounters{CounterNote, notNil(d.Counters)},
		Uncompared: collect.Map(notNil(d.Uncompared), func(u diff.Uncompared) diff.Uncompared { u.Facts = notNil(u.Facts); return u }),
		Notes:      notNil(d.Notes),
	}
	return report.WriteDocument(w, "the difference", out)
}

func inUTC(s diff.Side) diff.Side {
	s.TakenAt = s.TakenAt.UTC()
	return s
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
	return jsonChange{
		Address: c.Address, Object: c.Object, Owner: c.Owner(), Role: string(c.Role), Kind: string(c.Kind), Fact: c.Fact, Part: c.Part, Key: c.Key,
		From: valueJSON(c.From), To: valueJSON(c.To), FromNames: c.FromNames, ToNames: c.ToNames, Note: c.Note, Run: c.Run, Events: c.Events,
	}
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
