package live

import (
	"math"
	"slices"
	"strconv"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Needs are the objects that live metrics are made of.
func Needs() esxtop.Objects {
	var all []esxtop.Object
	for _, m := range measures {
		all = append(all, m.needs...)
	}
	return esxtop.ObjectsOf(all...)
}

// Window is what was measured on one server for a while. It begins empty.
type Window struct {
	tallies map[string]*tally // by scope and name
}

// tally is the samples of one live metric, by the id of its object.
type tally struct {
	samples map[string][]float64
	looked  map[string]bool // somebody looked; there may have been nothing to measure
}

func (t *tally) add(moid string, v float64) {
	if moid != "" {
		t.samples[moid] = append(t.samples[moid], v)
	}
}

func (t *tally) idle(moid string) { t.looked[moid] = true }

// Add takes a frame. One without an interval has no rates, and is left out.
func (w *Window) Add(f *esxtop.Frame) {
	if f.Interval <= 0 {
		return
	}
	for _, m := range measures {
		m.read(w.of(m), f)
	}
}

func (w *Window) of(m measure) *tally {
	if w.tallies == nil {
		w.tallies = map[string]*tally{}
	}
	key := string(m.scope) + "/" + m.name
	if w.tallies[key] == nil {
		w.tallies[key] = &tally{samples: map[string][]float64{}, looked: map[string]bool{}}
	}
	return w.tallies[key]
}

// Put gives hosts and VMs of a server what was measured of them. A metric with no samples says that there was nothing to
// measure; one that is not there was not to be had.
func (w *Window) Put(v *inventory.VCenter) {
	for _, h := range v.Hosts {
		h.Live = w.series(inventory.ScopeHost, h.ID)
	}
	for _, vm := range v.VMs {
		vm.Live = w.series(inventory.ScopeVM, vm.ID)
	}
}

func (w *Window) series(scope inventory.Scope, moid string) map[string]inventory.Series {
	var all map[string]inventory.Series
	for _, m := range measures {
		if m.scope != scope {
			continue
		}
		t := w.of(m)
		samples := t.samples[moid]
		if len(samples) == 0 && !t.looked[moid] {
			continue
		}
		if all == nil {
			all = map[string]inventory.Series{}
		}
		all[m.name] = summary(samples, m.below)
	}
	return all
}

// summary is the median, what 95 of 100 samples are no worse than, and the worst.
func summary(samples []float64, below bool) inventory.Series {
	if len(samples) == 0 {
		return inventory.Series{}
	}
	s := slices.Sorted(slices.Values(samples))
	if below {
		slices.Reverse(s)
	}
	return inventory.Series{
		Median: told(quantile(s, 0.5)), P95: told(quantile(s, 0.95)), Worst: told(s[len(s)-1]), Samples: int64(len(s)),
	}
}

// told is a figure with four digits that count: no counter is truer, and people read it.
func told(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// quantile is the nearest rank: a value that was measured.
func quantile(sorted []float64, q float64) float64 {
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}
