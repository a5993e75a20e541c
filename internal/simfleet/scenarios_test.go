package simfleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// playing returns a fleet with scenarios.
func playing(t *testing.T, scenarios ...string) *Fleet {
	t.Helper()
	t.Parallel()
	cfg := Config{Now: noon, Scenarios: scenarios, SlowBy: 300 * time.Millisecond}
	return start(t, cfg)
}

func TestScenarioNames(t *testing.T) {
	var names []string
	for _, s := range Scenarios() {
		require.NotEmpty(t, s.About)
		names = append(names, s.Name)
	}
	require.Equal(t, []string{
		"busy-host", "config-profile", "denied-user", "drs-moves", "free-licence", "host-down", "hung-esxtop", "lockdown", "no-esxtop", "planned-absence", "read-only-user", "session-expires", "slow-host",
	}, names)
	_, err := Start(Config{Scenarios: []string{"host-dawn"}})
	var unknown *UnknownScenarioError
	require.ErrorAs(t, err, &unknown)
	require.ErrorContains(t, err, `no scenario "host-dawn"; there are busy-host, config-profile, denied-user`)
}

func TestScenarioHostDown(t *testing.T) {
	c := login(t, playing(t, sceneHostDown))
	for _, h := range retrieve[mo.HostSystem](t, c, "HostSystem", "name", "runtime.connectionState", "summary.overallStatus", "config.product") {
		down := h.Name == downHost
		require.Equal(t, down, h.Runtime.ConnectionState == types.HostSystemConnectionStateNotResponding, h.Name)
		require.Equal(t, down, h.Summary.OverallStatus == types.ManagedEntityStatusRed, h.Name)
		require.NotEmpty(t, h.Config.Product.Version, "the vCenter's last answer")
	}
	h8 := hostNamed(t, c, "host08").Reference()
	for _, vm := range retrieve[mo.VirtualMachine](t, c, "VirtualMachine", "name", "runtime") {
		require.Equal(t, *vm.Runtime.Host == h8, vm.Runtime.ConnectionState == types.VirtualMachineConnectionStateDisconnected, vm.Name)
	}
}

func TestScenarioPlannedAbsence(t *testing.T) {
	c := login(t, playing(t, scenePlannedAbsence))
	for _, h := range retrieve[mo.HostSystem](t, c, "HostSystem", "name", "runtime", "summary.overallStatus") {
		require.Equal(t, h.Name == standbyHost, h.Runtime.PowerState == types.HostSystemPowerStateStandBy, h.Name)
		require.Equal(t, h.Name == standbyHost, h.Runtime.StandbyMode == string(types.HostStandbyModeIn), h.Name)
		require.Equal(t, h.Name == patchedHost, h.Runtime.InMaintenanceMode, h.Name)
		away := h.Name == standbyHost || h.Name == patchedHost
		require.Equal(t, away, h.Runtime.ConnectionState == types.HostSystemConnectionStateNotResponding, h.Name)
	}
}

func TestScenarioSlowHost(t *testing.T) {
	f := playing(t, sceneSlowHost)
	c := login(t, f)
	slow := hostNamed(t, c, "host08")
	began := time.Now()
	hostProperties(t, slow, "summary.hardware")
	require.GreaterOrEqual(t, time.Since(began), 300*time.Millisecond)
	require.Equal(t, 2*time.Second, DefaultSlowBy)

	// the rest checks decisions only, because the duration of a call on a busy machine proves nothing
	d := &dispatcher{hosts: f.vcenter().built.owners()}
	ref := func(name string) types.ManagedObjectReference {
		return f.vcenter().built.hosts[name+".demo.local"].System.Self
	}
	read := func(of types.ManagedObjectReference, walk bool, kind string, paths ...string) bool {
		o := types.ObjectSpec{Obj: of}
		if walk {
			o.SelectSet = []types.BaseSelectionSpec{&types.TraversalSpec{Type: "ContainerView", Path: "view"}}
		}
		return d.readsSlowHost(&simulator.Method{Body: &types.RetrievePropertiesEx{SpecSet: []types.PropertyFilterSpec{{
			PropSet: []types.PropertySpec{{Type: kind, PathSet: paths}}, ObjectSet: []types.ObjectSpec{o},
		}}}})
	}
	view := types.ManagedObjectReference{Type: "ContainerView", Value: "x"}
	require.True(t, read(ref("host08"), false, "HostSystem", "config.option"))
	require.True(t, read(view, true, "HostSystem", "name", "summary"))
	require.False(t, read(view, true, "HostSystem", "name", "parent"), "the vCenter knows by heart")
	require.False(t, read(view, true, "VirtualMachine", "config"))
	require.False(t, read(ref("host06"), false, "HostSystem", "config.option"))
	ask := func(name string) bool {
		return d.readsSlowHost(&simulator.Method{This: *f.vcenter().built.hosts[name+".demo.local"].System.ConfigManager.KernelModuleSystem})
	}
	require.True(t, ask("host08"))
	require.False(t, ask("host06"))
	require.True(t, d.readsSlowHost(&simulator.Method{Body: &types.QueryPerf{QuerySpec: []types.PerfQuerySpec{{Entity: ref("host08")}}}}))
}

func TestScenarioSessionExpires(t *testing.T) {
	f := playing(t, sceneSessionExpires)
	c := login(t, f)
	for range callsASession {
		_, err := methods.GetCurrentTime(t.Context(), c)
		require.NoError(t, err)
	}
	_, err := methods.GetCurrentTime(t.Context(), c)
	requireFault[*types.NotAuthenticated](t, err)
	e := endpoint(t, f, vcenterSite)
	require.NoError(t, relogin(t, c, e))
	_, err = methods.GetCurrentTime(t.Context(), c)
	require.NoError(t, err, "a new session has calls of its own")
}

func relogin(t *testing.T, c *vim25.Client, e Endpoint) error {
	t.Helper()
	_, err := methods.Login(t.Context(), c, &types.Login{This: *c.ServiceContent.SessionManager, UserName: e.User, Password: e.Password})
	return err
}

func TestScenarioDeniedUser(t *testing.T) {
	c := login(t, playing(t, sceneDeniedUser))
	v, err := view.NewManager(c).CreateContainerView(t.Context(), c.ServiceContent.RootFolder, nil, true)
	require.NoError(t, err)
	req := types.RetrievePropertiesEx{
		This: c.ServiceContent.PropertyCollector, Options: types.RetrieveOptions{MaxObjects: 7}, // including further pages
		SpecSet: []types.PropertyFilterSpec{{
			PropSet: []types.PropertySpec{
				{Type: "HostSystem", PathSet: []string{"name", "config.product.version", "config.hyperThread", "hardware.numaInfo"}},
				{Type: "VirtualMachine", PathSet: []string{"name", "config.template"}},
				{Type: "Folder", PathSet: []string{"name"}},
			},
			ObjectSet: []types.ObjectSpec{{
				Obj: v.Reference(), Skip: new(true),
				SelectSet: []types.BaseSelectionSpec{&types.TraversalSpec{Type: "ContainerView", Path: "view"}},
			}},
		}},
	}
	missing := map[string][]string{}
	objects := 0
	res, err := methods.RetrievePropertiesEx(t.Context(), c, &req)
	require.NoError(t, err)
	page := res.Returnval
	for {
		for _, o := range page.Objects {
			objects++
			for _, m := range o.MissingSet {
				require.Equal(t, "System.Read", m.Fault.Fault.(*types.NoPermission).PrivilegeId)
				require.Equal(t, o.Obj, *m.Fault.Fault.(*types.NoPermission).Object)
				missing[o.Obj.Type] = append(missing[o.Obj.Type], m.Path)
			}
		}
		if page.Token == "" {
			break
		}
		next, err := methods.ContinueRetrievePropertiesEx(t.Context(), c, &types.ContinueRetrievePropertiesEx{
			This: c.ServiceContent.PropertyCollector, Token: page.Token,
		})
		require.NoError(t, err)
		page = &next.Returnval
	}
	require.Greater(t, objects, 70)
	require.Equal(t, []string{"config.product.version", "config.hyperThread"}, missing["HostSystem"])
	require.Equal(t, []string{"name"}, missing["Folder"])
	databases := 0
	for _, row := range vmTable {
		if row.Folder == deniedFolder {
			databases++
		}
	}
	require.Len(t, missing["VirtualMachine"], 2*databases)

	old, err := methods.RetrieveProperties(t.Context(), c, &types.RetrieveProperties{This: req.This, SpecSet: req.SpecSet})
	require.NoError(t, err)
	require.Len(t, old.Returnval, objects)
	hidden := 0
	for _, o := range old.Returnval {
		hidden += len(o.MissingSet)
	}
	require.Equal(t, 2+1+2*databases, hidden)
}

// free-licence and config-profile; lockdown is one of the refusals.
func TestScenariosTogether(t *testing.T) {
	f := playing(t, sceneFreeLicence, sceneConfigProfile)
	requireReadOnly[*types.RestrictedVersion](t, login(t, f), "host06", "web-03")
	require.Equal(t, []string{"general"}, f.scene.profileClusters())
	require.Empty(t, common(t).scene.profileClusters())
}

func TestEndpoints(t *testing.T) {
	f := common(t)
	var names []string
	passwords, urls := map[string]bool{}, map[string]bool{}
	for _, e := range f.Endpoints() {
		names = append(names, e.Name)
		passwords[e.Password], urls[e.URL.Host] = true, true
		require.Equal(t, f.cert.thumbprint, e.Thumbprint)
		require.NoError(t, tryLogin(t, e))
	}
	require.Equal(t, []string{"vcenter", "esxi-a", "esxi-b", "esxi-c"}, names)
	require.Len(t, passwords, 4)
	require.Len(t, urls, 4)
	wrong := endpoint(t, f, "esxi-a")
	wrong.Password = f.Password()
	requireFault[*types.InvalidLogin](t, tryLogin(t, wrong))
}

func TestStandaloneHosts(t *testing.T) {
	t.Parallel()
	f := common(t)
	for _, row := range standaloneTable {
		c := loginTo(t, f, row.Short())
		require.Equal(t, "HostAgent", c.ServiceContent.About.ApiType)
		require.Equal(t, row.Version, c.ServiceContent.About.Version)
		hosts := retrieve[mo.HostSystem](t, c, "HostSystem")
		require.Len(t, hosts, 1)
		h := hosts[0]
		require.Equal(t, row.Name, h.Name)
		require.Equal(t, "ha-host", h.Self.Value)
		checkHost(t, row, h)
		var names, want []string
		for _, vm := range retrieve[mo.VirtualMachine](t, c, "VirtualMachine") {
			require.Equal(t, h.Self, *vm.Runtime.Host)
			names = append(names, vm.Name)
		}
		for _, r := range fleetTables.VMsOf([]fleetdata.Host{row}) {
			want = append(want, r.Name)
		}
		require.Equal(t, want, names)
	}
	a := retrieve[mo.HostSystem](t, loginTo(t, f, "esxi-a"), "HostSystem", "hardware.numaInfo")[0]
	require.Empty(t, a.Hardware.NumaInfo.NumaNode[0].PciId)
	require.Len(t, a.Hardware.NumaInfo.NumaNode[1].PciId, 2, "both fast NICs on one side")
}

func TestStandaloneVMsCanBeChanged(t *testing.T) {
	t.Parallel()
	c := loginTo(t, startAll(t, Config{}), "esxi-b")
	vm := ofVM{t, object.NewVirtualMachine(c, vmRef(t, c, "lab-web-01"))}
	vm.takes(types.VirtualMachineConfigSpec{ExtraConfig: set("numa.nodeAffinity", "0")})
	require.Equal(t, "0", vm.vmx()["numa.nodeAffinity"])
	vm.turns(false)
	vm.turns(true)
	job, err := vm.vm.CreateSnapshot(t.Context(), "test", "", false, false)
	finish(t, job, err)
	require.NoError(t, setPower(t, hostNamed(t, c, "esxi-b"), esxi.PolicyStatic))
}

func TestDistributedSwitches(t *testing.T) {
	c := login(t, common(t))
	names := map[string]string{}
	for _, h := range retrieve[mo.HostSystem](t, c, "HostSystem", "name") {
		names[h.Self.Value] = shortName(h.Name)
	}
	type seen struct {
		on      bool
		version string
		hosts   []string
	}
	got := map[string]seen{}
	for _, s := range retrieve[mo.VmwareDistributedVirtualSwitch](t, c, "VmwareDistributedVirtualSwitch", "name", "config", "summary") {
		config := s.Config.GetDVSConfigInfo()
		x := seen{on: config.NetworkResourceManagementEnabled, version: config.NetworkResourceControlVersion}
		for _, h := range config.Host {
			x.hosts = append(x.hosts, names[h.Config.Host.Value])
		}
		require.Len(t, s.Summary.HostMember, len(config.Host))
		got[s.Name] = x
	}
	require.Equal(t, map[string]seen{
		dvsLowlat:  {false, "version3", []string{"host01", "host02", "host03"}},
		dvsGeneral: {true, "version3", []string{"host06", "host07", "host08", "host12", "host13"}},
		dvsArchive: {true, "version2", []string{"host04", "host05"}},
		dvsLab:     {true, "version3", []string{"host14", "host15", "host16"}},
		dvsVSAN:    {true, "version3", []string{"host09", "host10", "host11"}},
	}, got)
	require.NotEmpty(t, retrieve[mo.DistributedVirtualPortgroup](t, c, "DistributedVirtualPortgroup", "name", "config"))
}

func TestSessionsOfOneEndpointOpenNoOther(t *testing.T) {
	f := common(t)
	c := login(t, f)
	other := connect(t, endpoint(t, f, "esxi-b").URL, f.CertificatePEM())
	other.Jar.SetCookies(other.URL(), c.Jar.Cookies(c.URL()))
	_, err := methods.GetCurrentTime(t.Context(), other)
	requireFault[*types.NotAuthenticated](t, err)
	user, err := session.NewManager(other).UserSession(t.Context())
	require.NoError(t, err)
	require.Nil(t, user)
}
