package live_test

import (
	"math"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

var (
	begun = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	none  = float32(math.NaN())
)

// at returns a frame at a time with a VM that waits; NaN: there is no VM.
func at(after time.Duration, ready float64) *esxtop.Frame {
	f := frame(row(esxtop.Host, "", figures{"mem.state": 0}))
	if !math.IsNaN(ready) {
		f.Put(esxtop.Group, []esxtop.Row{group(figures{"cpu.contentionPerVCPU": ready})})
	}
	f.Time = begun.Add(after)
	return f
}

// requireTrack compares samples, treating NaN as equal to itself.
func requireTrack(t *testing.T, want []float32, got *inventory.Track) {
	t.Helper()
	require.NotNil(t, got)
	require.Len(t, got.Values, len(want))
	for i := range want {
		if math.IsNaN(float64(want[i])) {
			require.True(t, math.IsNaN(float64(got.Values[i])), "slot %d has %v", i, got.Values[i])
			continue
		}
		require.InDelta(t, want[i], got.Values[i], 0, "slot %d", i)
	}
}

func ready(frames ...*esxtop.Frame) inventory.Series {
	_, vm := measured(frames...)
	return vm.Of("cpu.ready")
}

func TestSamplesAreInSlots(t *testing.T) {
	gone := math.NaN()
	const s = time.Second
	for name, test := range map[string]struct {
		frames []*esxtop.Frame
		want   []float32
		every  time.Duration
	}{
		"all there":             {[]*esxtop.Frame{at(0, 1), at(20*s, 2), at(40*s, 3)}, []float32{1, 2, 3}, 20 * s},
		"the same all the time": {[]*esxtop.Frame{at(0, 4), at(20*s, 4), at(40*s, 4)}, []float32{4, 4, 4}, 20 * s},
		"came late, went early": {[]*esxtop.Frame{at(0, gone), at(20*s, 2), at(40*s, gone), at(60*s, gone)}, []float32{none, 2, none, none}, 20 * s},
		"was away":              {[]*esxtop.Frame{at(0, 2), at(20*s, gone), at(40*s, 2)}, []float32{2, none, 2}, 20 * s},
		"a round was missed":    {[]*esxtop.Frame{at(0, 1), at(20*s, 2), at(60*s, 3), at(80*s, 4)}, []float32{1, 2, none, 3, 4}, 20 * s},
		"not to the second":     {[]*esxtop.Frame{at(0, 1), at(20100*time.Millisecond, 2), at(39900*time.Millisecond, 3)}, []float32{1, 2, 3}, 19950 * time.Millisecond},
		"in two parts":          {[]*esxtop.Frame{at(0, gone), at(0, 5), at(20*s, 6)}, []float32{5, 6}, 20 * s},
		"told twice":            {[]*esxtop.Frame{at(0, 5), at(0, 9), at(20*s, 6)}, []float32{5, 6}, 20 * s},
		"one frame":             {[]*esxtop.Frame{at(0, 5)}, []float32{5}, interval},
		"captures far apart":    {[]*esxtop.Frame{at(0, 1), at(20*s, 2), at(40*s, 3), at(8*time.Hour, 4)}, []float32{1, 2, 3, 4}, 9600 * s},
		"out of order":          {[]*esxtop.Frame{at(20*s, 2), at(0, 1), at(40*s, 3)}, []float32{2, 1, 3}, interval},
	} {
		got := ready(test.frames...)
		requireTrack(t, test.want, got.Track)
		require.Equal(t, test.every, got.Track.Every, name)
		require.Equal(t, test.frames[0].Time, got.Track.Start, name)
	}
}

func TestWhenItWasWorst(t *testing.T) {
	got := ready(at(0, 1), at(20*time.Second, 9), at(60*time.Second, 9), at(80*time.Second, 2))
	require.Equal(t, begun.Add(20*time.Second), got.WorstAt, "the first of them")
	require.InDelta(t, 5.25, got.Mean, 0)
	got = ready(at(0, math.NaN()), at(20*time.Second, 1), at(40*time.Second, 3), at(60*time.Second, 2))
	require.Equal(t, begun.Add(40*time.Second), got.WorstAt, "of a VM that came late")
	require.Equal(t, begun, ready(at(0, 3), at(20*time.Second, 3)).WorstAt)

	f := at(0, 1)
	f.Put(esxtop.Group, []esxtop.Row{group(figures{"numa.local": 100, "mem.granted": 1})})
	g := at(20*time.Second, 1)
	g.Put(esxtop.Group, []esxtop.Row{group(figures{"numa.local": 40, "mem.granted": 1})})
	_, vm := measured(f, g)
	require.Equal(t, begun.Add(20*time.Second), vm.Of("numa.local").WorstAt, "the lowest is the worst")
}

// TestExpectedFrames: an estimate saves memory and changes no figure, and a wrong one takes little memory.
func TestExpectedFrames(t *testing.T) {
	const frames = 150
	read := func(more func(left int) int) inventory.Series {
		var w live.Window
		v := fleet()
		before := allocated()
		for i := range frames {
			w.Expect(more(frames - i - 1))
			w.Add(at(time.Duration(i)*time.Second, float64(i%7)))
		}
		require.Less(t, allocated()-before, uint64(4<<20), "frames and all")
		w.Put(v)
		return v.VMs[0].Live.Of("cpu.ready")
	}
	plain := read(func(int) int { return 0 })
	require.EqualValues(t, frames, plain.Samples)
	for name, more := range map[string]func(int) int{
		"right": func(left int) int { return left }, "too many": func(int) int { return math.MaxInt32 }, "too few": func(int) int { return 1 },
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, plain, read(more))
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestPutTwice: samples are released when facts are created from them, the facts remain.
func TestPutTwice(t *testing.T) {
	var w live.Window
	w.Add(at(0, 1))
	w.Add(at(20*time.Second, 3))
	v := fleet()
	w.Put(v)
	first := v.VMs[0].Live
	require.EqualValues(t, 2, first.Of("cpu.ready").Samples)
	v.VMs[0].Live = nil
	w.Put(v)
	require.Equal(t, first, v.VMs[0].Live)

	w.Add(at(40*time.Second, 5))
	w.Add(at(60*time.Second, 5))
	w.Put(v)
	require.EqualValues(t, 2, v.VMs[0].Live.Of("cpu.ready").Samples, "a frame afterwards begins anew")
	require.InDelta(t, 5, v.VMs[0].Live.Of("cpu.ready").Worst, 0)
}

// TestMovedVMs continue with the slots of their first host.
func TestMovedVMs(t *testing.T) {
	elsewhere := func(after time.Duration, ready float64) *esxtop.Frame {
		f := at(after, ready)
		f.MoID = "host-2"
		return f
	}
	gone := math.NaN()
	const s = time.Second
	got := ready(at(0, 1), elsewhere(1*s, gone), at(20*s, gone), elsewhere(21*s, 2), elsewhere(41*s, 3), at(40*s, gone))
	requireTrack(t, []float32{1, 2, 3}, got.Track)
	require.EqualValues(t, 3, got.Samples)
	require.Equal(t, begun.Add(40*s), got.WorstAt, "by the first host's clock")

	got = ready(at(0, 1), at(20*s, gone), elsewhere(21*s, gone), at(40*s, gone), at(60*s, gone), elsewhere(61*s, 2))
	requireTrack(t, []float32{1, none, none, 2}, got.Track)

	got = ready(at(0, 1), at(20*s, 2), at(60*s, 3), elsewhere(81*s, 4), elsewhere(101*s, 5)) // a round was missed before
	requireTrack(t, []float32{1, 2, none, 3, 4, 5}, got.Track)
	require.Equal(t, begun.Add(100*s), got.WorstAt)

	got = ready(at(0, 1), elsewhere(21*s, 2), elsewhere(41*s, 3)) // the first host has no more frames
	requireTrack(t, []float32{1, 2, 3}, got.Track)
	require.Equal(t, begun.Add(40*s), got.WorstAt)
}

func TestSteadySeriesShareTheirSamples(t *testing.T) {
	var w live.Window
	v := fleet()
	for i := range 3 {
		vm := new(inventory.VM)
		vm.ID = "vm-" + strconv.Itoa(i)
		v.VMs = append(v.VMs, vm)
	}
	for n := range 5 {
		f := at(time.Duration(n)*interval, math.NaN())
		var rows []esxtop.Row
		for i, swapped := range []float64{0, 0, 7} {
			rows = append(rows, ofVM(row(esxtop.Group, strconv.Itoa(i), figures{"mem.swapped": swapped, "mem.balloon": swapped}), "vm-"+strconv.Itoa(i)))
		}
		f.Put(esxtop.Group, rows)
		w.Add(f)
	}
	w.Put(v)
	idle, also, short := v.VMs[1].Live, v.VMs[2].Live, v.VMs[3].Live
	require.Same(t, idle.Of("mem.swapped").Track, idle.Of("mem.balloon").Track)
	require.Same(t, idle.Of("mem.swapped").Track, also.Of("mem.swapped").Track)
	require.NotSame(t, idle.Of("mem.swapped").Track, short.Of("mem.swapped").Track)
	requireTrack(t, []float32{7, 7, 7, 7, 7}, short.Of("mem.swapped").Track)
}

// TestSeriesOfManySamples: samples grow in pieces, and none is lost.
func TestSeriesOfManySamples(t *testing.T) {
	var frames []*esxtop.Frame
	for n := range 1000 {
		frames = append(frames, at(time.Duration(n)*interval, float64(n%500)))
	}
	got := ready(frames...)
	require.EqualValues(t, 1000, got.Samples)
	require.Len(t, got.Track.Values, 1000)
	for n, v := range got.Track.Values {
		require.InDelta(t, n%500, v, 0)
	}
	require.InDelta(t, 249, got.Median, 0)
	require.InDelta(t, 474, got.P95, 0)
	require.InDelta(t, 0.1, got.RatioBeyond(449), 1e-9, "exact, as all samples are there")
}

func TestWindowOfSomeMetrics(t *testing.T) {
	w := live.For([]string{"cpu.ready", "disk.aborts"})
	w.Add(frame(group(figures{"cpu.contentionPerVCPU": 1, "cpu.costopPerVCPU": 2}), row(esxtop.Host, "", figures{"mem.state": 0}),
		row(esxtop.Device, "naa.1", figures{"disk.commands": 20, "disk.aborts": 1}), port("vmnic0", figures{"net.rateRx": 1})))
	v := fleet()
	w.Put(v)
	_, luns, _ := devices(v)
	require.Equal(t, figures{"cpu.ready": 1, "cpu.costop": 2}, worst(v.VMs[0].Live))
	require.Contains(t, worst(v.Hosts[0].Live), "mem.state")
	require.Contains(t, worst(v.Hosts[0].Live), "disk.aborts")
	require.Contains(t, worst(luns[0].Live), "disk.aborts")
	require.NotContains(t, worst(v.Hosts[0].Live), "net.rx", "ports are not wanted")
	require.Equal(t, esxtop.ObjectsOf(esxtop.Host, esxtop.Group, esxtop.Device), w.Needs())

	w = live.For([]string{})
	require.Zero(t, w.Needs(), "no metrics selected")
	require.Equal(t, live.Needs(), new(live.Window).Needs())
}

// TestSharedSeriesHaveADirection: constant counters with the same value share a series only if the same end of it is the worst.
func TestSharedSeriesHaveADirection(t *testing.T) {
	_, vm := measured(frame(group(figures{"numa.local": 50, "numa.remote": 50, "mem.granted": 50}), row(esxtop.Node, "0", nil), row(esxtop.Node, "1", nil)))
	require.Positive(t, vm.Of("numa.local").Samples)
	for name, s := range vm.All() {
		m, ok := inventory.LookupLive(inventory.ScopeVM, name)
		require.True(t, ok, name)
		require.Equal(t, m.Below, s.Below, name)
	}
	require.Same(t, vm.Lookup("mem.granted"), vm.Lookup("numa.remote"))
}
