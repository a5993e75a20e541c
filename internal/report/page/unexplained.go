package page

import (
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/advice"
)

// unexplained is symptoms without a cause, those that may have the same causes together.
type unexplained struct {
	Symptoms []*symptomGroup
	Possible []string // causes that could not be told, and what they lack
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
		more = whole(left) + " more: vperf advise -o json lists all"
	}
	return collect.Each(by, func(_ same, x *alike) unexplained {
		x.Symptoms = grouped(x.list)
		return x.unexplained
	}), more
}

func titleOf(d *advice.Diagnosis) string { return prose(d.Finding.Rule.Title) }

// possibleCause is a cause that could not be told, and what it lacks.
func possibleCause(d *advice.Diagnosis) string {
	if lacks := gapWords(d.Finding.Gaps, 3); len(lacks) > 0 {
		return titleOf(d) + " (not read: " + strings.Join(lacks, "; ") + ")"
	}
	return titleOf(d)
}
