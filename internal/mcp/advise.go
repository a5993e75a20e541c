package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

type adviseArguments struct {
	Rank   int    `json:"rank,omitempty" jsonschema:"show one recommendation whole, by its rank"`
	Object string `json:"object,omitempty" jsonschema:"only recommendations about this host or VM, or for findings of it: name, id, or a shell pattern"`
}

type adviseAnswer struct {
	Notice          string    `json:"notice"`
	About           string    `json:"about"`
	Verdict         string    `json:"verdict,omitempty"`
	Counts          []string  `json:"counts,omitempty"`
	Recommendations int       `json:"recommendations"` // all of them, or all that are about the object
	Sections        []section `json:"sections"`
	Notes           []string  `json:"notes,omitempty"`
}

type section struct {
	Title   string  `json:"title"`
	Entries []entry `json:"entries"`
	More    int     `json:"more,omitempty"` // entries that were left out
}

type entry struct {
	Rank     int                 `json:"rank,omitempty"`
	Severity string              `json:"severity,omitempty"`
	Rule     string              `json:"rule,omitempty"`
	Title    string              `json:"title"`
	Lines    []string            `json:"lines,omitempty"`
	Fields   map[string][]string `json:"fields,omitempty"`
	Commands []string            `json:"commands,omitempty"` // for a person to type
}

// shorten leaves out the last entry of the longest section.
func (a *adviseAnswer) shorten() bool {
	longest := -1
	for i := range a.Sections {
		if n := len(a.Sections[i].Entries); n > 1 && (longest < 0 || n > len(a.Sections[longest].Entries)) {
			longest = i
		}
	}
	if longest < 0 {
		return false
	}
	s := &a.Sections[longest]
	s.Entries = s.Entries[:len(s.Entries)-1]
	s.More++
	return true
}

func (s *server) adviseTool(ctx context.Context, in adviseArguments) (answer, error) {
	if in.Rank < 0 {
		return nil, errors.New("rank is 1 or more")
	}
	if _, err := inventory.MatchPattern(in.Object, ""); err != nil {
		return nil, fmt.Errorf("the pattern %q is not complete: %w", in.Object, err)
	}
	v, err := s.advise(ctx)
	if err != nil {
		return nil, err
	}
	if in.Rank > 0 {
		return oneRecommendation(v, in.Rank)
	}
	shown, about := v, true
	if in.Object != "" {
		shown, about = viewOf(v, in.Object), false
	}
	t := shown.Brief()
	a := &adviseAnswer{
		Notice: notice, About: t.About, Recommendations: len(shown.Recommendations), Sections: []section{}, Notes: some(v.Notes, mostTexts),
	}
	if about { // the sentences are about all objects
		a.Verdict, a.Counts = t.Verdict, t.Counts
	}
	for _, part := range t.Sections {
		if len(part.Entries) > 0 && (about || part.Entries[0].Rank > 0) {
			a.Sections = append(a.Sections, sectionOf(part))
		}
	}
	return a, nil
}

// mostEntries is the longest section of an answer.
const mostEntries = 8

func sectionOf(part view.Section) section {
	s := section{Title: part.Title}
	for i, e := range part.Entries {
		if i == mostEntries {
			s.More = len(part.Entries) - i
			break
		}
		s.Entries = append(s.Entries, entryOf(e, mostTexts))
	}
	return s
}

func entryOf(e view.Entry, most int) entry {
	out := entry{
		Rank: e.Rank, Severity: string(e.Severity), Title: e.Title, Lines: some(e.Lines, most), Fields: map[string][]string{}, Commands: some(e.Commands, most),
	}
	if e.Rule != nil {
		out.Rule = e.Rule.ID
	}
	for _, f := range e.Fields {
		out.Fields[f.Label] = some(f.Lines, most)
	}
	return out
}

// viewOf returns the recommendations about an object.
func viewOf(v *view.View, object string) *view.View {
	part := *v
	part.Recommendations = slices.DeleteFunc(slices.Clone(v.Recommendations), func(r *view.Recommendation) bool {
		return !isAbout(r.Recommendation, object)
	})
	return &part
}

// isAbout reports whether the cause, a finding or a symptom of a recommendation is at the object.
func isAbout(r *advice.Recommendation, object string) bool {
	at := func(f *advice.Finding) bool { return matchesObject(object, f.Object) || matchesObject(object, f.Host) }
	return matchesObject(object, r.Object) || slices.ContainsFunc(r.Findings, at) ||
		slices.ContainsFunc(r.Diagnoses, func(d *advice.Diagnosis) bool {
			return matchesObject(object, d.Cause) || slices.ContainsFunc(d.Symptoms, at)
		}) ||
		slices.ContainsFunc(r.Parts, func(p *advice.Recommendation) bool { return isAbout(p, object) })
}

type recommendationAnswer struct {
	Notice string `json:"notice"`
	About  string `json:"about"`
	entry
}

func (a *recommendationAnswer) shorten() bool {
	for label, lines := range a.Fields {
		if len(lines) > mostTexts+1 {
			a.Fields[label] = some(lines, max(mostTexts, len(lines)/2))
			return true
		}
	}
	return false
}

func oneRecommendation(v *view.View, rank int) (answer, error) {
	t := v.Text()
	for _, part := range t.Sections {
		for _, e := range part.Entries {
			if e.Rank == rank {
				return &recommendationAnswer{Notice: notice, About: t.About, entry: entryOf(e, mostListed)}, nil
			}
		}
	}
	if rank <= len(v.Recommendations) { // it is below those that texts list
		r := v.Recommendations[rank-1]
		e := entry{Rank: rank, Severity: string(r.Severity), Rule: r.Rule.ID, Title: r.Title, Commands: some(r.Commands, mostListed)}
		return &recommendationAnswer{Notice: notice, About: t.About, entry: e}, nil
	}
	return nil, fmt.Errorf("there is no recommendation %d: there are %d", rank, len(v.Recommendations))
}
