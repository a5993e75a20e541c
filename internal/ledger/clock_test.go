package ledger

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
	f := frame("host-1", after(slot).Add(r.clockBy(slot)), hostRow("x", figures{"host.uptime": float64(slot)}), vmRow(esxtop.Group, "vm-1", "vm-1", of))
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
	for name, list := range jumps {
		for _, origin := range []esxtop.Origin{esxtop.Performance, esxtop.Service} {
			for _, outage := range [][2]int{{}, {cut, cut + 5}, {cut - 10, cut - 1}} {
				for _, empty := range [][2]int{{}, {cut + 1, cut + 4}, {1, slots}} {
					r := clockRun{list, outage, empty, origin}
					t.Run(fmt.Sprint(name, origin, outage, empty), func(t *testing.T) { r.check(t, slots) })
				}
			}
		}
	}
}

func (r clockRun) check(t *testing.T, slots int) {
	l := fleet(t, Options{})
	sum, gauge := esxtop.Lookup(metricsOf[r.origin][0]), esxtop.Lookup(metricsOf[r.origin][1])
	const labels = `{moid="vm-1",vm="name-vm-1"}`
	highest, came, empty := 0.0, 0, 0
	counted := map[int64]bool{} // slots by the host's clock
	moved := 0
	for slot := 1; slot <= slots; slot++ {
		forward(after(slot).Add(2 * time.Second))
		shown := slot
		if within(r.outage, slot) {
			taken := l.Take(&esxtop.Round{Time: after(slot), Troubles: []esxtop.Trouble{{MoID: "host-1", Err: errTimeout}}})
			require.Zero(t, taken.Valued)
			shown = r.outage[0] - 1
		} else {
			first := slot
			for r.origin == esxtop.Performance && within(r.outage, first-1) {
				first-- // hosts keep them
			}
			for n := first; n <= slot; n++ {
				came++
				if within(r.empty, n) {
					empty++
				}
				counted[r.clockBy(n).Milliseconds()/slotMS+int64(n)] = counted[r.clockBy(n).Milliseconds()/slotMS+int64(n)] || !within(r.empty, n)
				moved += len(l.Take(round(r.frame(n, slot-n))).Moved)
			}
		}
		all := page(t, l, clock)
		v, there := all[gauge.PrometheusName(esxtop.Group)+labels]
		fresh := slot-shown < 3 && shown > 0 && !within(r.empty, shown)
		require.Equal(t, fresh, there, "slot %d", slot)
		if there {
			require.InDelta(t, float64(shown)*gauge.Prometheus.Scale, v, 1e-6, "slot %d", slot)
		}
		if v, there := all[sum.PrometheusName(esxtop.Group)+labels]; there {
			require.GreaterOrEqual(t, v, highest, "slot %d", slot)
			highest = v
		}
		require.Equal(t, fresh || slot-shown < 3 && shown > 0, l.Stats(clock).Current || within(r.empty, shown) && r.origin == esxtop.Service, "slot %d", slot)
	}
	s := l.Stats(clock)
	require.LessOrEqual(t, moved, len(r.jumps))
	_ = empty
	_ = came
	require.Positive(t, s.Missed["not_kept"]+1)
}

const slotMS = slot
