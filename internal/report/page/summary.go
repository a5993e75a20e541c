package page

import (
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/advice"
)

// summary is the first section of the page.
type summary struct {
	Verdict string
	Class   string // of the verdict
	Say     string // beside it
	Bar     severityBar
	Map     hostMap
	Top     []todo
	More    string
	Counts  []countedMark
	Others  []named // counts other than pass and fail
	Unread  string
	Notes   []string
}

const mostTop = 3

func (s *show) summary(t todos, u unreadList) summary {
	counts := s.counts()
	out := summary{Counts: counts.all(), Bar: severityBarOf(counts), Map: s.hostMap(), Unread: u.Sentence}
	out.Top = t.List[:min(len(t.List), mostTop)]
	if more := len(s.Recommendations) - len(out.Top); more > 0 {
		out.More = "All " + counted(len(s.Recommendations), "recommendation")
	}
	out.Verdict, out.Class, out.Say = s.verdict(u)
	for _, o := range []struct {
		outcome advice.Outcome
		word    string
	}{{advice.Pass, "passed"}, {advice.Unknown, "unknown"}, {advice.Manual, "need manual review"}, {advice.Waived, "waived"}} {
		if n := s.Result.Counts[o.outcome]; n > 0 || o.outcome == advice.Pass {
			out.Others = append(out.Others, named{o.word, whole(n)})
		}
	}
	for _, n := range s.Notes {
		out.Notes = append(out.Notes, prose(n))
	}
	for _, w := range s.Result.Warnings {
		out.Notes = append(out.Notes, prose(w))
	}
	return out
}

// counts returns the failed findings by severity.
func (s *show) counts() tally {
	t := tally{}
	for _, f := range s.failing() {
		t[f.Severity]++
	}
	return t
}

// verdict returns the conclusion in one sentence: the number of things to do, or that no fault was found.
func (s *show) verdict(u unreadList) (verdict, class, say string) {
	all, hurts, open := s.Recommendations, len(s.Showing()), len(s.Unexplained)
	seen := ""
	if u.Sentence != "" {
		seen = " in the data that could be read"
	}
	switch {
	case hurts > 0:
		return counted(hurts, "problem") + plural.Form(hurts, " costs", " cost") + " performance now", "bad", latent(len(all)-hurts, "other recommendation")
	case open > 0:
		return counted(open, "symptom") + plural.Form(open, " has", " have") + " no known cause", "warn", latent(len(all), "recommendation")
	case len(all) > 0 && s.From.IsZero():
		return counted(len(all), "change") + " recommended", "warn", "No counters were measured, so the cost is not known."
	case len(all) > 0:
		return "Nothing costs performance now" + seen, "good", latent(len(all), "recommendation")
	case s.Result.Checks > 0 && len(s.failing()) > 0:
		return "Nothing to do now" + seen, "good", whole(len(s.failing())) + " of " + counted(s.Result.Checks, "check") +
			" found something that vperf recommends no change for. See the findings below."
	case s.Result.Checks == 0:
		return "Nothing was checked", "warn", "No rule was evaluated against any object."
	}
	return "Nothing is wrong" + seen, "good", counted(s.Result.Checks, "check") + plural.Form(s.Result.Checks, " was", " were") + " made and none failed."
}

// latent counts the recommendations for faults that do not show in the counters.
func latent(n int, what string) string {
	if n == 0 {
		return ""
	}
	return counted(n, what) + plural.Form(n, " concerns a fault", " concern faults") + " with no visible effect during this measurement."
}
