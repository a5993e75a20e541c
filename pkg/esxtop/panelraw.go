package esxtop

import "strings"

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
	v, ok := r.Value(m)
	if t == nil || !ok || (r.Object == Group || r.Object == World) && !r.VM {
		return Unremarkable
	}
	if t.PerVCPU && r.Object == Group {
		if r.VCPUs == 0 { // not known
			return Unremarkable
		}
		v /= float64(r.VCPUs)
	}
	over := func(limit float64) bool { return v > limit && !t.Below || v < limit && t.Below }
	switch {
	case t.Critical != 0 && over(t.Critical):
		return Critical
	case over(t.Warn):
		return Warning
	}
	return Unremarkable
}

// String tells the formula with the service's own names; empty where the service does not have the metric.
func (f Formula) String() string {
	field := strings.Join(f.fields, " or ")
	switch f.op {
	case opGauge, opText:
		return field
	case opRate:
		return "Δ " + field + " / Δt"
	case opDelta:
		return "Δ " + field
	case opShare:
		return "Δ " + field + " / Δt × 100"
	case opMean:
		return "Δ " + field + " / Δ " + strings.Join(f.by, " or ") + " / 1000"
	}
	return f.words
}
