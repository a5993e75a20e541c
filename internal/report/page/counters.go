package page

// counters are the charts and heat maps, all on one time line.
type counters struct {
	Gist   string
	Span   string
	From   int64 // milliseconds since 1970, for zooming
	To     int64
	Ticks  []string
	Charts []chart
	Heats  []heat
	Why    string // reason for having none
}

func (s *show) counters() counters {
	out := counters{}
	w := s.measured()
	if !w.from.Before(w.to) {
		out.Why = "No counters over time: " + s.Typed.Command("report", "HOST", "--for", "5m") + " measures them, --capture FILE reads them from an esxtop capture."
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
	out.Gist = counted(len(out.Charts), "chart") + ", " + counted(len(out.Heats), "heat map")
	if len(out.Charts)+len(out.Heats) == 0 {
		out.Why = "Only summaries of the counters were kept."
	}
	return out
}
