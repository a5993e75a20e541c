package account_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/account"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func ids(objects []account.Object) (list []string) {
	for _, o := range objects {
		list = append(list, o.ID)
	}
	return list
}

func granted(t *testing.T, s *session.Session, privileges ...string) (map[string]map[string]bool, []account.Object) {
	t.Helper()
	objects, err := account.Objects(t.Context(), s)
	require.NoError(t, err)
	user, err := account.ReadUser(t.Context(), s)
	require.NoError(t, err)
	require.NotEmpty(t, user.Name)
	all, err := account.Granted(t.Context(), s, user, ids(objects), privileges)
	require.NoError(t, err)
	require.Len(t, all, len(objects))
	return all, objects
}

func TestObjects(t *testing.T) {
	t.Parallel()
	s := vspheretest.Demo(t)
	objects, err := account.Objects(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, "/", objects[0].Path)
	require.Equal(t, s.Client().ServiceContent.RootFolder.String(), objects[0].ID)
	count := map[inventory.Scope]int{}
	known := ids(objects)
	for _, o := range objects {
		count[o.Scope]++
		require.True(t, strings.HasPrefix(o.Path, "/"), o)
		require.True(t, o == objects[0] || slices.Contains(known, o.Parent), o)
	}
	require.Equal(t, map[inventory.Scope]int{
		"": count[""], inventory.ScopeHost: 16, inventory.ScopeVM: 5, inventory.ScopePool: 11, inventory.ScopeCluster: 5, inventory.ScopeSwitch: 5, inventory.ScopeDatastore: 40,
	}, count)
	i := slices.IndexFunc(objects, func(o account.Object) bool { return o.Name == "host01.demo.local" })
	require.Equal(t, "/demo/host/lowlat/host01.demo.local", objects[i].Path)
	require.Equal(t, "7.0.3", func() string { v, _ := objects[i].Version.Value(); return v.String() }())
}

func TestGranted(t *testing.T) {
	t.Parallel()
	s := vspheretest.FleetOf(t, "vcenter", simfleet.Config{VCenterOnly: true, Lacks: []string{"Host.Config.Power"}, Scenarios: []string{"denied-user"}})
	all, objects := granted(t, s, "System.Read", "Host.Config.Power", "Host.Config.Storage")
	denied := 0
	for _, o := range objects {
		require.False(t, all[o.ID]["Host.Config.Power"])
		if !all[o.ID]["System.Read"] {
			denied++
			require.False(t, all[o.ID]["Host.Config.Storage"])
		}
	}
	require.Equal(t, 2, denied, "host02 and the folder")
	i := slices.IndexFunc(objects, func(o account.Object) bool { return !strings.HasPrefix(o.Path, "/") })
	require.Equal(t, objects[i].ID, objects[i].Path, "a path with an unreadable name would be wrong")
}

// A server without the call for many objects has one for each. A server that refuses says why.
func TestOlderCall(t *testing.T) {
	t.Parallel()
	sim := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	kind := "NotSupported"
	sim.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if vspheretest.RequestName(r, body) == "HasPrivilegeOnEntities" {
			vspheretest.Fault(w, "no", kind, "")
			return
		}
		next.ServeHTTP(w, r)
	})
	s := sim.Dial(t)
	all, objects := granted(t, s, "System.Read", "Host.Config.Power")
	require.True(t, all[objects[0].ID]["Host.Config.Power"])
	require.Equal(t, 1, s.Calls()["HasPrivilegeOnEntities"])
	require.Equal(t, len(objects), s.Calls()["HasPrivilegeOnEntity"])

	kind = "SystemError"
	_, err := account.Granted(t.Context(), s, account.User{Key: "x"}, ids(objects), []string{"System.Read"})
	require.ErrorContains(t, err, "system error")
}

func TestHostAlone(t *testing.T) {
	t.Parallel()
	s := vspheretest.FleetOf(t, "esxi-a", simfleet.Config{})
	p := account.ReadProduct(s)
	require.False(t, p.IsVCenter)
	require.Contains(t, p.Name, "VMware ESXi 6.5.0")
	all, objects := granted(t, s, "System.Read")
	require.True(t, all[objects[0].ID]["System.Read"])
}
