package exporter

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// caller counts attempts to connect, all of which fail.
type caller struct {
	mu    sync.Mutex
	times []time.Time
	err   error
}

func (c *caller) dial(context.Context) (*session.Session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times = append(c.times, time.Now())
	return nil, c.err
}

func (c *caller) calls() []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Time(nil), c.times...)
}

func runExporter(t *testing.T, targets ...TargetConfig) (*Exporter, context.CancelFunc) {
	t.Helper()
	e := New(Options{})
	require.NoError(t, e.Configure(targets))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	return e, func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

func TestServerThatIsDownIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &caller{err: errors.New("connecting to vc1: connection refused")}
		e, stop := runExporter(t, TargetConfig{Name: "vc1", Dial: c.dial})
		time.Sleep(30 * time.Minute)
		stop()
		times := c.calls()
		require.GreaterOrEqual(t, len(times), 29)
		for i := 1; i < len(times); i++ {
			pause := times[i].Sub(times[i-1])
			require.GreaterOrEqual(t, pause, shortestPause)
			require.LessOrEqual(t, pause, longestPause)
		}
		s := e.Target("vc1").Status()
		require.False(t, s.Up)
		require.Equal(t, "connecting to vc1: connection refused", s.Trouble)
		require.Equal(t, "connecting to vc1: connection refused", s.Collectors[0].Err, s.Collectors[0].Name)
	})
}

// TestRefusedPasswordIsNotTriedAgainAndAgain since accounts are locked that way.
func TestRefusedPasswordIsNotTriedAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &caller{err: errors.Join(&session.LoginError{Host: "vc1", User: "audit"})}
		e, stop := runExporter(t, TargetConfig{Name: "vc1", Dial: c.dial})
		time.Sleep(time.Hour)
		stop()
		require.Len(t, c.calls(), 6)
		require.Contains(t, e.Target("vc1").Trace(time.Hour)[0], "wrong user name or password")
		require.Contains(t, e.Target("vc1").Trace(time.Hour)[0], "the next attempt is in 1")
	})
}

// TestReloadEndsAPause: after correcting a password, a reload takes effect at once, but repeated reloads do not lock
// the account.
func TestReloadEndsAPause(t *testing.T) {
	for name, tc := range map[string]struct {
		err   error
		least time.Duration
	}{
		"password": {&session.LoginError{Host: "vc1", User: "audit"}, lockedLeast},
		"down":     {errors.New("connection refused"), shortestPause},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &caller{err: tc.err}
				vc := TargetConfig{Name: "vc1", Dial: c.dial, Fingerprint: "1"}
				e, stop := runExporter(t, vc)
				defer stop()
				time.Sleep(time.Second)
				require.Len(t, c.calls(), 1)
				for range 100 {
					require.NoError(t, e.Configure([]TargetConfig{vc}))
					time.Sleep(time.Second)
				}
				times := c.calls()
				require.Greater(t, len(times), 1)
				require.Equal(t, tc.least, times[1].Sub(times[0]))
				for i := 1; i < len(times); i++ {
					require.GreaterOrEqual(t, times[i].Sub(times[i-1]), tc.least)
				}
			})
		})
	}
}

// TestReloadDuringAnAttempt: the attempt may have read the old password, so the reload ends the pause after it.
func TestReloadDuringAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts []time.Time
		vc := TargetConfig{Name: "vc1", Fingerprint: "1", Dial: func(context.Context) (*session.Session, error) {
			attempts = append(attempts, time.Now())
			time.Sleep(10 * time.Second)
			return nil, &session.LoginError{Host: "vc1", User: "audit"}
		}}
		e, stop := runExporter(t, vc)
		time.Sleep(5 * time.Second)
		require.NoError(t, e.Configure([]TargetConfig{vc}))
		time.Sleep(lockedLeast + 10*time.Second)
		stop()
		require.Len(t, attempts, 2)
		require.Equal(t, lockedLeast+10*time.Second, attempts[1].Sub(attempts[0]))
	})
}

func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a, b, c caller
		a.err, b.err, c.err = errors.New("a"), errors.New("b"), errors.New("c")
		e, stop := runExporter(t, TargetConfig{Name: "a", Dial: a.dial, Fingerprint: "1"}, TargetConfig{Name: "b", Dial: b.dial, Fingerprint: "1"})
		time.Sleep(time.Hour)
		kept, gone := e.Target("a"), e.Target("b")
		before := len(b.calls())
		require.NotZero(t, before)

		require.Error(t, e.Configure([]TargetConfig{{Name: "x"}}))
		require.Same(t, gone, e.Target("b"), "a bad config changes nothing")

		require.NoError(t, e.Configure([]TargetConfig{
			{Name: "a", Dial: c.dial, Fingerprint: "1"}, {Name: "c", Dial: c.dial, Fingerprint: "1"},
		}))
		require.Same(t, kept, e.Target("a"))
		require.Nil(t, e.Target("b"))
		synctest.Wait()
		require.Len(t, c.calls(), 1, "it begins at once")
		onA := len(a.calls())
		time.Sleep(time.Hour)
		require.Len(t, b.calls(), before, "it ended")
		require.Greater(t, len(a.calls()), onA, "it goes on")

		require.NoError(t, e.Configure([]TargetConfig{{Name: "a", Dial: c.dial, Fingerprint: "2"}}))
		require.NotSame(t, kept, e.Target("a"), "its settings are others")
		require.Len(t, e.Targets(), 1)
		stop()
		onA = len(a.calls())
		time.Sleep(time.Hour)
		require.Len(t, a.calls(), onA)
	})
}

func TestTargetsBeforeAndAfterRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c caller
		c.err = errors.New("down")
		e, stop := runExporter(t)
		synctest.Wait()
		require.Empty(t, e.Targets())
		require.Error(t, e.Run(t.Context()), "it runs already")
		require.NoError(t, e.Configure([]TargetConfig{{Name: "late", Dial: c.dial}}))
		synctest.Wait()
		require.Len(t, c.calls(), 1)
		stop()
		require.NoError(t, e.Configure([]TargetConfig{{Name: "later", Dial: c.dial}}))
		time.Sleep(time.Hour)
		require.Len(t, c.calls(), 1, "nothing runs after Run")
	})
}

func TestTargetsThatAreNoGood(t *testing.T) {
	dial := (&caller{}).dial
	for words, list := range map[string][]TargetConfig{
		"a target has no name":                  {{Dial: dial}},
		"there are two targets a":               {{Name: "a", Dial: dial}, {Name: "a", Dial: dial}},
		"target a: it has no server":            {{Name: "a"}},
		`there is no module "bacis": the mod`:   {{Name: "a", Dial: dial, Modules: []module.Name{"bacis"}}},
		"target a: path \"x\" does not begin":   {{Name: "a", Dial: dial, Filter: Filter{Include: []Pattern{{Path: "x"}}}}},
		"target b: tag \"gold\" has no categor": {{Name: "b", Dial: dial, Filter: Filter{Exclude: []Pattern{{Tag: "gold"}}}}},
	} {
		require.ErrorContains(t, New(Options{}).Configure(list), words)
	}
}
