package report

import (
	"fmt"
	"io"
)

// AdviceJSON writes advice for machines, as vperf.advice/v1: whole, in a stable order, things one by one.
func AdviceJSON(w io.Writer, a Advice) error {
	c, r := countersOf(a.Snapshot), a.Advice
	j := newJSONStream(w)
	j.fields(jsonAdviceHead{
		Schema: AdviceSchema, Source: a.Source, TakenAt: a.TakenAt.UTC(), Window: windowJSON(a), Profile: a.profile(),
		Verdict: verdict(a), Summary: adviceSummary(a),
	})
	j.list("recommendations", len(r.Recommendations), func(i int) any { return recommendationJSON(i+1, r.Recommendations[i], c) })
	j.list("harmless", len(r.Harmless), func(i int) any { return harmlessJSON(r.Harmless[i], c) })
	j.list("unexplained", len(r.Unexplained), func(i int) any { return unexplainedJSON(r.Unexplained[i], c) })
	j.list("efficiency", len(a.Efficiency), func(i int) any { return figureJSON(a.Efficiency[i]) })
	j.list("hotspots", len(a.Spots), func(i int) any { return spotJSON(a.Spots[i]) })
	waived := waivedIn(a)
	j.list("waived", len(waived), func(i int) any { return waivedJSON(waived[i]) })
	j.list("unread", len(a.Result.Unread), func(i int) any { return jsonUnread(a.Result.Unread[i]) })
	j.fields(jsonAdviceTail{list(a.Notes), list(a.Result.Warnings)})
	if err := j.end(); err != nil {
		return fmt.Errorf("writing advice as JSON: %w", err)
	}
	return nil
}
