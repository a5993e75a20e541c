package capture_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/pkg/inventory"
)

// realCapture opens a capture of a real host, which is not part of the repository.
func realCapture(t *testing.T, name string) *capture.Source {
	path := filepath.Join("..", "..", "..", "shared", "testdata", "esxtop", name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Skip("the real captures are not on this machine")
	}
	return &capture.Source{Paths: []string{path}}
}

// TestRealHost is a host of one NUMA node that has given six VMs more memory than it has: it is in state clear, has
// ballooned them, and swapped once. Its CD-ROM drive answers in 32 ms, and its commands fail.
func TestRealHost(t *testing.T) {
	source := realCapture(t, "esxtop-all-6x.csv")
	found := alarms(t, allRules(), source)
	for _, want := range []string{"mem-reclaim-host localhost.home", "mem-balloon ananke", "mem-swapped styx"} {
		require.Contains(t, found, want)
	}
	for _, alarm := range found {
		for _, never := range []string{"latency", "lun-", "vdisk-", "numa-", "cpu-ready", "cpu-costop", "drops"} {
			require.NotContains(t, alarm, never)
		}
		require.NotContains(t, alarm, "system")
	}

	s := read(t, source, inventory.Targets{})
	host := onlyHost(t, s)
	require.Equal(t, []any{1.0, 1.0, int64(3)}, []any{host.Live.Of("mem.state").Median, host.Live.Of("mem.state").Worst, host.Live.Of("mem.state").Samples})
	require.InDelta(t, 5153.0, host.Live.Of("mem.balloon").Median, 0)
	require.Equal(t, time.Date(2018, 4, 24, 10, 49, 22, 0, time.UTC), s.TakenAt())
	styx := vmCalled(t, s, "styx")
	require.Equal(t, []any{11.25, 0.65, int64(2)}, []any{styx.Live.Of("mem.swapped").Worst, styx.Live.Of("cpu.readyTotal").Worst, styx.Live.Of("cpu.readyTotal").Samples})
	require.Zero(t, styx.Live.Of("numa.local").Samples, "there is one node")
	luns, _ := host.LUNs.Value()
	require.Len(t, luns, 4)
	for _, l := range luns {
		if strings.HasPrefix(l.Device, "mpx.") {
			require.Zero(t, l.Live.Of("disk.guestLatency").Samples)
			require.Zero(t, l.Live.Of("disk.failed").Samples)
		}
	}
	for _, p := range source.Spots().Top(20) {
		require.NotContains(t, p.Object, "mpx.")
		require.NotContains(t, p.Metric.ID, "atency")
	}
	require.Empty(t, source.Notes())
}

// TestRealExcel was saved by Excel, without seconds and with only a few columns of the host.
func TestRealExcel(t *testing.T) {
	source := realCapture(t, "excel-resaved.csv")
	require.Empty(t, alarms(t, allRules(), source), "it has nothing to complain of")
	s := read(t, source, inventory.Targets{})
	host := onlyHost(t, s)
	require.Equal(t, "proma-2n-dhcp60.eng.vmware.com", host.Name)
	require.Greater(t, host.Live.Of("mem.state").Samples, int64(480), "of 513, in 47 minutes")
	require.Equal(t, []string{"times have no seconds: samples were counted by minute, those of the first two minutes are skipped"}, source.Notes())
	from, to := source.Span()
	require.InDelta(t, 45, to.Sub(from).Minutes(), 1.5)
}

func TestRealHeader(t *testing.T) {
	_, err := realCapture(t, "header-only-112pcpu.csv").Read(t.Context(), inventory.Targets{}, inventory.Needs{})
	require.ErrorContains(t, err, "no samples: the file has a header and nothing else")
}
