package vsphere

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/raced"
)

// shortSessions is a server whose sessions end after a few calls. A request takes the client's cookie, reaches the server and is
// answered at times that are drawn by chance.
type shortSessions struct {
	mu     sync.Mutex
	chance *rand.Rand
	cookie int
	left   int // calls of the newest session
	logins int
}

const callsAShortSession = 5

func (s *shortSessions) takesTime() {
	s.mu.Lock()
	d := time.Duration(s.chance.ExpFloat64() * float64(time.Millisecond))
	s.mu.Unlock()
	time.Sleep(d)
}

func (s *shortSessions) RoundTrip(context.Context, soap.HasFault, soap.HasFault) error {
	s.takesTime()
	s.mu.Lock()
	cookie := s.cookie
	s.mu.Unlock()
	s.takesTime()
	defer s.takesTime()
	s.mu.Lock()
	defer s.mu.Unlock()
	if cookie != s.logins || s.left == 0 {
		return faulty(types.NotAuthenticated{})
	}
	s.left--
	return nil
}

// login takes time, too. Logging in while the session is open is refused, as servers do.
func (s *shortSessions) login(context.Context) error {
	s.takesTime()
	s.mu.Lock()
	open := s.logins > 0 && s.left > 0
	s.mu.Unlock()
	if open {
		return &LoginError{}
	}
	s.mu.Lock()
	s.logins++
	s.cookie, s.left = s.logins, callsAShortSession
	s.mu.Unlock()
	s.takesTime()
	return nil
}

// TestShortSessionsServeAll: no request fails because the requests beside it use up each new session.
func TestShortSessionsServeAll(t *testing.T) {
	const asking, each = 10, 60
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			s := &shortSessions{chance: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // times of a test
			c := newCall(s, Endpoint{URL: &url.URL{Host: "vc.example"}, CallTimeout: time.Hour})
			c.login = s.login
			var all sync.WaitGroup
			for range asking {
				all.Go(func() {
					for range each {
						require.NoError(t, c.RoundTrip(t.Context(), new(methods.CurrentTimeBody), new(methods.CurrentTimeBody)))
					}
				})
			}
			all.Wait()
			require.Equal(t, asking*each/callsAShortSession, s.logins, "no session is opened before the last one is used up")
		})
	}
}

// TestFillWhileSessionsExpire asks hosts side by side on a busy machine through sessions that end after a few calls, 50 times. The
// facts are the same each time.
func TestFillWhileSessionsExpire(t *testing.T) {
	raced.Long(t)
	t.Parallel()
	needs := needing("LUN.outstandingIOs", "LUN.queueFullSampleSize")
	read := func(s *Session) string {
		vc, err := Inventory(t.Context(), s, Scope{}, needs, nil)
		require.NoError(t, err)
		require.NoError(t, Fill(t.Context(), s, vc.Hosts, needs))
		text, err := json.Marshal(vc.Hosts)
		require.NoError(t, err)
		return string(text)
	}
	want := read(fleet(t, "vcenter"))
	require.Contains(t, want, `"outstandingIOs":32`)
	stop := make(chan struct{})
	defer close(stop)
	for range 2 * runtime.NumCPU() {
		go keepBusy(stop)
	}
	s := fleet(t, "vcenter", "session-expires")
	for round := range 50 {
		require.Equal(t, want, read(s), "round %d", round)
	}
}

// keepBusy takes a good part of a processor's time, in bits of other lengths than others.
func keepBusy(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(rand.N(time.Millisecond)): //nolint:gosec // times of a test
		}
		until := time.Now().Add(rand.N(time.Millisecond)) //nolint:gosec // times of a test
		for time.Now().Before(until) {
			runtime.Gosched()
		}
	}
}
