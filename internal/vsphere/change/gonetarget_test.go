package change

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// TestOneHostOfAPlanIsGone removes a host from the vCenter while a plan is made, or lets the server refuse to show its settings.
// The plan skips this host with the reason and includes the others.
func TestOneHostOfAPlanIsGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leaves func(s *vspheretest.Sim, host ref)
		why    string
	}{
		"before it is looked at": {func(s *vspheretest.Sim, host ref) { s.Map().Remove(simulator.NewContext(), host) }, " has no host host-"},
		"after it was looked at": {func(s *vspheretest.Sim, host ref) {
			s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
				if bytes.Contains(body, []byte("configManager.advancedOption")) && bytes.Contains(body, []byte(">"+host.Value+"<")) {
					s.Map().Remove(simulator.NewContext(), host)
				}
				next.ServeHTTP(w, r)
			})
		}, ": the server no longer has this object"},
		"refused": {func(s *vspheretest.Sim, host ref) {
			s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
				if bytes.Contains(body, []byte("configManager.advancedOption")) && bytes.Contains(body, []byte(">"+host.Value+"<")) {
					vspheretest.Fault(w, "not now", "SystemError", "<reason>sick</reason>")
					return
				}
				next.ServeHTTP(w, r)
			})
		}, "its settings could not be read: system error: not now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := vspheretest.Start(t, vspheretest.SmallVPX(3), func(m *simulator.Model) {
				for _, h := range vspheretest.HostsOf(m) {
					options := m.Map().Get(*h.ConfigManager.AdvancedOption).(*simulator.OptionManager)
					options.Setting = []types.BaseOptionValue{&types.OptionValue{Key: "Numa.PageMigEnable", Value: int64(1)}}
				}
			})
			session := s.Dial(t)
			vc, err := read.Inventory(t.Context(), session, tree.Scope{}, vspheretest.NeedsOf("Host.cores"), nil)
			require.NoError(t, err)
			var proposals []tuning.Proposal
			for _, h := range vc.Hosts {
				proposals = append(proposals, tuning.Proposal{
					Target: tuning.Target{Kind: inventory.ScopeHost, ID: h.ID, Name: h.Name, Path: h.Path},
					Want:   assign("host-option/Numa.PageMigEnable", "", "0"),
				})
			}
			c.leaves(s, ref{Type: property.TypeHost, Value: vc.Hosts[1].ID})
			p, err := tuning.NewPlan(t.Context(), estateOn(session).tuning().Settings, tuning.Server{}, proposals, time.Now())
			require.NoError(t, err)
			require.Len(t, p.Skipped, 1)
			require.Equal(t, vc.Hosts[1].Name, p.Skipped[0].Target.Name)
			require.Contains(t, p.Skipped[0].Why, c.why)
			require.True(t, p.Skipped[0].Refused)
			require.Len(t, p.Steps, 2)
		})
	}
}

// TestProveTargetsThatDisappear removes one host before one request of a plan and its run. A plan skips it. A run either refuses, and has
// written nothing, or ends at this host and can undo the others: the journal knows the value of each host that is left.
func TestProveTargetsThatDisappear(t *testing.T) {
	t.Parallel()
	const requests = 150 // of the plan and its run, about
	var some []int
	for n := 1; n <= requests; n += 2 {
		some = append(some, n)
	}
	var ends sync.Map // how runs ended
	t.Run("at", func(t *testing.T) {
		for _, n := range proof.Sample(t, 10, some) {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				ends.Store(disappearing(t, n), true)
			})
		}
	})
	all := []string{"failed", "done"}
	if proof.Everything(t) { // a run is refused at three or four requests only, and which ones depends on the order in which hosts are asked
		all = append(all, "refused")
	}
	for _, end := range all {
		_, seen := ends.Load(end)
		require.True(t, seen, "no run was %s", end)
	}
}

// disappearing removes a host before the nth request, and returns how the run ended.
func disappearing(t *testing.T, n int) string {
	t.Helper()
	const key = "Numa.PageMigEnable"
	s := vspheretest.Start(t, vspheretest.SmallVPX(3), func(m *simulator.Model) {
		for _, h := range vspheretest.HostsOf(m) {
			options := m.Map().Get(*h.ConfigManager.AdvancedOption).(*simulator.OptionManager)
			options.Setting = []types.BaseOptionValue{&types.OptionValue{Key: key, Value: int64(1)}}
		}
	})
	conn := s.Dial(t)
	vc, err := read.Inventory(t.Context(), conn, tree.Scope{}, vspheretest.NeedsOf("Host.cores"), nil)
	require.NoError(t, err)
	var proposals []tuning.Proposal
	for _, h := range vc.Hosts {
		target := tuning.Target{Kind: inventory.ScopeHost, ID: h.ID, Name: h.Name, Path: h.Path}
		proposals = append(proposals, tuning.Proposal{Target: target, Want: assign("host-option/"+key, "", "0")})
	}
	gone := ref{Type: property.TypeHost, Value: vc.Hosts[1].ID}
	x := &vspheretest.FailingRequest{OnFail: func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		s.Map().Remove(simulator.NewContext(), gone)
		next.ServeHTTP(w, r)
	}}
	s.Tamper(x.Handle)
	x.Arm(n)
	values := func() map[string]string { // of the others
		all := map[string]string{}
		for _, h := range vspheretest.HostsOf(s.Model) {
			if h.Self != gone {
				options := s.Map().Get(*h.ConfigManager.AdvancedOption).(*simulator.OptionManager)
				all[h.Name] = fmt.Sprint(options.Setting[0].GetOptionValue().Value)
			}
		}
		return all
	}
	before := values()
	estate := estateOn(conn).tuning()
	plan, err := tuning.NewPlan(t.Context(), estate.Settings, tuning.Server{}, proposals, time.Now())
	require.NoError(t, err, x.Failed)
	require.Equal(t, 3, len(plan.Steps)+len(plan.Skipped))
	require.GreaterOrEqual(t, len(plan.Steps), 2)
	runs, err := tuning.OpenRuns(t.TempDir())
	require.NoError(t, err)
	// the simulator has no tags, so that nobody knows whether they protect the hosts
	outcome, err := tuning.Apply(t.Context(), estate, runs, plan, tuning.Options{OverrideOwner: true})
	end := "done"
	if failed := (*tuning.FailedError)(nil); errors.As(err, &failed) {
		end = "failed"
		require.ErrorContains(t, err, vc.Hosts[1].Name, x.Failed)
	} else if err != nil {
		require.ErrorContains(t, err, vc.Hosts[1].Name, x.Failed)
		require.Equal(t, before, values(), x.Failed)
		return "refused"
	} else {
		require.NotEqual(t, before, values(), x.Failed)
	}
	_, _ = tuning.Rollback(t.Context(), estate, runs, outcome.Run, tuning.Options{}) // the host that is gone cannot be undone
	require.Equal(t, before, values(), x.Failed)
	return end
}
