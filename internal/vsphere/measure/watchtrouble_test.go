package measure

import (
	"bytes"
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

var asksForChanges = []byte("<WaitForUpdatesEx ")

// TestWatchingSurvives injects each error once into every single request of a first read and of later ones.
func TestWatchingSurvives(t *testing.T) {
	t.Parallel()
	s := watchSim(t)
	x := new(vspheretest.FailingRequest)
	s.Tamper(x.Handle)
	vm := vspheretest.VmsOf(s.Model)[0]
	for name, strike := range map[string]func(http.ResponseWriter, *http.Request, http.Handler){
		"session expired":  nil,
		"connection reset": func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			x.OnFail = strike
			var struck []string
			for n := 1; ; n++ {
				conn := s.Dial(t)
				conn.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
				conn.SetForTest(session.TestSettings{PageLimit: 8})
				x.Arm(n)
				r := watched(t, conn)
				publish(s, vm, "name", "first")
				require.NoError(t, r.Refresh(t.Context()))
				publish(s, vm, "name", "second")
				require.NoError(t, r.Refresh(t.Context()), "%d: %s", n, x.Failed)
				hit := x.Failed
				x.Arm(0)
				require.Equal(t, "second", vmSeen(r, vm).Name)
				sameAsFresh(t, conn, r)
				require.NoError(t, r.Close(t.Context()))
				if hit == "" {
					break
				}
				struck = append(struck, hit)
			}
			require.GreaterOrEqual(t, len(struck), 8, "%v", struck)
		})
	}
}

// If the server silently loses its side of the watch, it is created again and everything is read once.
func TestWatchedRosterIsMadeAgain(t *testing.T) {
	t.Parallel()
	s := watchSim(t)
	vm := vspheretest.VmsOf(s.Model)[0]
	var refuse atomic.Pointer[string]
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if name := refuse.Load(); name != nil && bytes.Contains(body, asksForChanges) {
			refuse.Store(nil)
			vspheretest.Fault(w, "said the server", *name, "")
			return
		}
		next.ServeHTTP(w, r)
	})
	for name, lose := range map[string]func(t *testing.T, conn *session.Session, w *watching){
		"version": func(*testing.T, *session.Session, *watching) { refuse.Store(new("InvalidCollectorVersion")) },
		"collector": func(t *testing.T, conn *session.Session, w *watching) {
			_, err := methods.DestroyPropertyCollector(t.Context(), conn, &types.DestroyPropertyCollector{This: w.from.collector})
			require.NoError(t, err)
		},
		"view": func(t *testing.T, conn *session.Session, w *watching) {
			_, err := methods.DestroyView(t.Context(), conn, &types.DestroyView{This: w.from.View})
			require.NoError(t, err)
		},
		"session": func(t *testing.T, conn *session.Session, _ *watching) {
			_, err := methods.Logout(t.Context(), conn, &types.Logout{This: *conn.Client().ServiceContent.SessionManager})
			require.NoError(t, err)
		},
		"an hour": func(_ *testing.T, _ *session.Session, w *watching) {
			w.now = func() time.Time { return time.Now().Add(rosterWhole) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := s.Dial(t)
			r := watched(t, conn)
			first := r.watching.from
			lose(t, conn, r.watching)
			publish(s, vm, "name", "after "+name)
			calls := vspheretest.CallsOf(conn, func() { require.NoError(t, r.Refresh(t.Context())) })
			require.Equal(t, "after "+name, vmSeen(r, vm).Name)
			require.NotEqual(t, first.collector, r.watching.from.collector)
			require.Equal(t, 1, calls["CreatePropertyCollector"], "%v", calls)
			require.LessOrEqual(t, calls["Login"], 1)
			sameAsFresh(t, conn, r)
			publish(s, vm, "name", "later "+name)
			r.watching.now = time.Now
			require.Equal(t, map[string]int{"WaitForUpdatesEx": 1}, vspheretest.CallsOf(conn, func() { require.NoError(t, r.Refresh(t.Context())) }))
			require.Equal(t, "later "+name, vmSeen(r, vm).Name)
			require.NoError(t, r.Close(t.Context()))
			if name == "an hour" || name == "version" {
				require.Equal(t, conn.Calls()["CreatePropertyCollector"], conn.Calls()["DestroyPropertyCollector"], "nothing is left behind")
				require.Equal(t, conn.Calls()["CreateContainerView"], conn.Calls()["DestroyView"])
			}
		})
	}
}

// A hung call costs only its own time: the roster stays unchanged, and the changes arrive the next time.
func TestWatchedRosterHangs(t *testing.T) {
	t.Parallel()
	s := watchSim(t)
	vm := vspheretest.VmsOf(s.Model)[0]
	var (
		hang    atomic.Bool
		hanging atomic.Int32
		drop    = make(chan struct{})
	)
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if hang.Load() && bytes.Contains(body, asksForChanges) {
			hanging.Add(1)
			select {
			case <-r.Context().Done():
			case <-drop:
			}
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
	conn := s.Dial(t)
	r := watched(t, conn)
	before := vmSeen(r, vm)
	hang.Store(true)
	publish(s, vm, "name", "renamed")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	require.ErrorIs(t, r.Refresh(ctx), context.DeadlineExceeded)
	require.Less(t, time.Since(began), time.Minute)
	require.Equal(t, before, vmSeen(r, vm))

	conn.SetForTest(session.TestSettings{CallTimeouts: map[string]time.Duration{"WaitForUpdatesEx": 50 * time.Millisecond}}) // the call has its own time limit
	require.ErrorContains(t, r.Refresh(t.Context()), "no answer within 50ms")
	conn.SetForTest(session.TestSettings{CallTimeouts: map[string]time.Duration{}})

	asked := hanging.Load() // at most two: a call with little time may have ended before the request
	waiting, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Refresh(t.Context()) }() // hangs, and holds the turn
	require.Eventually(t, func() bool { return hanging.Load() > asked }, 30*time.Second, time.Millisecond)
	stop()
	require.ErrorIs(t, r.Refresh(waiting), context.Canceled)
	hang.Store(false)
	close(drop)
	require.NoError(t, <-done, "a connection that broke is made again")
	require.Equal(t, "renamed", vmSeen(r, vm).Name)
	require.Equal(t, 1, conn.Calls()["CreatePropertyCollector"], "nothing was lost")
	sameAsFresh(t, conn, r)
}

// A roster that cannot be refreshed stays unchanged and recovers.
func TestWatchedRosterFails(t *testing.T) {
	t.Parallel()
	s := watchSim(t)
	vm := vspheretest.VmsOf(s.Model)[0]
	var down atomic.Bool
	s.Tamper(func(w http.ResponseWriter, r *http.Request, _ []byte, next http.Handler) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
	conn := s.Dial(t)
	conn.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
	r := watched(t, conn)
	before := vmSeen(r, vm)
	down.Store(true)
	publish(s, vm, "name", "renamed")
	err := r.Refresh(t.Context())
	require.ErrorContains(t, err, "reading the roster of hosts and VMs")
	require.ErrorContains(t, err, "503")
	require.Equal(t, before, vmSeen(r, vm))
	down.Store(false)
	require.NoError(t, r.Refresh(t.Context()))
	require.Equal(t, "renamed", vmSeen(r, vm).Name)
}

// Close destroys the server's side, and does not log in for that.
func TestWatchedRosterIsClosed(t *testing.T) {
	t.Parallel()
	s := watchSim(t)
	conn := s.Dial(t)
	r := watched(t, conn)
	ended, end := context.WithCancel(t.Context())
	end()
	calls := vspheretest.CallsOf(conn, func() { require.NoError(t, r.Close(ended)) })
	require.Equal(t, map[string]int{"DestroyPropertyCollector": 1, "DestroyView": 1}, calls)
	require.Empty(t, vspheretest.CallsOf(conn, func() { require.NoError(t, r.Close(t.Context())) }), "twice is no more than once")
	require.NoError(t, r.Refresh(t.Context()), "it would be made again")

	_, err := methods.Logout(t.Context(), conn, &types.Logout{This: *conn.Client().ServiceContent.SessionManager})
	require.NoError(t, err)
	calls = vspheretest.CallsOf(conn, func() { require.NoError(t, r.Close(t.Context())) })
	require.Zero(t, calls["Login"], "%v", calls)

	plain, err := ReadRoster(t.Context(), conn)
	require.NoError(t, err)
	require.Empty(t, vspheretest.CallsOf(conn, func() { require.NoError(t, plain.Close(t.Context())) }))
}

// Properties that a server does not have are omitted.
func TestWatchedRosterOfAnOldServer(t *testing.T) {
	t.Parallel()
	s := watchSim(t)
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if bytes.Contains(body, []byte(">summary.hardware.model<")) {
			vspheretest.Fault(w, "", "InvalidProperty", "<name>summary.hardware.model</name>")
			return
		}
		next.ServeHTTP(w, r)
	})
	conn := s.Dial(t)
	r := watched(t, conn)
	require.Empty(t, r.Hosts()[0].Model)
	require.Positive(t, r.Hosts()[0].Cores)
	require.Equal(t, conn.Calls()["CreateContainerView"], conn.Calls()["DestroyView"]+1, "failed attempts leave nothing behind")
	sameAsFresh(t, conn, r)
}
