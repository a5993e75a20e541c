package exporter

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// stage is a fleet and its time, in which waiting takes none of ours. One is shared by the tests of the package: time goes on
// from one test to the next.
type stage struct {
	fleet *simfleet.Fleet
	clock *stageClock
	drop  atomic.Pointer[func(method string) bool] // which calls break
}

type stageClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *stageClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *stageClock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// after goes to that time at once.
func (c *stageClock) after(d time.Duration) <-chan time.Time {
	c.forward(max(0, d))
	done := make(chan time.Time)
	close(done)
	return done
}

var theStage = sync.OnceValues(func() (*stage, error) { return newStage(0, 0, true) })

// newStage has a fleet of so many hosts and VMs; 0, 0: the demo fleet. If it is lossless, the faults of a test are all that can make it
// lose samples; otherwise it loses one of 1,500, as hosts do.
func newStage(hosts, vms int, lossless bool) (*stage, error) {
	s := &stage{clock: &stageClock{now: time.Date(2026, 11, 20, 12, 0, 7, 0, time.UTC)}}
	f, err := simfleet.Start(simfleet.Config{Hosts: hosts, VMs: vms, VCenterOnly: hosts > 0, Lossless: lossless, Now: s.clock.Now, Before: func(method string) bool {
		drop := s.drop.Load()
		return drop != nil && (*drop)(method)
	}})
	s.fleet = f
	return s, err
}

// onOwnStage has a fleet of its own, where it is always the same time: that of the shared one depends on how far tests before came.
func onOwnStage(t testing.TB) *stage {
	t.Helper()
	s, err := newStage(0, 0, false)
	require.NoError(t, err)
	t.Cleanup(s.fleet.Close)
	return s
}

func TestMain(m *testing.M) {
	code := m.Run()
	if s, err := theStage(); err == nil && s.fleet != nil {
		s.fleet.Close()
	}
	os.Exit(code)
}

func onStage(t *testing.T) *stage {
	t.Helper()
	s, err := theStage()
	require.NoError(t, err)
	s.drop.Store(nil)
	t.Cleanup(func() { s.drop.Store(nil) })
	return s
}

// breaks has calls break until the test ends, or it is called with nil.
func (s *stage) breaks(which func(method string) bool) {
	if which == nil {
		s.drop.Store(nil)
		return
	}
	s.drop.Store(&which)
}

func (s *stage) dial(ctx context.Context) (*session.Session, error) {
	u := *s.fleet.URL()
	u.User = nil
	return session.Dial(ctx, session.Endpoint{
		URL: &u, User: s.fleet.User(), Password: session.Secret(s.fleet.Password()), CertificatePEM: s.fleet.CertificatePEM(),
		RetryPause: time.Millisecond,
	})
}

// target samples the stage's vCenter, step by step.
func (s *stage) target(t testing.TB, c TargetConfig) *Target {
	t.Helper()
	c.Name, c.Clock = "demo", source.Clock{Now: s.clock.Now, After: s.clock.after}
	if c.Dial == nil {
		c.Dial = s.dial
	}
	made, err := newTarget(c, New(Options{}).log)
	require.NoError(t, err)
	made.jitter = func(time.Duration) time.Duration { return 0 }
	made.callLimit = 10 * time.Minute // the stage's time stands still during calls
	return made
}

// stepper drives a target manually.
type stepper struct {
	*link
	t      testing.TB
	source *source.Samples
}

func (s *stage) drive(t testing.TB, target *Target) *stepper {
	t.Helper()
	st := &stepper{t: t}
	st.connect(target)
	t.Cleanup(st.end)
	return st
}

func (s *stepper) connect(target *Target) {
	s.t.Helper()
	require.NoError(s.t, s.tryConnect(target))
}

func (s *stepper) tryConnect(target *Target) error {
	l, err := target.connect(s.t.Context())
	if err != nil {
		return err
	}
	s.link = l
	s.source, err = s.open(s.t.Context())
	require.NoError(s.t, err)
	return nil
}

// step does what run does next: a round, or another attempt to connect.
func (s *stepper) step() {
	s.t.Helper()
	var err error
	if s.source == nil {
		s.config.Clock.After(shortestPause)
		err = s.tryConnect(s.Target)
	} else if err = s.round(s.t.Context(), s.source); err != nil {
		s.end()
	}
	if err != nil {
		s.disconnected(err)
	}
}

func (s *stepper) end() {
	if s.source != nil {
		require.NoError(s.t, s.source.Close(context.WithoutCancel(s.t.Context())))
		s.close(s.t.Context())
		s.source = nil
	}
}

func (s *stepper) newest() time.Time { return s.ledger.Stats(s.serverNow()).Newest }

// series are the series of a page by name and labels.
func series(t *testing.T, page string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		v, err := strconv.ParseFloat(strings.TrimSpace(line[at+1:]), 64)
		if _, twice := all[line[:at]]; err != nil || twice {
			t.Fatalf("%v, twice: %v: %s", err, twice, line)
		}
		all[line[:at]] = v
	}
	return all
}
