package session_test

import (
	"bytes"
	"compress/gzip"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// weighed is the server's count of calls of a method.
type weighed struct {
	calls          int
	sent, received int64
}

// weigh counts transferred bytes on the server's side. Answers may be compressed if the client accepts it.
func weigh(s *vspheretest.Sim, compressed bool) func() map[string]weighed {
	var mu sync.Mutex
	seen := map[string]weighed{}
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		method := vspheretest.RequestName(r, body)
		answer := &answerKept{header: http.Header{}, status: http.StatusOK}
		next.ServeHTTP(answer, r)
		maps.Copy(w.Header(), answer.header)
		b := answer.body.Bytes()
		if compressed && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			b = packed(b)
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Del("Content-Length")
		}
		mu.Lock()
		x := seen[method]
		seen[method] = weighed{x.calls + 1, x.sent + int64(len(body)), x.received + int64(len(b))}
		mu.Unlock()
		w.WriteHeader(answer.status)
		_, _ = w.Write(b)
	})
	return func() map[string]weighed {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func packed(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

// answerKept records an answer.
type answerKept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *answerKept) Header() http.Header         { return r.header }
func (r *answerKept) WriteHeader(status int)      { r.status = status }
func (r *answerKept) Write(b []byte) (int, error) { return r.body.Write(b) }

// TestCosts: the counts equal the server's, to the byte, compressed or not.
func TestCosts(t *testing.T) {
	for name, compressed := range map[string]bool{"plain": false, "compressed": true} {
		t.Run(name, func(t *testing.T) {
			server := vspheretest.Start(t, vspheretest.SmallVPX(2), nil)
			seen := weigh(server, compressed)
			s := server.Dial(t)
			_, err := read.Inventory(t.Context(), s, tree.Scope{}, inventory.Everything(), nil)
			require.NoError(t, err)
			_, err = methods.PowerOnVM_Task(t.Context(), s, &types.PowerOnVM_Task{This: types.ManagedObjectReference{Type: property.TypeVM, Value: "none"}})
			require.Error(t, err)

			rest := weighed{}
			costs := s.Costs()
			for method, c := range costs {
				require.Equal(t, c.Calls, s.Calls()[method])
				require.Positive(t, c.Took, method)
				if strings.HasPrefix(method, "REST") {
					rest = weighed{rest.calls + c.Calls, rest.sent + c.Sent, rest.received + c.Received}
					continue
				}
				counted := weighed{c.Calls, c.Sent, c.Received}
				require.Equal(t, seen()[method], counted, method)
			}
			require.Positive(t, rest.calls)
			require.Equal(t, seen()["REST"].sent, rest.sent)
			require.Equal(t, 1, costs["PowerOnVM_Task"].Failures)
			require.Zero(t, costs["RetrievePropertiesEx"].Failures)
			require.Greater(t, costs["RetrievePropertiesEx"].Received, int64(2000))
			require.Equal(t, 1, s.Logins())
		})
	}
}

// TestLogins: an expired session is opened again, and a failed login is not counted.
func TestLogins(t *testing.T) {
	server := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	s := server.Dial(t)
	end := func() {
		_, err := methods.Logout(t.Context(), s, &types.Logout{This: *s.Client().ServiceContent.SessionManager})
		require.NoError(t, err)
	}
	end()
	_, err := measure.ReadRoster(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, 2, s.Logins())
	end()
	s.SetForTest(session.TestSettings{Password: "wrong"})
	_, err = measure.ReadRoster(t.Context(), s)
	require.Error(t, err)
	require.Equal(t, 2, s.Logins())
	require.Equal(t, 3, s.Calls()["Login"])
	require.Equal(t, 1, s.Costs()["Login"].Failures)
}

// TestTookCountsTheServersTime: the time that the server takes is counted.
func TestTookCountsTheServersTime(t *testing.T) {
	server := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	s := server.Dial(t)
	server.Tamper(func(w http.ResponseWriter, r *http.Request, _ []byte, next http.Handler) {
		time.Sleep(30 * time.Millisecond)
		next.ServeHTTP(w, r)
	})
	before := s.Costs()["CurrentTime"].Took
	_, err := s.Now(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, s.Costs()["CurrentTime"].Took-before, 30*time.Millisecond)
}
