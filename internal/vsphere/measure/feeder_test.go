package measure

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/esxtop"
)

// TestFeeder: the PerformanceManager provides the values that esxtop.Metric.Feeder states. A sum over the values of one feeder
// omits those of the other.
func TestFeeder(t *testing.T) {
	clock := newPerfClock()
	source := performanceOf(t, vspheretest.FleetOf(t, "vcenter", simfleet.Config{Now: clock.now}), clock, everything)
	reported := map[esxtop.Object]map[*esxtop.Metric]bool{}
	for _, f := range nextRound(t, source).Frames {
		for o := range esxtop.Object(32) {
			if !esxtop.AllObjects.Has(o) {
				break
			}
			rows := f.Rows(o)
			for _, m := range esxtop.MetricsOf(o) {
				for i := range rows {
					if _, ok := rows[i].Value(m); ok {
						if reported[o] == nil {
							reported[o] = map[*esxtop.Metric]bool{}
						}
						reported[o][m] = true
					}
				}
			}
		}
	}
	require.Len(t, reported, 12)
	quiet := []string{"nfs nfs.readLatency", "nfs nfs.writeLatency", "host power.cap"} // without commands, and without a power cap
	for o, metrics := range reported {
		for _, m := range esxtop.MetricsOf(o) {
			if m.PrometheusName(o) == "" {
				continue
			}
			if metrics[m] {
				require.Equal(t, esxtop.Performance, m.Feeder(o), "%s of %s", m.ID, o)
			} else if m.Feeder(o) == esxtop.Performance {
				require.Contains(t, quiet, o.String()+" "+m.ID, "it has no feeder")
			}
		}
	}
}
