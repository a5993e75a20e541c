package source

import (
	"slices"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Watched collects what frames show beside the facts that rules need: hot spots, the time they cover, notes. Several servers may
// be watched at once.
type Watched struct {
	From, To time.Time
	Spots    *hotspot.Spots // until Finish
	Top      []hotspot.Spot // from then on
	Notes    []string

	mu sync.Mutex
}

// AddNote adds a note, once.
func (w *Watched) AddNote(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.Notes, s) {
		w.Notes = append(w.Notes, s)
	}
}

// AddFrame takes a frame in.
func (w *Watched) AddFrame(f *esxtop.Frame) {
	if f.Interval <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Spots == nil {
		w.Spots = new(hotspot.Spots)
	}
	w.Spots.Add(f)
	if begin := f.Time.Add(-f.Interval); w.From.IsZero() || begin.Before(w.From) {
		w.From = begin
	}
	if f.Time.After(w.To) {
		w.To = f.Time
	}
}

// Finish stores in Top the count worst spots of each metric, and releases what else was collected from frames: a large fleet has
// 16 MiB of it.
func (w *Watched) Finish(count int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Spots != nil {
		w.Top, w.Spots = w.Spots.Top(count), nil
	}
}

// MeasuredSpan is when the counters of a snapshot were measured; zero: it has none.
func MeasuredSpan(s *inventory.Snapshot) (from, to time.Time) {
	for _, v := range s.VCenters {
		if v.LiveFrom.IsZero() {
			continue
		}
		if from.IsZero() || v.LiveFrom.Before(from) {
			from = v.LiveFrom
		}
		if v.LiveTo.After(to) {
			to = v.LiveTo
		}
	}
	return from, to
}
