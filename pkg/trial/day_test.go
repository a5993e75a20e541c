package trial

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pairs of blocks of five minutes in a day.
const pairsOfADay = 144

// aDay makes a trial of 8 hosts that takes 24 hours, and returns its registration and blocks. Of each block it keeps what Run keeps.
func aDay(tb testing.TB) (*Registration, []Block, *Result) {
	tb.Helper()
	r, e := onHosts(tb, 8, pairsOfADay), newEstate(noise{cv: .05, phi: .8}, 8, 0)
	var blocks []Block
	result, err := Run(tb.Context(), r, e.estate(), func(p Progress) error {
		if p.Kind == BlockDone {
			blocks = append(blocks, *p.Block)
		}
		return nil
	})
	require.NoError(tb, err)
	require.Len(tb, blocks, 2*pairsOfADay, "%s %s", result.Stop, result.Stopped)
	return r, blocks, result
}

// TestMemoryOfADay: a trial of 8 hosts keeps less than 100 MiB in a day.
func TestMemoryOfADay(t *testing.T) {
	before := liveHeap()
	r, blocks, result := aDay(t)
	kept := liveHeap() - before
	t.Logf("a day of 8 hosts takes %.1f MiB", float64(kept)/(1<<20))
	require.Less(t, kept, int64(100<<20))
	require.Equal(t, 8*pairsOfADay, result.Used)
	runtime.KeepAlive(r)
	runtime.KeepAlive(blocks)
}

// liveHeap returns the bytes of the heap that are in use.
func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkRunOfADay is everything that a trial of 8 hosts computes in 24 hours.
func BenchmarkRunOfADay(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		aDay(b)
	}
}

// BenchmarkAnalyseADay analyses 8 hosts × 24 hours once.
func BenchmarkAnalyseADay(b *testing.B) {
	r, blocks, _ := aDay(b)
	b.ReportAllocs()
	for b.Loop() {
		require.NotNil(b, Analyse(r, blocks))
	}
}
