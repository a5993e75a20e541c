package page

import (
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/advice"
)

// unexplained holds symptoms without a cause, grouped by their possible causes.
type unexplained struct {
	Symptoms []*symptomGroup
	Possible []string // undecided causes, and their missing facts
	RuledOut string
}

func (s *show) allUnexplained() (out []unexplained, more string) {
	type same struct{ rule, possible, ruledOut string }
	type alike struct {
		unexplained

		list []symptom
	}
	shown, left := first(s.Unexplained, s.limit(mostBrief))
	var by collect.ByKey[same, alike]
	for _, u := range shown {
		possible, no := collect.Map(u.Possible, possibleCause), strings.Join(collect.Map(u.RuledOut, titleOf), " · ")
		x := by.At(same{u.Symptom.Rule.ID, strings.Join(possible, "\x00"), no})
		x.Possible, x.RuledOut, x.list = possible, no, append(x.list, s.symptom(u.Symptom))
	}
	if left > 0 {
		more = whole(left) + " more: " + s.Typed.Command("advise", "-o", "json") + " lists all"
	}
	return collect.Each(by, func(_ same, x *alike) unexplained {
		x.Symptoms = grouped(x.list)
		return x.unexplained
	}), more
}

func titleOf(d *advice.Diagnosis) string { return prose(d.Finding.Rule.Title) }

// possibleCause returns an undecided cause, and its missing facts.
func possibleCause(d *advice.Diagnosis) string {
	if lacks := gapWords(d.Finding.Gaps, 3); len(lacks) > 0 {
		return titleOf(d) + " (not read: " + strings.Join(lacks, "; ") + ")"
	}
	return titleOf(d)
}
