package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Waiting is a change of an earlier run that is not in effect yet.
type Waiting struct {
	Run    string
	Result tuning.Result
}

// Outcome returns the result of each change of a run, the remaining work, and pending changes of earlier runs.
func Outcome(o *tuning.Outcome, from typed.Source, earlier ...Waiting) doc.Document {
	all := []doc.Block{doc.P("nothing to do now")}
	if len(o.Results) > 0 || o.Run != "" {
		all = outcome(o)
		if o.Stopped != "" {
			all = append(all, doc.P(doc.S(doc.Warn, "stopped: "), o.Stopped))
		}
		all = append(append(all, warnings(o.Warnings)...), doc.P(doc.Bold(resultSummary(o.Results))))
	}
	for _, e := range earlier {
		all = append(all, doc.Item(doc.T("still waiting, of run ", doc.Bold(e.Run), " (", from.Command("rollback", e.Run), " takes it back):"), result(&e.Result)))
	}
	return doc.Of(all...)
}

// outcome returns the results of a run, under its name if it has one.
func outcome(o *tuning.Outcome) []doc.Block {
	results := collect.Map(o.Results, func(r tuning.Result) doc.Block { return result(&r) })
	if o.Run == "" {
		return results
	}
	return []doc.Block{doc.Item(doc.T("run ", doc.Bold(o.Run)), results...)}
}

func warnings(all []string) []doc.Block {
	return collect.Map(all, func(w string) doc.Block { return doc.P(doc.S(doc.Warn, "warning: "), w) })
}

func result(r *tuning.Result) doc.Block {
	text := resultValues(r)
	if r.Waits != "" {
		text += " (" + activationText(r.Waits) + ")"
	}
	if r.Why != "" {
		text += ": " + r.Why
	}
	return doc.Item(doc.Apart(stateWord(r.State), r.Target.Name, addressText(r.Address), text))
}

// resultValues returns the target and intended value of a change, and the actual value if it differs.
func resultValues(r *tuning.Result) string {
	text := valueText(r.Address, r.Before) + " → " + valueText(r.Address, r.After)
	if r.State == tuning.StateUndone {
		text = valueText(r.Address, r.After) + " → " + valueText(r.Address, r.Before)
	}
	switch r.State {
	case tuning.StateWrong, tuning.StateForeign, tuning.StateDrifted:
		text += ", now " + valueText(r.Address, r.Now)
	}
	return text
}

// stateWord returns a state in its colour.
func stateWord(state tuning.State) doc.Span {
	style := doc.Warn
	switch state {
	case tuning.StateDone, tuning.StateProven, tuning.StateSame, tuning.StateUndone:
		style = doc.Good
	case tuning.StateFailed, tuning.StateWrong, tuning.StateForeign, tuning.StateDrifted, tuning.StateGone:
		style = doc.Bad
	}
	return doc.S(style, string(state))
}

// states lists all states in counting order.
var states = []tuning.State{
	tuning.StateDone, tuning.StateProven, tuning.StatePending, tuning.StateDeferred, tuning.StateSame, tuning.StateUndone, tuning.StateKept, tuning.StateUndoDeferred,
	tuning.StateFailed, tuning.StateWrong, tuning.StateForeign, tuning.StateDrifted, tuning.StateGone, tuning.StateUnread,
	tuning.StateDoing, tuning.StateUndoing, tuning.StateUntouched,
}

func resultSummary(all []tuning.Result) string {
	return plural.Count(len(all), "change") + ": " + stateCounts(all)
}

// stateCounts counts results by state.
func stateCounts(all []tuning.Result) string {
	by := map[tuning.State]int{}
	waits := 0
	for _, r := range all {
		by[r.State]++
		if r.Waits != "" && r.State != tuning.StatePending {
			waits++
		}
	}
	var parts []string
	for _, s := range states {
		if by[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", by[s], s))
		}
	}
	if waits > 0 {
		parts = append(parts, fmt.Sprintf("%d of them not in force yet", waits))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// Outcomes of runs as JSON. Fields are added, never renamed.

// OutcomeSchema names the form of a run's outcome.
const OutcomeSchema = "vperf.outcome/v1"

type jsonOutcome struct {
	Schema   string         `json:"schema"`
	Server   *tuning.Server `json:"server,omitempty"`
	Run      string         `json:"run,omitempty"`
	Results  []jsonResult   `json:"results"`
	Stopped  string         `json:"stopped,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Waiting  []jsonResult   `json:"waiting,omitempty"` // changes of earlier runs that are not in effect yet
}

// jsonResult is one change and its result.
type jsonResult struct {
	Run     string        `json:"run,omitempty"` // set if the list has results of several runs
	Step    int           `json:"step"`
	Target  tuning.Target `json:"target"`
	Setting string        `json:"setting"`
	Device  string        `json:"device,omitempty"`
	Label   string        `json:"label,omitempty"`
	Before  any           `json:"before"`
	After   any           `json:"after"`
	Now     any           `json:"now,omitempty"`
	State   string        `json:"state"`
	Waits   string        `json:"waits,omitempty"`
	Why     string        `json:"why,omitempty"`
	Since   string        `json:"since,omitempty"`
	Rules   []string      `json:"rules,omitempty"`
}

func resultsJSON(all []tuning.Result) []jsonResult {
	out := make([]jsonResult, len(all))
	for i, r := range all {
		out[i] = jsonResult{
			Step: r.Step, Target: r.Target, Setting: r.Setting, Device: r.Device, Label: r.Label,
			Before: factJSON(r.Before), After: factJSON(r.After), State: string(r.State), Waits: string(r.Waits),
			Why: r.Why, Since: timeText(r.Since), Rules: r.Rules,
		}
		if _, state, _ := r.Now.Get(); state != inventory.StateUnread {
			out[i].Now = factJSON(r.Now)
		}
	}
	return out
}

// OutcomeJSON writes the outcome of a run as JSON.
func OutcomeJSON(w io.Writer, server tuning.Server, o *tuning.Outcome, earlier ...Waiting) error {
	out := jsonOutcome{
		Schema: OutcomeSchema, Server: &server, Run: o.Run, Results: resultsJSON(o.Results), Stopped: o.Stopped, Warnings: o.Warnings,
	}
	for _, e := range earlier {
		r := resultsJSON([]tuning.Result{e.Result})[0]
		r.Run = e.Run
		out.Waiting = append(out.Waiting, r)
	}
	return writeJSON(w, "what was done", out)
}
