package cli

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/advice"
)

// outcomesOf maps the rule and object of each result of an audit to its outcome. The audit is -o json --all.
func outcomesOf(t *testing.T, stdout string) map[string]string {
	t.Helper()
	findings, err := auditFindings([]byte(stdout))
	require.NoError(t, err)
	all := map[string]string{}
	for _, f := range findings {
		all[f.Rule+" "+string(f.Object.Kind)+" "+f.Object.ID] = f.Outcome
	}
	require.NotEmpty(t, all)
	return all
}

// TestProveAuditOfASlowServer: if each call takes longer than usual, an audit takes longer, and finds the same.
func TestProveAuditOfASlowServer(t *testing.T) {
	t.Parallel() // it mostly waits
	fleet, err := sharedFaultFleet()
	require.NoError(t, err)
	audit := func(slower time.Duration) map[string]string {
		s := newFaultStage(t, fleet, faulty.Hooks{Serve: func(_ http.ResponseWriter, r *http.Request, _ []byte) bool {
			select {
			case <-time.After(slower):
			case <-r.Context().Done():
			}
			return false
		}})
		r := s.bounded(t, "audit", "--all", "-o", "json")
		require.Zero(t, r.code, r.stderr)
		require.Contains(t, r.stderr, "reading 127.0.0.1:", "the user sees which server is read")
		return outcomesOf(t, r.stdout)
	}
	want := audit(0)
	require.Equal(t, want, audit(200*time.Millisecond))
	if proof.Everything(t) {
		require.Equal(t, want, audit(2*time.Second))
	}
}

// TestAuditWhileOneOf64HostsHangs: an audit ends with what all other hosts have, and what only the hung host knows is unknown.
func TestAuditWhileOneOf64HostsHangs(t *testing.T) {
	fleet, err := simfleet.Start(simfleet.Config{Hosts: 64})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	var hung atomic.Pointer[string] // the first host that is asked
	var hangs atomic.Bool
	s := newFaultStage(t, fleet, faulty.Hooks{Serve: func(_ http.ResponseWriter, r *http.Request, body []byte) bool {
		if !hangs.Load() || !strings.Contains(string(body), "<RetrieveManagedMethodExecuter") {
			return false
		}
		_, rest, _ := strings.Cut(string(body), `type="HostSystem">`)
		host, _, _ := strings.Cut(rest, "<")
		hung.CompareAndSwap(nil, &host)
		if host != *hung.Load() {
			return false
		}
		<-r.Context().Done()
		return true
	}})
	s.env = append(s.env, shortCalls+"=RetrieveManagedMethodExecuter=1s")
	whole := s.bounded(t, "audit", "--all", "-o", "json")
	require.Zero(t, whole.code, whole.stderr)
	hangs.Store(true)
	r := s.bounded(t, "audit", "--all", "-o", "json")
	require.Zero(t, r.code, r.stderr)
	require.NotNil(t, hung.Load())
	got, unknown := outcomesOf(t, r.stdout), 0
	for key, want := range outcomesOf(t, whole.stdout) {
		if got[key] == want {
			continue
		}
		require.Equal(t, string(advice.Unknown), got[key], key)
		require.Contains(t, key, *hung.Load())
		unknown++
	}
	require.Positive(t, unknown)
	require.Contains(t, r.stdout, "no answer")
}
