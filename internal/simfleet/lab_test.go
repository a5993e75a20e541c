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

// usedMHz is the CPU that a host uses.
func usedMHz(f *load.HostFigures) float64 { return float64(f.UsedMHz) }

// gigabits is the traffic of a host's NICs in both directions.
func gigabits(f *load.HostFigures) (sum float64) {
	for i := range f.PNICs {
		sum += float64(f.PNICs[i].RxBytes+f.PNICs[i].TxBytes) * 8 / 1e9
	}
	return sum
}

// joules is the energy that a host uses.
func joules(f *load.HostFigures) float64 { return float64(f.Watts * load.SlotSeconds) }

// usedCycles is what a host computes, in units of 10⁹ cycles.
func usedCycles(f *load.HostFigures) float64 { return float64(f.UsedMHz*load.SlotSeconds) / 1000 }

// ofDevice returns a sum over the commands on a disk of a host.
func ofDevice(name string, of func(load.IO) float64) load.Measure {
	return func(f *load.HostFigures) float64 {
		for i, d := range f.Host.Devices {
			if d.Name == name {
				return of(f.Devices[i])
			}
		}
		return 0
	}
}

// deviceCommands returns the commands on a disk, and deviceMillis their latency in the device, in the kernel and in its queue.
func deviceCommands(name string) load.Measure {
	return ofDevice(name, func(io load.IO) float64 { return float64(io.Reads + io.Writes) })
}

func deviceMillis(name string) load.Measure {
	return ofDevice(name, func(io load.IO) float64 { return float64(io.ReadTotal+io.WriteTotal) / 1000 })
}

// vmUsedMHz returns the CPU that a VM uses.
func vmUsedMHz(name string) load.Measure {
	return func(f *load.HostFigures) float64 {
		for i, v := range f.Each(f.Slot) {
			if f.Residencies[i].Settings.Name == name {
				return float64(v.UsedMHz)
			}
		}
		return 0
	}
}

// one is the work of a change whose cost is compared as it is.
func one(*load.HostFigures) float64 { return 1 }

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
	{"NUMA-aware network I/O", "host01", numaIO(false), numaIO(true), usedMHz, gigabits, -4, -2},
	{"NUMA-aware network I/O, on another host", "host02", numaIO(false), numaIO(true), usedMHz, gigabits, -9, -5},
	{"large receive offload", "host02", receiveOffload(false), receiveOffload(true), usedMHz, gigabits, -7, -3},
	{"a power policy for performance costs energy", "host06", policy(2), policy(1), joules, usedCycles, 4, 9},
	{"more outstanding I/Os", "host06", depth(fastt, 32), depth(fastt, 64), deviceMillis(fastt), deviceCommands(fastt), -25, -10},
	{"few outstanding I/Os", "host05", depth(symmetrix, 64), depth(symmetrix, 8), deviceMillis(symmetrix), deviceCommands(symmetrix), 500, 2000},
	{"a CPU limit", "host06", cpuLimit(-1), cpuLimit(4000), vmUsedMHz(limitedVM), one, -80, -30},
	{"nothing", "host01", load.Change{}, load.Change{}, usedMHz, gigabits, 0, 0},
	{"an option that the model does not know", "host01", load.Change{}, load.Change{Host: func(h *load.Host) { h.NUMAMoves = false }}, usedMHz, gigabits, 0, 0},
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
		plain, noisy := percent(Noise{}), percent(load.RealNoise(7, .8))
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
		lab, host := labAt(t, load.RealNoise(3, .8), c.host)
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
	limited, free, used := cpuLimit(4000), cpuLimit(-1), vmUsedMHz(limitedVM)
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
			list = append(list, usedMHz(l.Loads.Host(host, first+n)))
		}
		return list
	}
	lab, host := labAt(t, load.RealNoise(11, .95), "host06")
	values := used(lab, host)
	again, _ := labAt(t, load.RealNoise(11, .95), "host06")
	first := load.SlotOf(noon())
	for n := int64(slots - 1); n >= 0; n -= 97 { // backwards
		require.InDelta(t, values[n], usedMHz(again.Loads.Host(host, first+n)), 0)
	}
	other, _ := labAt(t, load.RealNoise(12, .95), "host06")
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
			v := usedMHz(lab.Loads.Host(host, slot)) / usedMHz(plain.Loads.Host(host, slot))
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
	lab, host := labAt(t, load.RealNoise(1, .8), "host01")
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
	lab, host := labAt(b, load.RealNoise(1, .8), "host01")
	for b.Loop() {
		lab.Forward(20 * time.Second)
		lab.Round([]string{host}, esxtop.ObjectsOf(esxtop.Host, esxtop.Port, esxtop.Group))
	}
}
