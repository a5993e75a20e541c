package tui

import (
	"cmp"
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// alarm is a figure beyond its threshold.
type alarm struct {
	line   line
	metric *esxtop.Metric
	level  esxtop.Level
	value  float64
}

// judge finds the alarms of the hosts and of the top-level rows.
func (t *table) judge() {
	t.alarms = slices.Clone(t.hostAlarms)
	for i := range t.columns {
		c := &t.columns[i]
		if c.Metric == nil || c.Metric.Threshold == nil && (c.Other == nil || c.Other.Threshold == nil) {
			continue
		}
		for _, l := range t.rows {
			if level, m := t.level(l, c); level > esxtop.Unremarkable {
				t.alarms = append(t.alarms, newAlarm(l, t.row(l, c), m, level))
			}
		}
	}
	slices.SortStableFunc(t.alarms, worseFirst)
}

// judgeHost finds the alarms of a host itself. It keeps only the worst of three averages.
func (t *table) judgeHost(f *esxtop.Frame) {
	said := map[string]bool{}
	rows := f.Rows(esxtop.Host)
	for i := range rows {
		var found []alarm
		for _, m := range hostThresholds() {
			if level := m.JudgeIn(f, &rows[i]); level > esxtop.Unremarkable {
				found = append(found, newAlarm(line{frame: f, row: &rows[i], owner: &rows[i]}, &rows[i], m, level))
			}
		}
		slices.SortStableFunc(found, worseFirst)
		for _, a := range found {
			if !said[a.metric.Column] {
				said[a.metric.Column] = true
				t.hostAlarms = append(t.hostAlarms, a)
			}
		}
	}
}

func hostThresholds() []*esxtop.Metric {
	return slices.DeleteFunc(esxtop.MetricsOf(esxtop.Host), func(m *esxtop.Metric) bool { return m.Threshold == nil })
}

func newAlarm(l line, r *esxtop.Row, m *esxtop.Metric, level esxtop.Level) alarm {
	v, _ := m.Judged(r)
	return alarm{l, m, level, v}
}

func worseFirst(a, b alarm) int {
	return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(b.excess(), a.excess()))
}

// excess returns the ratio of a figure to its threshold. The worst alarm has the highest one.
func (a alarm) excess() float64 {
	t := a.metric.Threshold
	if t.Below {
		return t.Warn / max(a.value, 0.01)
	}
	return a.value / max(t.Warn, 0.01)
}
