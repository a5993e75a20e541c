package page

import (
	"cmp"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// unreadList is the unread facts by reason.
type unreadList struct {
	Gist     string
	Sentence string // for the summary, "" if all was read
	Reasons  []unreadReason
	More     string
}

type unreadReason struct {
	Reason, Facts, Objects, Count string
}

const mostReasons = 60

func (s *show) unread() unreadList {
	type unreadObject struct{ facts, objects collect.Distinct }
	var by collect.ByKey[string, unreadObject]
	for _, g := range s.Result.Unread {
		l := by.At(g.Reason)
		l.facts.Add(clean(g.Fact))
		l.objects.Add(wording.PageKind(g.Object.Kind) + " " + clean(g.Object.Name))
	}
	all := collect.Each(by, func(reason string, l *unreadObject) unreadReason {
		return unreadReason{
			Reason: prose(cmp.Or(reason, "not read")), Facts: someOf(l.facts.Words, 6), Objects: someOf(l.objects.Words, 4), Count: whole(len(l.objects.Words)),
		}
	})
	list := unreadList{Sentence: s.unreadSentence(len(all)), Gist: counted(len(all), "reason")}
	shown, more := first(all, s.limit(mostReasons))
	if list.Reasons = shown; more > 0 {
		list.More = whole(more) + " more reasons: " + s.Typed.Command("audit", "-o", "json") + " lists them"
	}
	return list
}

func (s *show) unreadSentence(reasons int) string {
	blind, unknown := len(s.Result.UnreadObjects), s.Result.Counts[advice.Unknown]
	switch {
	case blind > 0:
		return counted(blind, "object") + plural.Form(blind, " was", " were") + " not read at all, and " + counted(unknown, "check") + " could not be made"
	case unknown > 0:
		return counted(unknown, "check") + " could not be made"
	case reasons > 0:
		return "Some facts could not be read"
	}
	return ""
}

// gapWords lists unread facts, grouped by reason.
func gapWords(gaps []advice.Gap, most int) []string {
	type unreadReason struct{ fact, reason string }
	var by collect.ByKey[unreadReason, collect.Distinct]
	for _, g := range gaps {
		by.At(unreadReason{g.Fact, g.Reason}).Add(clean(g.Object.Name))
	}
	return firstOf(collect.Each(by, func(l unreadReason, who *collect.Distinct) string {
		return clean(l.fact) + " of " + someOf(who.Words, 3) + ": " + prose(cmp.Or(l.reason, "not read"))
	}), most)
}

// acceptedWords lists waived findings with their waivers.
func acceptedWords(waived []*advice.Finding, most int) []string {
	return firstOf(collect.Map(waived, func(f *advice.Finding) string {
		return clean(f.Rule.ID) + " of " + clean(f.Object.Name) + ": " + prose(f.Reason)
	}), most)
}
