package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Waiting is a change of an earlier run that is not in effect yet.
type Waiting struct {
	Run    string
	Result tuning.Result
}

// Outcome writes the result of each change of a run, the remaining work, and pending changes of earlier runs.
func Outcome(w io.Writer, o *tuning.Outcome, t Terminal, earlier ...Waiting) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t}
	if len(o.Results) > 0 || o.Run != "" {
		p.outcome(o)
	} else {
		p.line(0, "nothing to do now")
	}
	for _, e := range earlier {
		p.line(0, "still waiting, of run %s (%s takes it back):", p.term.Style.Bold(wording.Clean(e.Run)), p.term.Typed.Command("rollback", e.Run))
		p.result(&e.Result)
	}
	return finish(b, "the result")
}

func (p *page) outcome(o *tuning.Outcome) {
	if o.Run != "" {
		p.line(0, "run %s", p.term.Style.Bold(wording.Clean(o.Run)))
	}
	for i := range o.Results {
		p.result(&o.Results[i])
	}
	if o.Stopped != "" {
		p.hanging(0, objectIndent, "%s %s", p.term.Style.Yellow("stopped:"), wording.Clean(o.Stopped))
	}
	p.warnings(o.Warnings)
	p.line(0, "%s", p.term.Style.Bold(resultSummary(o.Results)))
}

func (p *page) result(r *tuning.Result) {
	text := fmt.Sprintf("%s  %s  %s  %s", stateWord(p.term.Style, r.State), wording.Clean(r.Target.Name), addressText(r.Address), resultValues(r))
	if r.Waits != "" {
		text += " (" + activationText(r.Waits) + ")"
	}
	if r.Why != "" {
		text += ": " + wording.Clean(r.Why)
	}
	p.hanging(objectIndent, detailIndent, "%s", text)
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
func stateWord(s iostreams.Style, state tuning.State) string {
	switch state {
	case tuning.StateDone, tuning.StateProven, tuning.StateSame, tuning.StateUndone:
		return s.Green(string(state))
	case tuning.StateFailed, tuning.StateWrong, tuning.StateForeign, tuning.StateDrifted, tuning.StateGone:
		return s.Red(string(state))
	}
	return s.Yellow(string(state))
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
