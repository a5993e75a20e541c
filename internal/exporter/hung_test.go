package exporter

import (
	"crypto/sha256"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
)

// TestHungServer: scrapers do not wait for it, and none of them asks it anything.
func TestHungServer(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}})
	st := s.drive(t, target)
	require.NoError(t, st.round(t.Context(), st.source))

	e := New(Options{})
	e.targets["demo"] = target
	server, err := newServer(ServerOptions{}, exported{e})
	require.NoError(t, err)

	var outstanding, most atomic.Int32
	held, begun := make(chan struct{}), make(chan struct{}, 100)
	release := sync.OnceFunc(func() { close(held) })
	defer release()
	s.breaks(func(string) bool {
		most.Store(max(most.Load(), outstanding.Add(1)))
		begun <- struct{}{}
		<-held
		outstanding.Add(-1)
		return false
	})
	rounds := make(chan error, 1)
	go func() { rounds <- st.round(t.Context(), st.source) }()
	<-begun

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	var length atomic.Int64
	var pages sync.Map
	for range 50 {
		all.Go(func() {
			w := get(server, "/probe?target=demo", "X-Prometheus-Scrape-Timeout-Seconds", "120", "Accept-Encoding", "gzip")
			require.Equal(t, http.StatusOK, w.Code)
			length.Store(int64(w.Body.Len()))
			pages.Store(sha256.Sum256(w.Body.Bytes()), true)
		})
	}
	all.Wait()
	different := 0
	pages.Range(func(any, any) bool { different++; return true })
	require.Equal(t, 1, different, "all scrapers see the same")
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.EqualValues(t, 1, most.Load(), "one call is outstanding")
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), 2*length.Load()+1<<20, "one page is kept, whoever asks")
	require.Contains(t, textOf(t, target), "vperf_up 1\n", "no fault is known yet")

	release()
	require.NoError(t, <-rounds)
}
