package simfleet

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/perf"
	"github.com/vperf/vperf/internal/simfleet/world"
	"github.com/vperf/vperf/pkg/esxtop"
)

// window is the length of each measurement: 15 samples.
const window = 300 * time.Second

// shift is a write, and a value of an object that it reduces.
type shift struct {
	what, host string
	do         func(t *testing.T, c *vim25.Client)
	of         esxtop.Object
	row        string // suffix of the name of the value's object
	metric     string // of the Esxtop service
	entity     string // in the statistics: a VM, or the host if empty
	counters   []string
	from       func(sums []float64) float64 // computes the metric from the counters' sums over the window
	above      float64                      // minimum before
	below      float64                      // maximum after
	apart      float64                      // allowed difference between the sources
}

// percents converts milliseconds of the window to percent of one CPU.
func percents(sums []float64) float64 { return sums[0] / float64(window.Milliseconds()) * 100 }

func rewritten(name string, spec types.VirtualMachineConfigSpec) func(*testing.T, *vim25.Client) {
	return func(t *testing.T, c *vim25.Client) {
		t.Helper()
		job, err := vmNamed(t, c, name).Reconfigure(t.Context(), spec)
		finish(t, job, err)
	}
}

func optioned(host, key string, value int64) func(*testing.T, *vim25.Client) {
	return func(t *testing.T, c *vim25.Client) {
		t.Helper()
		require.NoError(t, optionsOf(t, hostNamed(t, c, host)).Update(t.Context(), set(key, value)))
	}
}

// shifts are writes that rules recommend.
var shifts = []shift{
	{
		what: "the CPU limit goes", host: "host06", row: "db-oltp-01", of: esxtop.Group, metric: "cpu.maxLimited", entity: "db-oltp-01",
		do: rewritten("db-oltp-01", types.VirtualMachineConfigSpec{
			CpuAllocation: &types.ResourceAllocationInfo{Limit: new(int64(noLimit))},
		}),
		counters: []string{"cpu.maxlimited.summation|"}, from: percents, above: 20, below: 1e-9, apart: .5,
	},
	{
		what: "the memory limit goes", host: "host05", row: "db-pg-02", of: esxtop.Group, metric: "mem.swapIn", entity: "db-pg-02",
		do: rewritten("db-pg-02", types.VirtualMachineConfigSpec{
			MemoryAllocation: &types.ResourceAllocationInfo{Limit: new(int64(noLimit))},
		}),
		counters: []string{"mem.swapinRate.average|"}, from: func(sums []float64) float64 { return sums[0] / 15 / 1024 }, above: .5, below: 1e-9, apart: .01,
	},
	{
		what: "power for performance", host: "host05", of: esxtop.Host, metric: "pcpu.utilAvg",
		do: func(t *testing.T, c *vim25.Client) {
			t.Helper()
			require.NoError(t, setPower(t, hostNamed(t, c, "host05"), esxi.PolicyStatic))
		},
		counters: []string{"cpu.utilization.average|"}, from: func(sums []float64) float64 { return sums[0] / 15 / 100 }, above: 31, below: 28, apart: .1,
	},
	{
		what: "power for performance, seen by a VM", host: "host05", row: "hpc-monster-02", of: esxtop.Group, metric: "cpu.ready", entity: "hpc-monster-02",
		counters: []string{"cpu.ready.summation|"}, from: percents, above: 40, below: 15, apart: .5,
	},
	{
		what: "a reservation for low latency", host: "host01", row: "trade-lat-01", of: esxtop.Group, metric: "cpu.ready", entity: "trade-lat-01",
		do: rewritten("trade-lat-01", types.VirtualMachineConfigSpec{
			CpuAllocation: &types.ResourceAllocationInfo{Reservation: new(int64(8 * 2600))},
		}),
		counters: []string{"cpu.ready.summation|"}, from: percents, above: 15, below: 2, apart: .5,
	},
	{
		what: "a larger ring", host: "host01", row: "vmnic0", of: esxtop.Port, metric: "net.droppedRx",
		do: func(t *testing.T, c *vim25.Client) {
			t.Helper()
			_, err := esxcliRun(t, c, hostNamed(t, c, "host01"), "network", "nic", "ring", "current", "set", "-n", "vmnic0", "-r", "8192")
			require.NoError(t, err)
		},
		counters: []string{"net.droppedRx.summation|vmnic0", "net.packetsRx.summation|vmnic0"}, above: .3, below: 1e-9, apart: .01,
		from: func(sums []float64) float64 { return sums[0] / (sums[0] + sums[1]) * 100 },
	},
	{
		what: "the snapshots go", host: "host06", row: "app-build-01", of: esxtop.Group, metric: "cpu.costop", entity: "app-build-01",
		do: func(t *testing.T, c *vim25.Client) {
			t.Helper()
			job, err := vmNamed(t, c, "app-build-01").RemoveAllSnapshot(t.Context(), nil)
			finish(t, job, err)
		},
		counters: []string{"cpu.costop.summation|"}, from: percents, above: .5, below: .2, apart: .1,
	},
	{
		what: "fewer vCPUs", host: "host02", row: "hpc-monster-01", of: esxtop.Group, metric: "cpu.costop", entity: "hpc-monster-01",
		do: func(t *testing.T, c *vim25.Client) {
			t.Helper()
			vm := ofVM{t, object.NewVirtualMachine(c, vmRef(t, c, "hpc-monster-01"))}
			vm.turns(false)
			vm.takes(types.VirtualMachineConfigSpec{NumCPUs: 14, NumCoresPerSocket: new(int32(1))})
			vm.turns(true)
		},
		counters: []string{"cpu.costop.summation|"}, from: percents, above: 60, below: 1, apart: .5,
	},
	{
		what: "NUMA-aware network I/O", host: "host01", row: "trade-gw-01", of: esxtop.Group, metric: "cpu.system", entity: "trade-gw-01",
		do:       optioned("host01", world.NUMAIO, 60),
		counters: []string{"cpu.system.summation|"}, from: percents, above: 2.6, below: 2.4, apart: .1,
	},
	{ // a fifth of its work
		what: "NUMA-aware network I/O, seen by the VM that sends most", host: "host01", row: "trade-mid-01", of: esxtop.Group, metric: "cpu.used",
		entity: "trade-mid-01", counters: []string{"cpu.used.summation|"}, from: percents, above: 180, below: 160, apart: 1,
	},
	{ // a third more per core
		what: "large receive offload", host: "host02", row: "replay-02", of: esxtop.Group, metric: "cpu.used", entity: "replay-02",
		do:       optioned("host02", "Net.Vmxnet3HwLRO", 1),
		counters: []string{"cpu.used.summation|"}, from: percents, above: 410, below: 320, apart: 1,
	},
	{ // one packet instead of seven
		what: "large receive offload, for the VMkernel", host: "host05", row: "app-arch-02", of: esxtop.Group, metric: "cpu.system", entity: "app-arch-02",
		do:       optioned("host05", "Net.Vmxnet3SwLRO", 1),
		counters: []string{"cpu.system.summation|"}, from: percents, above: 41, below: 10, apart: .5,
	},
}

// A write shows in the statistics and in the Esxtop service alike, and does not change earlier measurements.
func TestChangesShow(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	clock := newMovable()
	clock.forward(10*time.Minute + 4*time.Second) // to the end of a slot
	require.Zero(t, clock.now().Unix()%perf.Interval)
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	readers := map[string]func() *esxtop.Frame{}
	for _, one := range shifts {
		if readers[one.host] == nil {
			readers[one.host] = reader(t, c, one.host+".demo.local")
		}
	}
	look := func() (map[string]*esxtop.Frame, []*samples) {
		for _, next := range readers {
			next()
		}
		clock.forward(window)
		frames := map[string]*esxtop.Frame{}
		for host, next := range readers {
			frames[host] = next()
			require.Equal(t, window, frames[host].Interval)
		}
		list := make([]*samples, len(shifts))
		for i, one := range shifts {
			list[i] = one.samples(t, c, clock.now())
		}
		return frames, list
	}
	frames, old := look()
	was := clock.now()
	before := make([]float64, len(shifts))
	for i, one := range shifts {
		before[i] = one.both(t, frames[one.host], old[i])
	}
	for _, one := range shifts {
		if one.do != nil {
			one.do(t, c)
		}
	}
	clock.forward(perf.Interval * time.Second)
	frames, now := look()
	for i, one := range shifts {
		after := one.both(t, frames[one.host], now[i])
		t.Logf("%s: %s of %s: %.3f, then %.3f", one.what, one.metric, one.host+" "+one.row, before[i], after)
		require.Greater(t, before[i], one.above, one.what)
		require.Less(t, after, one.below, one.what)
		if one.entity != "hpc-monster-01" { // it was restarted, and its host has none of its earlier data
			require.Equal(t, old[i], one.samples(t, c, was), "%s: earlier measurements are unchanged", one.what)
		}
	}
}

// reader returns a function that reads one frame of a host per call.
func reader(t *testing.T, c *vim25.Client, host string) func() *esxtop.Frame {
	t.Helper()
	service, d := esxtopOf(t, c, host), new(esxtop.Deriver)
	info, err := ask(t.Context(), c, service, "CounterInfo")
	require.NoError(t, err)
	schema, err := esxtop.ParseSchema(info)
	require.NoError(t, err)
	return func() *esxtop.Frame {
		s, err := schema.Parse(fetch(t, c, service), esxtop.AllObjects)
		require.NoError(t, err)
		return d.Frame(s, esxtop.AllObjects)
	}
}

// samples returns the samples of a window.
func (one *shift) samples(t *testing.T, c *vim25.Client, end time.Time) *samples {
	t.Helper()
	s, ref := newStatistics(t, c), hostNamed(t, c, one.host).Reference()
	if one.entity != "" {
		ref = vmRef(t, c, one.entity)
	}
	spec := s.spec(ref, perf.Interval, one.counters...)
	spec.StartTime, spec.EndTime = new(end.Add(-window)), &end
	got := s.of(spec)
	require.NotNil(t, got, one.what)
	require.Len(t, got.stamps, 15, one.what)
	return got
}

// both returns the Esxtop service's value, and checks that the statistics agree.
func (one *shift) both(t *testing.T, frame *esxtop.Frame, got *samples) float64 {
	t.Helper()
	rows := frame.Rows(one.of)
	i := slices.IndexFunc(rows, func(r esxtop.Row) bool { return strings.HasSuffix(r.Name, one.row) })
	require.GreaterOrEqual(t, i, 0, "%s: no %s", one.what, one.row)
	shown := figure(t, &rows[i], one.metric)
	sums := make([]float64, len(one.counters))
	for k, name := range one.counters {
		for _, v := range got.series[name] {
			require.NotEqual(t, perf.NoSample, v, "choose another time")
			sums[k] += float64(v)
		}
	}
	require.InDelta(t, shown, one.from(sums), one.apart, "%s: %s and %s", one.what, one.metric, one.counters[0])
	return shown
}

// A NIC whose driver has one ring for a VM has one polling world, which cannot handle as many packets as four.
func TestRingsOfNICs(t *testing.T) {
	t.Parallel()
	f := start(t, Config{Now: noon})
	for host, want := range map[string]int{"host01": 1, "host02": 1, "host03": 4, "host06": 2, "host04": 1} {
		l, ref := f.hostBy(host)
		settings, _ := l.History.At(ref, load.SlotOf(noon()))
		require.Equal(t, want, settings.PNICs[0].Rings, host)
	}
	e := f.vcenter().built.hosts["host02.demo.local"]
	e.Mu.Lock()
	e.LoadModules()
	rings := ringsOf(e.Host, 0, 40_000)
	e.Mu.Unlock()
	require.Equal(t, 4, rings, "after a start")

	l, ref := f.hostBy("host03")
	hottest := func(slot int64) (busy float64, lost int64) {
		f := l.Host(ref, slot)
		for i, w := range f.Host.OwnWorlds() {
			if w.NIC == 0 {
				busy = max(busy, float64(f.OwnRun[i])/float64(load.SlotMillis*10))
			}
		}
		return busy, f.Lost[0]
	}
	slot := load.SlotOf(noon())
	before, none := hottest(slot)
	require.Zero(t, none)
	l.History.Rewrite(ref, func(h *load.Host) {
		h.PNICs = slices.Clone(h.PNICs)
		h.PNICs[0].Rings = 1
	})
	after, lost := hottest(slot + 1)
	require.Greater(t, after, 2*before)
	require.Greater(t, after, 100*load.TooBusyToPoll)
	require.Positive(t, lost)
}
