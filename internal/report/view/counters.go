package view

import (
	"iter"
	"maps"
	"math"
	"time"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Counters are the measurements of each object of a snapshot.
type Counters struct {
	of    map[placeKey]inventory.Live
	reads map[*advice.Rule][]*inventory.LiveMetric // by each rule
}

// placeKey identifies an object: names are not unique.
type placeKey struct {
	kind        inventory.Scope
	vcenter, id string
}

func placeOf(r inventory.Ref) placeKey { return placeKey{r.Kind, r.VCenter, r.ID} }

func countersOf(s *inventory.Snapshot) Counters {
	c := Counters{map[placeKey]inventory.Live{}, map[*advice.Rule][]*inventory.LiveMetric{}}
	if s == nil {
		return c
	}
	for _, v := range s.VCenters {
		for _, h := range v.Hosts {
			c.host(h)
		}
		for _, d := range v.Datastores {
			c.add(d, d.Live)
		}
		for _, vm := range v.VMs {
			c.add(vm, vm.Live)
			disks, _ := vm.Disks.Value()
			for _, d := range disks {
				c.add(d, d.Live)
			}
		}
	}
	return c
}

// Each returns the measurements of each object, in no order.
func (c Counters) Each() iter.Seq[inventory.Live] { return maps.Values(c.of) }

func (c Counters) host(h *inventory.Host) {
	c.add(h, h.Live)
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		c.add(n, n.Live)
	}
	luns, _ := h.LUNs.Value()
	for _, l := range luns {
		c.add(l, l.Live)
	}
}

func (c Counters) add(o inventory.Object, live inventory.Live) {
	if len(live) > 0 {
		c.of[placeOf(o.Ref())] = live
	}
}

// Counter is a counter of one object, with its measurements.
type Counter struct {
	inventory.Series

	Metric *inventory.LiveMetric
}

// judging returns the counters that a finding was judged by, with the measurements of its object.
func (c Counters) judging(f *advice.Finding) []Counter {
	measured := c.of[placeOf(f.Object)]
	if len(measured) == 0 {
		return nil
	}
	metrics := c.readBy(f.Rule)
	all := make([]Counter, 0, len(metrics))
	for _, m := range metrics {
		if s := measured.Of(m.Name); s.Samples > 0 {
			all = append(all, Counter{s, m})
		}
	}
	return all
}

// readBy returns the counters that decide a rule.
func (c Counters) readBy(r *advice.Rule) []*inventory.LiveMetric {
	all, has := c.reads[r]
	if has {
		return all
	}
	for _, name := range r.Live() {
		if m, known := inventory.LookupLive(r.Scope, name); known {
			all = append(all, &m)
		}
	}
	c.reads[r] = all
	return all
}

// text returns the values of the counter, and the time of the worst.
func (c Counter) text(to time.Time) string {
	s := wording.MetricName(c.Metric.Name) + " "
	worst := wording.ShortFigure(c.Worst, c.Metric.Unit)
	switch {
	case same(c.Median, c.Worst) && same(c.P95, c.Worst):
		return s + worst + " throughout"
	case wording.IsStates(c.Metric.Unit):
		s += "median " + wording.ShortFigure(c.Median, c.Metric.Unit) + ", p95 " + wording.ShortFigure(c.P95, c.Metric.Unit) + ", worst " + worst
	case same(c.P95, c.Worst):
		s += "median " + wording.Number(c.Median) + ", worst " + worst
	default:
		s += "median " + wording.Number(c.Median) + ", p95 " + wording.Number(c.P95) + ", worst " + worst
	}
	if !c.WorstAt.IsZero() {
		s += " at " + wording.Moment(c.WorstAt, to)
	}
	return s
}

// samples is how many samples the part of them is, and of how many, where that is the same for all counters.
func samples(part float64, of []*Symptom) (n, all int64, ok bool) {
	for _, f := range of {
		for _, m := range f.Counters {
			if all != 0 && all != m.Samples {
				return 0, 0, false
			}
			all = m.Samples
		}
	}
	exact := part * float64(all)
	n = int64(math.Round(exact))
	return n, all, all > 0 && math.Abs(exact-float64(n)) < 0.01
}

// same reports whether figures have the same text.
func same(a, b float64) bool {
	return wording.Number(a) == wording.Number(b) || math.IsNaN(a) && math.IsNaN(b)
}

// worse reports which of two figures of a counter is worse.
func worse(m *inventory.LiveMetric, a, b float64) bool {
	if m.Below {
		return a < b
	}
	return a > b
}
