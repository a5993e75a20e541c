package simfleet

import (
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// noon is the clock of tests that need a fixed time.
func noon() time.Time { return time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC) }

func TestFleetShape(t *testing.T) {
	t.Parallel()
	f := start(t, Config{Now: noon})
	c := login(t, f)
	require.Equal(t, "8.0.3", c.ServiceContent.About.Version)
	now, err := methods.GetCurrentTime(t.Context(), c)
	require.NoError(t, err)
	require.True(t, noon().Equal(*now), "the server's clock is the fleet's: %s", now)

	finder := find.NewFinder(c)
	for _, path := range []string{
		"/demo/host/lowlat/host01.demo.local", "/demo/host/lowlat/host02.demo.local", "/demo/host/lowlat/host03.demo.local",
		"/demo/host/general/host04.demo.local", "/demo/host/general/host05.demo.local", "/demo/host/general/host06.demo.local",
		"/demo/host/general/host07.demo.local", "/demo/host/general/host08.demo.local",
		"/demo/host/vsan/host09.demo.local", "/demo/host/vsan/host10.demo.local", "/demo/host/vsan/host11.demo.local",
		"/demo/host/dr/host12.demo.local", "/demo/host/dr/host13.demo.local",
	} {
		_, err := finder.HostSystem(t.Context(), path)
		require.NoError(t, err, path)
	}
	var paths []string
	vms, err := finder.VirtualMachineList(t.Context(), "/demo/vm/*/*")
	require.NoError(t, err)
	for _, vm := range vms {
		paths = append(paths, vm.InventoryPath)
	}
	var want []string
	for _, row := range vmTable {
		want = append(want, "/demo/vm/"+row.Folder+"/"+row.Name)
	}
	require.ElementsMatch(t, want, paths)
	require.Len(t, retrieve[mo.HostSystem](t, c, "HostSystem", "name"), 16)
	require.Len(t, vms, len(vmTable))
	require.Equal(t, 1, f.Calls()["Login"])
	require.Equal(t, 1, f.Calls()["CurrentTime"])

	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	t.Logf("heap %d MB", mem.HeapAlloc>>20)
}

func TestClusters(t *testing.T) {
	c := login(t, common(t))
	byName := map[string]types.ComputeResourceSummary{}
	for _, cl := range retrieve[mo.ClusterComputeResource](t, c, "ClusterComputeResource", "name", "summary") {
		byName[cl.Name] = *cl.Summary.GetComputeResourceSummary()
	}
	require.Len(t, byName, 5)
	low := byName["lowlat"]
	require.EqualValues(t, 28*(2599+2599+2593), low.TotalCpu)
	require.EqualValues(t, 3*512<<30, low.TotalMemory)
	require.EqualValues(t, 3, low.NumHosts)
	require.EqualValues(t, 84, low.NumCpuCores)
	require.EqualValues(t, 168, low.NumCpuThreads)
	require.EqualValues(t, 3*32*2600+2*96*2194, byName["general"].TotalCpu)
}

func TestPools(t *testing.T) {
	c := login(t, common(t))
	limits, vms := map[string]int64{}, map[string]int{}
	for _, p := range retrieve[mo.ResourcePool](t, c, "ResourcePool", "name", "config", "vm") {
		if p.Name != "Resources" {
			limits[p.Name], vms[p.Name] = *p.Config.CpuAllocation.Limit, len(p.Vm)
		}
	}
	require.Equal(t, map[string]int64{"batch": 20_000, "batch-night": -1, "drained": -1, "web": -1, "replay": 30_000, "research": -1}, limits)
	require.Equal(t, map[string]int{"batch": 2, "batch-night": 1, "drained": 0, "web": 3, "replay": 2, "research": 1}, vms)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// Two starts differ only in the local directory of the datastore's files, and thus in the datastore.
func TestTwoStartsAreTheSame(t *testing.T) {
	t.Parallel()
	// before any change
	one, two := startAll(t, Config{Now: noon}), startAll(t, Config{Now: noon})
	for i, s := range one.servers {
		for _, kind := range []string{
			"HostSystem", "VirtualMachine", "ResourcePool", "ClusterComputeResource", "Folder", "VmwareDistributedVirtualSwitch",
		} {
			a, b := s.built.ctx.Map.All(kind), two.servers[i].built.ctx.Map.All(kind)
			require.Len(t, b, len(a))
			order := func(x, y mo.Entity) int { return strings.Compare(x.Reference().Value, y.Reference().Value) }
			slices.SortFunc(a, order)
			slices.SortFunc(b, order)
			for n := range a {
				require.Equal(t, asJSON(t, a[n]), asJSON(t, b[n]), "%s: %s", s.site.name, a[n].Reference())
			}
		}
	}
}

func TestIDsAndOrderAreTheSame(t *testing.T) {
	t.Parallel()
	read := func(f *Fleet) (ids []string) {
		c := login(t, f)
		for _, kind := range []string{"HostSystem", "VirtualMachine", "ResourcePool", "Folder", "Datastore"} {
			for _, e := range retrieve[mo.ManagedEntity](t, c, kind, "name") {
				ids = append(ids, e.Self.String()+" "+e.Name)
			}
		}
		return ids
	}
	require.Equal(t, read(common(t)), read(start(t, Config{})))
}

func TestClones(t *testing.T) {
	t.Parallel()
	c := login(t, start(t, Config{Hosts: 20, VMs: 150}))
	hosts := retrieve[mo.HostSystem](t, c, "HostSystem", "name", "vm")
	vms := retrieve[mo.VirtualMachine](t, c, "VirtualMachine", "name")
	require.Len(t, hosts, 20)
	require.Len(t, vms, 150)
	names := map[string]bool{}
	for _, vm := range vms {
		names[vm.Name] = true
	}
	require.Len(t, names, 150)
	for _, h := range hosts {
		names[h.Name] = true
		require.NotEmpty(t, h.Vm, h.Name)
	}
	require.True(t, names["host01.demo.local"] && names["trade-lat-01"])
}

func TestListensOnLoopbackOnly(t *testing.T) {
	f := common(t)
	host, port, err := net.SplitHostPort(f.URL().Host)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", host)
	require.Nil(t, f.URL().User)
	addrs, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addrs {
		ip := a.(*net.IPNet).IP
		if ip.IsLoopback() && ip.To4() != nil {
			continue
		}
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", net.JoinHostPort(ip.String(), port))
		require.Error(t, err, "reachable on %s", ip)
		if err == nil {
			_ = conn.Close()
		}
	}
}

func TestCertificateIsCheckable(t *testing.T) {
	f := common(t)
	other := workshops.of(t)
	require.Regexp(t, `^([0-9A-F]{2}:){31}[0-9A-F]{2}$`, f.cert.thumbprint)
	require.NotEqual(t, f.cert.thumbprint, other.cert.thumbprint)
	require.NotEqual(t, f.Password(), other.Password())
	c := connect(t, f.URL(), f.CertificatePEM())
	require.NotNil(t, c)
	_, err := vim25.NewClient(t.Context(), soap.NewClient(f.URL(), false))
	require.ErrorContains(t, err, "certificate")
	localhost := f.URL()
	localhost.Host = "localhost:" + f.URL().Port()
	connect(t, localhost, f.CertificatePEM())
}

func TestWrongPasswordIsRefused(t *testing.T) {
	f := common(t)
	for _, u := range []*url.Userinfo{
		url.UserPassword(f.User(), "wrong"), url.UserPassword("root", f.Password()), url.UserPassword(f.User(), ""),
	} {
		c := connect(t, f.URL(), f.CertificatePEM())
		err := session.NewManager(c).Login(t.Context(), u)
		requireFault[*types.InvalidLogin](t, err)
	}
}

func TestOtherWaysInAreRefused(t *testing.T) {
	f := common(t)
	c := connect(t, f.URL(), f.CertificatePEM())
	_, err := methods.LoginByToken(t.Context(), c, &types.LoginByToken{This: *c.ServiceContent.SessionManager})
	requireFault[*types.InvalidLogin](t, err)
	_, err = methods.LoginExtensionByCertificate(t.Context(), c, &types.LoginExtensionByCertificate{
		This: *c.ServiceContent.SessionManager, ExtensionKey: "x",
	})
	requireFault[*types.InvalidLogin](t, err)
}

// Nothing of the inventory can be read without a login.
func TestStrangersReadNothing(t *testing.T) {
	f := common(t)
	c := connect(t, f.URL(), f.CertificatePEM())
	req := types.RetrievePropertiesEx{
		This: c.ServiceContent.PropertyCollector,
		SpecSet: []types.PropertyFilterSpec{{
			PropSet:   []types.PropertySpec{{Type: "VirtualMachine", PathSet: []string{"name", "config.extraConfig"}}},
			ObjectSet: []types.ObjectSpec{{Obj: types.ManagedObjectReference{Type: "VirtualMachine", Value: "vm-1001"}}},
		}},
	}
	res, err := methods.RetrievePropertiesEx(t.Context(), c, &req)
	if err == nil {
		for _, o := range res.Returnval.Objects {
			require.Empty(t, o.PropSet)
		}
	}
	_, err = methods.GetCurrentTime(t.Context(), c)
	requireFault[*types.NotAuthenticated](t, err)
}

func TestOnlyTheAPIIsServed(t *testing.T) {
	f := common(t)
	c := login(t, f)
	for path, want := range map[string]int{
		"/": 404, "/about": 404, "/folder": 404, "/folder/": 404, "/folder/x?dcPath=demo&dsName=san01": 404,
		"/guestFile": 404, "/nfc/x": 404, "/sdk/../folder/": 404, "/debug/pprof/": 404, "/sdkx": 404,
		"/sdk": 405, "/sdk/vimServiceVersions.xml": 200,
	} {
		u := f.URL().Scheme + "://" + f.URL().Host + path
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
		require.NoError(t, err)
		res, err := c.Client.Client.Do(req)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		require.NoError(t, res.Body.Close())
		require.Equal(t, want, res.StatusCode, path)
	}
}

// An abandoned wait would delay a graceful shutdown for ever.
func TestCloseReturnsAtOnce(t *testing.T) {
	t.Parallel()
	f := start(t, Config{})
	c := login(t, f)
	go func() {
		_, _ = methods.WaitForUpdatesEx(t.Context(), c, &types.WaitForUpdatesEx{This: c.ServiceContent.PropertyCollector})
	}()
	require.Eventually(t, func() bool { return f.Calls()["WaitForUpdatesEx"] > 0 }, 30*time.Second, time.Millisecond)
	began := time.Now()
	f.Close()
	f.Close()
	require.Less(t, time.Since(began), time.Minute)
	require.NoDirExists(t, f.dir)
}

func TestCallsAreACopy(t *testing.T) {
	f := common(t)
	before := maps.Clone(f.Calls())
	f.Calls()["Invented"] = 1
	require.Equal(t, slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(f.Calls())))
}

// Two fleets with different instances have different servers, vCenter and hosts alike; without one they are the same.
func TestInstances(t *testing.T) {
	uuids := func(instance string) (all []string) {
		f, err := Start(Config{Instance: instance})
		require.NoError(t, err)
		t.Cleanup(f.Close)
		for _, s := range f.servers {
			about := s.built.model.ServiceContent.About
			require.Equal(t, Vendor, about.Vendor, s.site.name)
			id := about.InstanceUuid
			if s.site.standalone() {
				id = s.built.hostOrder[0].System.Hardware.SystemInfo.Uuid
			}
			all = append(all, id)
		}
		return all
	}
	a, b := uuids("a"), uuids("b")
	for i := range a {
		require.NotEqual(t, a[i], b[i])
	}
	first, second := uuids(""), uuids("")
	require.Equal(t, first, second)
}
