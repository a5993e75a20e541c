package hotspot_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/pkg/esxtop"
)

const interval = 5 * time.Second

var start = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

type figures map[string]float64

func row(o esxtop.Object, id, name string, of figures) esxtop.Row {
	r := esxtop.NewRow(o, id, name)
	for metric, v := range of {
		r.Set(esxtop.Lookup(metric), v)
	}
	return r
}

func vm(name string, vcpus int, of figures) esxtop.Row {
	r := row(esxtop.Group, "1"+name, name, of)
	r.VM, r.VCPUs, r.MoID = true, vcpus, "vm-"+name
	return r
}

// frame returns the n-th frame of a host, counted from 1.
func frame(n int, rows ...esxtop.Row) *esxtop.Frame {
	f := &esxtop.Frame{Host: "esx01", MoID: "host-1", Interval: interval, Time: start.Add(time.Duration(n) * interval)}
	by := map[esxtop.Object][]esxtop.Row{}
	for _, r := range rows {
		by[r.Object] = append(by[r.Object], r)
	}
	for o, list := range by {
		f.Put(o, list)
	}
	return f
}

// spot returns the spot of a metric, which must be the only one.
func spot(t *testing.T, s *hotspot.Spots, metric string) hotspot.Spot {
	var found []hotspot.Spot
	for _, p := range s.Top(10) {
		if p.Metric.ID == metric {
			found = append(found, p)
		}
	}
	require.Len(t, found, 1, metric)
	return found[0]
}

func TestHowBadAndHowLong(t *testing.T) {
	var s hotspot.Spots
	for n, ready := range []float64{3, 12, 16, 2, 12, 14, 18, 3} { // of two vCPUs: 5 % of each is 10
		s.Add(frame(n+1, vm("web", 2, figures{"cpu.readyPerVCPU": ready / 2})))
	}
	require.Equal(t, hotspot.Spot{
		Metric: esxtop.Lookup("cpu.readyPerVCPU"), Host: "esx01", Object: "web", MoID: "vm-web",
		Worst: 9, Mean: 5, At: start.Add(7 * interval), Samples: 8, Beyond: 5, Longest: 3 * interval,
	}, spot(t, &s, "cpu.readyPerVCPU"))
}

func TestWorstIsTheLowest(t *testing.T) {
	var s hotspot.Spots
	for n, local := range []float64{90, 70, 40, 60} {
		s.Add(frame(n+1, vm("a", 1, figures{"numa.local": local}), vm("b", 1, figures{"numa.local": local + 15})))
	}
	all := s.Top(5)
	require.Len(t, all, 2)
	require.Equal(t, []any{"a", 40.0, "b", 55.0}, []any{all[0].Object, all[0].Worst, all[1].Object, all[1].Worst})
	require.Equal(t, start.Add(3*interval), all[0].At)
}

// TestBreaks has missing frames, which interrupt a period beyond the threshold.
func TestBreaks(t *testing.T) {
	slow := row(esxtop.Device, "naa.1", "naa.1", figures{"disk.deviceLatency": 40, "disk.commands": 100})
	idle := row(esxtop.Device, "naa.1", "naa.1", figures{"disk.deviceLatency": 40, "disk.commands": 1})
	for name, tc := range map[string]struct {
		frames  []*esxtop.Frame
		longest time.Duration
		samples int
	}{
		"without a break":      {[]*esxtop.Frame{frame(1, slow), frame(2, slow), frame(3, slow)}, 3 * interval, 3},
		"one is missing":       {[]*esxtop.Frame{frame(1, slow), frame(2, slow), frame(4, slow)}, 2 * interval, 3},
		"it says nothing once": {[]*esxtop.Frame{frame(1, slow), frame(2, slow), frame(3, idle), frame(4, slow)}, 2 * interval, 3},
		"it is not there once": {[]*esxtop.Frame{frame(1, slow), frame(2), frame(3, slow), frame(4, slow)}, 2 * interval, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var s hotspot.Spots
			for _, f := range tc.frames {
				s.Add(f)
			}
			found := spot(t, &s, "disk.deviceLatency")
			require.Equal(t, tc.longest, found.Longest)
			require.Equal(t, tc.samples, found.Samples)
			require.Equal(t, tc.samples, found.Beyond)
		})
	}
}

// TestTheWorstIsKept, whatever the order of samples; of equal ones the first.
func TestTheWorstIsKept(t *testing.T) {
	for metric, values := range map[string][]float64{"cpu.readyPerVCPU": {8, 9, 30, 30, 12}, "numa.local": {50, 40, 30, 30, 45}} {
		var s hotspot.Spots
		for n, v := range values {
			s.Add(frame(n+1, vm("a", 1, figures{metric: v})))
		}
		found := spot(t, &s, metric)
		require.InDelta(t, 30, found.Worst, 0)
		require.Equal(t, start.Add(3*interval), found.At)
		require.Equal(t, 5, found.Beyond)
	}
}

// TestTheOrderOfSpots: spots are sorted by the catalogue, then worst first, longest first, and by name; a row may be
// hot by several metrics.
func TestTheOrderOfSpots(t *testing.T) {
	for range 5 { // maps come in any order
		var s hotspot.Spots
		for n := range 2 {
			ready := float64(20 * (n + 1) % 39) // 20, then 1
			f := frame(n+1, vm("b", 1, figures{"cpu.readyPerVCPU": 20, "mem.balloon": 700}), vm("c", 1, figures{"cpu.readyPerVCPU": 20}),
				vm("a", 1, figures{"cpu.readyPerVCPU": ready}), vm("d", 1, figures{"cpu.readyPerVCPU": 90}))
			s.Add(f)
			f.Host = "esx00"
			s.Add(f)
		}
		var got []string
		for _, p := range s.Top(9) {
			got = append(got, p.Metric.ID+" "+p.Host+" "+p.Object)
		}
		require.Equal(t, []string{
			"cpu.readyPerVCPU esx00 d", "cpu.readyPerVCPU esx01 d", "cpu.readyPerVCPU esx00 b", "cpu.readyPerVCPU esx00 c",
			"cpu.readyPerVCPU esx01 b", "cpu.readyPerVCPU esx01 c", "cpu.readyPerVCPU esx00 a", "cpu.readyPerVCPU esx01 a",
			"mem.balloon esx00 b", "mem.balloon esx01 b",
		}, got)
	}
}

// TestTopIsTheBeginning: fewer spots are the first ones of all, whatever their order in the frames.
func TestTopIsTheBeginning(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var s hotspot.Spots
	for n := range 3 {
		var rows []esxtop.Row
		for i := range 40 {
			rows = append(rows, vm(strconv.Itoa(i), 1, figures{"cpu.readyPerVCPU": 5 + float64(random.IntN(9)), "numa.local": float64(random.IntN(9))}))
		}
		s.Add(frame(n+1, rows...))
	}
	all := s.Top(1000)
	require.Len(t, all, 80)
	for n := 1; n < 5; n++ {
		require.Equal(t, append(slices.Clone(all[:n]), all[40:40+n]...), s.Top(n))
	}
}

// TestDisksOfOneID: disks with the same id are distinguished by their VMs, if a frame has them.
func TestDisksOfOneID(t *testing.T) {
	disk := func(parent int) esxtop.Row {
		r := row(esxtop.VDisk, "scsi0:1", "scsi0:1", figures{"vdisk.writeLatency": 30, "vdisk.writes": 50})
		r.Parent = parent
		return r
	}
	var s hotspot.Spots
	for n := range 2 {
		s.Add(frame(n+1, row(esxtop.DiskVM, "1", "web", nil), row(esxtop.DiskVM, "2", "db", nil), disk(0), disk(1), disk(2), disk(-1)))
	}
	got := map[string]int{}
	for _, p := range s.Top(9) {
		got[p.Object] = p.Samples
	}
	require.Equal(t, map[string]int{"web/scsi0:1": 2, "db/scsi0:1": 2, "scsi0:1": 4}, got, "of those without a VM one is the other")
}

// TestNoise has values that look bad but are not meaningful.
func TestNoise(t *testing.T) {
	system := vm("system", 0, figures{"cpu.readyPerVCPU": 2400, "cpu.ready": 2400, "cpu.system": 900})
	system.VM = false
	for name, rows := range map[string][]esxtop.Row{
		"idle worlds of the host are ready all the time": {system},
		"eight vCPUs wait as much as one would":          {vm("db", 8, figures{"cpu.ready": 39, "cpu.readyPerVCPU": 39.0 / 8, "cpu.overlap": 79})},
		"unknown number of vCPUs":                        {vm("db", 0, figures{"cpu.system": 500})},
		"an unused CD-ROM drive": {row(esxtop.Device, "mpx.vmhba0:C0:T5:L0", "mpx.vmhba0:C0:T5:L0", figures{
			"disk.guestLatency": 31.98, "disk.deviceLatency": 31.97, "disk.commands": 0.38, "disk.failedCommands": 0.76,
		})},
		"one slow read":               {row(esxtop.VDisk, "scsi0:0", "scsi0:0", figures{"vdisk.readLatency": 900, "vdisk.reads": 0.2})},
		"an idle processor's clock":   {row(esxtop.PCPU, "3", "3", figures{"pcpu.aperfMperf": 40, "pcpu.util": 12})},
		"on the limit, not beyond it": {vm("web", 1, figures{"cpu.readyPerVCPU": 5, "cpu.usedPerVCPU": 80, "mem.balloon": 0})},
		"the worlds of a VM, its paths": {
			row(esxtop.World, "7", "vmx-vcpu-0:web", figures{"cpu.ready": 90}),
			row(esxtop.Path, "vmhba1:C0:T0:L0", "vmhba1:C0:T0:L0", figures{"disk.guestLatency": 90, "disk.commands": 90}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s hotspot.Spots
			for n := range 3 {
				s.Add(frame(n+1, rows...))
			}
			require.Empty(t, s.Top(10))
		})
	}
}

func TestFirstSampleIsLeftOut(t *testing.T) {
	var s hotspot.Spots
	first := frame(1, vm("web", 1, figures{"cpu.readyPerVCPU": 99, "mem.balloon": 512}))
	first.Interval = 0
	s.Add(first)
	require.Empty(t, s.Top(10))
}

func TestNames(t *testing.T) {
	disks := row(esxtop.DiskVM, "1", "web", nil)
	disk := row(esxtop.VDisk, "scsi0:1", "scsi0:1", figures{"vdisk.writeLatency": 30, "vdisk.writes": 50})
	disk.Parent, disk.VM, disk.MoID = 0, true, "vm-web"
	port := row(esxtop.Port, "33554449", "web", figures{"net.droppedRx": 2})
	port.VM, port.MoID = true, "vm-web"
	var s hotspot.Spots
	s.Add(frame(1, disks, disk, port,
		row(esxtop.Port, "33554434", "vmnic0", figures{"net.droppedTx": 2}),
		row(esxtop.Host, "esx01", "esx01", figures{"mem.state": 2}),
		row(esxtop.PCPU, "3", "3", figures{"pcpu.aperfMperf": 40, "pcpu.util": 99}),
		row(esxtop.NFS, "nfs1", "nfs1", figures{"nfs.aborts": 1})))
	got := map[string][2]string{}
	for _, p := range s.Top(5) {
		require.Equal(t, "esx01", p.Host)
		got[p.Metric.ID] = [2]string{p.Object, p.MoID}
	}
	require.Equal(t, map[string][2]string{
		"vdisk.writeLatency": {"web/scsi0:1", "vm-web"},
		"net.droppedRx":      {"web/port 33554449", "vm-web"},
		"net.droppedTx":      {"vmnic0", "host-1"},
		"mem.state":          {"esx01", "host-1"},
		"pcpu.aperfMperf":    {"PCPU 3", "host-1"},
		"nfs.aborts":         {"nfs1", "host-1"},
	}, got)
}

// TestRowsComeAndGo has VMs that are started and stopped: rows are matched by id, not by position.
func TestRowsComeAndGo(t *testing.T) {
	var s hotspot.Spots
	a, b, c := vm("a", 1, figures{"mem.balloon": 1}), vm("b", 1, figures{"mem.balloon": 2}), vm("c", 1, figures{"mem.balloon": 3})
	s.Add(frame(1, a, b))
	s.Add(frame(2, c, b))
	s.Add(frame(3, b, a))
	got := map[string][2]float64{}
	for _, p := range s.Top(10) {
		got[p.Object] = [2]float64{p.Mean, float64(p.Samples)}
	}
	require.Equal(t, map[string][2]float64{"a": {1, 2}, "b": {2, 3}, "c": {3, 1}}, got)
}

func TestJustEnoughCommands(t *testing.T) {
	var s hotspot.Spots
	s.Add(frame(1, row(esxtop.Device, "naa.1", "naa.1", figures{"disk.deviceLatency": 40, "disk.commands": 10})))
	require.Equal(t, 1, spot(t, &s, "disk.deviceLatency").Beyond)
}

// TestHostsApart has VMs with the same name and id on two hosts.
func TestHostsApart(t *testing.T) {
	var s hotspot.Spots
	for n := range 2 {
		f := frame(n+1, vm("web", 1, figures{"mem.balloon": 5}))
		s.Add(f)
		f.Host = "esx02"
		s.Add(f)
	}
	all := s.Top(10)
	require.Len(t, all, 2)
	require.Equal(t, []any{"esx01", 2, "esx02", 2}, []any{all[0].Host, all[0].Samples, all[1].Host, all[1].Samples})
	require.Len(t, s.Top(1), 1)
}

// TestJudgesAlike compares with the catalogue's own evaluation.
func TestJudgesAlike(t *testing.T) {
	objects, ids := hotspot.Needs()
	random := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for range 60 {
		for _, m := range esxtop.Catalogue() {
			if m.Threshold == nil {
				continue
			}
			for _, o := range m.Objects {
				r := row(o, "x", "x", nil)
				r.VM, r.VCPUs = random.IntN(4) > 0, random.IntN(3)
				for _, id := range ids {
					if random.IntN(3) > 0 {
						r.Set(esxtop.Lookup(id), random.Float64()*60)
					}
				}
				var s hotspot.Spots
				s.Add(frame(1, r))
				for _, p := range s.Top(100) {
					require.True(t, objects.Has(o))
					require.NotEqual(t, esxtop.Unremarkable, p.Metric.Judge(&r), p.Metric.ID)
					v, _ := p.Metric.Judged(&r)
					require.InDelta(t, v, p.Worst, 0)
					checked++
				}
			}
		}
	}
	require.Greater(t, checked, 200)
}

// TestNothingIsSaidTwice: of metrics for one vCPU and for all, or for the last minute and for longer, only the first is
// watched.
func TestNothingIsSaidTwice(t *testing.T) {
	_, ids := hotspot.Needs()
	for _, id := range []string{"cpu.readyPerVCPU", "cpu.costopPerVCPU", "host.load1", "mem.overcommit1"} {
		require.Contains(t, ids, id)
	}
	require.True(t, slices.IsSorted(ids))
	for _, id := range []string{"disk.commands", "pcpu.util", "vdisk.reads"} {
		require.Contains(t, ids, id, "which others need to say anything")
	}
	for _, id := range []string{"cpu.ready", "cpu.costop", "host.load5", "host.load15", "mem.overcommit5", "mem.overcommit15"} {
		require.NotContains(t, ids, id)
	}
}

// largeHost returns a host with 10,000 rows, all beyond their thresholds if trouble is true.
func largeHost(n int, trouble bool) *esxtop.Frame {
	of := figures{}
	_, ids := hotspot.Needs()
	for _, id := range ids {
		of[id] = 0
		if below := esxtop.Lookup(id).Threshold; trouble || below != nil && below.Below {
			of[id] = 99
		}
	}
	var rows []esxtop.Row
	for i := range 2500 {
		id := strconv.Itoa(i)
		rows = append(rows, vm("vm"+id, 1, of), row(esxtop.Device, id, id, of), row(esxtop.VDisk, id, id, of), row(esxtop.Port, id, id, of))
	}
	return frame(n, rows...)
}

func TestNoAllocationsOnceWarm(t *testing.T) {
	var s hotspot.Spots
	f := largeHost(1, true)
	s.Add(f)
	require.Zero(t, testing.AllocsPerRun(5, func() {
		f.Time = f.Time.Add(interval)
		s.Add(f)
	}))
}

func TestMemoryOfManyRows(t *testing.T) {
	for _, tc := range []struct {
		trouble bool
		most    float64 // MiB
	}{{false, 8}, {true, 32}} {
		f := largeHost(1, tc.trouble)
		var s hotspot.Spots
		before := heap()
		for range 3 {
			f.Time = f.Time.Add(interval)
			s.Add(f)
		}
		took := float64(heap()-before) / (1 << 20)
		require.Less(t, took, tc.most)
		require.Equal(t, tc.trouble, len(s.Top(3)) > 0)
		runtime.KeepAlive(f)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestFiguresAreEnough: rows that have only the figures of hot spots have the same hot spots.
func TestFiguresAreEnough(t *testing.T) {
	figures, objects := new(esxtop.MetricSet), esxtop.ObjectsOf(esxtop.Group, esxtop.Device, esxtop.VDisk, esxtop.Port, esxtop.PCPU)
	hotspot.AddFigures(figures, objects)
	random := rand.New(rand.NewPCG(7, 8))
	var all, some hotspot.Spots
	for n := range 20 {
		var whole, part []esxtop.Row
		for o := range esxtop.NumObjects {
			if !objects.Has(o) {
				continue
			}
			a, b := vm("x", 2, nil), vm("x", 2, nil)
			if o != esxtop.Group {
				a, b = row(o, "x", "x", nil), row(o, "x", "x", nil)
			}
			for _, m := range esxtop.MetricsOf(o) {
				if m.Kind == esxtop.Text || random.IntN(4) == 0 {
					continue
				}
				v := float64(random.IntN(120))
				a.Set(m, v)
				if figures.Has(o, m) {
					b.Set(m, v)
				}
			}
			whole, part = append(whole, a), append(part, b)
		}
		all.Add(frame(n, whole...))
		some.Add(frame(n, part...))
	}
	require.Greater(t, len(all.Top(9)), 15)
	require.Equal(t, all.Top(9), some.Top(9))
	require.False(t, figures.Has(esxtop.Host, esxtop.Lookup("host.load1")), "a row that is not read")
}
