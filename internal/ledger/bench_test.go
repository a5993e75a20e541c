package ledger

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// large returns a ledger of 64 hosts with 125 VMs each, and a round with 24 figures of each VM, and all of its disk:
// 250,000 series.
func large(tb testing.TB) (*Ledger, *esxtop.Round) {
	tb.Helper()
	var hosts []Host
	var vms []VM
	r := &esxtop.Round{Time: after(1)}
	present := func(o esxtop.Object, id, vm string) esxtop.Row {
		row, n := vmRow(o, vm, id, nil), 0
		for _, m := range esxtop.MetricsOf(o) {
			if m.PrometheusName(o) != "" && m.Feeder(o) == esxtop.Performance && n < 24 {
				row.Set(m, 17.25)
				n++
			}
		}
		return row
	}
	for h := range 64 {
		host := fmt.Sprintf("host-%d", h)
		hosts = append(hosts, Host{MoID: host, Name: fmt.Sprintf("esx%02d.example.com", h), Up: true})
		rows := []esxtop.Row{present(esxtop.Host, host, "")}
		for v := range 125 {
			vm := fmt.Sprintf("vm-%d", 1000*h+v)
			vms = append(vms, VM{MoID: vm, Name: "application-server-" + vm, Host: host, On: true})
			rows = append(rows, present(esxtop.Group, vm, vm), present(esxtop.VDisk, "scsi0:0", vm))
		}
		r.Frames = append(r.Frames, frame(host, after(1), rows...))
	}
	l := newLedger(Options{Objects: esxtop.ObjectsOf(esxtop.Host, esxtop.Group, esxtop.VDisk)})
	l.Expect(hosts, vms)
	return l, r
}

// next moves a round to the next slot.
func next(r *esxtop.Round) {
	r.Time = r.Time.Add(20 * time.Second)
	for _, f := range r.Frames {
		f.Time = r.Time
	}
}

func BenchmarkTake(b *testing.B) {
	l, r := large(b)
	take(l, r)
	b.ReportAllocs()
	for b.Loop() {
		next(r)
		take(l, r)
	}
}

func BenchmarkWrite(b *testing.B) {
	l, r := large(b)
	take(l, r)
	b.ReportMetric(float64(statsAt(l, r.Time).Series), "series")
	b.ReportAllocs()
	for b.Loop() {
		w := exposition.NewWriter(io.Discard, exposition.Text)
		l.Write(w, esxtop.AllObjects)
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStats(b *testing.B) {
	l, r := large(b)
	take(l, r)
	b.ReportAllocs()
	for b.Loop() {
		statsAt(l, r.Time)
		changesAt(l, r.Time)
	}
}

// TestBudget checks the memory for 8,000 VMs, and that an interval allocates none per VM.
func TestBudget(t *testing.T) {
	var before, with runtime.MemStats
	l, r := large(t)
	runtime.GC()
	runtime.ReadMemStats(&before)
	take(l, r)
	runtime.GC()
	runtime.ReadMemStats(&with)
	require.Less(t, with.HeapAlloc-before.HeapAlloc, uint64(24<<20))
	t.Logf("%d series, %.1f MB", statsAt(l, r.Time).Series, float64(with.HeapAlloc-before.HeapAlloc)/(1<<20))
	require.Less(t, testing.AllocsPerRun(3, func() {
		next(r)
		take(l, r)
	}), 100.0)
	runtime.KeepAlive(l)
}
