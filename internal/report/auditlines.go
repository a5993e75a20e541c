package report

import (
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// Lines returns the audit for a pipe: worst first, a line for each finding or folded list of findings.
func Lines(a Audit) doc.Document {
	return func(yield func(doc.Block) bool) {
		if !yield(header(a)) {
			return
		}
		d := details{unreadObjects: unreadObjectsOf(a), whole: a.Whole}
		for _, g := range groups(a.Result.Findings) {
			if g.onlyFor(d.unreadObjects) {
				continue
			}
			for _, line := range d.lines(g) {
				if !yield(doc.Item(doc.Apart(heading(g[0]), doc.Bold(g[0].Rule.ID), g[0].Rule.Title, line))) {
					return
				}
			}
		}
		for _, b := range summary(a) {
			if !yield(b) {
				return
			}
		}
	}
}

// lines returns the objects of a group, why they are in it, and the fix: a line for each row or, of unknown findings, for each
// missing fact.
func (d details) lines(g group) []doc.Text {
	if g[0].Outcome == advice.Unknown {
		return collect.Map(unreadFacts(g, d.unreadObjects), func(l unreadFact) doc.Text { return doc.Apart(wording.SomeNames(l.names), l.what()) })
	}
	return collect.Map(g.rows(d.whole), func(r Row) doc.Text {
		known, waits := r.marks()
		why := r.Evidence()
		if r[0].Outcome != advice.Fail && r[0].Outcome != advice.Pass {
			why = whyText(r[0])
		}
		fix := strings.Join(r.Fixes(), "; ")
		if fix != "" {
			fix = "fix: " + fix
		}
		return doc.Apart(r.Names()+known, why, waits, fix)
	})
}
