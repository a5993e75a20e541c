package push

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/vperf/vperf/internal/exposition"
)

// BenchmarkPush pushes the page of a large vCenter, 250,000 series, while no receiver answers. It reports the bytes of a
// sample in the queue, and what the heap grew by in bytes: for each series (the book), and beyond the limit of a full
// buffer.
func BenchmarkPush(b *testing.B) {
	const vms, families = 10_000, 25
	labels := make([]exposition.Labels, vms)
	for i := range labels {
		labels[i] = exposition.NewLabels("vm", fmt.Sprintf("prod-database-%05d", i), "moid", fmt.Sprint("vm-", i))
	}
	var names []string
	for i := range families {
		names = append(names, fmt.Sprintf("esxi_vm_measurement_number%d_seconds_total", i))
	}
	values := rand.New(rand.NewPCG(1, 2))
	write := func(at time.Time) func(*exposition.Writer) {
		return func(w *exposition.Writer) {
			for i, name := range names {
				w.Family(exposition.Family{Name: name, Help: "Time that it could have run but no CPU was free for it (esxtop %RDY; cpu.ready.summation)", Kind: exposition.Counter})
				for _, l := range labels {
					v := float64(values.IntN(1_000_000))
					if i%3 == 0 {
						v *= 1.0371
					}
					w.SampleAt(l, v, at)
				}
			}
		}
	}
	client := &http.Client{}
	old, err := newRemoteWrite(&url.URL{Scheme: "http", Host: "it"}, client, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	for name, p := range map[string]protocol{"remote-write": old, "otlp": newOTLP(&url.URL{Scheme: "http", Host: "it"}, client, nil, "1")} {
		b.Run(name, func(b *testing.B) {
			const limit = 64 << 20
			before := heap()
			d := newDestination(name, p, limit, slog.New(slog.DiscardHandler))
			pusher := &Pusher{destinations: []*destination{d}, books: map[sourceKey]*book{}}
			at := noon
			for b.Loop() {
				at = at.Add(20 * time.Second)
				pusher.Push(demo, at, write(at))
			}
			st := d.statistics()
			b.ReportMetric(float64(st.QueuedBytes)/float64(st.Queued), "queue-B/sample")
			for st.Dropped[reasonFull] == 0 {
				at = at.Add(20 * time.Second)
				pusher.Push(demo, at, write(at))
				st = d.statistics()
			}
			full := heap()
			b.ReportMetric(float64(int64(full-before)-st.QueuedBytes)/1e6, "heap-MB-beside-queue")
			b.ReportMetric(float64(st.QueuedBytes)/1e6, "queue-MB")
			b.ReportMetric(float64(st.Queued)/(vms*families), "pages")
			d.queue.clear()
			b.ReportMetric(float64(heap()-before)/(vms*families), "book-B/series")
			runtime.KeepAlive(pusher)
		})
	}
}

// heap returns the bytes of live objects.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
