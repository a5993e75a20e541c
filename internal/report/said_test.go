package report

import (
	"bufio"
	"slices"
	"strings"
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

func TestSaidLink(t *testing.T) {
	for want, l := range map[string]Link{
		"limit 10,000 MHz":                    {Name: "limitMHz", Value: known(int64(10000))},
		"limit of the VM none":                {Name: "limitOfTheVMMHz", Value: known(int64(-1))},
		"limit none":                          {Name: "limitMB", Value: known(-1.0)},
		"reserved -1 MB":                      {Name: "reservedMB", Value: known(int64(-1))},
		"cores in use 99.4 % (p95)":           {Name: "coresInUsePercent", Value: known(99.44), Unit: "percent", Stat: "p95"},
		"ready in all 33.7 % of a vCPU (p95)": {Name: "readyInAllPercent", Value: known(33.7), Unit: "percent of one vCPU's time", Stat: "p95"},
		"commands 1,306/s (median)":           {Name: "commandsPerSecond", Value: known(1306.0), Unit: "commands/s", Stat: "median"},
		"state soft":                          {Name: "state", Value: known(2.0), Unit: "0 high, 1 clear, 2 soft, 3 hard, 4 low"},
		"state 7 (0 high, 1 clear)":           {Name: "state", Value: known(7.0), Unit: "0 high, 1 clear"},
		"waiting VMs a, b, c and 2 more":      {Name: "waitingVMs", Value: known([]any{"a", "b", "c", "d", "e"})},
		"waiting VMs none":                    {Name: "waitingVMs", Value: known([]any{})},
		"flash no":                            {Name: "flash", Value: known(false)},
		"share 75 % of the samples":           {Name: "share", Value: known(0.75), Unit: unitPart},
		"memory not read (no permission)":     {Name: "memoryMB", Value: inventory.Unread[any]("no permission")},
		"memory absent":                       {Name: "memoryMB", Value: inventory.Absent[any](), Stat: "p95"},
		"sent median 3 Mb/s":                  {Name: "sent medianMbps", Value: known(3.0), Stat: "median"},
	} {
		require.Equal(t, want, l.said())
	}
}

func known(v any) inventory.Fact[any] { return inventory.Known(v) }

// A unit that a screen has a short word for is one that counters have.
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

func TestCounterText(t *testing.T) {
	at := time.Date(2026, 6, 10, 11, 58, 50, 0, time.UTC)
	for want, c := range map[string]counter{
		"ready median 6.1, p95 9.3, worst 12.2 % of a vCPU at 11:58:50Z": {inventory.Series{Median: 6.1, P95: 9.3, Worst: 12.21, WorstAt: at}, inventory.LiveMetric{Name: "cpu.ready", Unit: "percent of one vCPU's time"}},
		"kernel latency 12 ms throughout":                                {inventory.Series{Median: 12, P95: 12.01, Worst: 12.04, WorstAt: at}, inventory.LiveMetric{Name: "disk.kernelLatency", Unit: "ms"}},
		"memory state median high, p95 soft, worst hard":                 {inventory.Series{P95: 2, Worst: 3}, inventory.LiveMetric{Name: "mem.state", Unit: "0 high, 1 clear, 2 soft, 3 hard"}},
	} {
		require.Equal(t, want, c.text(at.Add(time.Hour)))
	}
}

func TestRough(t *testing.T) {
	for want, v := range map[string]float64{"98": 98.06, "9,477": 9477, "90k": 90000, "13k": 12500.1, "815k": 815200, "1.2M": 1.24e6, "3M": 3e6, "0": 0.2} {
		require.Equal(t, want, rough(v))
	}
}

// A table that is too wide loses the columns that matter least, and then is no table: no figure is cut.
func TestGridOfAnyWidth(t *testing.T) {
	for width, want := range map[int]string{
		0:  "  of  worst  mean  at\n  a   10     5     noon\n",
		23: "  of  worst  mean  at\n  a   10     5     noon\n",
		22: "  of  worst  at\n  a   10     noon\n",
		17: "  of  worst  at\n  a   10     noon\n",
		16: "  a: worst 10;\n    at noon\n",
	} {
		var b strings.Builder
		p := &page{w: bufio.NewWriter(&b), term: Terminal{Width: width}}
		p.grid(&grid{head: []string{"of", "worst", "mean", "at"}, rows: [][]string{{"a", "10", "5", "noon"}}, spare: []string{"mean"}})
		require.NoError(t, p.w.Flush())
		require.Equal(t, want, b.String(), "%d", width)
	}
}
