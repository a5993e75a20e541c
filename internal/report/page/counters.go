package page

import (
	"time"
)

// counters are the charts and heat maps, all on one time line.
type counters struct {
	Span   string
	From   int64 // milliseconds since 1970, for who zooms
	To     int64
	Ticks  []string
	Charts []chart
	Heats  []heat
	Why    string // there are none
}

func (s *show) counters() counters {
	out := counters{}
	w := s.measured()
	if !w.from.Before(w.to) {
		out.Why = "No counters over time were kept: vperf report HOST --for 5m watches them, --capture FILE takes them from a capture of esxtop."
		return out
	}
	out.Span, out.From, out.To = span(w.from, w.to), w.from.UnixMilli(), w.to.UnixMilli()
	out.Ticks = ticks(w)
	for _, p := range plots {
		if c, ok := s.chart(p, w); ok {
			out.Charts = append(out.Charts, c)
		}
	}
	for _, m := range maps {
		if h, ok := s.heat(m, w); ok {
			out.Heats = append(out.Heats, h)
		}
	}
	if len(out.Charts)+len(out.Heats) == 0 {
		out.Why = "Of what was measured only summaries were kept."
	}
	return out
}

func (w window) with(t trace) window {
	if w.from.IsZero() || t.from.Before(w.from) {
		w.from = t.from
	}
	if t.end().After(w.to) {
		w.to = t.end()
	}
	return w
}

// ticks are five times at even distances.
func ticks(w window) []string {
	layout := time.TimeOnly
	switch d := w.to.Sub(w.from); {
	case d > 24*time.Hour:
		layout = "01-02 15:04"
	case d > 2*time.Hour:
		layout = "15:04"
	}
	out := make([]string, 5)
	for i := range out {
		out[i] = w.from.Add(w.to.Sub(w.from) * time.Duration(i) / 4).UTC().Format(layout)
	}
	return out
}
