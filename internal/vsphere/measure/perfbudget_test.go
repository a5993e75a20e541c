//go:build unix

package measure

import (
	"context"
	"net/url"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
)

// BenchmarkInterval measures the client's CPU time for 20 seconds of 64 hosts with many VMs, 24 counters each. For comparison, a
// loop makes the same calls with plain govmomi and discards the results.
func BenchmarkInterval(b *testing.B) {
	for _, vms := range []int{1000, 8000} {
		b.Run(strconv.Itoa(vms), func(b *testing.B) {
			address := startCanned(b, 64, vms)
			var ours, theirs time.Duration
			b.Run("vperf", func(b *testing.B) { ours = benchmarkVperf(b, address, vms) })
			b.Run("govmomi", func(b *testing.B) { theirs = benchmarkGovmomi(b, address, vms) })
			if ours > 0 && theirs > 0 {
				b.Logf("%d VMs: vperf takes %v, a loop with govmomi %v: %.1f times as much", vms, ours, theirs, theirs.Seconds()/ours.Seconds())
			}
		})
	}
}

func benchmarkVperf(b *testing.B, address string, vms int) time.Duration {
	s := cannedSession(b, address)
	roster, err := WatchRoster(b.Context(), s)
	require.NoError(b, err)
	hosts := roster.Hosts()
	require.Len(b, hosts, 64)
	clock := &perfClock{time: cannedStart.Add(time.Second)}
	p := newPerformance(roster, hosts, PerformanceOptions{Request: cannedRequest, EverySample: true, Clock: Clock{clock.now, clock.after}})
	p.counters, p.jitter, p.rostered = cannedPerf(), func(time.Duration) time.Duration { return 0 }, clock.now()
	next := func() {
		r, err := p.Next(b.Context())
		require.NoError(b, err)
		require.Empty(b, r.Troubles)
		require.Len(b, r.Frames, 64)
		require.Len(b, readies(r), vms)
	}
	next()
	require.Equal(b, cannedCounters, p.plan.vm.series)
	before := s.Costs()
	b.ReportAllocs()
	took := cpuOf(b, next)
	total := session.Cost{}
	for method, c := range s.Costs() {
		total.Calls += c.Calls - before[method].Calls
		total.Sent += c.Sent - before[method].Sent
		total.Received += c.Received - before[method].Received
	}
	n := float64(b.N)
	b.ReportMetric(float64(total.Calls)/n, "calls/op")
	b.ReportMetric(float64(total.Sent)/n/1e6, "MB-up/op")
	b.ReportMetric(float64(total.Received)/n/1e6, "MB-down/op")
	b.ReportMetric(peakOf(next)/(1<<20), "peak-MiB")
	return took
}

// cpuOf returns the CPU time of this process for one round of the loop.
func cpuOf(b *testing.B, round func()) time.Duration {
	runtime.GC()
	before := cpuTime(b)
	for b.Loop() {
		round()
	}
	took := (cpuTime(b) - before) / time.Duration(b.N)
	b.ReportMetric(float64(took.Microseconds())/1000, "cpu-ms/op")
	return took
}

func cpuTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakOf returns the largest heap during three rounds, including garbage that is not collected yet.
func peakOf(round func()) (peak float64) {
	runtime.GC()
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for tick := time.NewTicker(time.Millisecond); ; {
			metrics.Read(heap)
			peak = max(peak, float64(heap[0].Value.Uint64()))
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	})
	for range 3 {
		round()
	}
	close(done)
	watch.Wait()
	return peak
}

func benchmarkGovmomi(b *testing.B, address string, vms int) time.Duration {
	u := &url.URL{Scheme: "http", Host: address, Path: vim25.Path}
	c := soap.NewClient(u, true)
	c.Namespace, c.Version = "urn:"+vim25.Namespace, vim25.Version
	defer c.CloseIdleConnections()
	plan := newPerfPlan(cannedRequest.Objects, nil, cannedPerf())
	of := func(side perfSide) (ids []types.PerfMetricId) {
		for _, m := range perfMetrics(side.metrics) {
			id, _ := strconv.Atoi(m[0])
			ids = append(ids, types.PerfMetricId{CounterId: int32(id), Instance: m[1]})
		}
		return ids
	}
	host, vm := of(plan.host), of(plan.vm)
	start := cannedStart
	b.ReportAllocs()
	return cpuOf(b, func() {
		entities := govmomiProperties(b, c)
		require.Len(b, entities, 64+vms)
		values := 0
		for len(entities) > 0 {
			n := min(len(entities), mostEntities)
			values += govmomiSamples(b, c, entities[:n], host, vm, start)
			entities = entities[n:]
		}
		require.Equal(b, 64*len(host)+vms*len(vm), values)
		start = start.Add(perfInterval)
	})
}

// govmomiProperties reads the hosts and VMs.
func govmomiProperties(b *testing.B, c *soap.Client) (entities []ref) {
	res, err := methods.RetrieveProperties(context.Background(), c, &types.RetrieveProperties{
		This: ref{Type: "PropertyCollector", Value: "propertyCollector"},
		SpecSet: []types.PropertyFilterSpec{{
			PropSet: []types.PropertySpec{
				{Type: property.TypeVM, PathSet: []string{tree.PathName, tree.PathVMHost, tree.PathPower, pathVCPUs}}, {Type: property.TypeHost, PathSet: []string{tree.PathName, tree.PathParent, tree.PathConnection, tree.PathPower}},
			},
			ObjectSet: []types.ObjectSpec{{Obj: ref{Type: "ContainerView", Value: "v-1"}, Skip: new(true), SelectSet: []types.BaseSelectionSpec{
				&types.TraversalSpec{Type: "ContainerView", Path: "view"},
			}}},
		}},
	})
	require.NoError(b, err)
	for _, o := range res.Returnval {
		if o.Obj.Type == property.TypeHost || o.Obj.Type == property.TypeVM {
			entities = append(entities, o.Obj)
		}
	}
	return entities
}

// govmomiSamples counts the values that a call returns.
func govmomiSamples(b *testing.B, c *soap.Client, entities []ref, host, vm []types.PerfMetricId, start time.Time) (values int) {
	req := &types.QueryPerf{This: ref{Type: "PerformanceManager", Value: "PerfMgr"}}
	for _, e := range entities {
		spec := types.PerfQuerySpec{Entity: e, StartTime: &start, MetricId: vm, IntervalId: 20, Format: "csv"}
		if e.Type == property.TypeHost {
			spec.MetricId = host
		}
		req.QuerySpec = append(req.QuerySpec, spec)
	}
	res, err := methods.QueryPerf(context.Background(), c, req)
	require.NoError(b, err)
	for _, m := range res.Returnval {
		for _, s := range m.(*types.PerfEntityMetricCSV).Value {
			for v := range strings.SplitSeq(s.Value, ",") {
				if _, err := strconv.ParseInt(v, 10, 64); err == nil {
					values++
				}
			}
		}
	}
	return values
}
