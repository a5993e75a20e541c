package esxtop

import (
	"cmp"
	"fmt"
	"strconv"
)

// Explain describes a metric: its meaning, how it is computed and its threshold.
func (m *Metric) Explain() []string {
	var lines []string
	say := func(title, text string) {
		if text != "" {
			lines = append(lines, fmt.Sprintf("%-10s %s", title, text))
		}
	}
	say("metric", m.ID)
	say("meaning", m.About)
	say("unit", string(m.Unit))
	say("batch CSV", m.Counter)
	say("formula", cmp.Or(m.Formula.String(), "the Esxtop service has no field for it"))
	for _, p := range m.Perf {
		say("vSphere", p.Counter)
	}
	if len(m.Perf) == 0 {
		say("vSphere", "the PerformanceManager has no such counter")
	}
	if m.Threshold != nil {
		say("threshold", m.Threshold.text(m.Unit))
		say("look at", m.Threshold.Action)
		say("source", m.Threshold.Source)
	}
	return lines
}

func (t *Threshold) text(unit Unit) string {
	than, each := "above", ""
	if t.Below {
		than = "below"
	}
	if t.PerVCPU {
		each = " per vCPU"
	}
	number := func(v float64) string {
		n := strconv.FormatFloat(v, 'g', -1, 64)
		if unit == Percent || unit == Millisec || unit == MB {
			n += " " + string(unit)
		}
		return n
	}
	text := fmt.Sprintf("%s %s%s: %s", than, number(t.Warn), each, t.Word)
	if t.Critical != 0 {
		text += fmt.Sprintf("; critical %s %s", than, number(t.Critical))
	}
	return text
}
