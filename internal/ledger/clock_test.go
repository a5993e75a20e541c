package ledger

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/esxtop"
)

// jump sets a host's clock at a true slot.
type jump struct {
	at int
	by time.Duration
}

// clockRun is a host whose clock is not right, and a VM on it. Its samples arrive every 20 seconds of true time.
type clockRun struct {
	jumps  []jump
	outage [2]int // first and last slot in which nothing is read
	empty  [2]int // first and last slot whose samples have no values
	origin esxtop.Origin
}

// clockBy returns how far the clock is off at a slot, and whether it is set in that slot.
func (r clockRun) clockBy(slot int) (by time.Duration) {
	for _, j := range r.jumps {
		if j.at <= slot {
			by += j.by
		}
	}
	return by
}

func within(slots [2]int, n int) bool { return slots[0] != 0 && n >= slots[0] && n <= slots[1] }

// metricsOf are a sum and a gauge of a VM that an origin feeds.
var metricsOf = map[esxtop.Origin][2]string{esxtop.Performance: {"cpu.ready", "mem.granted"}, esxtop.Service: {"cpu.switches", "cpu.demand"}}

// frame returns the sample of a slot, read some slots later.
func (r clockRun) frame(slot, later int) *esxtop.Frame {
	of := figures{}
	if !within(r.empty, slot) {
		of = figures{metricsOf[r.origin][0]: 50, metricsOf[r.origin][1]: float64(slot)}
	}
	rows := []esxtop.Row{vmRow(esxtop.Group, "vm-1", "vm-1", of)}
	if r.origin == esxtop.Performance {
		rows = append(rows, hostRow("x", figures{"host.uptime": float64(slot)}))
	}
	f := frame("host-1", after(slot).Add(r.clockBy(slot)), rows...)
	f.Origin, f.Age = r.origin, time.Duration(later)*20*time.Second
	return f
}

// TestProveClocks: whatever a host's clock does, before the first sample, in the middle and during an outage, from both sources: each
// new value is shown and none again as if it were new, each time by the host's clock counts once and no sum goes back, and
// each sample that does not count is missed with a reason.
func TestProveClocks(t *testing.T) {
	const slots, cut = 60, 20
	jumps := map[string][]jump{"none": nil}
	for _, by := range []time.Duration{-time.Hour, -4 * time.Minute, -time.Second, time.Second, 4 * time.Minute, time.Hour} {
		jumps[fmt.Sprint("at first ", by)] = []jump{{0, by}, {cut + 2, -by}}
		jumps[fmt.Sprint("once ", by)] = []jump{{cut + 2, by}}
		jumps[fmt.Sprint("and back ", by)] = []jump{{cut + 2, by}, {cut + 10, -by}}
	}
	var cases []func(t *testing.T)
	for _, name := range slices.Sorted(maps.Keys(jumps)) {
		list := jumps[name]
		for _, origin := range []esxtop.Origin{esxtop.Performance, esxtop.Service} {
			for _, outage := range [][2]int{{}, {cut, cut + 5}, {cut - 10, cut - 1}} {
				for _, empty := range [][2]int{{}, {cut + 1, cut + 4}, {1, slots}} {
					r := clockRun{list, outage, empty, origin}
					cases = append(cases, func(t *testing.T) {
						t.Run(fmt.Sprint(name, origin, outage, empty), func(t *testing.T) { r.check(t, slots) })
					})
				}
			}
		}
	}
	for _, one := range proof.Sample(t, 100, cases) {
		one(t)
	}
}

// truth is what a ledger should have counted of a run.
type truth struct {
	times            []int64 // by the host's clock, that are counted
	counted, again   int     // samples
	valued, empty    int     // of the VM
	begins           int     // of those without values, before its first value
	againWithValues  int
	lastValued, last int
}

func (w *truth) add(r clockRun, slot int) {
	at, empty := after(slot).Add(r.clockBy(slot)).UnixMilli(), within(r.empty, slot)
	had := slices.ContainsFunc(w.times, func(t int64) bool { return at > t-slotLength/2 && at < t+slotLength/2 })
	w.last = slot
	if !empty || r.origin == esxtop.Performance {
		w.lastValued = slot
	}
	switch {
	case had:
		w.again++
	default:
		w.times = append(w.times, at)
		w.counted++
	}
	switch {
	case empty && r.origin == esxtop.Performance && w.valued+w.againWithValues == 0 && w.begins < emptyAtFirst && !had:
		w.begins++
	case empty:
		w.empty++
	case had:
		w.againWithValues++
	default:
		w.valued++
	}
}

const slotLength = slot

func (r clockRun) check(t *testing.T, slots int) {
	l := fleet(t, Options{})
	sum, gauge := esxtop.Lookup(metricsOf[r.origin][0]), esxtop.Lookup(metricsOf[r.origin][1])
	const labels = `{moid="vm-1",vm="name-vm-1"}`
	var want truth
	highest, moved := 0.0, 0
	for slot := 1; slot <= slots; slot++ {
		forward(after(slot).Add(2 * time.Second))
		if within(r.outage, slot) {
			taken := l.Take(&esxtop.Round{Time: after(slot), Troubles: []esxtop.Trouble{{MoID: "host-1", Err: errTimeout}}})
			require.Zero(t, taken.Valued)
		} else {
			first := slot
			for r.origin == esxtop.Performance && within(r.outage, first-1) {
				first-- // hosts keep them
			}
			if r.clockBy(first)-r.clockBy(slot) > 20*time.Second {
				first = slot // sources go on with the newest sample if the clock was set back
			}
			for n := first; n <= slot; n++ {
				want.add(r, n)
				moved += len(l.Take(round(r.frame(n, slot-n))).Moved)
			}
		}
		all := page(t, l, clock)
		v, there := all[gauge.PrometheusName(esxtop.Group)+labels]
		require.Equal(t, slot-want.last < 3 && want.last > 0 && !within(r.empty, want.last), there, "slot %d: %v", slot, all)
		if there {
			require.InEpsilon(t, float64(want.last)*gauge.Prometheus.Scale, v, 1e-9, "slot %d", slot)
		}
		if v, there := all[sum.PrometheusName(esxtop.Group)+labels]; there {
			require.GreaterOrEqual(t, v, highest, "slot %d", slot)
			highest = v
		}
		require.Equal(t, slot-want.lastValued < 3 && want.lastValued > 0, l.Stats(clock).Current, "slot %d", slot)
		if age := time.Duration(slot-want.lastValued) * 20 * time.Second; want.lastValued > 0 {
			require.Equal(t, age, l.Stats(clock).Age, "by arrival, slot %d", slot)
		}
	}
	s := l.Stats(clock)
	noValue, lost := want.empty, uint64(0)
	for reason, n := range s.Missed {
		if reason != "no_value" && reason != "clock" {
			lost += n
		}
	}
	if r.origin == esxtop.Service {
		if want.lastValued == 0 {
			noValue = 0 // it may have none of the exported metrics
		}
		require.LessOrEqual(t, lost, uint64(r.outage[1]-r.outage[0]+1), "%v", s.Missed) //nolint:gosec // it is small
	} else {
		require.Zero(t, lost, "hosts kept all samples: %v", s.Missed)
		require.Equal(t, want.counted+want.valued+want.begins, int(s.Samples), "of the host and of the VM") //nolint:gosec // it is small
		require.Equal(t, want.again+want.againWithValues, int(s.Missed["clock"]), "%v", s.Missed)           //nolint:gosec // it is small
		require.Equal(t, slices.ContainsFunc(r.jumps, func(j jump) bool { return j.by.Abs() > time.Minute && j.at > 0 }), moved > 0)
		require.LessOrEqual(t, moved, len(r.jumps), "each change is reported once")
	}
	require.Equal(t, noValue, int(s.Missed["no_value"]), "%v", s.Missed) //nolint:gosec // it is small
	if most := float64(want.valued) * perSample[r.origin]; r.origin == esxtop.Service && r.outage != [2]int{} {
		require.LessOrEqual(t, highest, most, "times without samples, which later samples have, are counted as missed")
	} else {
		require.InDelta(t, most, highest, 1e-6)
	}
}

// perSample is what a sample adds to the sum.
var perSample = map[esxtop.Origin]float64{esxtop.Performance: 10, esxtop.Service: 1000}
