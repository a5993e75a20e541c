package exporter

import (
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
)

// TestSoak runs many intervals with a scrape per minute, occasional surveys and a broken session: memory does not grow.
// VPERF_SOAK=2000 runs 2,000 intervals.
func TestSoak(t *testing.T) {
	intervals, long := 120, 3*time.Second
	if n, err := strconv.Atoi(os.Getenv("VPERF_SOAK")); err == nil {
		intervals, long = n, time.Hour
	}
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic, module.Cluster, module.Datastore, module.Audit}, Audit: judged(t), Filter: oneCluster})
	st := s.drive(t, target)
	sessions := s.sessions()
	turn := func(n int) {
		st.step()
		if n%3 == 0 {
			for _, zip := range []bool{false, true} {
				p, err := target.Page(t.Context(), nil, exposition.Text, zip)
				require.NoError(t, err)
				_, err = io.Copy(io.Discard, p.Body)
				require.NoError(t, err)
			}
		}
		if n%45 == 15 && st.source != nil {
			st.survey()
		}
		if n%100 == 50 {
			st.end() // as if the server had been started again
		}
	}
	const warm = 20
	for n := range warm {
		turn(n)
	}
	goroutines, heap := runtime.NumGoroutine(), heapInUse()
	began, done := time.Now(), warm
	for ; done < intervals && time.Since(began) < long; done++ {
		turn(done)
	}
	for st.source == nil {
		st.step()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+10)
	grown := int64(heapInUse()) - int64(heap)
	t.Logf("%d intervals, heap %+d KiB from %d KiB, %d goroutines from %d", done, grown>>10, heap>>10, runtime.NumGoroutine(), goroutines)
	require.Less(t, grown, int64(24<<20), "the fleet keeps an hour of samples, and the target its ledger")
	require.Equal(t, sessions, s.sessions())
	require.Zero(t, missedOf(series(t, textOf(t, target))))
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
