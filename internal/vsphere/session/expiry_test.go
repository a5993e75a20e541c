package session

import (
	"context"
	"math/rand/v2"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// shortSessions is a server whose sessions end after a few calls. Requests attach the client's cookie, reach the server and are
// answered at random times.
type shortSessions struct {
	mu     sync.Mutex
	chance *rand.Rand
	cookie int
	left   int // remaining calls of the newest session
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
		return wireFault(types.NotAuthenticated{})
	}
	s.left--
	return nil
}

// login takes time, too. Like real servers it refuses a login in an open session.
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

// TestShortSessionsServeAll: no request fails because concurrent requests use up each new session.
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
