package simfleet

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Changes that trials make.
func numaIO(on bool) load.Change { return load.Change{Host: func(h *load.Host) { h.NUMAIO = on }} }

func receiveOffload(on bool) load.Change { return load.Change{Host: func(h *load.Host) { h.LRO = on }} }

func policy(p load.PowerPolicy) load.Change {
	return load.Change{Host: func(h *load.Host) { h.Policy = p }}
}

// depth limits the outstanding I/Os of a disk.
func depth(disk string, n int64) load.Change {
	return load.Change{Host: func(h *load.Host) {
		list := make([]load.Device, len(h.Devices))
		copy(list, h.Devices)
		for i := range list {
			if list[i].Name == disk {
				list[i].QueueDepth = n
			}
		}
		h.Devices = list
	}}
}

const limitedVM = "db-oltp-01"

func cpuLimit(mhz int64) load.Change {
	return load.Change{VM: func(v *load.VM) {
		if v.Name == limitedVM {
			v.CPU.Limit = mhz
		}
	}}
}

// labAt returns a lab of the common fleet at noon, with the id of one of its hosts.
func labAt(t testing.TB, noise Noise, host string) (*Lab, string) {
	t.Helper()
	f, err := commonFleet()
	require.NoError(t, err)
	l := f.Lab(noise, noon().Truncate(20*time.Second))
	id, err := l.Host(host)
	require.NoError(t, err)
	return l, id
}

const symmetrix, fastt = "naa.6000097000019790031853303030314", "naa.600a0b80006e2b4e0000c1ab4d3a8f21"

// Each computes the values of a VM in the memory of the last one, and gets the same as All, which uses new memory.
func TestEachVMOverwritesTheLast(t *testing.T) {
	t.Parallel()
	l, _ := labAt(t, Noise{}, "host01")
	slot, sizes := load.SlotOf(l.Now()), map[int]bool{}
	for _, h := range l.hosts {
		figures := l.Loads.Host(h.id, slot)
		all := figures.All(slot)
		for i, v := range figures.Each(slot) {
			require.Equal(t, fmt.Sprintf("%+v", *all[i]), fmt.Sprintf("%+v", *v), h.name)
			sizes[len(v.VCPUs)] = true
		}
	}
	require.Greater(t, len(sizes), 3)
}

// trueEffects are changes with their effect in percent over three hours from noon.
var trueEffects = []struct {
	what, host  string
	off, on     load.Change
	cost, work  load.Measure
	least, most float64
}{
	{"NUMA-aware network I/O", "host01", numaIO(false), numaIO(true), load.UsedMHz, load.Gigabits, -4, -2},
	{"NUMA-aware network I/O, on another host", "host02", numaIO(false), numaIO(true), load.UsedMHz, load.Gigabits, -9, -5},
	{"large receive offload", "host02", receiveOffload(false), receiveOffload(true), load.UsedMHz, load.Gigabits, -7, -3},
	{"a power policy for performance costs energy", "host06", policy(2), policy(1), load.Joules, load.UsedCycles, 4, 9},
	{"more outstanding I/Os", "host06", depth(fastt, 32), depth(fastt, 64), load.DeviceMillis(fastt), load.DeviceCommands(fastt), -25, -10},
	{"few outstanding I/Os", "host05", depth(symmetrix, 64), depth(symmetrix, 8), load.DeviceMillis(symmetrix), load.DeviceCommands(symmetrix), 500, 2000},
	{"a CPU limit", "host06", cpuLimit(-1), cpuLimit(4000), load.VMUsedMHz(limitedVM), load.One, -80, -30},
	{"nothing", "host01", load.Change{}, load.Change{}, load.UsedMHz, load.Gigabits, 0, 0},
	{"an option that the model does not know", "host01", load.Change{}, load.Change{Host: func(h *load.Host) { h.NUMAMoves = false }}, load.UsedMHz, load.Gigabits, 0, 0},
}

// Each change has its effect, and it is nearly the same with noise.
func TestTrueEffects(t *testing.T) {
	t.Parallel()
	for _, c := range trueEffects {
		percent := func(noise Noise) float64 {
			lab, host := labAt(t, noise, c.host)
			slot := load.SlotOf(noon())
			return 100 * (math.Exp(lab.Loads.Effect([]string{host}, slot, slot+539, c.off, c.on, c.cost, c.work)) - 1)
		}
		plain, noisy := percent(Noise{}), percent(RealNoise(7, .8))
		t.Logf("%s: %+.2f %%, with noise %+.2f %%", c.what, plain, noisy)
		require.GreaterOrEqual(t, plain, c.least, c.what)
		require.LessOrEqual(t, plain, c.most, c.what)
		require.Equal(t, plain == 0, noisy == 0, c.what)
		require.Equal(t, plain > 0, noisy > 0, c.what)
	}
}

// A setting that is switched to and fro many times has its true effect in every block, once it has settled, and what was measured
// before does not change.
func TestSwitchedToAndFro(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	for _, c := range trueEffects {
		lab, host := labAt(t, RealNoise(3, .8), c.host)
		const blocks, length, dropped = 24, 15, 4
		sides := []load.Change{c.off, c.on}
		var seen []*load.HostFigures
		first := load.SlotOf(lab.Now())
		for n := range blocks {
			on := (n + n/2) % 2 // in both orders
			lab.Set(host, sides[on])
			for k := range length {
				slot := load.SlotOf(lab.Now())
				f := lab.Loads.Host(host, slot)
				if seen = append(seen, f); k >= dropped {
					whole, other := lab.Loads.Suppose(host, slot, sides[on]), lab.Loads.Suppose(host, slot, sides[1-on])
					left := math.Abs(c.cost(other)-c.cost(whole)) * math.Exp(-dropped)
					require.InDelta(t, c.cost(whole), c.cost(f), 3*left+.002*c.cost(whole), "%s: block %d, sample %d", c.what, n, k)
					left = math.Abs(c.work(other)-c.work(whole)) * math.Exp(-dropped)
					require.InDelta(t, c.work(whole), c.work(f), 3*left+.002*c.work(whole), "%s: block %d, sample %d", c.what, n, k)
				}
				lab.Forward(20 * time.Second)
			}
		}
		lab.Loads.Forget(host, time.Time{})
		for n, f := range seen[len(seen)-100:] {
			slot := first + int64(len(seen)-100+n)
			require.Equal(t, f.CPU, lab.Loads.Host(host, slot).CPU, c.what)
		}
	}
}

// A change settles with the time constant of the noise, and at once without.
func TestChangesSettle(t *testing.T) {
	t.Parallel()
	noise := Noise{Settle: 20 * time.Second}
	lab, host := labAt(t, noise, "host06")
	limited, free, used := cpuLimit(4000), cpuLimit(-1), load.VMUsedMHz(limitedVM)
	lab.Set(host, limited)
	lab.Forward(10 * time.Minute)
	missing := func() float64 {
		slot := load.SlotOf(lab.Now())
		off, on := used(lab.Loads.Suppose(host, slot, limited)), used(lab.Loads.Suppose(host, slot, free))
		return (used(lab.Loads.Host(host, slot)) - on) / (off - on)
	}
	require.InDelta(t, 1, missing(), .01)
	lab.Set(host, free)
	for n := range 6 {
		require.InDelta(t, (1-math.Exp(-1))*math.Exp(-float64(n)), missing(), .02, "slot %d", n)
		lab.Forward(20 * time.Second)
	}
	lab.Set(host, limited)
	require.InDelta(t, math.Exp(-1), missing(), .02, "back again")

	lab, host = labAt(t, Noise{}, "host06")
	lab.Set(host, limited)
	require.InDelta(t, 1, missing(), 1e-9, "at once")
}

// moments returns the mean and the standard deviation.
func moments(list []float64) (mean, sd float64) {
	for _, v := range list {
		mean += v / float64(len(list))
	}
	for _, v := range list {
		sd += (v - mean) * (v - mean) / float64(len(list))
	}
	return mean, math.Sqrt(sd)
}

// The values of a host are the same in any order of requests, and differ by seed.
func TestNoiseDependsOnTheSeed(t *testing.T) {
	t.Parallel()
	const slots = 1000
	used := func(l *Lab, host string) (list []float64) {
		first := load.SlotOf(noon())
		for n := range int64(slots) {
			list = append(list, load.UsedMHz(l.Loads.Host(host, first+n)))
		}
		return list
	}
	lab, host := labAt(t, RealNoise(11, .95), "host06")
	values := used(lab, host)
	again, _ := labAt(t, RealNoise(11, .95), "host06")
	first := load.SlotOf(noon())
	for n := int64(slots - 1); n >= 0; n -= 97 { // backwards
		require.InDelta(t, values[n], load.UsedMHz(again.Loads.Host(host, first+n)), 0)
	}
	other, _ := labAt(t, RealNoise(12, .95), "host06")
	same := 0
	for n, v := range used(other, host) {
		if v == values[n] {
			same++
		}
	}
	require.Less(t, same, slots/50)
}

// Hosts follow the load of the cluster.
func TestHostsVaryTogether(t *testing.T) {
	t.Parallel()
	noise := Noise{Seed: 5, Phi: .8, Work: load.Variation{Slow: .2}}
	lab, one := labAt(t, noise, "host06")
	plain, _ := labAt(t, Noise{}, "host06")
	other, err := lab.Host("host05")
	require.NoError(t, err)
	var a, b []float64
	for n := range int64(500) {
		slot := load.SlotOf(noon()) + 9*n
		for i, host := range []string{one, other} {
			v := load.UsedMHz(lab.Loads.Host(host, slot)) / load.UsedMHz(plain.Loads.Host(host, slot))
			*[]*[]float64{&a, &b}[i] = append(*[]*[]float64{&a, &b}[i], v)
		}
	}
	meanA, sdA := moments(a)
	meanB, sdB := moments(b)
	var sum float64
	for n := range a {
		sum += (a[n] - meanA) * (b[n] - meanB) / float64(len(a)) / sdA / sdB
	}
	require.Greater(t, sum, .7)
}

// A round of the lab has the last whole sample.
func TestLabRound(t *testing.T) {
	t.Parallel()
	lab, host := labAt(t, RealNoise(1, .8), "host01")
	objects := esxtop.ObjectsOf(esxtop.Host, esxtop.Port)
	r := lab.Round([]string{host}, objects)
	require.Len(t, r.Frames, 1)
	require.Equal(t, "host01.demo.local", r.Frames[0].Host)
	require.False(t, r.Time.After(lab.Now()))
	lab.Forward(20 * time.Second)
	require.Equal(t, 20*time.Second, lab.Round([]string{host}, objects).Time.Sub(r.Time))
	_, err := lab.Host("host99")
	require.Error(t, err)
}

func BenchmarkLabRound(b *testing.B) {
	lab, host := labAt(b, RealNoise(1, .8), "host01")
	for b.Loop() {
		lab.Forward(20 * time.Second)
		lab.Round([]string{host}, esxtop.ObjectsOf(esxtop.Host, esxtop.Port, esxtop.Group))
	}
}
