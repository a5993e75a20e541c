package page

import (
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/advice"
)

// summary is what a manager reads in a minute.
type summary struct {
	Verdict string
	Class   string // of the verdict
	Say     string // beside it
	Top     []todo
	More    string
	Counts  []countedMark
	Others  []named // what is neither pass nor fail
	Unread  string
	Notes   []string
}

const mostTop = 5

func (s *show) summary(t todos, u unreadList) summary {
	out := summary{Counts: s.counts().all(), Unread: u.Sentence}
	out.Top = t.List[:min(len(t.List), mostTop)]
	if more := len(s.Recommendations) - len(out.Top); more > 0 {
		out.More = whole(more) + " more"
	}
	out.Verdict, out.Class, out.Say = s.verdict(u)
	for _, o := range []struct {
		outcome advice.Outcome
		word    string
	}{{advice.Pass, "passed"}, {advice.Unknown, "could not be judged"}, {advice.Manual, "for a person to look at"}, {advice.Waived, "waived"}} {
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

// counts are the fails by severity.
func (s *show) counts() tally {
	t := tally{}
	for _, f := range s.failing() {
		t[f.Severity]++
	}
	return t
}

// verdict is the whole page in a sentence: how much there is to do, or plainly that nothing is wrong.
func (s *show) verdict(u unreadList) (verdict, class, say string) {
	all, hurts, open := s.Recommendations, len(s.Showing()), len(s.Unexplained)
	seen := ""
	if u.Sentence != "" {
		seen = " in what could be read"
	}
	switch {
	case hurts > 0:
		return counted(hurts, "thing") + plural.Form(hurts, " costs", " cost") + " performance now", "bad", latent(len(all)-hurts, "other thing")
	case open > 0:
		return counted(open, "symptom") + plural.Form(open, " has", " have") + " no known cause", "warn", latent(len(all), "thing")
	case len(all) > 0 && s.From.IsZero():
		return counted(len(all), "thing") + " to change", "warn", "No counters were measured, so that nobody can say what it costs."
	case len(all) > 0:
		return "Nothing costs performance now" + seen, "good", latent(len(all), "thing")
	case s.Result.Checks > 0 && len(s.failing()) > 0:
		return "Nothing to do now" + seen, "good", whole(len(s.failing())) + " of " + counted(s.Result.Checks, "check") +
			" found something that no change is advised for. It stands below, among the findings."
	case s.Result.Checks == 0:
		return "Nothing was looked at", "warn", "No rule was held against any object."
	}
	return "Nothing is wrong" + seen, "good", counted(s.Result.Checks, "check") + plural.Form(s.Result.Checks, " was", " were") + " made and none failed."
}

// latent are settings that are wrong and do not show yet.
func latent(n int, what string) string {
	if n == 0 {
		return ""
	}
	return counted(n, what) + plural.Form(n, " is", " are") + " not as recommended, and nothing shows of it at the moment."
}
