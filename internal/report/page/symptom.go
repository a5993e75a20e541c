package page

import (
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
)

// symptom holds the measurements of one object.
type symptom struct {
	At      object
	Title   string
	Rule    string
	Mark    mark
	Figures []figures
	Said    []named // if the counters are no longer available
}

// symptomGroup is symptoms of one kind: the same counters of several objects.
type symptomGroup struct {
	Title, Rule string
	Mark        mark
	Metric      *figures // the counter, where it is one
	Rows        []symptom
}

// symptoms returns the first symptoms of each rule, and the number of the others.
func (s *show) symptoms(all []*view.Symptom) (groups []*symptomGroup, more int) {
	var shown []symptom
	of := map[string]int{}
	for _, f := range all {
		if of[f.Rule.ID]++; of[f.Rule.ID] <= s.limit(mostSymptoms) {
			shown = append(shown, s.symptom(f))
		} else {
			more++
		}
	}
	return grouped(shown), more
}

// grouped groups symptoms by rule, in the order of the first symptom of each.
func grouped(all []symptom) []*symptomGroup {
	var by collect.ByKey[string, symptomGroup]
	for _, x := range all {
		g := by.At(x.Rule)
		g.Title, g.Rule = x.Title, x.Rule
		if len(g.Rows) == 0 {
			g.Mark = x.Mark
		}
		g.Rows = append(g.Rows, x)
	}
	return collect.Each(by, func(_ string, g *symptomGroup) *symptomGroup {
		g.Metric = g.soleMetric()
		return g
	})
}

// soleMetric returns the counter that is the only one of all rows.
func (g *symptomGroup) soleMetric() *figures {
	var one *figures
	for i := range g.Rows {
		for j := range g.Rows[i].Figures {
			f := &g.Rows[i].Figures[j]
			if one != nil && one.Metric != f.Metric {
				return nil
			}
			one = f
		}
	}
	return one
}

// figures holds the statistics of one object's counter over the measurement.
type figures struct {
	Metric, About      string
	Unit               string
	Median, P95, Worst string
	When               string
	Samples            string
	Spark              []string // the line in small, as points of polylines
	SparkLabel         string
	Limit              string // the height of the threshold in the small line, or ""
}

func (s *show) symptom(f *view.Symptom) symptom {
	x := symptom{At: s.object(f.Object), Title: prose(f.Rule.Title), Rule: clean(f.Rule.ID), Mark: markOf(f.Severity)}
	for _, c := range f.Counters {
		x.Figures = append(x.Figures, s.figures(f.Finding, c))
	}
	if len(x.Figures) == 0 {
		x.Said = s.evidence(f.Finding)
	}
	return x
}

func (s *show) figures(f *advice.Finding, c view.Counter) figures {
	series, m, name, unit := c.Series, c.Metric, clean(c.Metric.Name), c.Metric.Unit
	out := figures{
		Metric: name, About: clean(m.About), Unit: clean(unit),
		Median: measured(series.Median, unit), P95: measured(series.P95, unit), Worst: measured(series.Worst, unit),
		When: s.clock(series.WorstAt), Samples: whole(int(series.Samples)),
	}
	if series.Track != nil {
		line := thinned(series.Track, sparkPoints, m.Below)
		limit, judged := threshold(f, c.Metric.Name)
		low, high := line.span(limit, judged)
		out.Spark = line.polylines(s.window(line), low, high, sparkWidth, sparkHeight)
		out.SparkLabel = name + " over time, worst " + out.Worst
		if judged {
			out.Limit = number(sparkHeight - (limit-low)/(high-low)*sparkHeight)
			out.SparkLabel += ", limit " + measured(limit, unit)
		}
	}
	return out
}
