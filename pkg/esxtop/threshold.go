package esxtop

// Level is the severity of a figure.
type Level int

// Levels.
const (
	Unremarkable Level = iota
	Warning
	Critical
)

// Judge compares a row's figure with the metric's threshold. Absent figures are unremarkable, and so are those of the
// host's own worlds: its idle worlds are ready all the time.
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

// Judged returns the figure that Judge compares with the threshold: per vCPU, if the threshold is. ok is false if the
// number of vCPUs is unknown.
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

// JudgeIn is Judge for a row of a frame. In the first sample of a host only gauges are judged: its rates cover the time
// since the host was started, or a period too short to judge.
func (m *Metric) JudgeIn(f *Frame, r *Row) Level {
	if f != nil && f.Interval <= 0 && m.Kind != Gauge {
		return Unremarkable
	}
	return m.Judge(r)
}

// Level returns the level of a figure that already is per vCPU.
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
