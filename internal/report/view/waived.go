package view

import (
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// Waived findings need no action, but are still reported.

// waived lists the waived findings of a recommendation, with their waivers.
func (w *writer) waived(r *Recommendation) []string {
	return w.some(collect.Map(r.Waived, func(f *advice.Finding) string {
		return f.Rule.ID + " of " + f.Object.Name + ", " + acceptedText(f)
	}), mostAffected)
}

// acceptedText returns the reason and end of a waiver, and its source.
func acceptedText(f *advice.Finding) string {
	s := wording.OneLine(f.Reason)
	if f.Waiver != nil {
		s += " (" + f.Waiver.From + ")"
	}
	return s
}

// accepted lists all waived findings with --all, by rule and waiver. Otherwise only the count at the top mentions them.
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
