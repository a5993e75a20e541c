package page

import (
	"cmp"
	"math"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// curve is one object's counter over time.
type curve struct {
	name  string
	on    string // the host, where that is another
	link  string
	track *inventory.Track
	p95   float64
}

func ofHosts(of func(*inventory.Host) *inventory.Track) func(*show) []curve {
	return func(s *show) []curve { return s.hostCurves(of) }
}

// hostCurves are a counter of all hosts.
func (s *show) hostCurves(of func(*inventory.Host) *inventory.Track) []curve {
	var out []curve
	for _, v := range s.Snapshot.VCenters {
		for _, h := range v.Hosts {
			if t := of(h); usable(t) {
				out = append(out, curve{name: clean(h.Name), link: s.linkTo(h), track: t, p95: p95Of(t)})
			}
		}
	}
	return out
}

// vmCurves returns a counter of all VMs. There may be thousands, so it reuses computed statistics.
func (s *show) vmCurves(metric string) []curve {
	var out []curve
	for _, v := range s.Snapshot.VCenters {
		for _, vm := range v.VMs {
			series, ok := vm.Live.Get(metric)
			if !ok || !usable(series.Track) || series.Worst == 0 {
				continue
			}
			c := curve{name: clean(vm.Name), track: series.Track, p95: series.P95}
			if h := vm.Host(); h != nil {
				c.link, c.on = s.linkTo(h), clean(h.Name)
			}
			out = append(out, c)
		}
	}
	return out
}

// lunCurves are a counter of all disks as hosts see them.
func (s *show) lunCurves(metric string) []curve {
	var out []curve
	for _, v := range s.Snapshot.VCenters {
		for _, h := range v.Hosts {
			luns, _ := h.LUNs.Value()
			for _, l := range luns {
				if series, ok := l.Live.Get(metric); ok && usable(series.Track) {
					out = append(out, curve{name: lunName(l), on: clean(h.Name), link: s.linkTo(h), track: series.Track, p95: series.P95})
				}
			}
		}
	}
	return out
}

// lunName is the datastore that lies on a disk, which is the name that people know.
func lunName(l *inventory.LUN) string {
	on, _ := l.Datastores.Value()
	if len(on) == 0 {
		return clean(l.Device)
	}
	return clean(on[0].Name)
}

func usable(t *inventory.Track) bool {
	return t != nil && t.Every > 0 && slices.ContainsFunc(t.Values, func(v float32) bool { return v == v })
}

// worstCurves sorts curves, worst first, and keeps the first ones.
func worstCurves(all []curve, most int) []curve {
	slices.SortStableFunc(all, func(a, b curve) int { return cmp.Or(cmp.Compare(b.p95, a.p95), cmp.Compare(a.name, b.name)) })
	return all[:min(len(all), most)]
}

// sorted are the samples of a track in order.
func sorted(t *inventory.Track) []float64 {
	var all []float64
	for _, v := range t.Values {
		if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
			all = append(all, f)
		}
	}
	slices.Sort(all)
	return all
}

func p95Of(t *inventory.Track) float64 { return rankOf(sorted(t), 0.95) }

// rankOf returns the smallest value that the given share of the values does not exceed.
func rankOf(sorted []float64, part float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(int(math.Ceil(part*float64(len(sorted))))-1, 0)]
}

// hostMetric is a counter of a host as it was measured.
func hostMetric(names ...string) func(*inventory.Host) *inventory.Track {
	return func(h *inventory.Host) *inventory.Track {
		for _, n := range names {
			if t := h.Live.Of(n).Track; t != nil {
				return t
			}
		}
		return nil
	}
}

// memoryInUse is the part of a host's memory that is not free, in percent.
func memoryInUse(h *inventory.Host) *inventory.Track {
	all, ok := h.MemoryMB.Value()
	free := h.Live.Of("mem.free").Track
	if !ok || all <= 0 || free == nil {
		return nil
	}
	out := &inventory.Track{Start: free.Start, Every: free.Every, Values: make([]float32, len(free.Values))}
	for i, v := range free.Values {
		out.Values[i] = 100 * (1 - v/float32(all))
	}
	return out
}

// throughput returns the sum of a host's received and sent traffic.
func throughput(h *inventory.Host) *inventory.Track {
	rx, tx := h.Live.Of("net.rx").Track, h.Live.Of("net.tx").Track
	switch {
	case rx == nil:
		return tx
	case tx == nil || !tx.Start.Equal(rx.Start) || tx.Every != rx.Every || len(tx.Values) != len(rx.Values):
		return rx
	}
	out := &inventory.Track{Start: rx.Start, Every: rx.Every, Values: make([]float32, len(rx.Values))}
	for i, v := range rx.Values {
		out.Values[i] = v + tx.Values[i]
	}
	return out
}

// round is the next number that people like to see at the end of an axis.
func round(v float64) float64 {
	if v <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 3, 4, 5, 6, 8} {
		if v <= m*power {
			return m * power
		}
	}
	return 10 * power
}

// How finely counters are drawn.
const (
	chartPoints = 300
	sparkPoints = 60
	heatCells   = 150
	mostLines   = 6
	mostHeat    = 24
	mostHostMap = 64

	// The box that small lines are drawn in.
	sparkWidth, sparkHeight = 100, 24
)
