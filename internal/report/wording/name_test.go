package wording

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func TestLongText(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"40 s": 40 * time.Second, "41 s": 40*time.Second + 600*time.Millisecond, "2.5 s": 2500 * time.Millisecond, "90 s": 90 * time.Second, "1 min": time.Minute,
		"2 min": 2 * time.Minute, "3 min 20 s": 200 * time.Second, "45 min": 45*time.Minute + 12*time.Second, "1 h 30 min": 90 * time.Minute, "2 h": 2 * time.Hour,
		"26 h": 26*time.Hour + 5*time.Minute, "2 days 3 h": 51 * time.Hour, "14 days": 14*24*time.Hour + time.Hour,
	} {
		require.Equal(t, want, longText(d))
	}
}

func TestSpaced(t *testing.T) {
	for name, want := range map[string]string{
		"waitingVMs": "waiting VMs", "limitOfTheVM": "limit of the VM", "vcpusThatRun": "vCPUs that run", "outstandingIOs": "outstanding I/Os",
		"ready": "ready", "CPUReservation": "CPU reservation", "mostAt1500": "most at 1500", "numaNode": "NUMA node", "p95": "p95", "vmsOnIt": "VMs on it", "": "",
	} {
		require.Equal(t, want, spaced(name))
	}
}

func TestShortUnitsAreOfCounters(t *testing.T) {
	used := map[string]bool{}
	for _, m := range inventory.LiveMetrics() {
		used[m.Unit] = true
	}
	for unit := range shortUnits {
		require.True(t, used[unit], unit)
	}
	for name := range metricNames {
		require.True(t, slices.ContainsFunc(inventory.LiveMetrics(), func(m inventory.LiveMetric) bool { return m.Name == name }), name)
	}
}
