package esxtop

// Level says how bad a figure is.
type Level int

// Levels.
const (
	Unremarkable Level = iota
	Warning
	Critical
)

// Judge holds a row's figure against the metric's threshold. What is absent is unremarkable, and so is all that the host
// does for itself: its idle worlds are ready all the time.
func (m *Metric) Judge(r *Row) Level {
	t := m.Threshold
	v, ok := m.Judged(r)
	if t == nil || !ok || (r.Object == Group || r.Object == World) && !r.VM {
		return Unremarkable
	}
	if t.Needs != "" {
		if needed, ok := r.Value(Lookup(t.Needs)); !ok || needed < t.AtLeast {
			return Unremarkable
		}
	}
	return t.Level(v)
}

// Judged is the figure that Judge holds against the threshold: that of one vCPU where the threshold is about one. It is not ok
// where nobody knows how many there are.
func (m *Metric) Judged(r *Row) (v float64, ok bool) {
	v, ok = r.Value(m)
	switch {
	case m.Threshold == nil || !m.Threshold.PerVCPU || r.Object != Group:
		return v, ok
	case r.VCPUs == 0:
		return v, false
	}
	return v / float64(r.VCPUs), ok
}

// JudgeIn is Judge for a row of a frame. In the first sample of a host only what is so at that moment is judged: its rates are of
// the time since the host was started, or of a moment too short to judge by.
func (m *Metric) JudgeIn(f *Frame, r *Row) Level {
	if f != nil && f.Interval <= 0 && m.Kind != Gauge {
		return Unremarkable
	}
	return m.Judge(r)
}

// Level is where a figure lies that already is by vCPU.
func (t *Threshold) Level(v float64) Level {
	over := func(limit float64) bool { return v > limit && !t.Below || v < limit && t.Below }
	switch {
	case t.Critical != 0 && over(t.Critical):
		return Critical
	case over(t.Warn):
		return Warning
	}
	return Unremarkable
}
