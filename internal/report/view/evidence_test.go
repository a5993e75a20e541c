package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
)

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
		"share 75 % of the samples":           {Name: "share", Value: known(0.75), Unit: wording.UnitPart},
		"memory not read (no permission)":     {Name: "memoryMB", Value: inventory.Unread[any]("no permission")},
		"memory absent":                       {Name: "memoryMB", Value: inventory.Absent[any](), Stat: "p95"},
		"sent median 3 Mb/s":                  {Name: "sent medianMbps", Value: known(3.0), Stat: "median"},
	} {
		require.Equal(t, want, l.phrase())
	}
}

func known(v any) inventory.Fact[any] { return inventory.Known(v) }

func TestCounterText(t *testing.T) {
	at := time.Date(2026, 6, 10, 11, 58, 50, 0, time.UTC)
	for want, c := range map[string]Counter{
		"ready median 6.1, p95 9.3, worst 12.2 % of a vCPU at 11:58:50Z": {inventory.Series{Median: 6.1, P95: 9.3, Worst: 12.21, WorstAt: at}, &inventory.LiveMetric{Name: "cpu.ready", Unit: "percent of one vCPU's time"}},
		"kernel latency 12 ms throughout":                                {inventory.Series{Median: 12, P95: 12.01, Worst: 12.04, WorstAt: at}, &inventory.LiveMetric{Name: "disk.kernelLatency", Unit: "ms"}},
		"memory state median high, p95 soft, worst hard":                 {inventory.Series{P95: 2, Worst: 3}, &inventory.LiveMetric{Name: "mem.state", Unit: "0 high, 1 clear, 2 soft, 3 hard"}},
	} {
		require.Equal(t, want, c.text(at.Add(time.Hour)))
	}
}

func TestRough(t *testing.T) {
	for want, v := range map[string]float64{"98": 98.06, "9,477": 9477, "90k": 90000, "13k": 12500.1, "815k": 815200, "1.2M": 1.24e6, "3M": 3e6, "0": 0.2} {
		require.Equal(t, want, rough(v))
	}
}

func TestPartOfTheSamples(t *testing.T) {
	for source, part := range map[string]bool{
		`vm.live("cpu.ready").beyond(params.ok)`:                                           true,
		`pnic.live("net.rx").beyond(params.full * params.payload * double(pnic.linkMbps))`: true,
		`vm.live("cpu.ready").beyond(params.ok) + vm.live("cpu.costop").beyond(params.ok)`: false,
		`vm.live("cpu.ready").beyond(params.ok) > (0.5)`:                                   false,
		`vm.live("cpu.ready").beyond()`:                                                    true,
	} {
		unit, _ := unitOf(source)
		require.Equal(t, part, unit == wording.UnitPart, source)
	}
}
