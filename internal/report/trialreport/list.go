package trialreport

import (
	"time"

	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/trial"
)

// List has one row for each trial, in the given order.
func List(all []*trials.Recorded, from typed.Source) doc.Document {
	if len(all) == 0 {
		return doc.Of(doc.P("no trials yet; ", from.Command("trial", "plan"), " shows what one could measure"))
	}
	t := doc.Table{Head: []string{"RUN", "RULE", "VERDICT", "BEGAN", "CHANGE (95 % INTERVAL)", "ON"}, Below: 3}
	for _, x := range all {
		t.Add(x.Run.ID, x.Registration.Rule, verdictText(x), moment(x.Run.Began), newEffect(&x.Registration.Outcome, x.Result.Estimate).brief(), unitsText(x))
	}
	return doc.Of(t.Block())
}

// verdictText is the verdict in a word or two, with what limits it.
func verdictText(t *trials.Recorded) string {
	text := string(t.Result.Verdict)
	switch {
	case t.Waiting():
		text = "drawn, not judged yet"
	case t.Run != nil && t.Run.Damaged:
		text += ", journal damaged"
	case t.Kept:
		text += ", kept"
	case t.Result.Stop == trial.StopGuard:
		text += ", ended by a guard"
	case t.Result.Stop == trial.StopEvent:
		text += ", ended by an event"
	case !t.Ended:
		text += ", cut short"
	}
	if t.Conditions.Simulated {
		text += " (simulated)"
	}
	return text
}

func unitsText(t *trials.Recorded) string {
	names := make([]string, len(t.Registration.Units))
	for i, u := range t.Registration.Units {
		names[i] = u.Name
	}
	return wording.SomeOf(names)
}

// moment formats a time to the minute.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}
