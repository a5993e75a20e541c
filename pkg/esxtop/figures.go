package esxtop

import "math"

// complete adds figures that follow from others of the same row and that the source does not have, and removes zeros
// that mean that a figure does not exist.
func (f *Frame) complete() {
	var of [mostFigures]float64
	for o := range objects {
		for i := range f.tables[o] {
			r := &f.tables[o][i]
			for _, m := range catalogue.follow[o] {
				if math.IsNaN(r.values[m.slot[o]-1]) && !f.Figures.Has(o, m) {
					r.Set(m, m.follows(r, of[:0]))
				}
			}
			for _, m := range catalogue.notZero[o] {
				r.dropZero(m)
			}
		}
	}
}

// mostFigures is the maximum number of inputs of a formula.
const mostFigures = 3

// follows computes the figure from others of the row; NaN if one of them is missing.
func (m *Metric) follows(r *Row, of []float64) float64 {
	for _, other := range m.of {
		v := r.at(other)
		if math.IsNaN(v) {
			return math.NaN() // of the other it may be known why
		}
		of = append(of, v)
	}
	v := m.Formula.compute(of)
	switch {
	case !m.Formula.perVCPU:
		return v
	case r.VCPUs == 0: // not known
		return math.NaN()
	}
	return v / float64(r.VCPUs)
}

// dropZero removes a figure of 0.
func (r *Row) dropZero(m *Metric) {
	if r.at(m) == 0 {
		r.Set(m, noFigure)
	}
}

// noFigure is absent like any NaN, but records that the source has a 0, which means that there is no figure: writing
// the capture again writes that 0.
var noFigure = math.Float64frombits(0x7ff8_0000_0000_0e00)

// WasZero reports whether a figure is absent because the source has a 0 for it.
func (r *Row) WasZero(m *Metric) bool { return math.Float64bits(r.at(m)) == math.Float64bits(noFigure) }

// none reports whether a figure is 0 or absent.
func (r *Row) none(m *Metric) bool {
	v, _ := r.Value(m)
	return v == 0
}

// derivations are the functions of formulas. None of their inputs is NaN.
var derivations = map[string]func(of []float64) float64{
	"sum": sum, "difference": difference, "excess": excess, "whole percent": wholePercent, "queue load": queueLoad, "part lost": partLost,
	"packet size": packetSize,
}

func sum(of []float64) float64 {
	all := 0.0
	for _, v := range of {
		all += v
	}
	return all
}

func difference(of []float64) float64   { return of[0] - of[1] }
func excess(of []float64) float64       { return max(0, of[0]-of[1]) }
func wholePercent(of []float64) float64 { return math.Trunc(ratio(of[0], of[1]) * 100) }
func queueLoad(of []float64) float64    { return ratio(of[0]+of[1], of[2]) }
func partLost(of []float64) float64     { return ratio(of[0], of[0]+of[1]) * 100 }

// packetSize returns bytes, from megabits and packets per second. It truncates to an integer, because a division of
// rates may be slightly below it.
func packetSize(of []float64) float64 { return math.Trunc(ratio(of[0]/fromBits, of[1]) + 1e-6) }

// ratio is NaN if whole is 0.
func ratio(of, whole float64) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return of / whole
}
