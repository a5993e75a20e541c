package simfleet

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/perf"
	"github.com/vperf/vperf/pkg/esxtop"
)

// figure returns a value of a row that must have it.
func figure(t *testing.T, row *esxtop.Row, id string) float64 {
	t.Helper()
	m := esxtop.Lookup(id)
	v, ok := row.Value(m)
	if !ok {
		t.Fatalf("%s of %s is absent", id, row.Name)
	}
	return v
}

// The metrics computed from two fetches have the identities of a real host: times of a world fill the interval, and devices are
// the sum of their paths.
func TestFramesOfFetches(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	f := startAll(t, Config{Now: clock.now})
	for _, e := range f.vcenter().built.hostOrder[:3] {
		clock.forward(7 * time.Second)
		requireFrames(t, f, clock, vcenterSite, e)
	}
	for _, s := range f.servers[1:] {
		requireFrames(t, f, clock, s.site.name, s.built.hostOrder[0])
	}
}

func requireFrames(t *testing.T, f *Fleet, clock *movable, site string, e *esxi.Host) {
	t.Helper()
	c := loginTo(t, f, site)
	var d esxtop.Deriver
	service := esxtopOf(t, c, e.Row.Name)
	info, err := ask(t.Context(), c, service, "CounterInfo")
	require.NoError(t, err)
	schema, err := esxtop.ParseSchema(info)
	require.NoError(t, err)
	next := func() *esxtop.Frame {
		s, err := schema.Parse(fetch(t, c, service), esxtop.AllObjects)
		require.NoError(t, err)
		return d.Frame(s, esxtop.AllObjects)
	}
	next()
	clock.forward(2 * time.Second)
	frame := next()
	require.Equal(t, 2*time.Second, frame.Interval)
	busy := 0.0
	for i := range frame.Rows(esxtop.World) {
		w := &frame.Rows(esxtop.World)[i]
		sum := 0.0
		for _, id := range []string{"cpu.run", "cpu.wait", "cpu.ready", "cpu.costop"} {
			v := figure(t, w, id)
			if v < 0 {
				t.Fatalf("%s of %s is %v", id, w.Name, v)
			}
			sum += v
		}
		if math.Abs(sum-100) > 1e-6 {
			t.Fatalf("%s: %v %% of the interval", w.Name, sum)
		}
		if strings.HasPrefix(w.Name, "vmx-vcpu-") {
			busy += figure(t, w, "cpu.run")
		}
	}
	require.Greater(t, busy, 1.0, "the VMs do something")
	paths := map[string]float64{}
	for i := range frame.Rows(esxtop.Path) {
		p := &frame.Rows(esxtop.Path)[i]
		paths[frame.Rows(esxtop.Path)[i].Name] += figure(t, p, "disk.reads")
	}
	reads, through := 0.0, 0.0
	for i := range frame.Rows(esxtop.Device) {
		reads += figure(t, &frame.Rows(esxtop.Device)[i], "disk.reads")
	}
	for _, v := range paths {
		through += v
	}
	require.InDelta(t, reads, through, 1e-6)
	util := 0.0
	for i := range frame.Rows(esxtop.PCPU) {
		util += figure(t, &frame.Rows(esxtop.PCPU)[i], "pcpu.util")
	}
	require.Greater(t, util, busy*.9, "the host's CPUs do what its VMs do")
}

// The statistics of a slot equal the growth of the service's counters in it.
func TestFetchesAgreeWithStatistics(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	clock.forward(clock.now().Truncate(perf.Interval * time.Second).Add(perf.Interval * time.Second).Sub(clock.now()))
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	s := newStatistics(t, c)
	before := sample(t, c, "host06.demo.local", "8.0.3")
	clock.forward(perf.Interval * time.Second)
	after := sample(t, c, "host06.demo.local", "8.0.3")
	checked, was := 0, before.worldsByID()
	for name, row := range after.vms() {
		var counters []string
		for counter := range countedByWorld {
			counters = append(counters, counter+"|*")
		}
		spec := s.spec(vmNamed(t, c, name).Reference(), perf.Interval, counters...)
		spec.MaxSample = 1
		got := s.of(spec)
		require.NotNil(t, got, name)
		require.Equal(t, []time.Time{clock.now()}, got.stamps)
		for vcpu, i := range after.vcpus(row) {
			old := was[after.number("VCPU", i, "VCPUID")]
			for counter, field := range countedByWorld {
				values := got.series[counter+"|"+strconv.Itoa(vcpu)]
				require.Len(t, values, 1, "%s of %s", counter, name)
				grown := after.number("VCPU", i, field) - before.number("VCPU", old, field)
				require.LessOrEqual(t, math.Abs(float64(grown)/1000-float64(values[0])), 1.0, "%s of %s", counter, name)
				checked++
			}
		}
	}
	require.Greater(t, checked, 100)
}

// countedByWorld maps counters of vCPUs to the service's counters.
var countedByWorld = map[string]string{
	"cpu.run.summation": "RunTimeInUsec", "cpu.ready.summation": "ReadyTimeInUsec", "cpu.costop.summation": "CoStopTimeInUsec",
	"cpu.wait.summation": "TotalWaitTimeInUsec", "cpu.idle.summation": "IdleTimeInUsec", "cpu.used.summation": "UsedTimeInUsec",
}

// worldsByID returns the rows of worlds by their ids.
func (f fetched) worldsByID() map[int64]int {
	f.t.Helper()
	rows := map[int64]int{}
	for i := range f.rows("VCPU") {
		rows[f.number("VCPU", i, "VCPUID")] = i
	}
	return rows
}

// vcpus returns the rows of a VM's vCPUs, in order.
func (f fetched) vcpus(group int) (rows []int) {
	f.t.Helper()
	for i := range f.rows("VCPU") {
		if f.Block("CPUClient").Parent(f.Block("VCPU").Parent(i)) == group && strings.HasPrefix(f.word("VCPU", i, "WorldName"), "vmx-vcpu-") {
			rows = append(rows, i)
		}
	}
	return rows
}
