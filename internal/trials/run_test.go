package trials

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// stage is a demo fleet whose clock moves when somebody waits, and the journals of a user.
type stage struct {
	server *source.Server
	estate tuning.Estate
	runs   *tuning.Runs
	clock  *clock
	fleet  *simfleet.Fleet
}

// clock is a source.Replay.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) Forward(_ context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return nil
}

func (c *clock) Finish(context.Context) error { return nil }

func newStage(t *testing.T) *stage {
	t.Helper()
	return newNoisyStage(t, simfleet.Noise{})
}

// newNoisyStage is newStage with noise as on real hosts.
func newNoisyStage(t *testing.T, noise simfleet.Noise) *stage {
	t.Helper()
	c := &clock{at: time.Date(2026, 6, 10, 10, 0, 5, 0, time.UTC)}
	fleet, err := simfleet.Start(simfleet.Config{Now: c.Now, Zone: simfleet.MidMorning(c.at), VCenterOnly: true, Noise: noise})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	streams, _, _ := iostreams.Test()
	u := *fleet.URL()
	u.User = nil
	s, err := source.OpenServer(t.Context(), streams, session.Endpoint{
		URL: &u, User: fleet.User(), Password: session.Secret(fleet.Password()), CertificatePEM: fleet.CertificatePEM(), CallTimeout: time.Minute,
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	s.SetReplay(c)
	server, err := change.Server(t.Context(), s.Session)
	require.NoError(t, err)
	estate := change.Estate(s.Session)
	estate.Server = server
	runs, err := tuning.OpenRuns(t.TempDir())
	require.NoError(t, err)
	return &stage{s, estate, runs, c, fleet}
}

const pinThreshold = "host-option/Net.NetNetqNumaIOCpuPinThreshold"

// idleOption changes nothing that the fleet does.
const idleOption = "host-option/Mem.ShareScanTime"

// plans returns a plan that sets the option of some hosts.
func (s *stage) plans(t *testing.T, hosts ...string) (*tuning.Plan, *inventory.Snapshot) {
	t.Helper()
	return s.planOf(t, pinThreshold, 60, hosts...)
}

// planOf returns a plan that sets an option of hosts to a value, and its surroundings.
func (s *stage) planOf(t *testing.T, option string, value int32, hosts ...string) (*tuning.Plan, *inventory.Snapshot) {
	t.Helper()
	around, err := s.server.Read(t.Context(), inventory.Targets{Hosts: hosts}, Needs())
	require.NoError(t, err)
	var proposals []tuning.Proposal
	for _, h := range around.VCenters[0].Hosts {
		proposals = append(proposals, tuning.Proposal{
			Target: tuning.Target{Kind: inventory.ScopeHost, ID: h.ID, Name: h.Name},
			Want:   tuning.Assignment{Address: tuning.Address{Setting: option}, Value: inventory.Known(inventory.IntValue(value))},
			Cause:  tuning.Cause{Rule: "numa-io", Title: "NUMA-aware network I/O is off"}, Activation: inventory.ActivationLive,
		})
	}
	p, err := tuning.NewPlan(t.Context(), s.estate.Settings, s.estate.Server, proposals, s.clock.Now())
	require.NoError(t, err)
	require.Len(t, p.Steps, len(hosts), "%v", p.Skipped)
	return p, around
}

// numaIO is the question of the tests.
func numaIO(t *testing.T) Ask {
	t.Helper()
	library, err := trial.Load(os.DirFS("../../pkg/trial/testdata/outcomes"))
	require.NoError(t, err)
	return Ask{
		Rule: "numa-io", Title: "NUMA-aware network I/O is off", Outcomes: library.For("numa-io"), Guards: library.Guards,
		How:       inventory.Trial{Design: inventory.DesignSwitchback, Unit: inventory.ScopeHost, Block: 5 * time.Minute, Settle: time.Minute, Reason: "It is live."},
		MinEffect: .05, Alpha: .05, Seed: 7, Longest: 6 * time.Hour, Simulated: true,
	}
}

// value returns the option's value on the host now.
func (s *stage) value(t *testing.T, p *tuning.Plan) string {
	t.Helper()
	v, err := s.estate.Settings.Read(t.Context(), p.Steps[0].Target, []tuning.Address{{Setting: pinThreshold}})
	require.NoError(t, err)
	known, _ := v[0].Value()
	return known.Text
}

// trueEffect is the effect of the option on the CPU per Gb/s of host01 without noise, by the fleet's own model (-2.6 %).
const trueEffect = -.026

// A trial finds the effect that the fleet has, restores the old value, and its journal tells it again. TestTrialCalls runs a trial under
// the race detector.
func TestTrialOnTheFleet(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := newStage(t)
	plan, around := s.plans(t, "host01")
	p, err := Prepare(t.Context(), s.server, plan, around, numaIO(t))
	require.NoError(t, err)
	defer p.Close(t.Context())
	f, err := p.Run(t.Context(), s.estate, s.runs, tuning.Options{Now: s.clock.Now, User: "tester"}, func(trial.Progress) {}, func(*trial.Result) bool { return false })
	require.NoError(t, err)
	require.Less(t, f.Result.Estimate.Low, trueEffect)
	require.Greater(t, f.Result.Estimate.High, trueEffect)
	require.Equal(t, p.Registration.Planned(), f.Result.Used)
	require.Equal(t, "0", s.value(t, plan), "the old value is restored")

	run, err := s.runs.Get(f.Run)
	require.NoError(t, err)
	require.True(t, IsTrial(run))
	recorded, err := Load(run)
	require.NoError(t, err)
	require.True(t, recorded.Ended)
	require.Equal(t, f.Result.Verdict, recorded.Result.Verdict)
	require.Len(t, recorded.Blocks, 2*(f.Result.Used+f.Result.Dropped))
	require.InDelta(t, f.Result.Estimate.Mean, trial.Analyse(recorded.Registration, recorded.Blocks).Estimate.Mean, 1e-12)
}
