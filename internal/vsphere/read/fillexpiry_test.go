package read

import (
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

// TestProveFillWhileSessionsExpire reads hosts in parallel, 50 times, on a busy machine through sessions that end after a few
// calls. The facts are the same each time.
func TestProveFillWhileSessionsExpire(t *testing.T) {
	t.Parallel()
	needs := vspheretest.NeedsOf("LUN.outstandingIOs", "LUN.queueFullSampleSize")
	read := func(s *session.Session) string {
		vc, err := Inventory(t.Context(), s, tree.Scope{}, needs, nil)
		require.NoError(t, err)
		require.NoError(t, Fill(t.Context(), s, vc.Hosts, needs, nil))
		text, err := json.Marshal(vc.Hosts)
		require.NoError(t, err)
		return string(text)
	}
	want := read(vspheretest.Fleet(t, "vcenter"))
	require.Contains(t, want, `"outstandingIOs":32`)
	stop := make(chan struct{})
	defer close(stop)
	for range 2 * runtime.NumCPU() {
		go keepBusy(stop)
	}
	s := vspheretest.Fleet(t, "vcenter", "session-expires")
	for round := range proof.Count(t, 5, 50) {
		require.Equal(t, want, read(s), "round %d", round)
	}
}

// keepBusy uses much of a processor's time, in bursts of random length.
func keepBusy(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(rand.N(time.Millisecond)): //nolint:gosec // times of a test
		}
		until := time.Now().Add(rand.N(time.Millisecond)) //nolint:gosec // times of a test
		for time.Now().Before(until) {
			runtime.Gosched()
		}
	}
}
