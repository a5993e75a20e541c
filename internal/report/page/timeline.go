package page

import (
	"math"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// place returns the position of a time, from 0 to width.
func (w window) place(t time.Time, width float64) float64 {
	whole := w.to.Sub(w.from)
	if whole <= 0 {
		return 0
	}
	return min(max(float64(t.Sub(w.from))/float64(whole), 0), 1) * width
}

// trace is a track reduced for drawing: one value per interval, NaN if there is none.
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

// end returns the end of the last interval.
func (t trace) end() time.Time { return t.from.Add(t.step * time.Duration(len(t.values))) }

// top returns the highest value, at least 0.
func (t trace) top() float64 {
	top := 0.0
	for _, v := range t.values {
		if v > top {
			top = v
		}
	}
	return top
}

// span returns the lowest and the highest value, including the limit if there is one, with a margin for the width of the line.
func (t trace) span(limit float64, judged bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	if judged {
		low, high = limit, limit
	}
	for _, v := range t.values {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	switch {
	case low > high:
		return 0, 1
	case low == high:
		margin := max(math.Abs(low)/10, 1)
		return low - margin, high + margin
	}
	margin := (high - low) / 12
	return low - margin, high + margin
}

// polylines returns the points of the lines that join values without a gap, with low at the bottom and high at the top. A single
// value is a line of its own, which round ends make a dot.
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
		b = appendNumber(b, w.place(middle, width))
		b = append(b, ',')
		b = appendNumber(b, height-min(max((v-low)/(high-low), 0), 1)*height)
		n++
	}
	finish()
	return out
}

// window returns the period of the measurement, or of the trace if the measurement has none.
func (s *show) window(t trace) window {
	if s.From.Before(s.To) {
		return window{s.From, s.To}
	}
	return window{t.from, t.end()}
}

// window is the period that all drawings of the page share.
type window struct{ from, to time.Time }

// measured returns the period of the page: that of the measurement if known, or else that of its tracks.
func (s *show) measured() window {
	if s.From.Before(s.To) {
		return window{s.From, s.To}
	}
	var w window
	for live := range s.Counters.Each() {
		for _, series := range live.All() {
			if t := series.Track; t != nil && len(t.Values) > 0 {
				w = w.with(thinned(t, len(t.Values), false))
			}
		}
	}
	return w
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

// ticks returns five evenly spaced times.
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
