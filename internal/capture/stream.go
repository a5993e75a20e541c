package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
)

// stream reads the files one after the other. The files of one host are sorted by time; the order of different hosts
// does not matter.
func (s *Source) stream(ctx context.Context, e *estate, files []*file) error {
	for _, f := range files {
		e.begin()
		err := f.open(func(r *batch.Reader, read *counter) error { return s.read(ctx, e, f, r, read) })
		if err != nil {
			return err
		}
	}
	return nil
}

// progressEvery is the number of bytes between progress reports.
const progressEvery = 4 << 20

func (s *Source) read(ctx context.Context, e *estate, f *file, r *batch.Reader, read *counter) error {
	m, known, rows := minutes{}, int64(-progressEvery), int64(0)
	r.Reuse()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.OnProgress != nil && read.n-known >= progressEvery {
			known = read.n
			s.OnProgress(f.progress(read.n))
		}
		round, err := r.Next()
		if errors.Is(err, io.EOF) {
			f.report = m.amend(r.Report())
			return nil
		}
		if err != nil {
			return err
		}
		m.count(round)
		f.pace.count(round)
		rows++
		left := f.rowsLeft(rows, read.n)
		for _, frame := range round.Frames {
			f.nameHost(frame)
			s.addFrame(e, frame, left)
		}
	}
}

// rowsLeft estimates how many rows are left, from the bytes read so far.
func (f *file) rowsLeft(rows, read int64) int {
	if read <= 0 || read >= f.size {
		return 0
	}
	return int(float64(rows) * float64(f.size-read) / float64(read))
}

func (f *file) progress(read int64) string {
	name := "reading " + filepath.Base(f.path)
	if f.size <= 0 {
		return name
	}
	return fmt.Sprintf("%s, %d %%", name, min(read, f.size)*100/f.size)
}

// addFrame stores the measurements of a frame; left is about how many frames follow.
func (s *Source) addFrame(e *estate, f *esxtop.Frame, left int) {
	h := e.hostOf(f)
	if !h.accepts(f) {
		return
	}
	h.setIDs(f)
	w := e.window(h)
	w.Expect(left)
	if f.Interval <= 0 {
		if h.newer {
			dropRates(f)
			w.AddMoment(f)
		}
		return
	}
	w.Add(f)
	s.spots.Add(f)
	if begin := f.Time.Add(-f.Interval); s.from.IsZero() || begin.Before(s.from) {
		s.from = begin
	}
	if f.Time.After(s.to) {
		s.to = f.Time
	}
}

// dropRates drops figures other than present values. The first sample of a capture has rates as well, over the short time
// that esxtop took to start, and zeros for all disk activity.
func dropRates(f *esxtop.Frame) {
	for o := esxtop.Host; esxtop.AllObjects.Has(o); o++ {
		rows := f.Rows(o)
		if o != esxtop.Host && o != esxtop.Group && len(rows) > 0 {
			f.Put(o, nil)
			continue
		}
		for _, m := range esxtop.MetricsOf(o) {
			if m.Kind == esxtop.Gauge && !strings.HasPrefix(m.ID, "cpu.") { // the scheduler's gauges also cover that short time
				continue
			}
			for i := range rows {
				rows[i].Set(m, math.NaN())
			}
		}
	}
}
