package vsphere

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/pkg/inventory"
)

// TestReadSurvives lets every single request of a reading meet the same trouble once: the result must be the same.
func TestReadSurvives(t *testing.T) {
	t.Parallel()
	s := startSim(t, smallVPX(2), nil)
	x := new(trouble)
	s.tamper(x.handle)
	for name, strike := range map[string]func(http.ResponseWriter, *http.Request, http.Handler){
		"session expired": nil,
		"connection reset": func(http.ResponseWriter, *http.Request, http.Handler) {
			panic(http.ErrAbortHandler)
		},
		"answer cut off": func(w http.ResponseWriter, r *http.Request, next http.Handler) { serveHalf(w, r, next) },
	} {
		t.Run(name, func(t *testing.T) {
			x.strike = strike
			var want string
			var struck []string
			for n := 0; ; n++ {
				conn := s.dial(t)
				conn.Tweak(Tweak{RetryPause: time.Millisecond})
				conn.Tweak(Tweak{PageLimit: 1})
				x.arm(n)
				got := readJSON(t, conn)
				if n == 0 {
					want = got
					continue
				}
				if x.struck == "" || x.struck == "DestroyView" {
					require.GreaterOrEqual(t, len(struck), 7, "the reading had that many calls")
					t.Log(struck)
					return
				}
				struck = append(struck, x.struck)
				require.Equal(t, want, got, "trouble at call %d (%s)", n, x.struck)
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

// readJSON reads a little of everything and leaves out the time.
func readJSON(t *testing.T, s *Session, hosts ...string) string {
	t.Helper()
	vc, err := Inventory(t.Context(), s, Scope{Hosts: hosts}, needing("Host.version", "Host.pnics", "VM.vcpus", "VM.vmx", "Pool.cpuLimitMHz"), nil)
	require.NoError(t, err)
	vc.TakenAt = time.Time{}
	b, err := json.MarshalIndent(vc, "", " ")
	require.NoError(t, err)
	return string(b)
}

func TestSessionOfTargetsExpires(t *testing.T) {
	t.Parallel()
	s := startSim(t, smallVPX(3), nil)
	x := new(trouble)
	s.tamper(x.handle)
	want := readJSON(t, s.dial(t), "DC0_C0_H0")
	for n := 1; n <= 5; n++ {
		conn := s.dial(t)
		x.arm(n)
		require.Equal(t, want, readJSON(t, conn, "DC0_C0_H0"), "call %d: %s", n, x.struck)
		require.Equal(t, 2, conn.Calls()["Login"], "call %d: %s", n, x.struck)
	}
}

func TestTroubleThatStays(t *testing.T) {
	t.Parallel()
	s := startSim(t, smallVPX(1), nil)
	conn := s.dial(t)
	conn.Tweak(Tweak{RetryPause: time.Millisecond})
	s.tamper(func(w http.ResponseWriter, _ *http.Request, _ []byte, _ http.Handler) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	_, err := Inventory(t.Context(), conn, Scope{}, inventory.Everything(), nil)
	require.ErrorContains(t, err, "it answered HTTP 503")
	require.Equal(t, 3, conn.Calls()["CurrentTime"], "no more than the retries")
}

// TestPasswordChangedMeanwhile: a session that cannot be renewed ends the reading, after one try.
func TestPasswordChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := startSim(t, smallVPX(1), nil)
	x := new(trouble)
	s.tamper(x.handle)
	for n := 1; n <= 4; n++ {
		conn := s.dial(t)
		conn.Tweak(Tweak{Password: "the-old-one"})
		x.arm(n)
		_, err := Inventory(t.Context(), conn, Scope{}, inventory.Everything(), nil)
		var refused *LoginError
		require.ErrorAs(t, err, &refused)
		require.NotContains(t, err.Error(), "the-old-one")
		require.Equal(t, 2, conn.Calls()["Login"], "a wrong password is tried once: accounts get locked")
	}
}

// TestHostRemovedMeanwhile: what goes between the index and the facts must not take the others along.
func TestHostRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	s := startSim(t, smallVPX(3), nil)
	gone := hostsOf(s.Model)[0]
	s.tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if bytes.Contains(body, []byte(">hardware.cpuInfo.numCpuCores<")) {
			s.Map().Remove(simulator.NewContext(), gone.Self)
		}
		next.ServeHTTP(w, r)
	})
	vc := readSim(t, s, needing("Host.cores"), "DC0_C0_H0", "DC0_C0_H1")
	require.Equal(t, "the server returned nothing about the host", vc.Hosts[0].Unread)
	require.Empty(t, vc.Hosts[1].Unread)
	require.Equal(t, inventory.Known(int64(2)), vc.Hosts[1].Cores)
}
