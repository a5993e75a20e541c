package condition

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// fakeProfile is a host profile.
type fakeProfile struct{ mo.HostProfile }

type fakeProfiles struct{ mo.HostProfileManager }

// attach gives the simulator a host profile that is attached to objects.
func attach(m *simulator.Model, name string, to ...ref) {
	p, all := new(fakeProfile), new(fakeProfiles)
	p.Self, p.Name, p.Entity = ref{Type: "HostProfile", Value: "hostprofile-1"}, name, to
	all.Self, all.Profile = *m.Map().Get(ref{Type: "ServiceInstance", Value: "ServiceInstance"}).(*simulator.ServiceInstance).Content.HostProfileManager, []ref{p.Self}
	m.Map().Put(p)
	m.Map().Put(all)
}

// deafExtensions does not return the registered extensions.
type deafExtensions struct{ mo.ExtensionManager }

func (*deafExtensions) FindExtension(*types.FindExtension) soap.HasFault {
	return &methods.FindExtensionBody{Fault_: simulator.Fault("no", &types.NoPermission{PrivilegeId: "System.View"})}
}

func TestOwners(t *testing.T) {
	t.Parallel()
	type owned struct {
		host, cluster string // its owner
		doubts        []string
	}
	const tags = "its tags could not be read: over REST it answered HTTP 404 Not Found"
	extensions := func(m *simulator.Model) ref {
		return *m.Map().Get(ref{Type: "ServiceInstance", Value: "ServiceInstance"}).(*simulator.ServiceInstance).Content.ExtensionManager
	}
	for name, tc := range map[string]struct {
		shape func(*simulator.Model, *simulator.HostSystem)
		want  owned
	}{
		"nobody":          {func(*simulator.Model, *simulator.HostSystem) {}, owned{}},
		"a profile of it": {func(m *simulator.Model, h *simulator.HostSystem) { attach(m, "gold", h.Self) }, owned{host: "host profile gold"}},
		"a profile of its cluster": {func(m *simulator.Model, h *simulator.HostSystem) { attach(m, "gold", *h.Parent) },
			owned{host: "host profile gold"}},
		"a profile of another": {func(m *simulator.Model, _ *simulator.HostSystem) {
			attach(m, "gold", ref{Type: property.TypeHost, Value: "host-1"})
		}, owned{}},
		"Auto Deploy": {func(_ *simulator.Model, h *simulator.HostSystem) {
			h.Config.DeploymentInfo = &types.HostDeploymentInfo{BootedFromStatelessCache: new(true)}
		}, owned{host: "Auto Deploy, which starts the host without a configuration of its own"}},
		"started from its disk": {func(_ *simulator.Model, h *simulator.HostSystem) {
			h.Config.DeploymentInfo = &types.HostDeploymentInfo{BootedFromStatelessCache: new(false)}
		}, owned{}},
		"SDDC Manager": {func(m *simulator.Model, _ *simulator.HostSystem) {
			all := m.Map().Get(extensions(m)).(*simulator.ExtensionManager)
			all.ExtensionList = append([]types.Extension{{Key: sddcManager, Description: &types.Description{}}}, all.ExtensionList...)
		}, owned{host: "SDDC Manager", cluster: "SDDC Manager"}},
		"who knows": {func(m *simulator.Model, _ *simulator.HostSystem) {
			deaf := new(deafExtensions)
			deaf.Self = extensions(m)
			m.Map().Put(deaf)
		}, owned{doubts: []string{"whether SDDC Manager owns it could not be read: no permission (privilege System.View)"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []tuning.Target
			s := vspheretest.Start(t, vspheretest.SmallVPX(2), func(m *simulator.Model) {
				h := vspheretest.HostsOf(m)[0]
				require.Equal(t, property.TypeCluster, h.Parent.Type)
				config := *h.Config
				h.Config = &config
				tc.shape(m, h)
				list = []tuning.Target{
					{Kind: inventory.ScopeHost, ID: h.Self.Value}, {Kind: inventory.ScopeCluster, ID: h.Parent.Value},
					{Kind: inventory.ScopeVM, ID: m.Map().Any(property.TypeVM).Reference().Value},
				}
			}).Dial(t)
			found, err := Survey(t.Context(), s, nil, list)
			require.NoError(t, err)
			require.Equal(t, tc.want.host, found[0].Owner)
			require.Equal(t, tc.want.host != "", found[0].Place != "")
			require.Equal(t, tc.want.cluster, found[1].Owner)
			require.Empty(t, found[2].Owner, "virtual machines have no owner")
			require.Equal(t, append([]string{tags}, tc.want.doubts...), found[0].Doubts)
		})
	}
}
