package tui

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

const (
	remembered  = 15 * time.Minute
	mostSamples = 450     // 15 minutes at 2 seconds
	mostFigures = 4 << 20 // of all series together: 16 MiB
	fewSamples  = 16      // shorter series are not kept
)

// history holds the recent figures of the rows of one panel: a ring for each row. Its size is bounded: with many rows its series get
// shorter, and with very many the last rows get none.
type history struct {
	columns []seriesColumn
	times   []time.Time // a ring; the last one is at (first+count-1) % len
	first   int
	count   int
	rows    map[lineKey]*series
}

type seriesColumn struct {
	metric *esxtop.Metric
	child  string
}

type series struct {
	figures []float32 // by sample, then column; NaN is absent
	seen    int       // rounds since the row was present
}

// fits reports whether the history has the same columns as the table.
func (h *history) fits(t *table) bool {
	n := 0
	for _, c := range t.columns {
		if c.Metric == nil {
			continue
		}
		if n >= len(h.columns) || h.columns[n] != (seriesColumn{c.Metric, c.child}) {
			return false
		}
		n++
	}
	return n == len(h.columns)
}

func newHistory(t *table, interval time.Duration) *history {
	h := &history{rows: map[lineKey]*series{}}
	for _, c := range t.columns {
		if c.Metric != nil {
			h.columns = append(h.columns, seriesColumn{c.Metric, c.child})
		}
	}
	samples := mostSamples
	if interval > 0 {
		samples = min(samples, int(remembered/interval)+1)
	}
	if each := max(len(t.rows)*len(h.columns), 1); samples*each > mostFigures {
		samples = mostFigures / each
	}
	h.times = make([]time.Time, max(samples, fewSamples))
	return h
}

// add records the rows of a table, and others. A time before the last one removes the samples after it: a replay was turned back.
func (h *history) add(t *table, others []line, at time.Time) {
	h.advance(at)
	n := len(h.columns)
	if n == 0 {
		return
	}
	most := mostFigures / (n * len(h.times))
	for _, l := range slices.Concat(t.rows, others) {
		s := h.rows[l.key()]
		if s == nil {
			if len(h.rows) >= most {
				continue
			}
			s = newSeries(n * len(h.times))
			h.rows[l.key()] = s
		}
		if !l.late { // its figures are those of an earlier round
			s.seen = 0
			s.enter(t, l, h.place(h.count-1)*n)
		}
	}
}

// onward returns a time after the last one: the clock of a host that is set back must not remove live samples.
func (h *history) onward(at time.Time) time.Time {
	if h.count == 0 {
		return at
	}
	if last := h.times[h.place(h.count-1)]; !at.After(last) {
		return last.Add(time.Second)
	}
	return at
}

// advance gives a time its place in the ring, empty in each series, and forgets rows that were away for the whole ring.
func (h *history) advance(at time.Time) {
	for h.count > 0 && !h.times[h.place(h.count-1)].Before(at) {
		h.count--
	}
	if h.count == len(h.times) {
		h.first = (h.first + 1) % len(h.times)
		h.count--
	}
	h.count++
	place, n := h.place(h.count-1), len(h.columns)
	h.times[place] = at
	for key, s := range h.rows {
		if s.seen++; s.seen > len(h.times) {
			delete(h.rows, key)
			continue
		}
		for i := range n {
			s.figures[place*n+i] = absentFigure
		}
	}
}

// enter records the figures of a line, starting at an index.
func (s *series) enter(t *table, l line, i int) {
	for j := range t.columns {
		c := &t.columns[j]
		if c.Metric == nil {
			continue
		}
		if v, ok := t.value(l, c); ok {
			s.figures[i] = float32(v)
		}
		i++
	}
}

var absentFigure = float32(math.NaN())

func newSeries(n int) *series {
	s := &series{figures: make([]float32, n)}
	for i := range s.figures {
		s.figures[i] = absentFigure
	}
	return s
}

func (h *history) place(i int) int { return (h.first + i) % len(h.times) }

// of returns the series of a cell, oldest first, and the time it spans. NaN is absent.
func (h *history) of(key lineKey, c *column) ([]float32, time.Duration) {
	s := h.rows[key]
	column := -1
	for i, known := range h.columns {
		if known == (seriesColumn{c.Metric, c.child}) {
			column = i
		}
	}
	if s == nil || column < 0 || h.count == 0 {
		return nil, 0
	}
	list := make([]float32, h.count)
	for i := range list {
		list[i] = s.figures[h.place(i)*len(h.columns)+column]
	}
	return list, h.times[h.place(h.count-1)].Sub(h.times[h.place(0)])
}

var blocks = []rune("▁▂▃▄▅▆▇█")

// sparkTo draws a series from 0 to highest; absent values are dots.
func sparkTo(list []float32, highest float32) string {
	var b strings.Builder
	for _, v := range list {
		switch {
		case v != v:
			b.WriteRune('·')
		case highest == 0 || v <= 0:
			b.WriteRune(blocks[0])
		default:
			b.WriteRune(blocks[min(int(v/highest*float32(len(blocks))), len(blocks)-1)])
		}
	}
	return b.String()
}
