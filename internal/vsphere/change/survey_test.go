package change

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// estateOn returns the estate behind a session, with a short polling interval.
func estateOn(s *session.Session, protected ...string) *estate {
	e := newEstate(s, protected...)
	e.limits.poll = 50 * time.Millisecond
	return e
}

// targets returns all objects of an endpoint by name.
func targets(t *testing.T, s *session.Session) map[string]tuning.Target {
	t.Helper()
	vc, err := read.Inventory(t.Context(), s, tree.Scope{}, vspheretest.NeedsOf("Host.cores", "VM.vcpus", "Switch.niocEnabled", "Datastore.kind", "Pool.tags"), nil)
	require.NoError(t, err)
	all := map[string]tuning.Target{}
	add := func(k inventory.Scope, e inventory.Entity) {
		all[e.Name] = tuning.Target{Kind: k, ID: e.ID, Name: e.Name, Path: e.Path}
	}
	for _, p := range vc.Pools {
		add(inventory.ScopePool, p.Entity)
	}
	for _, x := range vc.Switches {
		add(inventory.ScopeSwitch, x.Entity)
	}
	for _, d := range vc.Datastores {
		add(inventory.ScopeDatastore, d.Entity)
	}
	for _, c := range vc.Clusters {
		add(inventory.ScopeCluster, c.Entity)
	}
	for _, h := range vc.Hosts {
		add(inventory.ScopeHost, h.Entity)
	}
	for _, v := range vc.VMs {
		add(inventory.ScopeVM, v.Entity)
	}
	return all
}

// conditions surveys targets by name.
func conditions(t *testing.T, s *estate, all map[string]tuning.Target, names ...string) map[string]tuning.Condition {
	t.Helper()
	var list []tuning.Target
	for _, n := range names {
		require.NotEmpty(t, all[n], n)
		list = append(list, all[n])
	}
	found, err := s.tuning().Settings.Survey(t.Context(), list)
	require.NoError(t, err)
	require.Len(t, found, len(list))
	out := map[string]tuning.Condition{}
	for i, c := range found {
		require.Equal(t, list[i].ID, c.Target.ID, "in their order")
		out[names[i]] = c
	}
	return out
}

func TestSurveyOfTheFleet(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all := targets(t, s.Session)
	found := conditions(t, s, all, "host01.demo.local", "trade-lat-01", "app-legacy-01", "tmpl-rhel9", "general", "batch", "dvs-lowlat", "san01")
	for name, c := range found {
		require.Empty(t, c.Gone, name)
		require.Empty(t, c.Busy, name)
		require.Empty(t, c.Owner, name)
		require.Empty(t, c.Doubts, name)
		require.Equal(t, name, c.Target.Name)
		require.Equal(t, all[name].Path, c.Target.Path)
		has, known := c.Privileges.Value()
		require.True(t, known, name)
		require.True(t, slices.Contains(has, "VirtualMachine.Config.Resource"), name)
		require.Equal(t, name == "tmpl-rhel9", c.Untouchable != "", name)
	}
	host, vm := found["host01.demo.local"], found["trade-lat-01"]
	require.True(t, host.Running)
	require.False(t, host.Maintenance)
	require.Equal(t, time.Date(2026, 3, 7, 4, 0, 0, 0, time.UTC), host.Booted)
	require.Equal(t, all["host01.demo.local"].ID, host.Host)
	require.Equal(t, all["lowlat"].ID, host.Cluster)
	require.True(t, vm.Running)
	require.False(t, vm.Booted.IsZero())
	require.Equal(t, host.Host, vm.Host)
	require.Equal(t, host.Cluster, vm.Cluster)
	require.NotEmpty(t, host.Target.UUID)
	require.NotEmpty(t, vm.Target.UUID)
	require.NotEqual(t, vm.Target.UUID, found["app-legacy-01"].Target.UUID)
	require.False(t, found["app-legacy-01"].Running)
	require.Zero(t, found["app-legacy-01"].Booted)
	require.Equal(t, all["general"].ID, found["batch"].Cluster)
	require.Equal(t, all["general"].ID, found["general"].Cluster)
	require.Equal(t, found["host01.demo.local"], conditions(t, s, all, "host01.demo.local")["host01.demo.local"], "alone as with others")
	protected := conditions(t, estateOn(s.Session, "TRADE-*"), all, "trade-lat-01", "host01.demo.local")
	require.Equal(t, `its name matches "TRADE-*", which the config file protects`, protected["trade-lat-01"].Untouchable)
	require.Empty(t, protected["host01.demo.local"].Untouchable)
}

func TestSurveyOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all := targets(t, s.Session)
	gone := tuning.Target{Kind: inventory.ScopeVM, ID: "vm-99999", Name: "old", UUID: "x"}
	found, err := s.tuning().Settings.Survey(t.Context(), []tuning.Target{gone, all["web-01"], {Kind: inventory.ScopeHost, ID: all["web-01"].ID}, {Kind: inventory.ScopePNIC, ID: "vmnic0"}})
	require.NoError(t, err)
	require.Contains(t, found[0].Gone, "has no vm vm-99999")
	require.Equal(t, gone, found[0].Target)
	require.Empty(t, found[1].Gone)
	require.Contains(t, found[2].Gone, "has no host vm-")
	require.Contains(t, found[3].Gone, "has no pnic vmnic0")
	none, err := s.tuning().Settings.Survey(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestSurveyOfAStandaloneHost(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "esxi-c"))
	all := targets(t, s.Session)
	found := conditions(t, s, all, "esxi-c.demo.local", "rt-ctrl-01")
	for name, c := range found {
		require.Empty(t, c.Gone+c.Untouchable+c.Owner+c.Busy+c.Cluster, name)
		require.Empty(t, c.Doubts, name)
		require.True(t, c.Running, name)
		require.Equal(t, all["esxi-c.demo.local"].ID, c.Host)
		_, known := c.Privileges.Value()
		require.True(t, known, name)
	}
	server, err := Server(t.Context(), s.Session)
	require.NoError(t, err)
	require.Equal(t, found["esxi-c.demo.local"].Target.UUID, server.UUID, "a host is known by its hardware")
	require.True(t, server.Sandbox)
}

func TestServerIsTheVCenter(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	server, err := Server(t.Context(), s.Session)
	require.NoError(t, err)
	require.Equal(t, tuning.Server{
		Name: "vcenter.demo.local", UUID: s.Client().ServiceContent.About.InstanceUuid, Address: s.Host(),
		Product: "VMware vCenter Server 8.0.3 build-24022515", Sandbox: true,
	}, server)
	require.True(t, s.Simulated())

	s.Client().ServiceContent.About.Vendor = "VMware, Inc."
	server, err = Server(t.Context(), s.Session)
	require.NoError(t, err)
	require.False(t, server.Sandbox, "a server without the vendor is not a sandbox")
}

// A survey of all objects takes as many calls as a survey of one, except for clusters, each of which is asked for its profile.
func TestSurveyCallsDoNotGrow(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all := targets(t, s.Session)
	calls := func(list ...tuning.Target) map[string]int {
		before := s.Calls()
		_, err := s.tuning().Settings.Survey(t.Context(), list)
		require.NoError(t, err)
		after := s.Calls()
		for m := range after {
			if after[m] -= before[m]; after[m] == 0 {
				delete(after, m)
			}
		}
		return after
	}
	var hosts, vms []tuning.Target
	for _, x := range all {
		switch x.Kind {
		case inventory.ScopeHost:
			hosts = append(hosts, x)
		case inventory.ScopeVM:
			vms = append(vms, x)
		}
	}
	require.Greater(t, len(vms), 60)
	one, many := calls(vms[0]), calls(vms...)
	delete(many, session.RESTTags) // this one grows with the tags in use
	delete(one, session.RESTTags)
	require.Equal(t, one, many)
	require.Equal(t, 2, one["RetrievePropertiesEx"])
	require.Equal(t, 1, one["FetchUserPrivilegeOnEntities"])

	one, many = calls(hosts[0], vms[0]), calls(append(hosts, vms...)...)
	require.Equal(t, 1, one[session.RESTProfiles])
	require.Equal(t, 5, many[session.RESTProfiles])
	for _, m := range []string{session.RESTTags, session.RESTProfiles} {
		delete(one, m)
		delete(many, m)
	}
	require.Equal(t, one, many)
	require.Equal(t, 3, one["RetrievePropertiesEx"])
}

func TestOwnedByAConfigurationProfile(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter", "config-profile"))
	for name, c := range conditions(t, s, targets(t, s.Session), "host06.demo.local", "general", "host01.demo.local", "lowlat", "web-01", "batch") {
		if name == "host06.demo.local" || name == "general" {
			require.Equal(t, "the configuration profile of cluster general", c.Owner, name)
			require.Contains(t, c.Place, "the desired state of cluster general", name)
			continue
		}
		require.Empty(t, c.Owner+c.Place, name)
	}
}

func TestSurveyAsADeniedUser(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter", "denied-user"))
	all := targets(t, s.Session)
	found := conditions(t, s, all, "host02.demo.local", "host01.demo.local")
	denied := 0
	for id, x := range all {
		if strings.HasPrefix(x.ID, "vm-") && id == x.ID { // the server does not even return its name
			list, err := s.tuning().Settings.Survey(t.Context(), []tuning.Target{x})
			require.NoError(t, err)
			denied++
			require.Contains(t, list[0].Untouchable, "no permission")
			require.Empty(t, list[0].Gone)
		}
	}
	require.Positive(t, denied)
	require.Empty(t, found["host01.demo.local"].Untouchable)
	may, _ := found["host01.demo.local"].Privileges.Value()
	require.True(t, slices.Contains(may, "Host.Config.AdvancedConfig"))
	may, known := found["host02.demo.local"].Privileges.Value()
	require.True(t, known)
	require.False(t, slices.Contains(may, "Host.Config.AdvancedConfig"))
}

func TestSurveyOfABusyHost(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter", "busy-host"))
	found := conditions(t, s, targets(t, s.Session), "host01.demo.local", "host02.demo.local", "trade-lat-01")
	require.Regexp(t, `^task \S*scanHostPatchV2 of VSPHERE.LOCAL\\backup is running since 20\S+Z$`, found["host01.demo.local"].Busy)
	require.Empty(t, found["host02.demo.local"].Busy)
	require.Empty(t, found["trade-lat-01"].Busy)
}

// Sessions may end between any two calls of a survey.
func TestSurveyThroughSessionsThatEnd(t *testing.T) {
	t.Parallel()
	well := estateOn(vspheretest.Fleet(t, "vcenter"))
	all := targets(t, well.Session)
	names := []string{"host06.demo.local", "web-01", "general"}
	want := conditions(t, well, all, names...)
	for name, c := range conditions(t, estateOn(vspheretest.Fleet(t, "vcenter", "session-expires")), all, names...) {
		require.Equal(t, want[name], c)
	}
}

func TestSurveyOfAHostThatIsDown(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter", "host-down"))
	found := conditions(t, s, targets(t, s.Session), "host08.demo.local", "spark-02", "host07.demo.local")
	require.Equal(t, "host not responding (state notResponding)", found["host08.demo.local"].Untouchable)
	require.False(t, found["host08.demo.local"].Running)
	require.Equal(t, "disconnected: its host does not respond (state disconnected)", found["spark-02"].Untouchable)
	require.Empty(t, found["host07.demo.local"].Untouchable)
}
