package page

import (
	"math"
	"strconv"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// x is the place of a moment, from 0 to width.
func (w window) x(t time.Time, width float64) float64 {
	whole := w.to.Sub(w.from)
	if whole <= 0 {
		return 0
	}
	return min(max(float64(t.Sub(w.from))/float64(whole), 0), 1) * width
}

// trace is a track made thin enough to draw: one value an interval, NaN where there is none.
type trace struct {
	from   time.Time // when the first interval began
	step   time.Duration
	values []float64
}

// thinned keeps the worst of each interval, so that a peak stays one however long the track is.
func thinned(t *inventory.Track, most int, below bool) trace {
	by := max((len(t.Values)+most-1)/most, 1)
	out := trace{from: t.Start.Add(-t.Every), step: t.Every * time.Duration(by)}
	for i := 0; i < len(t.Values); i += by {
		worst := math.NaN()
		for _, f := range t.Values[i:min(i+by, len(t.Values))] {
			v := float64(f)
			if math.IsInf(v, 0) {
				continue
			}
			if math.IsNaN(worst) || v > worst && !below || v < worst && below {
				worst = v
			}
		}
		out.values = append(out.values, worst)
	}
	return out
}

// end is when the last interval ended.
func (t trace) end() time.Time { return t.from.Add(t.step * time.Duration(len(t.values))) }

// top is the highest value; 0 where there is none above it.
func (t trace) top() float64 {
	top := 0.0
	for _, v := range t.values {
		if v > top {
			top = v
		}
	}
	return top
}

// polylines are the points of the lines that join values without a gap, with low at the bottom and high at the top. A value that
// stands alone is a line to itself, which round ends make a dot.
func (t trace) polylines(w window, low, high, width, height float64) []string {
	var out []string
	var b []byte
	n := 0
	finish := func() {
		if n == 1 {
			b = append(append(b, ' '), b...)
		}
		if n > 0 {
			out = append(out, string(b))
		}
		b, n = b[:0], 0
	}
	for i, v := range t.values {
		if math.IsNaN(v) {
			finish()
			continue
		}
		if n > 0 {
			b = append(b, ' ')
		}
		middle := t.from.Add(t.step*time.Duration(i) + t.step/2)
		b = appendNumber(b, w.x(middle, width))
		b = append(b, ',')
		b = appendNumber(b, height-min(max((v-low)/(high-low), 0), 1)*height)
		n++
	}
	finish()
	return out
}

// appendNumber writes a coordinate with one digit behind the point, which is finer than any screen.
func appendNumber(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, math.Round(v*10)/10, 'f', -1, 64)
}

func number(v float64) string { return string(appendNumber(nil, v)) }

// window is the time of the measurement, or of a trace where nobody said.
func (s *show) window(t trace) window {
	if s.From.Before(s.To) {
		return window{s.From, s.To}
	}
	return window{t.from, t.end()}
}
