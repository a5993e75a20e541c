package simfleet

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/performance"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/perf"
	"github.com/vperf/vperf/pkg/esxtop"
)

// movable is a clock that a test advances.
type movable struct{ nanoseconds atomic.Int64 }

func newMovable() *movable {
	m := &movable{}
	m.nanoseconds.Store(noon().UnixNano())
	return m
}

func (m *movable) now() time.Time          { return time.Unix(0, m.nanoseconds.Load()).UTC() }
func (m *movable) forward(d time.Duration) { m.nanoseconds.Add(int64(d)) }

// statistics queries an endpoint by counter names.
type statistics struct {
	t       *testing.T
	manager *performance.Manager
	ids     map[string]*types.PerfCounterInfo
}

func newStatistics(t *testing.T, c *vim25.Client) statistics {
	t.Helper()
	m := performance.NewManager(c)
	ids, err := m.CounterInfoByName(t.Context())
	require.NoError(t, err)
	return statistics{t, m, ids}
}

func (s statistics) id(name string) int32 {
	s.t.Helper()
	require.Contains(s.t, s.ids, name)
	return s.ids[name].Key
}

func (s statistics) spec(of types.ManagedObjectReference, interval int32, names ...string) types.PerfQuerySpec {
	s.t.Helper()
	spec := types.PerfQuerySpec{Entity: of, IntervalId: interval}
	for _, name := range names {
		counter, instance, _ := strings.Cut(name, "|")
		spec.MetricId = append(spec.MetricId, types.PerfMetricId{CounterId: s.id(counter), Instance: instance})
	}
	return spec
}

func (s statistics) query(specs ...types.PerfQuerySpec) ([]*types.PerfEntityMetric, error) {
	s.t.Helper()
	res, err := s.manager.Query(s.t.Context(), specs)
	var list []*types.PerfEntityMetric
	for _, m := range res {
		list = append(list, m.(*types.PerfEntityMetric))
	}
	return list, err
}

// of returns the samples of one entity, or nil. A series is keyed by the counter's name, "|" and the instance.
func (s statistics) of(spec types.PerfQuerySpec) *samples {
	s.t.Helper()
	res, err := s.query(spec)
	require.NoError(s.t, err)
	if len(res) == 0 {
		return nil
	}
	require.Len(s.t, res, 1)
	got := &samples{series: map[string][]int64{}}
	for _, i := range res[0].SampleInfo {
		got.stamps = append(got.stamps, i.Timestamp)
	}
	for _, v := range res[0].Value {
		one := v.(*types.PerfMetricIntSeries)
		require.Len(s.t, one.Value, len(got.stamps))
		for name, info := range s.ids {
			if info.Key == one.Id.CounterId {
				got.series[name+"|"+one.Id.Instance] = one.Value
			}
		}
	}
	return got
}

type samples struct {
	stamps []time.Time
	series map[string][]int64
}

func TestSamplesOfASpan(t *testing.T) {
	c := login(t, common(t))
	s := newStatistics(t, c)
	spec := s.spec(hostNamed(t, c, "host01").Reference(), perf.Interval, "cpu.usage.average")
	last := noon().Truncate(20 * time.Second)
	spec.StartTime, spec.EndTime = new(last.Add(-2*time.Minute)), new(last.Add(-time.Minute))
	got := s.of(spec)
	require.Equal(t, []time.Time{last.Add(-100 * time.Second), last.Add(-80 * time.Second), last.Add(-time.Minute)}, got.stamps)
	spec.MaxSample = 1
	require.Equal(t, got.stamps[2:], s.of(spec).stamps, "the newest")
	spec.StartTime = spec.EndTime
	require.Nil(t, s.of(spec))
	spec.StartTime, spec.EndTime = nil, new(last.Add(-2*time.Hour))
	require.Nil(t, s.of(spec), "nothing is older than an hour")
	spec.IntervalId = 60
	_, err := s.query(spec)
	requireFault[*types.InvalidArgument](t, err)
}

// Historical samples are computed from the real-time samples of a host.
func TestHistoricalSamples(t *testing.T) {
	c := login(t, common(t))
	s := newStatistics(t, c)
	vm := vmNamed(t, c, "web-03").Reference()
	names := []string{"cpu.ready.summation", "cpu.usagemhz.average", "disk.maxTotalLatency.latest"}
	short, long := s.of(s.spec(vm, perf.Interval, names...)), s.of(s.spec(vm, 300, names...))
	require.Len(t, long.stamps, 288, "a day")
	at := len(short.stamps) - 1
	for !short.stamps[at].Equal(long.stamps[287]) {
		at--
	}
	sum := func(name string) (n int64) {
		for _, v := range short.series[name][at-14 : at+1] {
			n += v
		}
		return n
	}
	require.Equal(t, sum("cpu.ready.summation|"), long.series["cpu.ready.summation|"][287])
	require.Equal(t, sum("cpu.usagemhz.average|")/15, long.series["cpu.usagemhz.average|"][287])
	require.Equal(t, short.series["disk.maxTotalLatency.latest|"][at], long.series["disk.maxTotalLatency.latest|"][287])
}

// A vCenter keeps historical samples of the counters of its statistics level only; hosts have no level.
func TestStatisticsLevels(t *testing.T) {
	c := login(t, common(t))
	s := newStatistics(t, c)
	host := hostNamed(t, c, "host01").Reference()
	names := []string{"cpu.usagemhz.average", "power.energy.summation"} // of levels 1 and 3
	long := s.spec(host, 7200, names...)
	long.StartTime = new(noon().Add(-24 * time.Hour))
	day, month := s.of(s.spec(host, 300, names...)), s.of(long)
	require.Contains(t, day.series, "power.energy.summation|")
	require.Len(t, month.stamps, 12, "of a day")
	require.Contains(t, month.series, "cpu.usagemhz.average|")
	require.NotContains(t, month.series, "power.energy.summation|")
}

func TestWhatHasStatistics(t *testing.T) {
	c := login(t, common(t))
	s := newStatistics(t, c)
	host, vm := hostNamed(t, c, "host01").Reference(), vmNamed(t, c, "web-03").Reference()
	for _, ref := range []types.ManagedObjectReference{host, vm} {
		list, err := s.manager.AvailableMetric(t.Context(), ref, perf.Interval)
		require.NoError(t, err)
		require.NotEmpty(t, list)
		var spec types.PerfQuerySpec
		spec.Entity = ref
		require.Len(t, s.of(spec).series, len(list), "no counter at all is every counter")
		about, err := s.manager.ProviderSummary(t.Context(), ref)
		require.NoError(t, err)
		require.EqualValues(t, perf.Interval, about.RefreshRate)
	}
	about, err := s.manager.ProviderSummary(t.Context(), c.ServiceContent.RootFolder)
	require.NoError(t, err)
	require.False(t, about.CurrentSupported)
	require.Nil(t, s.of(s.spec(c.ServiceContent.RootFolder, perf.Interval, "cpu.usage.average")))
	_, err = s.manager.ProviderSummary(t.Context(), missing)
	requireFault[*types.ManagedObjectNotFound](t, err)

	one, err := s.manager.QueryCounter(t.Context(), []int32{s.id("cpu.ready.summation")})
	require.NoError(t, err)
	require.Equal(t, "cpu.ready.summation", one[0].Name())
	_, err = s.manager.QueryCounter(t.Context(), []int32{-1})
	requireFault[*types.InvalidArgument](t, err)
}

// requireCSV compares the CSV form of a query with the normal form.
func (s statistics) requireCSV(spec types.PerfQuerySpec, want *samples) {
	s.t.Helper()
	spec.Format = string(types.PerfFormatCsv)
	res, err := s.manager.Query(s.t.Context(), []types.PerfQuerySpec{spec})
	require.NoError(s.t, err)
	text := res[0].(*types.PerfEntityMetricCSV)
	stamps := strings.Split(text.SampleInfoCSV, ",")
	require.Len(s.t, stamps, 2*len(want.stamps))
	require.Equal(s.t, strconv.Itoa(perf.Interval), stamps[0])
	require.Equal(s.t, want.stamps[0].Format(time.RFC3339), stamps[1])
	require.Len(s.t, text.Value, len(want.series))
	for _, v := range text.Value {
		info := map[int32]string{}
		for name, c := range s.ids {
			info[c.Key] = name
		}
		var words []string
		for _, n := range want.series[info[v.Id.CounterId]+"|"+v.Id.Instance] {
			words = append(words, strconv.FormatInt(n, 10))
		}
		require.Equal(s.t, strings.Join(words, ","), v.Value)
	}
}

// Every counter from which esxtop's metrics are derived exists, with an instance for each device.
func TestEveryCounterOfTheCatalogue(t *testing.T) {
	c := login(t, common(t))
	s := newStatistics(t, c)
	has := func(ref types.ManagedObjectReference) map[string]int {
		list, err := s.manager.AvailableMetric(t.Context(), ref, perf.Interval)
		require.NoError(t, err)
		names := map[string]int{}
		for _, m := range list {
			for name, info := range s.ids {
				if info.Key == m.CounterId {
					names[name]++
				}
			}
		}
		return names
	}
	host, vm, gpus := has(hostNamed(t, c, "host06").Reference()), has(vmNamed(t, c, "db-spread-01").Reference()), has(hostNamed(t, c, "host08").Reference())
	for _, m := range esxtop.Catalogue() {
		for _, p := range m.Perf {
			require.Contains(t, s.ids, p.Counter, m.ID)
			if slices.Contains(m.Objects, esxtop.GPU) {
				require.Equal(t, 2, gpus[p.Counter], p.Counter)
				require.Zero(t, host[p.Counter]+vm[p.Counter], p.Counter)
				continue
			}
			require.Positive(t, host[p.Counter]+vm[p.Counter], "%s for %s", p.Counter, m.ID)
		}
	}
	for name, want := range map[string]int{
		"cpu.run.summation": 1 + 4, "virtualDisk.totalReadLatency.average": 3, "net.packetsRx.summation": 2, "mem.active.average": 1,
	} {
		require.Equal(t, want, vm[name], name)
	}
	for name, want := range map[string]int{
		"cpu.utilization.average": 1 + 64, "cpu.coreUtilization.average": 1 + 64, "disk.deviceLatency.average": 4, "storageAdapter.read.average": 2,
		"storagePath.commandsAveraged.average": 1 + 4 + 4 + 4, "net.droppedRx.summation": 3, "mem.state.latest": 1,
	} {
		require.Equal(t, want, host[name], name)
	}
}

// The energy of a host or a VM in an interval is its power multiplied by the interval, and its highest datastore latency is at
// least that of its disks.
func TestEnergyIsPowerForAnInterval(t *testing.T) {
	c := login(t, common(t))
	s := newStatistics(t, c)
	for _, ref := range []types.ManagedObjectReference{hostNamed(t, c, "host06").Reference(), vmNamed(t, c, "db-spread-01").Reference()} {
		got := s.of(s.spec(ref, perf.Interval, "power.power.average", "power.energy.summation", "datastore.maxTotalLatency.latest"))
		require.NotEmpty(t, got.stamps)
		sum := int64(0)
		for i, watts := range got.series["power.power.average|"] {
			joules := got.series["power.energy.summation|"][i]
			if watts == perf.NoSample {
				require.Equal(t, perf.NoSample, joules)
				continue
			}
			require.Equal(t, watts*perf.Interval, joules)
			sum += joules
		}
		require.Positive(t, sum, ref)
		require.Positive(t, slices.Max(got.series["datastore.maxTotalLatency.latest|"]), ref)
	}
}
