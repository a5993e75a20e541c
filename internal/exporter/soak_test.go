package exporter

import (
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
)

// TestSoak: interval after interval, with scrapes, sessions that end and breaks of the line, nothing grows. VPERF_SOAK is how many
// intervals; without it there are as many as take little time.
func TestSoak(t *testing.T) {
	intervals := 150
	if n, err := strconv.Atoi(os.Getenv("VPERF_SOAK")); err == nil {
		intervals = n
	}
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []Module{Basic}, Keep: Filter{Include: []Pattern{{Name: "host0*"}, {Path: "/*/host/*/host0*/**"}}}})
	st := s.drive(t, target)
	w := s.witness(t)
	require.Len(t, w.others(), 1)
	var first, last footprint
	for i := range intervals {
		st.step()
		for _, zip := range []bool{false, true} {
			_, err := target.Page(t.Context(), nil, exposition.Text, zip)
			require.NoError(t, err)
		}
		switch i % 50 {
		case 20:
			w.endSessions()
		case 30:
			s.breaks(func(string) bool { return true })
		case 36:
			s.breaks(nil)
		}
		if i == intervals/3 {
			first = footprintOf()
		}
		if i%250 == 249 {
			t.Logf("after %d: %s", i+1, footprintOf())
		}
	}
	for range 12 {
		st.step()
	}
	last = footprintOf()
	t.Logf("%d intervals: %s, then %s; %d samples, %v missed", intervals, first, last, target.Status().Ledger.Samples, missedOf(series(t, textOf(t, target))))
	require.True(t, target.Status().Up)
	require.LessOrEqual(t, last.goroutines, first.goroutines+4)
	require.Less(t, last.heap, first.heap+first.heap/4+4<<20, "%s, then %s", first, last)
	require.Less(t, len(target.Trace(24*time.Hour)), 2000)
	st.end()
	require.Empty(t, w.others(), "it logged out of each of its sessions that was not ended")
}

// footprint is what a process takes.
type footprint struct {
	goroutines int
	heap       uint64
}

func (f footprint) String() string {
	return strconv.Itoa(f.goroutines) + " goroutines and " + strconv.FormatFloat(float64(f.heap)/(1<<20), 'f', 1, 64) + " MiB"
}

func footprintOf() footprint {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{runtime.NumGoroutine(), m.HeapAlloc}
}
