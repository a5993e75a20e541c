package change

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

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
