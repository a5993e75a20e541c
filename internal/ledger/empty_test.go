package ledger

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// TestSamplesWithoutValues: a VM that starts may have a few samples without values, and none is missed for that. Each other one is missed,
// but only who has had no values for a minute is no longer collected.
func TestSamplesWithoutValues(t *testing.T) {
	// Samples of a host and of its VM, by slot: v has values, e has none, o is that the VM is off.
	for name, c := range map[string]struct {
		host, vm  string
		missed    int
		collected [2]int // host and VM, at the end
	}{
		"all have values":             {"vvvv", "vvvv", 0, [2]int{1, 1}},
		"a VM starts":                 {"vvvv", "evvv", 0, [2]int{1, 1}},
		"a VM starts slowly":          {"vvvv", "eeev", 0, [2]int{1, 1}},
		"a VM that starts now":        {"vvvv", "oooe", 0, [2]int{1, 0}},
		"a VM never has values":       {"vvvvvv", "eeeeee", 3, [2]int{1, 0}},
		"a VM loses one":              {"vvvv", "vvev", 1, [2]int{1, 1}},
		"a VM loses its newest":       {"vvvv", "vvve", 1, [2]int{1, 1}},
		"a VM loses some after":       {"vvvvvv", "evveee", 3, [2]int{1, 0}},
		"a VM starts again":           {"vvvvvv", "vvooev", 0, [2]int{1, 1}},
		"a VM starts again without":   {"vvvvvvvvv", "vvooeeeee", 2, [2]int{1, 0}},
		"a host loses its newest":     {"vvve", "vvvv", 1, [2]int{1, 1}},
		"a host never has values":     {"eeee", "vvvv", 4, [2]int{0, 1}},
		"neither of them":             {"eeee", "eeee", 8, [2]int{0, 0}},
		"neither of them at first":    {"eevv", "eevv", 4, [2]int{1, 1}},
		"neither of them all at once": {"vvveee", "vvveee", 6, [2]int{0, 0}},
		"a VM starts on a mute host":  {"vvee", "ooee", 4, [2]int{1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			now, samples := after(0), 0
			l := New(Options{Objects: esxtop.AllObjects, Now: func() time.Time { return now }})
			row := func(o func(figures) esxtop.Row, metric string, state byte) esxtop.Row {
				samples++
				if state == 'v' {
					return o(figures{metric: 50})
				}
				return o(figures{})
			}
			for n := range c.host {
				on := c.vm[n] != 'o'
				l.Expect(hostsUp("host-1", "host-2"), []VM{{MoID: "vm-1", Name: "vm-1", Host: "host-1", On: on}, {MoID: "vm-2", Name: "vm-2", Host: "host-2", On: true}})
				now = after(n + 1).Add(2 * time.Second)
				rows := []esxtop.Row{row(func(of figures) esxtop.Row { return hostRow("x", of) }, "host.uptime", c.host[n])}
				if on {
					rows = append(rows, row(func(of figures) esxtop.Row { return vmRow(esxtop.Group, "vm-1", "vm-1", of) }, "mem.granted", c.vm[n]))
				}
				others := []esxtop.Row{hostRow("y", figures{"host.uptime": 50}), vmRow(esxtop.Group, "vm-2", "vm-2", figures{"mem.granted": 50})}
				samples += len(others)
				l.Take(round(frame("host-1", after(n+1), rows...), frame("host-2", after(n+1), others...)))
			}
			s := l.Stats(now)
			require.Equal(t, c.missed, int(s.Missed[missedNoValue]), "%v", s.Missed) //nolint:gosec // it is small
			require.Equal(t, samples-c.missed, int(s.Samples))                       //nolint:gosec // it is small
			got := [2]int{s.Hosts.Collected - 1, s.VMs.Collected - 1}
			require.Equal(t, c.collected, got, "but for the others")
		})
	}
}
