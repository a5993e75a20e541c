package report

import (
	"fmt"
	"io"

	"github.com/vperf/vperf/internal/report/view"
)

// AdviceJSON writes advice for machines, as vperf.advice/v1: whole, in a stable order, things one by one.
func AdviceJSON(w io.Writer, a view.Advice) error {
	c, r := view.CountersOf(a.Snapshot), a.Advice
	j := newJSONStream(w)
	j.fields(view.JsonAdviceHead{
		Schema: view.AdviceSchema, Source: a.Source, TakenAt: a.TakenAt.UTC(), Window: view.WindowJSON(a), Profile: a.ProfileName(),
		Verdict: view.Verdict(a), Summary: view.AdviceSummary(a),
	})
	j.list("recommendations", len(r.Recommendations), func(i int) any { return view.RecommendationJSON(i+1, r.Recommendations[i], c) })
	j.list("harmless", len(r.Harmless), func(i int) any { return view.HarmlessJSON(r.Harmless[i], c) })
	j.list("unexplained", len(r.Unexplained), func(i int) any { return view.UnexplainedJSON(r.Unexplained[i], c) })
	j.list("efficiency", len(a.Efficiency), func(i int) any { return view.FigureJSON(a.Efficiency[i]) })
	j.list("hotspots", len(a.Spots), func(i int) any { return view.SpotJSON(a.Spots[i]) })
	waived := view.WaivedIn(a)
	j.list("waived", len(waived), func(i int) any { return view.WaivedJSON(waived[i]) })
	j.list("unread", len(a.Result.Unread), func(i int) any { return view.JsonUnread(a.Result.Unread[i]) })
	j.fields(view.JsonAdviceTail{Notes: view.NotNil(a.Notes), Warnings: view.NotNil(a.Result.Warnings)})
	if err := j.end(); err != nil {
		return fmt.Errorf("writing advice as JSON: %w", err)
	}
	return nil
}
