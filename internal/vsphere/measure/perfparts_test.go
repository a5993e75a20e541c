package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/esxtop"
)

func csvOf(info string, values ...string) *types.PerfEntityMetricCSV {
	m := &types.PerfEntityMetricCSV{SampleInfoCSV: info}
	for i, v := range values {
		s := types.PerfMetricSeriesCSV{Value: v}
		s.Id = types.PerfMetricId{CounterId: int32(i)}
		m.Value = append(m.Value, s)
	}
	return m
}

func TestReadPerfCSV(t *testing.T) {
	const two = "20,2026-11-20T10:00:00Z,20,2026-11-20T10:00:20Z"
	for name, test := range map[string]struct {
		info   string
		values []string
		want   string // series by counter, or "no"
	}{
		"plain":               {two, []string{"1,2", "0,0"}, "0:[1 2] 1:[0 0]"},
		"no samples":          {"", []string{""}, "0:[]"},
		"no value":            {two, []string{"-1,5", ",5", "5,"}, "0:[-1 5] 1:[-1 5] 2:[5 -1]"},
		"too short":           {two, []string{"5", "1,2", ""}, "1:[1 2]"},
		"too long":            {two, []string{"5,6,7"}, ""},
		"no number":           {two, []string{"5,x", "1,2", "1.5,2", "99999999999999999999,1"}, "1:[1 2]"},
		"spaces":              {"20, 2026-11-20T10:00:00Z ", []string{" 5 "}, "0:[5]"},
		"fractions and zones": {"20,2026-11-20T11:00:00.123+01:00", []string{"5"}, "0:[5]"},
		"half a pair":         {"20,2026-11-20T10:00:00Z,20", []string{"1"}, "no"},
		"no time":             {"20,yesterday", []string{"1"}, "no"},
		"no interval":         {"x,2026-11-20T10:00:00Z", []string{"1"}, "no"},
	} {
		t.Run(name, func(t *testing.T) {
			a, ok := new(perfReading).read(csvOf(test.info, test.values...))
			if !ok {
				require.Equal(t, "no", test.want)
				return
			}
			var got []string
			for _, s := range a.series {
				got = append(got, fmt.Sprintf("%d:%v", s.counter, s.values))
			}
			require.Equal(t, test.want, strings.Join(got, " "))
		})
	}
}

// TestReadPerfList: a server that omits zeros does not show where they were.
func TestReadPerfList(t *testing.T) {
	m := &types.PerfEntityMetric{
		SampleInfo: []types.PerfSampleInfo{{Timestamp: time.Unix(40, 0), Interval: 20}, {Timestamp: time.Unix(20, 0)}},
		Value: []types.BasePerfMetricSeries{
			&types.PerfMetricIntSeries{Value: []int64{5, 7}}, &types.PerfMetricIntSeries{Value: []int64{5}}, &types.PerfMetricSeries{}, nil,
		},
	}
	a, ok := new(perfReading).read(m)
	require.True(t, ok)
	require.Len(t, a.series, 1)
	require.Equal(t, perfStamp{time.Unix(20, 0).UTC(), 20 * time.Second}, a.stamps[1])
	_, ok = new(perfReading).read(nil)
	require.False(t, ok)
}

// FuzzReadPerf: each series that is read has a value for each sample.
func FuzzReadPerf(f *testing.F) {
	f.Add("20,2026-11-20T10:00:00Z,20,2026-11-20T10:00:20Z", "1,-1")
	f.Add("20,2026-11-20T10:00:00Z", "")
	f.Add("", "1")
	f.Add("0,2026-11-20T10:00:00+01:00,-5,0000-01-01T00:00:00Z", ",")
	f.Fuzz(func(t *testing.T, info, values string) {
		a, ok := new(perfReading).read(csvOf(info, values))
		if !ok {
			return
		}
		ask := askOf(newPerfPlan(esxtop.AllObjects, nil, everyCounter()), perfHostOf())
		ask.harvest.add(a, &ask.of[0])
		for _, s := range a.series {
			require.Len(t, s.values, len(a.stamps))
		}
		for _, s := range a.stamps {
			require.Positive(t, s.interval)
		}
		require.LessOrEqual(t, len(ask.frames(false)), len(a.stamps))
	})
}

// everyCounter assigns ids to all counters of the catalogue.
func everyCounter() perfCounters {
	c := perfCounters{}
	for _, m := range esxtop.Catalogue() {
		for _, p := range m.Perf {
			if _, there := c[p.Counter]; !there {
				c[p.Counter] = int32(len(c))
			}
		}
	}
	return c
}

func TestPerfPlan(t *testing.T) {
	all := everyCounter()
	ready, busy, packets := all["cpu.ready.summation"], all["cpu.utilization.average"], all["net.packetsTx.summation"]
	metric := func(id int32, instance string) string {
		return fmt.Sprintf("<metricId><counterId>%d</counterId><instance>%s</instance></metricId>", id, instance)
	}

	p := newPerfPlan(esxtop.ObjectsOf(esxtop.World), nil, all)
	require.Contains(t, p.vm.metrics, metric(ready, ""), "of the group that owns the worlds")
	require.Contains(t, p.vm.metrics, metric(ready, "*"))
	require.Equal(t, 1, strings.Count(p.host.metrics, "<metricId>"), "which tells when a host without VMs takes its samples")
	require.Empty(t, p.host.targets)

	p = newPerfPlan(esxtop.ObjectsOf(esxtop.Host, esxtop.PCPU), nil, all)
	require.Equal(t, 1, strings.Count(p.host.metrics, metric(busy, "")))
	require.Equal(t, 1, strings.Count(p.host.metrics, metric(busy, "*")))
	require.Empty(t, p.vm.metrics)

	p = newPerfPlan(esxtop.ObjectsOf(esxtop.Port), nil, all)
	require.Contains(t, p.vm.metrics, metric(packets, "*"))
	require.Contains(t, p.host.metrics, metric(packets, "*"))

	p = newPerfPlan(esxtop.ObjectsOf(esxtop.DiskVM), nil, all)
	require.True(t, p.objects.Has(esxtop.DiskVM))
	require.Contains(t, p.vm.metrics, metric(all["virtualDisk.read.average"], "*"))

	p = newPerfPlan(esxtop.ObjectsOf(esxtop.Node, esxtop.Vector, esxtop.Dom), nil, all)
	require.Zero(t, p.objects, "the PerformanceManager knows none of them")

	p = newPerfPlan(esxtop.AllObjects, nil, perfCounters{"cpu.ready.summation": 7, "made.up.latest": 8})
	require.Equal(t, metric(7, "")+metric(7, "*"), p.vm.metrics)
	require.False(t, p.objects.Has(esxtop.PCPU), "the server has no counter of it")
}

// TestAllCountersHaveAHome: all counters that the catalogue assigns to the PerformanceManager are queried.
func TestAllCountersHaveAHome(t *testing.T) {
	all := everyCounter()
	p := newPerfPlan(esxtop.AllObjects, nil, all)
	for name, id := range all {
		require.NotEmpty(t, append(p.host.targets[id], p.vm.targets[id]...), name)
	}
}

// perfHostOf returns a host with VMs.
func perfHostOf(vms ...RosterVM) *perfHost {
	const moid = "host-1"
	h := &perfHost{moid: moid, name: moid, self: &perfEntity{ref: ref{Type: property.TypeHost, Value: moid}}}
	for _, vm := range vms {
		h.vms = append(h.vms, &perfEntity{ref: ref{Type: property.TypeVM, Value: vm.MoID}, vm: vm})
	}
	return h
}

// askOf returns a query for a host's newest samples.
func askOf(plan *perfPlan, h *perfHost) *perfAsk {
	a := &perfAsk{host: h, harvest: newPerfHarvest(plan, nil, 1+len(h.vms))}
	for place, e := range plan.entities(h) {
		a.of = append(a.of, perfItem{perfEntity: e, place: place, samples: 1})
	}
	a.trusted = len(a.of)
	return a
}

// harvest returns a frame with values of a host and of a VM, keyed by counter, "|" and instance.
func harvest(t *testing.T, host, vm map[string]int64) *esxtop.Frame {
	t.Helper()
	all := everyCounter()
	answer := func(values map[string]int64) perfAnswer {
		a := perfAnswer{stamps: []perfStamp{stampOf(time.Unix(1000, 0), 20)}}
		for name, v := range values {
			counter, instance, _ := strings.Cut(name, "|")
			require.Contains(t, all, counter)
			a.series = append(a.series, perfSeries{all[counter], instance, []int64{v}})
		}
		return a
	}
	of := perfHostOf(RosterVM{MoID: "vm-1", Name: "web", VCPUs: 4}, RosterVM{MoID: "vm-2", Name: "web"})
	of.name = "esx"
	a := askOf(newPerfPlan(esxtop.AllObjects, nil, all), of)
	a.harvest.nfs = map[string]string{"aa-bb": "nfs one"}
	a.harvest.add(answer(vm), &a.of[1]) // the host was too large for a call, and the VMs' answer came first
	a.harvest.add(answer(host), &a.of[0])
	frames := a.frames(false)
	require.Len(t, frames, 1)
	return frames[0]
}

func value(t *testing.T, f *esxtop.Frame, o esxtop.Object, i int, id string) float64 {
	t.Helper()
	require.Greater(t, len(f.Rows(o)), i)
	m := esxtop.Lookup(id)
	require.NotNil(t, m, id)
	v, ok := f.Rows(o)[i].Value(m)
	if !ok {
		return math.NaN()
	}
	return v
}

// TestRowsOfAHostAreAllocatedOnce: the number of its VMs is known. Another time, of a few VMs after errors, takes no room for all.
func TestRowsOfAHostAreAllocatedOnce(t *testing.T) {
	const n = 125
	all := everyCounter()
	var vms []RosterVM
	for i := range n {
		vms = append(vms, RosterVM{MoID: "vm-" + strconv.Itoa(i), Name: "web-" + strconv.Itoa(i)})
	}
	a := askOf(newPerfPlan(esxtop.ObjectsOf(esxtop.Host, esxtop.Group), nil, all), perfHostOf(vms...))
	answer := perfAnswer{stamps: []perfStamp{stampOf(time.Unix(1000, 0), 20)}}
	for i := range a.of {
		a.harvest.add(answer, &a.of[i])
	}
	late := a.of[1]
	late.entered = false
	a.harvest.add(perfAnswer{stamps: []perfStamp{stampOf(time.Unix(1020, 0), 20)}}, &late)
	first, second := a.harvest.moments[0], a.harvest.moments[1]
	require.Equal(t, n, cap(first.tables[tableGroup].rows))
	require.Equal(t, n+1, cap(first.spans))
	require.Equal(t, 1, cap(second.tables[tableGroup].rows))
	frames := a.frames(true)
	require.Len(t, frames[0].Rows(esxtop.Group), n)
	require.Len(t, frames[1].Rows(esxtop.Group), 1)
}

func TestFrameOfCounters(t *testing.T) {
	f := harvest(t, map[string]int64{
		"cpu.usage.average": 1234, "cpu.usage.average|0": 100, "cpu.usage.average|10": 300, "cpu.usage.average|2": 200, "cpu.usage.average|*": 5,
		"power.power.average": 0, "power.powerCap.average": 300, "mem.shared.average": 3072, "mem.sharedcommon.average": 1024,
		"disk.commandsAveraged.average|naa.1": 0, "disk.deviceLatency.average|naa.1": 0, "disk.totalLatency.average|naa.1": 7,
		"storageAdapter.read.average|vmhba1": 2048, "storageAdapter.read.average|vmhba0": 0,
		"storagePath.read.average|vmhba1:C0:T0:L3": 1024, "storagePath.read.average|fc.20:01-naa.1": 1,
		"datastore.numberReadAveraged.average|aa-bb": 5, "datastore.numberReadAveraged.average|51-vmfs": 6,
		"net.packetsTx.summation|vmnic0": 200, "net.packetsTx.summation": 200,
	}, map[string]int64{
		"cpu.ready.summation": 4000, "cpu.ready.summation|0": 1000, "cpu.maxlimited.summation": 1000,
		"cpu.wait.summation": 60_000, "cpu.idle.summation": 40_000, "cpu.wait.summation|0": 5000, "cpu.idle.summation|0": 6000,
		"cpu.used.summation": noSample, "cpu.latency.average": 250,
		"virtualDisk.numberReadAveraged.average|scsi0:0": 10, "virtualDisk.numberWriteAveraged.average|scsi0:0": 0,
		"virtualDisk.totalReadLatency.average|scsi0:0": 4, "virtualDisk.totalWriteLatency.average|scsi0:0": 0,
		"virtualDisk.numberReadAveraged.average|scsi0:1": 30, "virtualDisk.numberWriteAveraged.average|scsi0:1": 2,
		"virtualDisk.totalReadLatency.average|scsi0:1": 8, "virtualDisk.totalWriteLatency.average|scsi0:1": 3,
		"net.packetsRx.summation|4000": 900, "net.droppedRx.summation|4000": 100, "net.bytesRx.average|4000": 45, "net.packetsTx.summation|4000": 0,
		"net.droppedTx.summation|4000": 0, "net.packetsRx.summation|4001": 1,
	})
	require.Equal(t, "esx", f.Host)
	require.Equal(t, 20*time.Second, f.Interval)

	for _, test := range []struct {
		object esxtop.Object
		row    int
		metric string
		want   float64
	}{
		{esxtop.Host, 0, "pcpu.usedAvg", 2},
		{esxtop.Host, 0, "mem.pshareSaving", 2},
		{esxtop.Host, 0, "power.usage", math.NaN()},
		{esxtop.Host, 0, "power.cap", 300},
		{esxtop.Host, 0, "host.vms", 1},
		{esxtop.Host, 0, "host.vcpus", 4},
		{esxtop.Host, 0, "mem.kernel", math.NaN()},
		{esxtop.PCPU, 1, "pcpu.used", 2},
		{esxtop.PCPU, 2, "pcpu.used", 3},
		{esxtop.Group, 0, "cpu.ready", 20},
		{esxtop.Group, 0, "cpu.readyPerVCPU", 5},
		{esxtop.Group, 0, "cpu.contentionPerVCPU", 3.75},
		{esxtop.Group, 0, "cpu.vmWait", 100},
		{esxtop.Group, 0, "cpu.vmWaitPerVCPU", 25},
		{esxtop.Group, 0, "cpu.used", math.NaN()},
		{esxtop.Group, 0, "cpu.usedPerVCPU", math.NaN()},
		{esxtop.Group, 0, "cpu.latencyPerVCPU", 2.5},
		{esxtop.World, 0, "cpu.ready", 5},
		{esxtop.World, 0, "cpu.vmWait", 0},
		{esxtop.VDisk, 0, "vdisk.commands", 10},
		{esxtop.VDisk, 0, "vdisk.writeLatency", math.NaN()},
		{esxtop.DiskVM, 0, "vdisk.disks", 2},
		{esxtop.DiskVM, 0, "vdisk.commands", 42},
		{esxtop.DiskVM, 0, "vdisk.readLatency", 7},
		{esxtop.DiskVM, 0, "vdisk.writeLatency", 3},
		{esxtop.DiskVM, 0, "vdisk.readRate", math.NaN()},
		{esxtop.Device, 0, "disk.deviceLatency", math.NaN()},
		{esxtop.Device, 0, "disk.guestLatency", 7},
		{esxtop.Adapter, 0, "disk.readRate", 0},
		{esxtop.Adapter, 1, "disk.readRate", 2},
		{esxtop.Port, 0, "net.packetsTx", 10},
		{esxtop.Port, 0, "net.uplink", 1},
		{esxtop.Port, 1, "net.uplink", 0},
		{esxtop.Port, 1, "net.packetsRx", 45},
		{esxtop.Port, 1, "net.droppedRx", 10},
		{esxtop.Port, 1, "net.sizeRx", 1024},
		{esxtop.Port, 1, "net.sizeTx", math.NaN()},
		{esxtop.Port, 1, "net.droppedTx", math.NaN()},
	} {
		got := value(t, f, test.object, test.row, test.metric)
		if math.IsNaN(test.want) {
			require.True(t, math.IsNaN(got), "%s of %s is absent, not %v", test.metric, test.object, got)
			continue
		}
		require.InDelta(t, test.want, got, 1e-9, "%s of %s", test.metric, test.object)
	}

	require.Len(t, f.Rows(esxtop.PCPU), 3, `"*" is no CPU`)
	require.Equal(t, "10", f.Rows(esxtop.PCPU)[2].ID)
	require.Len(t, f.Rows(esxtop.Group), 1, "there are no samples of the other VM")
	group := f.Rows(esxtop.Group)[0]
	require.Equal(t, []any{"vm-1", "vm-1", "web", true, 4}, []any{group.ID, group.MoID, group.Name, group.VM, group.VCPUs})
	require.Equal(t, 0, f.Rows(esxtop.World)[0].Parent)
	require.Equal(t, "0", f.Rows(esxtop.World)[0].ID)
	require.Equal(t, []string{"scsi0:0", "vm-1"}, []string{f.Rows(esxtop.VDisk)[0].ID, f.Rows(esxtop.VDisk)[0].MoID})
	require.Len(t, f.Rows(esxtop.NFS), 1)
	require.Equal(t, []string{"nfs one", "nfs one"}, []string{f.Rows(esxtop.NFS)[0].Name, f.Rows(esxtop.NFS)[0].ID})
	require.Equal(t, []string{"esx", "esx", "host-1"}, []string{f.Rows(esxtop.Host)[0].Name, f.Rows(esxtop.Host)[0].ID, f.Rows(esxtop.Host)[0].MoID})
	require.Equal(t, []int{-1, 1}, []int{f.Rows(esxtop.Path)[0].Parent, f.Rows(esxtop.Path)[1].Parent})
	require.Len(t, f.Rows(esxtop.Port), 3)
	port := f.Rows(esxtop.Port)[1]
	require.Equal(t, []any{"vm-1-4000", "web.eth0", true}, []any{port.ID, port.Name, port.VM})
	by, _ := port.Text(metricUsedBy)
	require.Equal(t, "web.eth0", by)
	require.False(t, f.Has(esxtop.Node))
}

// TestCoresOnce: a core's value is reported once for its two threads, and not on a host without hyperthreading.
func TestCoresOnce(t *testing.T) {
	for threads, want := range map[int][]bool{0: {true, true, true, true}, 1: {false, false, false, false}, 2: {true, false, true, false}} {
		b := perfFrame{perfMoment: new(perfMoment)}
		rows := &b.tables[tablePCPU].rows
		for _, id := range []string{"0", "1", "2", "3"} {
			r := esxtop.NewRow(esxtop.PCPU, id, id)
			r.Set(metricCoreUtil, 50)
			*rows = append(*rows, r)
		}
		b.onceByCore(threads)
		for i, there := range want {
			_, ok := (*rows)[i].Value(metricCoreUtil)
			require.Equal(t, there, ok, "%d threads, CPU %d", threads, i)
		}
	}
}

// TestNamedMetricsExist: metrics are looked up by name at program start, where a wrong name would go unnoticed.
func TestNamedMetricsExist(t *testing.T) {
	for _, m := range []*esxtop.Metric{metricWait, metricIdle, metricVMWait, metricDisks, metricUplink, metricUsedBy, metricVMs, metricVCPUs} {
		require.NotNil(t, m)
	}
}

func TestBatches(t *testing.T) {
	plan := &perfPlan{host: perfSide{series: 10, metrics: "x"}, vm: perfSide{series: 5, metrics: "x"}}
	ask := func(vms int) *perfAsk { return askOf(plan, perfHostOf(make([]RosterVM, vms)...)) }
	shape := func(list []perfBatch) (got []string) {
		for _, b := range list {
			var hosts []string
			for _, p := range b {
				hosts = append(hosts, fmt.Sprintf("%d-%d", p.from, p.to))
			}
			got = append(got, strings.Join(hosts, " "))
		}
		return got
	}
	require.Equal(t, []string{"0-3 0-3", "0-3"}, shape(batches([]*perfAsk{ask(2), ask(2), ask(2)}, plan, 45)))
	require.Equal(t, []string{"0-2 2-5", "0-1"}[1:], shape(batches([]*perfAsk{ask(0)}, plan, 45)))
	require.Equal(t, []string{"0-5", "5-10", "0-2 0-2"}, shape(batches([]*perfAsk{ask(1), ask(9), ask(1)}, plan, 45)))
	require.Empty(t, batches(nil, plan, 45))
	require.Len(t, batches([]*perfAsk{ask(6)}, plan, 1), 7, "a single VM is not cut")

	many := perfPart{ask(2), 0, 3}
	for i := range many.of {
		many.of[i].samples = 9
	}
	require.Equal(t, 40, many.cost(plan))
}

// TestCallsOfALargeFleet: all counters of 64 hosts and 2,000 VMs take a few calls, which depend on the entities and not on their
// instances.
func TestCallsOfALargeFleet(t *testing.T) {
	plan := newPerfPlan(esxtop.AllObjects, nil, everyCounter())
	var hosts []*perfHost
	for range 64 {
		hosts = append(hosts, perfHostOf(make([]RosterVM, 31)...))
	}
	require.Len(t, batches(asksOf(hosts, plan), plan, mostSeries), 16)
	for _, b := range batches(asksOf(hosts, plan), plan, mostSeries) {
		require.Len(t, b, 4)
		for _, p := range b {
			require.Equal(t, len(p.of), p.to-p.from, "a host is asked whole")
		}
	}
}

func asksOf(hosts []*perfHost, plan *perfPlan) (list []*perfAsk) {
	for _, h := range hosts {
		list = append(list, askOf(plan, h))
	}
	return list
}

// TestPlanOfFigures asks for the counters of the figures, and of those that they are computed from.
func TestPlanOfFigures(t *testing.T) {
	t.Parallel()
	all := everyCounter()
	ids := func(figures *esxtop.MetricSet) (names []string) {
		p := newPerfPlan(esxtop.ObjectsOf(esxtop.Host, esxtop.PCPU, esxtop.Group, esxtop.DiskVM), figures, all)
		for name, id := range all {
			if strings.Contains(p.vm.metrics, "<counterId>"+strconv.Itoa(int(id))+"</counterId>") {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	figures := new(esxtop.MetricSet)
	require.Empty(t, ids(figures))
	figures.AddInputs(esxtop.Group, esxtop.Lookup("cpu.vmWait"))
	require.Equal(t, []string{"cpu.idle.summation", "cpu.wait.summation"}, ids(figures))
	figures = new(esxtop.MetricSet)
	figures.AddInputs(esxtop.Group, esxtop.Lookup("cpu.readyPerVCPU"))
	figures.AddInputs(esxtop.Host, esxtop.Lookup("pcpu.usedAvg"))
	require.Contains(t, ids(figures), "cpu.ready.summation")
	require.True(t, figures.Has(esxtop.PCPU, esxtop.Lookup("pcpu.used")))
	figures = new(esxtop.MetricSet)
	figures.AddInputs(esxtop.DiskVM, esxtop.Lookup("vdisk.readLatency"))
	require.Equal(t, []string{"virtualDisk.numberReadAveraged.average", "virtualDisk.totalReadLatency.average"}, ids(figures), "and the number of operations")
	require.Greater(t, len(ids(nil)), 20, "nil is all")
}
