package batch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// TestCountersOfTheCatalogue: an entry of the catalogue is all that it takes for a metric to have columns.
func TestCountersOfTheCatalogue(t *testing.T) {
	m := *esxtop.Lookup("cpu.wakeups")
	m.ID, m.Batch = "cpu.madeUp", []esxtop.BatchCounter{{Groups: []string{"Group Cpu", "Vcpu"}, Text: "Made Up/sec", Default: true}}
	disk := *esxtop.Lookup("disk.commands")
	disk.ID, disk.Batch = "disk.madeUp", []esxtop.BatchCounter{{Text: "Made Up/sec", First: true}}
	for _, g := range layOut(csvGroupList(), append(esxtop.Catalogue(), &m, &disk)) {
		c, state := g.counter("Made Up/sec")
		switch g.name {
		case "Group Cpu", "Vcpu":
			require.Equal(t, &csvCounter{text: "Made Up/sec", metric: &m, short: true}, c)
			require.Empty(t, state)
			require.Same(t, c, g.counters[len(g.counters)-1])
		case "Physical Disk", "Physical Disk Adapter", "Physical Disk Path", "Physical Disk SCSI Device", "Physical Disk Per-Device-Per-World",
			"Physical Disk Partition":
			require.Same(t, &disk, c.metric)
			require.Same(t, c, g.counters[0])
		default:
			require.Nil(t, c, g.name)
		}
	}
}
