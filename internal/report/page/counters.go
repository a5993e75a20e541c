package page

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
