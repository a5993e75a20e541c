package exporter

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/proof"
)

// TestProveShardsOfALargeFleet: three shards of a large vCenter add up to the exporter of the whole vCenter, series by series. make
// prove-long tries 992 hosts and 40,000 VMs.
func TestProveShardsOfALargeFleet(t *testing.T) {
	hosts, vms := proof.Count(t, 8, 100), proof.Count(t, 200, 4_000)
	if proof.Long(t) {
		hosts, vms = 992, 40_000
	}
	var newest []time.Time
	// run returns the series after some rounds and a survey, of a fleet with the same load and the same time each time.
	run := func(part shard.Shard) map[string]float64 {
		s, err := newStage(hosts, vms)
		require.NoError(t, err)
		defer s.fleet.Close()
		st := s.drive(t, s.target(t, TargetConfig{
			Modules: []module.Name{module.Basic, module.Datastore, module.Cluster, module.Snapshot, module.Hardware}, MaxSeries: 5e6, Shard: part,
		}))
		began := s.clock.Now()
		rounds := func(n int) { // a round of a large vCenter comes in several parts
			st.step()
			for s.clock.Now().Before(began.Add(time.Duration(n) * interval)) {
				st.step()
			}
		}
		rounds(3)
		require.NoError(t, st.surveyNow(t.Context(), s.clock.Now()))
		rounds(5)
		stats := st.ledger.Stats(st.serverNow())
		require.Equal(t, stats.VMs.Expected, stats.VMs.Collected, "%s missed %v", part, stats.Missed)
		newest = append(newest, stats.Newest)
		require.Zero(t, stats.Over)
		return st.served(t)
	}
	whole, sum := run(shard.Shard{}), map[string]float64{}
	require.Greater(t, len(whole), 30*vms)
	for n := 1; n <= 3; n++ {
		part := run(shard.Shard{Number: n, Of: 3})
		require.Greater(t, len(part), len(whole)/6, "shard %d", n)
		for name, v := range part {
			_, twice := sum[name]
			require.False(t, twice && !strings.HasPrefix(name, poolReady), "shard %d has %s too", n, name)
			sum[name] += v
		}
	}
	require.Len(t, slices.Compact(newest), 1, "all have the same samples")
	equal(t, whole, sum)
	t.Logf("%d hosts, %d VMs: %d series", hosts, vms, len(whole))
}
