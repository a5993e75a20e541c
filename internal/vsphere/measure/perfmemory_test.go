//go:build unix

package measure

import (
	"bytes"
	"compress/gzip"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// BenchmarkSteadyState measures the work and the memory of an exporter for 20 seconds: it reads the samples of 64 hosts with
// 8,000 VMs and compresses a page while the previous one is still held.
func BenchmarkSteadyState(b *testing.B) {
	const vms = 8000
	s := cannedSession(b, startCanned(b, 64, vms))
	roster, err := WatchRoster(b.Context(), s)
	require.NoError(b, err)
	clock := &perfClock{time: cannedStart.Add(time.Second)}
	p := newPerformance(roster, roster.Hosts(), PerformanceOptions{Request: cannedRequest, EverySample: true, Clock: Clock{clock.now, clock.after}})
	p.counters, p.jitter, p.rostered = cannedPerf(), func(time.Duration) time.Duration { return 0 }, clock.now()
	account := ledger.New(ledger.Options{Objects: cannedRequest.Objects, Reason: session.Reason})
	var page [][]byte
	next := func() {
		expectRoster(account, roster)
		r, err := p.Next(b.Context())
		require.NoError(b, err)
		require.Len(b, r.Frames, 64)
		account.Take(r)
		packed := &pieces{}
		z, _ := gzip.NewWriterLevel(packed, gzip.BestSpeed)
		w := exposition.NewWriter(z, exposition.Text)
		account.Write(w, cannedRequest.Objects)
		require.NoError(b, w.Close())
		require.NoError(b, z.Close())
		page = packed.full
	}
	next()
	debug.FreeOSMemory()
	b.ReportAllocs()
	watched := watchMemory()
	cpuOf(b, next)
	heap, total := watched()
	b.ReportMetric(heap/(1<<20), "peak-heap-MiB")
	b.ReportMetric(total/(1<<20), "peak-of-Go-MiB")
	b.ReportMetric(residentPeak(b), "peak-RSS-MiB")
	b.ReportMetric(float64(account.Stats(clock.now()).Series), "series")
	b.ReportMetric(float64(len(bytes.Join(page, nil)))/1e6, "page-MB")
}

func expectRoster(account *ledger.Ledger, roster *Roster) {
	var hosts []ledger.Host
	var vms []ledger.VM
	for _, h := range roster.Hosts() {
		hosts = append(hosts, ledger.Host{MoID: h.MoID, Name: h.Name, Up: true})
		for _, vm := range roster.VMs(h.MoID) {
			vms = append(vms, ledger.VM{MoID: vm.MoID, Name: vm.Name, Host: h.MoID, On: true})
		}
	}
	account.Expect(hosts, vms)
}

// pieces is a page in the form that the exporter keeps.
type pieces struct{ full [][]byte }

func (p *pieces) Write(b []byte) (int, error) {
	if last := len(p.full) - 1; last >= 0 && cap(p.full[last])-len(p.full[last]) >= len(b) {
		p.full[last] = append(p.full[last], b...)
		return len(b), nil
	}
	p.full = append(p.full, append(make([]byte, 0, max(256<<10, len(b))), b...))
	return len(b), nil
}

// watchMemory samples the heap and all memory that Go has from the system. The returned function stops and returns the maxima.
func watchMemory() func() (heap, total float64) {
	done := make(chan struct{})
	var watch sync.WaitGroup
	var heap, total float64
	watch.Go(func() {
		of := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(of)
			heap = max(heap, float64(of[0].Value.Uint64()))
			total = max(total, float64(of[1].Value.Uint64()-of[2].Value.Uint64()))
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	})
	return func() (float64, float64) {
		close(done)
		watch.Wait()
		return heap, total
	}
}

// residentPeak returns the peak memory of the process, if the system reports it.
func residentPeak(tb testing.TB) float64 {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, "VmHWM:"); is {
			kB, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			require.NoError(tb, err)
			return kB / 1024
		}
	}
	return 0
}
