package view

import (
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// What somebody accepted: it is no reason to do anything, and not gone.

// waived tells of what belongs to one thing to do what is accepted, and by which waiver.
func (w *writer) waived(r *Recommendation) []string {
	return w.some(collect.Map(r.Waived, func(f *advice.Finding) string {
		return f.Rule.ID + " of " + f.Object.Name + ", " + acceptedText(f)
	}), mostSuffer)
}

// acceptedText is why and until when something is accepted, and where that is written.
func acceptedText(f *advice.Finding) string {
	s := wording.OneLine(f.Reason)
	if f.Waiver != nil {
		s += " (" + f.Waiver.From + ")"
	}
	return s
}

// accepted tells all that is waived, by rule and waiver. Unless all is asked for it is counted at the top, and no more.
func (w *writer) accepted() Section {
	s := Section{Title: "waived"}
	if !w.Whole {
		return s
	}
	type key struct{ rule, why string }
	at := map[key]int{}
	for _, f := range w.Waived {
		k := key{f.Rule.ID, acceptedText(f)}
		i, seen := at[k]
		if !seen {
			i = len(s.Entries)
			at[k] = i
			s.Entries = append(s.Entries, Entry{Rule: f.Rule, Title: f.Rule.Title, Lines: []string{k.why}})
		}
		s.Entries[i].Lines = append(s.Entries[i].Lines, f.Object.Name)
	}
	return s
}
