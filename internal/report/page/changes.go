package page

import (
	"cmp"
	"strings"

	"github.com/vperf/vperf/pkg/tuning"
)

// changeList is the runs that changed the servers.
type changeList struct {
	Gist string
	Runs []run
	More string
}

type run struct {
	ID, When, Who, Server, Result, Why, Reason, Plan, Broken string
	Rows                                                     []change
	More                                                     string
	Open                                                     bool
}

type change struct {
	Target, Setting, From, To, State, Class, Why, Rules string
}

// How much of the history is shown.
const (
	mostRuns    = 20
	mostChanges = 40
)

func (s *show) changes() changeList {
	var list changeList
	shown, more := first(s.Changes, s.limit(mostRuns))
	for i, r := range shown {
		list.Runs = append(list.Runs, s.run(r, i == 0 && len(r.Results) <= openRows))
	}
	if more > 0 {
		list.More = whole(more) + " older runs: vperf history list shows them"
	}
	list.Gist = counted(len(s.Changes), "run")
	return list
}

func (s *show) run(r *tuning.Run, open bool) run {
	x := run{
		ID: clean(r.ID), When: moment(r.Began), Who: clean(r.User), Server: clean(r.Server.Name), Result: clean(cmp.Or(r.Result, "interrupted")),
		Why: prose(r.Why), Plan: clean(r.Digest), Broken: prose(r.Broken), Open: open,
	}
	var why []string
	for _, w := range []string{r.Reason, r.Ticket} {
		if w != "" {
			why = append(why, prose(w))
		}
	}
	x.Reason = strings.Join(why, ", ")
	shown, more := first(r.Results, s.limit(mostChanges))
	for _, c := range shown {
		x.Rows = append(x.Rows, changeOf(c))
	}
	if more > 0 {
		x.More = whole(more) + " more: " + s.Typed.Command("history", "show", r.ID) + " lists them"
	}
	return x
}

func changeOf(c tuning.Result) change {
	x := change{
		Target: clean(c.Target.Name), Setting: clean(c.Setting), From: setting(c.Before), To: setting(c.After),
		State: clean(string(c.State)), Class: stateClass(c.State), Why: prose(c.Why), Rules: clean(strings.Join(c.Rules, ", ")),
	}
	if device := cmp.Or(c.Label, c.Device); device != "" {
		x.Setting += " of " + clean(device)
	}
	if c.State == tuning.StateUndone {
		x.From, x.To = x.To, x.From
	}
	if words := takesWords[c.Waits]; words != "" {
		x.State += ", " + words
	}
	return x
}

func stateClass(s tuning.State) string {
	switch s {
	case tuning.StateDone, tuning.StateProven, tuning.StateSame, tuning.StateUndone:
		return "good"
	case tuning.StateFailed, tuning.StateWrong, tuning.StateForeign, tuning.StateDrifted, tuning.StateGone:
		return "bad"
	}
	return "warn"
}
