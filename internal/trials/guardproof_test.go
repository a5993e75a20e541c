package trials

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/trial"
)

// busyHosts of the demo fleet have guard counters that swing: ready time, co-stop, ballooning, dropped packets.
var busyHosts = []string{"host01", "host02", "host03", "host04", "host06", "host07"}

// Guards end some trials without effect on the busiest hosts, but most go on for four hours. docs/trial.md has the figures.
func TestProveGuardsOfBusyHosts(t *testing.T) {
	t.Parallel()
	library, early := builtIn(t), 0
	list := simulate(t, proof.Count(t, 4, 144), func(i int) simulated {
		e := experiments()[0].without()
		e.host = busyHosts[i%len(busyHosts)]
		b := newBench(t, library, e, library.Guards, 5000+uint64(i), .8, trial.DefaultMinEffect)
		b.schedule(24)
		return simulated{Result: b.run(t, nil), lasted: b.lab.Now().Sub(b.start)}
	})
	byGuard := map[string]int{}
	for _, s := range list {
		if s.Stop != trial.StopGuard {
			continue
		}
		byGuard[s.Trips[0].How+" "+s.Trips[0].Guard]++
		if s.lasted <= time.Hour+time.Minute {
			early++
		}
	}
	ended := share(list, func(s simulated) bool { return s.Stop == trial.StopGuard })
	t.Logf("of %d trials, guards end %s in 4 hours, %d in the first hour: %v", len(list), percent(ended), early, byGuard)
	require.LessOrEqual(t, ended, ceiling(len(list), .3))
}
