package read

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestObjectsThatDisappear removes one object before each single request of a read. It may be missing, or unread with a reason; the read
// goes on, and the facts of all others are as without it.
func TestObjectsThatDisappear(t *testing.T) {
	t.Parallel()
	const others = 2
	for _, kind := range []string{"HostSystem", "VirtualMachine", "Datastore", "ResourcePool", "DistributedVirtualPortgroup"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				s := vspheretest.Start(t, vspheretest.SwitchedVPX(others+1), nil)
				conn := s.Dial(t)
				gone := s.Map().All(kind)[0].Reference()
				x := &vspheretest.FailingRequest{OnFail: func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					s.Map().Remove(simulator.NewContext(), gone)
					next.ServeHTTP(w, r)
				}}
				s.Tamper(x.Handle)
				scope := tree.Scope{}
				for _, h := range vspheretest.HostsOf(s.Model) {
					scope.Hosts = append(scope.Hosts, h.Name) // so that objects are read by their ids, and not through a view
				}
				x.Arm(n)
				vc, err := Inventory(t.Context(), conn, scope, inventory.Everything(), nil)
				if kind == "HostSystem" && err != nil { // a host that was asked for by name is missed
					require.ErrorContains(t, err, "no host is called")
					continue
				}
				require.NoError(t, err, "%s gone at request %d (%s)", kind, n, x.Failed)
				require.NoError(t, Fill(t.Context(), conn, vc.Hosts, inventory.Everything(), nil))
				if x.Failed == "" || x.Failed == "DestroyView" {
					require.Greater(t, n, 4, "the read had that many requests")
					return
				}
				known := 0
				for _, h := range vc.Hosts {
					if h.ID == gone.Value {
						continue
					}
					known++
					require.Empty(t, h.Unread, "%s gone at request %d (%s)", kind, n, x.Failed)
					_, state, reason := h.Cores.Get()
					require.Equal(t, inventory.StateKnown, state, "%s: %s", x.Failed, reason)
				}
				require.GreaterOrEqual(t, known, others, "%s gone at request %d (%s)", kind, n, x.Failed)
				for _, m := range vc.VMs {
					if m.ID == gone.Value {
						continue
					}
					_, state, reason := m.VCPUs.Get()
					if host, _, _ := m.HostID.Get(); kind != "HostSystem" || host != gone.Value {
						require.Equal(t, inventory.StateKnown, state, "%s %s: %s", m.Name, x.Failed, reason)
					}
				}
			}
		})
	}
}
