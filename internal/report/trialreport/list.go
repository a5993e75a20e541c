package trialreport

import (
	"io"
	"time"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/trial"
)

// List writes one row for each trial, in the given order.
func List(w io.Writer, all []*trials.Recorded, term report.Terminal) error {
	p := newPrinter(w, term)
	if len(all) == 0 {
		p.line(0, "no trials yet; %s shows what one could measure", term.Typed.Command("trial", "plan"))
		return p.end("the list of trials")
	}
	first, second := [][]string{{"RUN", "RULE", "VERDICT"}}, [][]string{{"BEGAN", "CHANGE (95 % INTERVAL)", "ON"}}
	for _, t := range all {
		first = append(first, []string{wording.Clean(t.Run.ID), wording.Clean(t.Registration.Rule), verdictText(t)})
		second = append(second, []string{moment(t.Run.Began), newEffect(&t.Registration.Outcome, t.Result.Estimate).brief(), unitsText(t)})
	}
	one := make([][]string, len(first))
	for i := range first {
		one[i] = append(append([]string{}, first[i]...), second[i]...)
	}
	if p.fits(one) {
		p.table(one)
		return p.end("the list of trials")
	}
	below := doc.Align(second)
	for i, line := range doc.Align(first) { // each trial takes two lines
		p.line(0, "%s", line)
		p.line(4, "%s", below[i])
	}
	return p.end("the list of trials")
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
