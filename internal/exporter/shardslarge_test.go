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
	s, err := newStage(hosts, vms, false)
	require.NoError(t, err)
	t.Cleanup(s.fleet.Close)
	began := s.clock.Now()
	var parts []*stepper // the whole, then its shards: they sample one fleet at the same times
	for n := range 4 {
		part := shard.Shard{Number: n, Of: 3}
		if n == 0 {
			part = shard.Shard{}
		}
		parts = append(parts, s.drive(t, s.target(t, TargetConfig{
			Modules: []module.Name{module.Basic, module.Datastore, module.Cluster, module.Snapshot, module.Hardware}, MaxSeries: 5e6, Shard: part,
		})))
	}
	rounds := func(n int) {
		for s.clock.Now().Before(began.Add(time.Duration(n) * interval)) {
			for _, st := range parts {
				st.step()
			}
		}
	}
	rounds(3)
	for _, st := range parts {
		require.NoError(t, st.surveyNow(t.Context(), s.clock.Now()))
	}
	rounds(5)
	var newest []time.Time
	for _, st := range parts {
		stats := st.ledger.Stats(st.serverNow())
		require.Equal(t, stats.VMs.Expected, stats.VMs.Collected, "%s missed %v", st.config.Shard, stats.Missed)
		require.Zero(t, stats.Over)
		newest = append(newest, stats.Newest)
	}
	whole, sum := parts[0].served(t), map[string]float64{}
	require.Greater(t, len(whole), 30*vms)
	for n, st := range parts[1:] {
		part := st.served(t)
		require.Greater(t, len(part), len(whole)/6, "shard %d", n+1)
		for name, v := range part {
			_, twice := sum[name]
			require.False(t, twice && !strings.HasPrefix(name, poolReady), "shard %d has %s too", n+1, name)
			sum[name] += v
		}
	}
	require.Len(t, slices.Compact(newest), 1, "all have the same samples")
	equal(t, whole, sum)
	t.Logf("%d hosts, %d VMs: %d series", hosts, vms, len(whole))
}
