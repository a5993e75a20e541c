package report

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/columns"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// HistoryTable lists runs, the newest first.
func HistoryTable(w io.Writer, runs []*tuning.Run, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t}
	if len(runs) == 0 {
		p.line(0, "no runs yet; %s starts one", t.Typed.Command("apply"))
	}
	for i, line := range historyLines(runs, t.Width) {
		for part := range strings.SplitSeq(line, "\n") {
			p.hanging(0, detailIndent+2, "%s", part)
		}
		if i == 0 {
			continue
		}
		r := runs[i-1]
		if r.Broken != "" {
			p.hanging(detailIndent, detailIndent+2, "%s %s", t.Style.Red("broken:"), wording.Clean(r.Broken))
		}
	}
	return finish(b, "the list of runs")
}

// historyLines returns the runs in columns under a heading. If the columns are too wide, each run takes two lines.
func historyLines(runs []*tuning.Run, width int) []string {
	if len(runs) == 0 {
		return nil
	}
	first, second := [][]string{{"RUN", "BEGAN", "RESULT"}}, [][]string{{"SERVER", "RULES", "BY"}}
	for _, r := range runs {
		first = append(first, []string{wording.Clean(r.ID), orDash(timeText(r.Began)), runResult(r) + ": " + stateCounts(resultsOf(r))})
		second = append(second, []string{orDash(wording.Marked(r.Server.Name, r.Server.Sandbox)), orDash(wording.SomeOf(runRules(r))), orDash(r.User)})
	}
	one := make([][]string, len(first))
	for i := range first {
		one[i] = slices.Concat(first[i][:2], second[i], first[i][2:])
	}
	lines := columns.Align(one)
	if width <= 0 || !slices.ContainsFunc(lines, func(l string) bool { return columns.Width(l) > width }) {
		return lines
	}
	below := columns.Align(second)
	for i, l := range columns.Align(first) {
		lines[i] = l + "\n" + strings.Repeat(" ", detailIndent) + below[i]
	}
	return lines
}

// orDash returns s, or a dash for an unknown value.
func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return wording.Clean(s)
}

// resultsOf returns the results of a run. If its journal is damaged, a change without a record may have been made.
func resultsOf(r *tuning.Run) []tuning.Result {
	all := slices.Clone(r.Results)
	for i := range all {
		if r.Damaged && all[i].State == tuning.StateUntouched {
			all[i].State, all[i].Why = tuning.StateUnread, "its records may be lost"
		}
	}
	return all
}

// runResult describes how a run ended.
func runResult(r *tuning.Run) string {
	switch {
	case r.Damaged && r.Aside:
		return "damaged, set aside"
	case r.Damaged:
		return "damaged"
	case r.Open() && r.Result == tuning.ResultPartlyRestored: // tried again with every command that writes
		return r.Result
	case r.Open():
		return "cut short"
	case r.Result == "":
		return "not begun"
	}
	return wording.Clean(r.Result)
}

// runRules returns the distinct rules of a run.
func runRules(r *tuning.Run) []string {
	var ids []string
	for _, c := range r.Results {
		for _, id := range c.Rules {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// RunText shows one run: user, time, origin, reason, changes, and their current state.
func RunText(w io.Writer, r *tuning.Run, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t}
	p.line(0, "run %s: %s", t.Style.Bold(wording.Clean(r.ID)), runResult(r))
	for _, f := range runFields(r) {
		if f.text != "" {
			p.hanging(objectIndent, detailIndent, "%s: %s", f.name, wording.Clean(wording.OneLine(f.text)))
		}
	}
	if r.Broken != "" {
		p.hanging(objectIndent, detailIndent, "%s %s", t.Style.Red("broken:"), wording.Clean(r.Broken))
	}
	p.w.WriteByte('\n')
	results := resultsOf(r)
	for i := range results {
		p.result(&results[i])
	}
	if lines := durability(r); len(lines) > 0 {
		p.section("durability", lines)
	}
	if len(r.Warnings) > 0 {
		p.w.WriteByte('\n')
		p.warnings(r.Warnings)
	}
	p.w.WriteByte('\n')
	p.line(0, "%s", t.Style.Bold(resultSummary(results)))
	return finish(b, "run "+r.ID)
}

type namedText struct{ name, text string }

func runFields(r *tuning.Run) []namedText {
	return []namedText{
		{"server", r.Server.Name + " (" + r.Server.UUID + ")"}, {"address", r.Server.Address}, {"product", productText(r.Server)}, {"who", r.User}, {"began", timeText(r.Began)}, {"ended", timeText(r.Ended)}, {"why so", r.Why},
		{"trial", trialText(r)}, {"version", r.Version}, {"reason", r.Reason}, {"ticket", r.Ticket}, {"plan", r.Digest},
	}
}

// trialText returns how often a trial switched its changes on and off; "" if the run belongs to no trial.
func trialText(r *tuning.Run) string {
	if !r.Trial() {
		return ""
	}
	return "its changes were switched on or off " + plural.Count(switches(r), "time")
}

// switches returns how often a trial wrote a change or its old value.
func switches(r *tuning.Run) (n int) {
	for i := range r.Results {
		n += r.Results[i].Writes()
	}
	return n
}

// productText returns the server's product, and notes a sandbox.
func productText(s tuning.Server) string {
	if s.Sandbox {
		return s.Product + ", sandbox"
	}
	return s.Product
}

// durability reports, for each host that was written to, whether it has saved its configuration since. A host can lose
// changes that it has not saved.
func durability(r *tuning.Run) []string {
	saved := map[string]bool{}
	var names []string
	of := map[string]string{}
	for _, record := range r.Records {
		if record.Target == nil || record.Target.Kind != inventory.ScopeHost {
			continue
		}
		key := record.Target.Key()
		switch {
		case record.Kind == tuning.RecordIntent || record.Kind == tuning.RecordRollbackIntent:
			if of[key] == "" {
				names = append(names, key)
			}
			of[key], saved[key] = wording.Clean(record.Target.Name), false
		case record.Kind == tuning.RecordActionDone && record.Action == tuning.ActionSave:
			saved[key] = !record.Failed
		}
	}
	lines := make([]string, len(names))
	for i, key := range names {
		lines[i] = of[key] + ": it is unknown whether the host has saved its configuration; a crash may revert the last change"
		if saved[key] {
			lines[i] = of[key] + ": its configuration is saved on its boot device"
		}
	}
	return lines
}

// The schemas of the history documents.
const (
	HistorySchema = "vperf.history/v1"
	RunSchema     = "vperf.run/v1"
	VerifySchema  = "vperf.verify/v1"
)

type jsonHistory struct {
	Schema string    `json:"schema"`
	Runs   []jsonRun `json:"runs"`
}

type jsonRun struct {
	Schema     string         `json:"schema,omitempty"`
	ID         string         `json:"id"`
	Server     tuning.Server  `json:"server"`
	User       string         `json:"user"`
	Version    string         `json:"version"`
	Reason     string         `json:"reason,omitempty"`
	Ticket     string         `json:"ticket,omitempty"`
	Began      string         `json:"began,omitempty"`
	Ended      string         `json:"ended,omitempty"`
	Result     string         `json:"result"`
	Open       bool           `json:"open"`
	Trial      bool           `json:"trial,omitempty"`
	Switches   int            `json:"switches,omitempty"` // of a trial: how often a change was switched on or off
	Rules      []string       `json:"rules"`
	States     map[string]int `json:"states"`
	Pending    int            `json:"pending"`
	Broken     string         `json:"broken,omitempty"`
	Damaged    bool           `json:"damaged,omitempty"` // lost or changed records: states may be wrong
	Aside      bool           `json:"aside,omitempty"`   // a damaged run that no longer concerns other runs
	Digest     string         `json:"digest,omitempty"`
	Results    []jsonResult   `json:"results,omitempty"`
	Durability []string       `json:"durability,omitempty"`
	Warnings   []string       `json:"warnings,omitempty"`
}

func runJSON(r *tuning.Run) jsonRun {
	out := jsonRun{
		ID: r.ID, Server: r.Server, User: r.User, Version: r.Version, Reason: r.Reason, Ticket: r.Ticket, Began: timeText(r.Began),
		Ended: timeText(r.Ended), Result: r.Result, Open: r.Open(), Rules: runRules(r), States: map[string]int{}, Broken: r.Broken, Digest: r.Digest,
		Damaged: r.Damaged, Aside: r.Aside,
	}
	if out.Trial = r.Trial(); out.Trial {
		out.Switches = switches(r)
	}
	if out.Rules == nil {
		out.Rules = []string{}
	}
	for _, c := range resultsOf(r) {
		out.States[string(c.State)]++
		if c.Waits != "" {
			out.Pending++
		}
	}
	return out
}

// HistoryJSON lists runs as JSON.
func HistoryJSON(w io.Writer, runs []*tuning.Run) error {
	h := jsonHistory{HistorySchema, make([]jsonRun, len(runs))}
	for i, r := range runs {
		h.Runs[i] = runJSON(r)
	}
	return writeJSON(w, "the list of runs", h)
}

// RunJSON writes one run as JSON.
func RunJSON(w io.Writer, r *tuning.Run) error {
	out := runJSON(r)
	out.Schema, out.Results, out.Durability, out.Warnings = RunSchema, resultsJSON(resultsOf(r)), durability(r), r.Warnings
	return writeJSON(w, "run "+r.ID, out)
}

// Verified writes the result of comparing runs with the server.
func Verified(w io.Writer, all []*tuning.Outcome, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t}
	var results []tuning.Result
	for _, o := range all {
		p.line(0, "run %s", t.Style.Bold(wording.Clean(o.Run)))
		for i := range o.Results {
			p.result(&o.Results[i])
		}
		p.warnings(o.Warnings)
		results = append(results, o.Results...)
	}
	if len(results) == 0 {
		p.line(0, "nothing to verify: no run has changes here")
	} else {
		p.line(0, "%s", t.Style.Bold(resultSummary(results)))
	}
	return finish(b, "the result")
}

type jsonVerify struct {
	Schema   string        `json:"schema"`
	Server   tuning.Server `json:"server"`
	Results  []jsonResult  `json:"results"`
	Warnings []string      `json:"warnings,omitempty"`
}

// VerifiedJSON writes the result of comparing runs with the server as JSON.
func VerifiedJSON(w io.Writer, server tuning.Server, all []*tuning.Outcome) error {
	v := jsonVerify{Schema: VerifySchema, Server: server, Results: []jsonResult{}}
	for _, o := range all {
		results := resultsJSON(o.Results)
		for i := range results {
			results[i].Run = o.Run
		}
		v.Results, v.Warnings = append(v.Results, results...), append(v.Warnings, o.Warnings...)
	}
	return writeJSON(w, "what was found", v)
}

// RollbackText writes the changes that a rollback of the run would make, in the order of the rollback (last change first), and
// returns their number.
func RollbackText(w io.Writer, r *tuning.Run, t Terminal) (int, error) {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t}
	p.line(0, "run %s on %s, %s, by %s", t.Style.Bold(wording.Clean(r.ID)), wording.Clean(r.Server.Name), timeText(r.Began), wording.Clean(r.User))
	n := 0
	for i := range slices.Backward(r.Results) {
		c := &r.Results[i]
		if !goesBack(c.State) {
			continue
		}
		n++
		p.hanging(objectIndent, detailIndent, "%s  %s  %s", wording.Clean(c.Target.Name), addressText(c.Address), t.Style.Bold(valueText(c.Address, c.After)+" → "+valueText(c.Address, c.Before)))
	}
	if n == 0 {
		p.line(objectIndent, "all changes are already undone")
	}
	return n, finish(b, "the changes to undo")
}

// goesBack reports whether a rollback considers a change: the change is on the server, or may be.
func goesBack(s tuning.State) bool {
	switch s {
	case tuning.StateUntouched, tuning.StateSame, tuning.StateDeferred, tuning.StateFailed, tuning.StateUndone:
		return false
	}
	return true
}
