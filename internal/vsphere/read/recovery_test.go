package read

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestReadSurvives injects the same error once into every single request of a read: the result must be the same.
func TestReadSurvives(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), nil)
	x := new(vspheretest.FailingRequest)
	s.Tamper(x.Handle)
	for name, strike := range map[string]func(http.ResponseWriter, *http.Request, http.Handler){
		"session expired": nil,
		"connection reset": func(http.ResponseWriter, *http.Request, http.Handler) {
			panic(http.ErrAbortHandler)
		},
		"answer cut off": func(w http.ResponseWriter, r *http.Request, next http.Handler) { serveHalf(w, r, next) },
	} {
		t.Run(name, func(t *testing.T) {
			x.OnFail = strike
			var want string
			var struck []string
			for n := 0; ; n++ {
				conn := s.Dial(t)
				conn.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
				conn.SetForTest(session.TestSettings{PageLimit: 1})
				x.Arm(n)
				got := readJSON(t, conn)
				if n == 0 {
					want = got
					continue
				}
				if x.Failed == "" || x.Failed == "DestroyView" {
					require.GreaterOrEqual(t, len(struck), 7, "the reading had that many calls")
					t.Log(struck)
					return
				}
				struck = append(struck, x.Failed)
				require.Equal(t, want, got, "trouble at call %d (%s)", n, x.Failed)
			}
		})
	}
}

// serveHalf sends the first half of the answer.
func serveHalf(w http.ResponseWriter, r *http.Request, next http.Handler) {
	rec := &recorder{header: http.Header{}}
	next.ServeHTTP(rec, r)
	w.Header().Set("Content-Type", "text/xml")
	_, _ = w.Write(rec.Bytes()[:rec.Len()/2])
}

type recorder struct {
	bytes.Buffer
	header http.Header
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(int)     {}

// readJSON reads a few facts of each kind and omits the time.
func readJSON(t *testing.T, s *session.Session, hosts ...string) string {
	t.Helper()
	vc, err := Inventory(t.Context(), s, tree.Scope{Hosts: hosts}, vspheretest.NeedsOf("Host.version", "Host.pnics", "VM.vcpus", "VM.vmx", "Pool.cpuLimitMHz"), nil)
	require.NoError(t, err)
	vc.TakenAt = time.Time{}
	b, err := json.MarshalIndent(vc, "", " ")
	require.NoError(t, err)
	return string(b)
}

func TestSessionOfTargetsExpires(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(3), nil)
	x := new(vspheretest.FailingRequest)
	s.Tamper(x.Handle)
	want := readJSON(t, s.Dial(t), "DC0_C0_H0")
	for n := 1; n <= 5; n++ {
		conn := s.Dial(t)
		x.Arm(n)
		require.Equal(t, want, readJSON(t, conn, "DC0_C0_H0"), "call %d: %s", n, x.Failed)
		require.Equal(t, 2, conn.Calls()["Login"], "call %d: %s", n, x.Failed)
	}
}

func TestTroubleThatStays(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	conn := s.Dial(t)
	conn.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
	s.Tamper(func(w http.ResponseWriter, _ *http.Request, _ []byte, _ http.Handler) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	_, err := Inventory(t.Context(), conn, tree.Scope{}, inventory.Everything(), nil)
	require.ErrorContains(t, err, "it answered HTTP 503")
	require.Equal(t, 3, conn.Calls()["CurrentTime"], "no more than the retries")
}

// TestPasswordChangedMeanwhile: a session that cannot be renewed ends the read after one attempt.
func TestPasswordChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	x := new(vspheretest.FailingRequest)
	s.Tamper(x.Handle)
	for n := 1; n <= 4; n++ {
		conn := s.Dial(t)
		conn.SetForTest(session.TestSettings{Password: "the-old-one"})
		x.Arm(n)
		_, err := Inventory(t.Context(), conn, tree.Scope{}, inventory.Everything(), nil)
		var refused *session.LoginError
		require.ErrorAs(t, err, &refused)
		require.NotContains(t, err.Error(), "the-old-one")
		require.Equal(t, 2, conn.Calls()["Login"], "a wrong password is tried once: accounts get locked")
	}
}

// TestHostRemovedMeanwhile: an object removed between the index and the facts does not affect the others.
func TestHostRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(3), nil)
	gone := vspheretest.HostsOf(s.Model)[0]
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if bytes.Contains(body, []byte(">hardware.cpuInfo.numCpuCores<")) {
			s.Map().Remove(simulator.NewContext(), gone.Self)
		}
		next.ServeHTTP(w, r)
	})
	vc := readSim(t, s, vspheretest.NeedsOf("Host.cores"), "DC0_C0_H0", "DC0_C0_H1")
	require.Equal(t, "the server returned nothing about the host", vc.Hosts[0].Unread)
	require.Empty(t, vc.Hosts[1].Unread)
	require.Equal(t, inventory.Known(int64(2)), vc.Hosts[1].Cores)
}
