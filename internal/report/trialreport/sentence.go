package trialreport

import (
	"fmt"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// Sentence returns the verdict of a trial as one sentence.
func Sentence(r *trial.Registration, res *trial.Result) string {
	rule, what := wording.Clean(r.Rule), lowerFirst(wording.Clean(r.Outcome.Title))
	f := newEffect(&r.Outcome, res.Estimate)
	switch res.Verdict {
	case trial.Keep:
		return fmt.Sprintf("Keep: %s %s %s by %s (95 %% interval %s)", rule, f.verb(), what, f.size(), f.sizes())
	case trial.Worse:
		return fmt.Sprintf("Worse: %s %s %s by %s (95 %% interval %s)", rule, f.verb(), what, f.size(), f.sizes())
	case trial.NoDifference:
		return fmt.Sprintf("No difference that matters: %s changes %s by %s, all within ±%s", rule, what, f.text(), least(r, f)) + unseen(res)
	case trial.Observed:
		return observed(r, rule, what, f)
	}
	if f.interval() == "" && r.Design == inventory.DesignRandomised {
		return fmt.Sprintf("Undecided: too few %s count to say what %s does to %s", kinds(r), rule, what)
	}
	if f.interval() == "" {
		return fmt.Sprintf("Undecided: too few pairs of blocks count to say what %s does to %s", rule, what)
	}
	if proven(r, res) {
		return fmt.Sprintf("Undecided: %s %s %s by %s (95 %% interval %s), but it is not certain that the effect is %s or more%s",
			rule, f.verb(), what, f.size(), f.sizes(), least(r, f), more(r, res))
	}
	return fmt.Sprintf("Undecided: %s changes %s by %s%s", rule, what, f.text(), more(r, res))
}

// proven reports whether a trial proves that there is an effect, whatever its size.
func proven(r *trial.Registration, res *trial.Result) bool {
	return r.Design.Switches() && res.P <= r.Alpha && (res.Estimate.Low > 0 || res.Estimate.High < 0)
}

// unseen limits what "no difference" says: a change that did not take effect makes none.
func unseen(res *trial.Result) string {
	if res.TookEffect != nil && res.TookEffect.Seen == trial.SeenNot {
		return "; but there is no sign that the change took effect"
	}
	return ""
}

// verdictSentence is the verdict of a trial, or what it waits for, as one sentence.
func verdictSentence(t *trials.Recorded) string {
	if t.Waiting() {
		return fmt.Sprintf("The lot for %s is drawn as run %s and not judged yet; it changed nothing", wording.Clean(t.Registration.Rule), wording.Clean(t.Run.ID))
	}
	return Sentence(t.Registration, t.Result)
}

// observed is the sentence of a design that proves nothing.
func observed(r *trial.Registration, rule, what string, f effect) string {
	switch {
	case r.Design == inventory.DesignBeforeAfter && !f.known():
		return fmt.Sprintf("Before/after, not a proof: there are too few samples to say what %s did to %s", rule, what)
	case r.Design == inventory.DesignBeforeAfter:
		return fmt.Sprintf("Before/after, not a proof: %s changed by %s when %s was changed", what, f.text(), rule)
	case f.interval() == "":
		return fmt.Sprintf("Observed, not proven: too few %s count to say what %s does to %s", kinds(r), rule, what)
	}
	return fmt.Sprintf("Observed, not proven: with %s, %s differs by %s from that of the %s without it", rule, what, f.text(), kinds(r))
}

// least is the smallest effect that matters, in the unit of an effect.
func least(r *trial.Registration, f effect) string {
	if f.absolute {
		return wording.Number(r.MinEffect) + f.unit
	}
	return percent(r.MinEffect)
}

// mostPairs is the largest number of pairs that is worth a forecast.
const mostPairs = 1000

// more says how many more pairs an undecided trial needs.
func more(r *trial.Registration, res *trial.Result) string {
	if res.MorePairs == 0 || r.Block == 0 {
		return ""
	}
	if res.MorePairs > mostPairs {
		return "; by the noise so far it takes more than " + plural.Count(mostPairs, "more pair")
	}
	return fmt.Sprintf("; by the noise so far it takes about %s (%s)",
		plural.Count(res.MorePairs, "more pair"), lasting(2*time.Duration(res.MorePairs)*r.Block))
}

// kinds is the word for the units of a trial: "hosts".
func kinds(r *trial.Registration) string {
	if len(r.Units) == 0 {
		return "units"
	}
	return plural.Noun(2, wording.Kind(r.Units[0].Kind))
}

// lasting formats a duration.
func lasting(d time.Duration) string {
	return wording.Span(time.Time{}, time.Time{}.Add(d))
}
