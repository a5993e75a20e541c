package report

import (
	"cmp"
	"io"
	"slices"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// History lists runs, the newest first.
func History(runs []*tuning.Run, from typed.Source) doc.Document {
	if len(runs) == 0 {
		return doc.Of(doc.P("no runs yet; ", from.Command("apply"), " starts one"))
	}
	t := doc.Table{Head: []string{"RUN", "BEGAN", "SERVER", "RULES", "BY", "RESULT"}, Below: 3}
	for _, r := range runs {
		t.Add(r.ID, cmp.Or(timeText(r.Began), "-"), cmp.Or(wording.Marked(r.Server.Name, r.Server.Sandbox), "-"), cmp.Or(wording.SomeNames(runRules(r)), "-"), cmp.Or(r.User, "-"),
			runResult(r)+": "+stateCounts(resultsOf(r)))
		if r.Broken != "" {
			t.Under(broken(r))
		}
	}
	return doc.Of(t.Block())
}

func broken(r *tuning.Run) doc.Block { return doc.P(doc.S(doc.Bad, "broken: "), r.Broken) }

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
	case r.Result == "" && r.Broken != "" && !r.Unbegun:
		return "unread"
	case r.Result == "":
		return "not begun"
	}
	return r.Result
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

// Run returns one run: user, time, origin, reason, changes, and their current state.
func Run(r *tuning.Run) doc.Document {
	results := resultsOf(r)
	all := []doc.Block{
		doc.Item(doc.T("run ", doc.Bold(r.ID), ": "+runResult(r)), doc.Fields(runFields(r)...),
			doc.Group(collect.Map(results, func(r tuning.Result) doc.Block { return result(&r) })...)),
		doc.Section("durability", doc.Items(durability(r)...)...),
		doc.Group(warnings(r.Warnings)...),
	}
	return doc.Of(append(all, doc.P(doc.Bold(resultSummary(results))))...)
}

func runFields(r *tuning.Run) []doc.Field {
	return []doc.Field{
		doc.F("server", r.Server.Name+" ("+r.Server.UUID+")"), doc.F("address", r.Server.Address), doc.F("product", productText(r.Server)), doc.F("who", r.User),
		doc.F("began", timeText(r.Began)), doc.F("ended", timeText(r.Ended)), doc.F("why so", r.Why), doc.F("trial", trialText(r)), doc.F("version", r.Version),
		doc.F("reason", wording.OneLine(r.Reason)), doc.F("ticket", r.Ticket), doc.F("plan", r.Digest), doc.F("broken", doc.S(doc.Bad, r.Broken)),
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
			of[key], saved[key] = record.Target.Name, false
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

// Verified returns the result of comparing runs with the server.
func Verified(all []*tuning.Outcome) doc.Document {
	var blocks []doc.Block
	var results []tuning.Result
	for _, o := range all {
		blocks = append(append(blocks, outcome(o)...), warnings(o.Warnings)...)
		results = append(results, o.Results...)
	}
	if len(results) == 0 {
		return doc.Of(append(blocks, doc.P("nothing to verify: no run has changes here"))...)
	}
	return doc.Of(append(blocks, doc.P(doc.Bold(resultSummary(results))))...)
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

// Rollback returns the changes that a rollback of the run would make, in the order of the rollback (last change first), and their
// number.
func Rollback(r *tuning.Run) (doc.Document, int) {
	var all []doc.Block
	for i := range slices.Backward(r.Results) {
		if c := &r.Results[i]; goesBack(c.State) {
			all = append(all, doc.Item(doc.Apart(c.Target.Name, addressText(c.Address), doc.Bold(valueText(c.Address, c.After)+" → "+valueText(c.Address, c.Before)))))
		}
	}
	n := len(all)
	if n == 0 {
		all = doc.Items("all changes are already undone")
	}
	return doc.Of(doc.Item(doc.T("run ", doc.Bold(r.ID), " on "+r.Server.Name+", "+timeText(r.Began)+", by "+r.User), all...)), n
}

// goesBack reports whether a rollback considers a change: the change is on the server, or may be.
func goesBack(s tuning.State) bool {
	switch s {
	case tuning.StateUntouched, tuning.StateSame, tuning.StateDeferred, tuning.StateFailed, tuning.StateUndone:
		return false
	}
	return true
}
