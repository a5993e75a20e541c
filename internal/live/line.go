package live

import (
	"math"
	"slices"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// line is the end times of a host's frames, in order. Each frame is a slot for samples.
type line struct {
	interval time.Duration // of the first that has one
	times    []time.Time
}

// tick returns the slot of a frame. Frames of one moment share a slot: a source may split a host's data into several.
func (l *line) tick(f *esxtop.Frame) int {
	last := len(l.times) - 1
	if last >= 0 && !f.Time.IsZero() && f.Time.Equal(l.times[last]) {
		return last
	}
	l.times = append(l.times, f.Time)
	return last + 1
}

// nearest returns the slot whose time is nearest.
func (l *line) nearest(t time.Time) int {
	best, apart := 0, time.Duration(math.MaxInt64)
	for i, at := range slices.Backward(l.times) {
		d := t.Sub(at).Abs()
		if d > apart {
			break
		}
		best, apart = i, d
	}
	return best
}

// plan maps the frames of a line to evenly spaced slots.
type plan struct {
	line  *line
	start time.Time
	every time.Duration
	n     int   // slots
	of    []int // by frame; nil: its own number
}

// mostEmpty is the maximum number of slots for each frame. With distant captures most slots would be empty.
const mostEmpty = 4

// plan returns the plan of a line that has frames. The distance of slots is the median time between frames, so that a
// missed round leaves one empty slot. If that does not work, because frames are out of order or captures are distant,
// the frames are the slots.
func (l *line) plan() *plan {
	p := &plan{line: l, every: l.interval, n: len(l.times)}
	p.start = l.times[0]
	span := l.times[p.n-1].Sub(p.start)
	gaps := make([]time.Duration, 0, p.n)
	for i := 1; i < p.n; i++ {
		gaps = append(gaps, l.times[i].Sub(l.times[i-1]))
	}
	if p.n < 2 || slices.Min(gaps) <= 0 {
		return p
	}
	slices.Sort(gaps)
	last := int(math.Round(float64(span) / float64(gaps[(len(gaps)-1)/2])))
	p.every = span / time.Duration(p.n-1)
	if last == p.n-1 || last >= mostEmpty*p.n {
		return p
	}
	if of := l.slots(span, last); of != nil {
		p.every, p.n, p.of = span/time.Duration(last), last+1, of
	}
	return p
}

// slots maps each frame to the nearest evenly spaced slot; nil if two would share one.
func (l *line) slots(span time.Duration, last int) []int {
	of := make([]int, len(l.times))
	for i, t := range l.times {
		of[i] = int(math.Round(float64(t.Sub(l.times[0])) / float64(span) * float64(last)))
		if i > 0 && of[i] <= of[i-1] {
			return nil
		}
	}
	return of
}

// slot returns the slot of a frame. A VM that moved may have samples after the last frame of its first host.
func (p *plan) slot(frame int) int {
	switch {
	case p.of == nil:
		return frame
	case frame < len(p.of):
		return p.of[frame]
	}
	return p.n + frame - len(p.of)
}

// at returns the end time of a frame; zero if unknown.
func (p *plan) at(frame int) time.Time {
	switch {
	case frame < len(p.line.times):
		return p.line.times[frame]
	case p.start.IsZero():
		return time.Time{}
	}
	return p.start.Add(time.Duration(p.slot(frame)) * p.every)
}
