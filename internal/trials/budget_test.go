package trials

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// callsPerSwitch is how many calls a trial may take for each host that it switches, beside those of its samples.
const callsPerSwitch = 4

// TestTrialCalls: a trial makes no more calls a minute than vperf top of the same hosts, plus four for each switch of a host. The calls
// before the first block and after the last one are those of any run, and are not counted.
func TestTrialCalls(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	hosts := 8
	if proof.RaceDetector { // three are read and switched side by side as eight are
		hosts = 3
	}
	var names []string
	for i := range hosts {
		names = append(names, fmt.Sprintf("host%02d", i+1))
	}
	plan, around := s.planOf(t, idleOption, 120, names...)
	ask := demoAsk(t, 7)
	ask.For, ask.Guards = 20*time.Minute, nil // host04 begins to swap
	p, err := Prepare(t.Context(), s.server, plan, around, ask)
	require.NoError(t, err)
	defer p.Close(t.Context())

	var running *tally
	var made, switches int
	var past time.Duration
	var state []bool
	_, err = p.Run(t.Context(), s.estate, s.runs, tuning.Options{Now: s.clock.Now, User: "tester"}, func(g trial.Progress) {
		switch {
		case g.Kind == trial.BlockBegan && running == nil:
			running, state = s.tally(), g.Block.Treated
		case g.Kind == trial.BlockBegan:
			for i, on := range g.Block.Treated {
				if on != state[i] {
					switches++
				}
			}
			state = g.Block.Treated
		case g.Kind == trial.BlockDone:
			made, past = running.sum()
			t.Logf("trial: %v", running.byMethod())
		}
	}, func(*trial.Result) bool { return false })
	require.NoError(t, err)
	require.Greater(t, switches, hosts, "each host is switched once in each pair")
	require.InDelta(t, 20, past.Minutes(), 2)
	perMinute := float64(made-callsPerSwitch*switches) / past.Minutes()

	roster, err := measure.ReadRoster(t.Context(), s.server.Session)
	require.NoError(t, err)
	top, err := measure.Performance(t.Context(), roster, roster.Hosts()[:hosts], measure.PerformanceOptions{
		Request: esxtop.Request{Objects: p.Registration.Objects()}, Clock: s.server.Clock(),
	})
	require.NoError(t, err)
	watching := s.tally()
	for range 60 {
		_, err := top.Next(t.Context())
		require.NoError(t, err)
	}
	made, past = watching.sum()
	t.Logf("top: %v", watching.byMethod())
	require.InDelta(t, 20, past.Minutes(), 2)
	ofTop := float64(made) / past.Minutes()
	t.Logf("trial: %.2f calls a minute beside %d switches, top: %.2f", perMinute, switches, ofTop)
	require.LessOrEqual(t, perMinute, ofTop)
}

// tally counts calls to the stage's server from a moment on.
type tally struct {
	stage  *stage
	before map[string]int
	began  time.Time
}

func (s *stage) tally() *tally {
	return &tally{s, maps.Clone(s.server.Session.Calls()), s.clock.Now()}
}

// byMethod returns the calls since then by method.
func (c *tally) byMethod() map[string]int {
	made := map[string]int{}
	for method, n := range c.stage.server.Session.Calls() {
		if n > c.before[method] {
			made[method] = n - c.before[method]
		}
	}
	return made
}

func (c *tally) sum() (calls int, past time.Duration) {
	for _, n := range c.byMethod() {
		calls += n
	}
	return calls, c.stage.clock.Now().Sub(c.began)
}
