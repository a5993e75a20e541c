package simfleet

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxtopservice"
)

// services queries the services at some locations; name "" selects all.
func services(t *testing.T, c *vim25.Client, name string, locations ...string) []types.ServiceManagerServiceInfo {
	t.Helper()
	res, err := methods.QueryServiceList(t.Context(), c, &types.QueryServiceList{
		This: *c.ServiceContent.ServiceManager, ServiceName: name, Location: locations,
	})
	require.NoError(t, err)
	return res.Returnval
}

// esxtopOf returns the Esxtop service of a host, by its full name; "" is the server itself.
func esxtopOf(t *testing.T, c *vim25.Client, host string) types.ManagedObjectReference {
	t.Helper()
	var locations []string
	if host != "" {
		locations = []string{"vmware.host." + host}
	}
	list := services(t, c, "Esxtop", locations...)
	require.Len(t, list, 1)
	return list[0].Service
}

func ask(ctx context.Context, c *vim25.Client, service types.ManagedObjectReference, arguments ...string) (string, error) {
	res, err := methods.ExecuteSimpleCommand(ctx, c, &types.ExecuteSimpleCommand{This: service, Arguments: arguments})
	if err != nil {
		return "", err
	}
	return res.Returnval, nil
}

func fetch(t *testing.T, c *vim25.Client, service types.ManagedObjectReference) string {
	t.Helper()
	text, err := ask(t.Context(), c, service, "FetchStats")
	require.NoError(t, err)
	return text
}

func TestServicesAreFoundByTheHostsName(t *testing.T) {
	t.Parallel()
	f := common(t)
	c := login(t, f)
	both := services(t, c, "", "vmware.host.host01.demo.local")
	require.Len(t, both, 2)
	for i, name := range []string{"Esxtop", "VscsiStats"} {
		require.Equal(t, name, both[i].ServiceName)
		require.Equal(t, []string{"vmware.host.host01.demo.local"}, both[i].Location)
		require.Equal(t, "SimpleCommand", both[i].Service.Type)
		require.Regexp(t, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, both[i].Service.Value)
	}
	require.Equal(t, both, services(t, c, "", "vmware.host.host01.demo.local"), "they last")
	require.NotEqual(t, both[0].Service, esxtopOf(t, c, "host02.demo.local"))
	for name, locations := range map[string][]string{
		"a short name":       {"vmware.host.host01"},
		"another case":       {"vmware.host.HOST01.demo.local"},
		"no prefix":          {"host01.demo.local"},
		"no location":        nil,
		"two hosts at once":  {"vmware.host.host01.demo.local", "vmware.host.host02.demo.local"},
		"the address":        {"vmware.host.192.0.2.11"},
		"nobody":             {"vmware.host."},
		"an empty location":  {""},
		"a host of its own":  {"vmware.host.esxi-a.demo.local"},
		"nothing but spaces": {" "},
	} {
		require.Empty(t, services(t, c, "", locations...), name)
	}
	require.Empty(t, services(t, c, "esxtop", "vmware.host.host01.demo.local"), "names have a case")

	direct := loginTo(t, f, "esxi-a")
	require.Len(t, services(t, direct, ""), 2)
	require.Len(t, services(t, direct, "Esxtop"), 1)
	require.Empty(t, services(t, direct, "Resxtop"))
}

func TestEsxtopCommands(t *testing.T) {
	t.Parallel()
	c := loginTo(t, common(t), "esxi-b")
	service := esxtopOf(t, c, "")
	info, err := ask(t.Context(), c, service, "CounterInfo")
	require.NoError(t, err)
	require.Equal(t, esxtopservice.CounterInfo("9.0.1"), info)
	for name, arguments := range map[string][]string{
		"none": nil, "another case": {"counterinfo"}, "unknown": {"Stats"}, "empty": {""}, "two": {"CounterInfo", "FetchStats"},
	} {
		_, err := ask(t.Context(), c, service, arguments...)
		require.Equal(t, "arguments", requireFault[*types.InvalidArgument](t, err).InvalidProperty, name)
	}
	_, err = ask(t.Context(), c, services(t, c, "VscsiStats")[0].Service, "FetchStats")
	requireFault[*types.InvalidArgument](t, err)
	_, err = ask(t.Context(), c, types.ManagedObjectReference{Type: "SimpleCommand", Value: "x"}, "FetchStats")
	requireFault[*types.ManagedObjectNotFound](t, err)
}

// A host keeps statistics for a client from its first fetch until the client frees them.
func TestFreeStats(t *testing.T) {
	t.Parallel()
	f := start(t, Config{Now: noon})
	c, other := login(t, f), login(t, f)
	first, second := esxtopOf(t, c, "host01.demo.local"), esxtopOf(t, c, "host06.demo.local")
	require.Zero(t, f.StatsKept())
	fetch(t, c, first)
	fetch(t, c, first)
	require.Equal(t, 1, f.StatsKept())
	fetch(t, c, second)
	fetch(t, other, second)
	require.Equal(t, 3, f.StatsKept())
	free := func(c *vim25.Client, service types.ManagedObjectReference) {
		text, err := ask(t.Context(), c, service, "FreeStats")
		require.NoError(t, err)
		require.Empty(t, text)
	}
	free(c, second)
	require.Equal(t, 2, f.StatsKept(), "the other session's are its own")
	free(c, second)
	free(c, first)
	free(other, second)
	require.Zero(t, f.StatsKept())
}

func TestScenarioNoEsxtop(t *testing.T) {
	f := playing(t, sceneNoEsxtop)
	c := login(t, f)
	_, err := methods.QueryServiceList(t.Context(), c, &types.QueryServiceList{
		This: *c.ServiceContent.ServiceManager, Location: []string{"vmware.host.host01.demo.local"},
	})
	fault := requireFault[*types.NoPermission](t, err)
	require.Equal(t, "Global.ServiceManagers", fault.PrivilegeId)
	require.Equal(t, c.ServiceContent.RootFolder, *fault.Object)
	service := f.vcenter().built.hosts[busyHost].Offers[0].Service
	_, err = ask(t.Context(), c, service, "CounterInfo")
	require.Equal(t, "Global.ServiceManagers", requireFault[*types.NoPermission](t, err).PrivilegeId)
	require.False(t, hasPrivilege(t, c, "Global.ServiceManagers"))
	require.True(t, hasPrivilege(t, c, "Global.LogEvent"))
	require.True(t, hasPrivilege(t, login(t, common(t)), "Global.ServiceManagers"))
}

// hasPrivilege reports whether the session has a privilege on the root folder.
func hasPrivilege(t *testing.T, c *vim25.Client, id string) bool {
	t.Helper()
	s, err := session.NewManager(c).UserSession(t.Context())
	require.NoError(t, err)
	res, err := methods.HasPrivilegeOnEntities(t.Context(), c, &types.HasPrivilegeOnEntities{
		This: *c.ServiceContent.AuthorizationManager, Entity: []types.ManagedObjectReference{c.ServiceContent.RootFolder}, SessionId: s.Key, PrivId: []string{id},
	})
	require.NoError(t, err)
	return res.Returnval[0].PrivAvailability[0].IsGranted
}

func TestEsxtopOfHostsThatDoNotAnswer(t *testing.T) {
	f := playing(t, sceneHostDown, sceneDeniedUser)
	c := login(t, f)
	require.Empty(t, services(t, c, "", "vmware.host."+downHost))
	_, err := ask(t.Context(), c, f.vcenter().built.hosts[downHost].Offers[0].Service, "FetchStats")
	requireFault[*types.HostNotConnected](t, err)
	fetch(t, c, esxtopOf(t, c, deniedHost)) // only the configuration is denied there
}

func TestEsxtopOfASlowHost(t *testing.T) {
	f := playing(t, sceneSlowHost)
	c := login(t, f)
	began := time.Now()
	service := esxtopOf(t, c, slowHost)
	fetch(t, c, service)
	require.GreaterOrEqual(t, time.Since(began), 2*f.slowness())
}

// A call that is never answered ends when the client gives up, and delays no other call.
func TestEsxtopThatHangs(t *testing.T) {
	f := playing(t, sceneHungEsxtop)
	c := login(t, f)
	service := esxtopOf(t, c, hungHost)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := ask(ctx, c, service, "CounterInfo")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	fetch(t, c, esxtopOf(t, c, "host06.demo.local"))
	require.Eventually(t, func() bool { return f.inProgress.Load() == 0 }, 30*time.Second, time.Millisecond, "the call is over")
}

// The free licence allows no writes, but esxtop does not write.
func TestEsxtopNeedsNoLicence(t *testing.T) {
	t.Parallel()
	f := common(t)
	e := endpoint(t, f, "esxi-a")
	c := connect(t, e.URL, e.CertificatePEM)
	require.NoError(t, session.NewManager(c).Login(t.Context(), url.UserPassword(e.User, e.Password)))
	fetch(t, c, esxtopOf(t, c, ""))
}

// slowness returns the delay of slow-host.
func (f *Fleet) slowness() time.Duration { return f.vcenter().built.cfg.SlowBy }
