package condition

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// surveyOf surveys every object of a kind in a stock simulator.
func surveyOf(t *testing.T, s *session.Session, m *simulator.Model, kind inventory.Scope, protected ...string) []tuning.Condition {
	t.Helper()
	var patterns []NamePattern
	for _, text := range protected {
		patterns = append(patterns, NewNamePattern(text))
	}
	var list []tuning.Target
	for _, of := range Types[kind] {
		for _, o := range m.Map().All(of) {
			list = append(list, tuning.Target{Kind: kind, ID: o.Reference().Value, Name: o.Reference().Value})
		}
	}
	found, err := Survey(t.Context(), s, patterns, list)
	require.NoError(t, err)
	return found
}

const vcenterMachine = "564d0000-1111-2222-3333-444455556666"

func setOption(m *simulator.Model, key, value string) {
	settings := m.Map().OptionManager()
	settings.Setting = append(settings.Setting, &types.OptionValue{Key: key, Value: value})
}

func TestProtectedVMs(t *testing.T) {
	t.Parallel()
	field := func(m *simulator.Model, name, value string) func(*mo.VirtualMachine) {
		fields := m.Map().CustomFieldsManager()
		fields.Field = append(fields.Field, types.CustomFieldDef{Key: 7, Name: name, Type: "string"})
		return func(v *mo.VirtualMachine) {
			v.CustomValue = append(v.CustomValue, &types.CustomFieldStringValue{CustomFieldValue: types.CustomFieldValue{Key: 7}, Value: value})
		}
	}
	product := func(name, vendor string) func(*simulator.Model) func(*mo.VirtualMachine) {
		return plainly(func(v *mo.VirtualMachine) {
			v.Config.VAppConfig = &types.VmConfigInfo{Product: []types.VAppProductInfo{{Name: name, Vendor: vendor}}}
		})
	}
	for name, tc := range map[string]struct {
		shape func(*simulator.Model) func(*mo.VirtualMachine)
		want  string
	}{
		"nothing":   {plainly(func(*mo.VirtualMachine) {}), ""},
		"template":  {plainly(func(v *mo.VirtualMachine) { v.Config.Template = true }), "it is a template"},
		"no config": {plainly(func(v *mo.VirtualMachine) { v.Config = nil }), "whether it is a template could not be read: the server returned no config"},
		"managed": {plainly(func(v *mo.VirtualMachine) {
			v.Config.ManagedBy = &types.ManagedByInfo{ExtensionKey: "com.vmware.vim.eam", Type: "cluster-agent"}
		}), "it is managed by com.vmware.vim.eam (cluster-agent)"},
		"vCLS":         {plainly(func(v *mo.VirtualMachine) { v.Name = "vCLS-4c4c4544-0042" }), "it is a vCLS virtual machine, which vSphere runs for the cluster"},
		"vCLS of 7.0":  {plainly(func(v *mo.VirtualMachine) { v.Name = "vCLS (2)" }), "it is a vCLS virtual machine, which vSphere runs for the cluster"},
		"NSX Edge":     {product("nsx-edge", "VMware, Inc"), "it is an appliance: nsx-edge"},
		"by its maker": {product("Skyline Collector", "VMware Inc."), "it is an appliance: Skyline Collector"},
		"of another":   {product("Veeam Proxy", "somebody"), "it is an appliance: Veeam Proxy"},
		"Photon":       {product("Photon OS", "VMware Inc."), ""},
		"no appliance": {product("Ubuntu Server", "Canonical"), ""},
		"locked":       {plainly(func(v *mo.VirtualMachine) { v.DisabledMethod = []string{"PowerOnVM_Task", "ReconfigVM_Task"} }), "the server does not allow its reconfiguration (disabledMethod has ReconfigVM_Task)"},
		"not locked":   {plainly(func(v *mo.VirtualMachine) { v.DisabledMethod = []string{"PowerOnVM_Task"} }), ""},
		"fault tolerant": {plainly(func(v *mo.VirtualMachine) {
			v.Runtime.FaultToleranceState = types.VirtualMachineFaultToleranceStateRunning
		}), "it is part of a Fault Tolerance pair (running)"},
		"frozen":    {plainly(func(v *mo.VirtualMachine) { v.Runtime.InstantCloneFrozen = new(true) }), "it is frozen, as a parent of instant clones"},
		"suspended": {plainly(func(v *mo.VirtualMachine) { v.Runtime.PowerState = types.VirtualMachinePowerStateSuspended }), "it is suspended"},
		"odd":       {plainly(func(v *mo.VirtualMachine) { v.Runtime.PowerState = "melting" }), "its power state is melting"},
		"asks": {plainly(func(v *mo.VirtualMachine) {
			v.Runtime.Question = &types.VirtualMachineQuestionInfo{Id: "1", Text: "copied\nor moved?"}
		}),
			"it is waiting for the answer to a question: copied or moved?"},
		"orphaned": {plainly(func(v *mo.VirtualMachine) { v.Runtime.ConnectionState = types.VirtualMachineConnectionStateOrphaned }),
			"orphaned: the virtual machine is no longer registered on a host (state orphaned)"},
		"by attribute": {func(m *simulator.Model) func(*mo.VirtualMachine) { return field(m, "vperf.protect", "yes") },
			"its custom attribute vperf.protect protects it (yes)"},
		"attribute of others": {func(m *simulator.Model) func(*mo.VirtualMachine) { return field(m, "owner", "yes") }, ""},
		"empty attribute":     {func(m *simulator.Model) func(*mo.VirtualMachine) { return field(m, "vperf.protect", "") }, ""},
		"by name":             {plainly(func(v *mo.VirtualMachine) { v.Name = "DC-emea[1]" }), `its name matches "dc-*[?]", which the config file protects`},
		"by name in part":     {plainly(func(v *mo.VirtualMachine) { v.Name = "xDC-emea[1]" }), ""},
		"vCenter by machine":  {plainly(func(v *mo.VirtualMachine) { v.Config.Uuid = vcenterMachine }), "this vCenter runs in it"},
		"vCenter by name":     {plainly(func(v *mo.VirtualMachine) { v.Guest.HostName = "VC.example.com" }), "this vCenter runs in it"},
		"vCenter by address":  {plainly(func(v *mo.VirtualMachine) { v.Guest.IpAddress = "192.0.2.99" }), "this vCenter runs in it"},
		"localhost":           {plainly(func(v *mo.VirtualMachine) { v.Guest.HostName, v.Guest.IpAddress = "localhost", "127.0.0.1" }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := vspheretest.SmallVPX(1)
			sim := vspheretest.Start(t, m, func(m *simulator.Model) {
				setOption(m, "VirtualCenter.HostBiosUuid", vcenterMachine)
				setOption(m, "VirtualCenter.FQDN", "vc.example.com")
				setOption(m, "VirtualCenter.AutoManagedIPV4", "192.0.2.99")
				v := m.Map().Any("VirtualMachine").(*simulator.VirtualMachine)
				v.Guest, v.Runtime.FaultToleranceState = &types.GuestInfo{}, types.VirtualMachineFaultToleranceStateNotConfigured
				tc.shape(m)(&v.VirtualMachine)
			})
			found := surveyOf(t, sim.Dial(t), m, inventory.ScopeVM, "sap*", "dc-*[?]")
			require.Len(t, found, 1)
			require.Equal(t, tc.want, found[0].Untouchable)
			require.Empty(t, found[0].Gone)
			require.Empty(t, found[0].Owner)
		})
	}
}

func plainly(f func(*mo.VirtualMachine)) func(*simulator.Model) func(*mo.VirtualMachine) {
	return func(*simulator.Model) func(*mo.VirtualMachine) { return f }
}

func TestUntouchableHosts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		shape func(*mo.HostSystem)
		want  string
	}{
		"well":        {func(*mo.HostSystem) {}, ""},
		"maintenance": {func(h *mo.HostSystem) { h.Runtime.InMaintenanceMode = true }, ""},
		"pseudo": {func(h *mo.HostSystem) { h.Hardware.SystemInfo.Model = "VMware Mobility Platform" },
			"it is not a physical ESXi host (VMware Mobility Platform)"},
		"no answer": {func(h *mo.HostSystem) { h.Runtime.ConnectionState = types.HostSystemConnectionStateNotResponding },
			"host not responding (state notResponding)"},
		"disconnected": {func(h *mo.HostSystem) { h.Runtime.ConnectionState = types.HostSystemConnectionStateDisconnected },
			"host disconnected (state disconnected)"},
		"standby": {func(h *mo.HostSystem) { h.Runtime.StandbyMode = "entering" }, "it is in standby"},
		"asleep":  {func(h *mo.HostSystem) { h.Runtime.StandbyMode = "in" }, "planned absence: in standby"},
		"patched": {func(h *mo.HostSystem) {
			h.Runtime.InMaintenanceMode, h.Runtime.ConnectionState = true, types.HostSystemConnectionStateNotResponding
		}, "planned absence: in maintenance mode and not responding"},
		"quarantine": {func(h *mo.HostSystem) { h.Runtime.InQuarantineMode = new(true) }, "it is in quarantine"},
		"off":        {func(h *mo.HostSystem) { h.Runtime.PowerState = types.HostSystemPowerStatePoweredOff }, "its power state is poweredOff"},
		"by name":    {func(h *mo.HostSystem) { h.Name = "edge07" }, `its name matches "EDGE??", which the config file protects`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := vspheretest.SmallVPX(1)
			sim := vspheretest.Start(t, m, func(m *simulator.Model) {
				h := vspheretest.HostsOf(m)[0]
				hardware := *h.Hardware
				h.Hardware = &hardware
				tc.shape(&h.HostSystem)
			})
			found := surveyOf(t, sim.Dial(t), m, inventory.ScopeHost, "EDGE??")
			require.Equal(t, tc.want, found[0].Untouchable)
			require.Equal(t, name == "maintenance" || name == "patched", found[0].Maintenance)
			require.NotEmpty(t, found[0].Target.UUID)
		})
	}
}

func TestUntouchableDatastores(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		shape func(*types.DatastoreSummary)
		want  string
	}{
		"well":        {func(*types.DatastoreSummary) {}, ""},
		"unreachable": {func(s *types.DatastoreSummary) { s.Accessible = false }, "no host reaches the datastore"},
		"maintenance": {func(s *types.DatastoreSummary) { s.MaintenanceMode = "enteringMaintenance" }, "the datastore is in maintenance (enteringMaintenance)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := vspheretest.SmallVPX(1)
			sim := vspheretest.Start(t, m, func(m *simulator.Model) { tc.shape(&m.Map().Any("Datastore").(*simulator.Datastore).Summary) })
			require.Equal(t, tc.want, surveyOf(t, sim.Dial(t), m, inventory.ScopeDatastore)[0].Untouchable)
		})
	}
}

func TestProtectedByTag(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"vperf.protect/always": "its tag vperf.protect/always protects it",
		"ops/vperf.protect":    "its tag ops/vperf.protect protects it",
		"ops/protect":          "",
	} {
		v := &survey{Session: &session.Session{}}
		v.tags = inventory.Known(map[ref]tagging.Tagged{{Type: property.TypeVM, Value: "vm-1"}: {Names: []string{"a/b", tag}, Doubt: "another has no name"}})
		require.Equal(t, want, v.marked(&property.Props{Ref: ref{Type: property.TypeVM, Value: "vm-1"}, Unknown: func(string) bool { return false }}))
	}
}

// Checks that could not be made are reported and do not count as passed.
func TestDoubts(t *testing.T) {
	t.Parallel()
	m := vspheretest.SmallVPX(2)
	sim := vspheretest.Start(t, m, func(m *simulator.Model) {
		m.Map().Get(ref{Type: "ServiceInstance", Value: "ServiceInstance"}).(*simulator.ServiceInstance).Content.About.Version = "8.0.3"
	})
	sim.Tamper(func(w http.ResponseWriter, r *http.Request, _ []byte, next http.Handler) {
		if r.URL.Path != "/sdk" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
	s := sim.Dial(t)
	for _, c := range surveyOf(t, s, m, inventory.ScopeHost) {
		if c.Cluster != "" {
			require.Contains(t, c.Doubts, "whether a configuration profile owns it could not be read: over REST it answered HTTP 403 Forbidden")
		}
		require.Contains(t, c.Doubts, "its tags could not be read: over REST it answered HTTP 403 Forbidden")
	}
	for _, c := range surveyOf(t, s, m, inventory.ScopeVM) {
		require.Contains(t, c.Doubts, "the machine that the vCenter runs on could not be read: the vCenter does not report its own BIOS UUID; it may run in this virtual machine")
	}
}

// The recording of a real vCenter has NSX Edges, and the vCenter's own VM.
func TestProtectedInARecordedVCenter(t *testing.T) {
	t.Parallel()
	m := vspheretest.Recorded(t)
	s := vspheretest.Start(t, m, nil).Dial(t)
	why := map[string]string{}
	for _, c := range surveyOf(t, s, m, inventory.ScopeVM) {
		why[c.Target.ID] = c.Untouchable
	}
	require.Equal(t, "this vCenter runs in it", why["vm-20"])
	require.Equal(t, "it is an appliance: nsx-edge", why["vm-43"])
	require.Equal(t, "it is an appliance: nsx-edge", why["vm-44"])
	require.Empty(t, why["vm-1003"], "a VM of the house's own")
}

// whole holds the properties that a survey reads of an object without obstacles.
var whole = map[string]map[string]any{
	property.TypeVM: {
		tree.PathName: "v", tree.PathConnection: types.VirtualMachineConnectionStateConnected, tree.PathTemplate: false,
		pathManagedBy: nil, vmfacts.PathProduct: nil, pathDisabled: types.ArrayOfString{}, pathFT: types.VirtualMachineFaultToleranceStateNotConfigured,
		vmfacts.PathFrozen: false, pathQuestion: nil, tree.PathPower: types.VirtualMachinePowerStatePoweredOn,
	},
	property.TypeHost: {
		tree.PathName: "h", hostfacts.PathVendor: "Dell Inc.", hostfacts.PathModel: "PowerEdge", tree.PathConnection: types.HostSystemConnectionStateConnected,
		tree.PathStandby: "none", PathQuarantine: false, tree.PathPower: types.HostSystemPowerStatePoweredOn,
	},
	property.TypeDatastore: {tree.PathName: "d", estatefacts.PathAccessible: true, estatefacts.PathStoreMaintenance: "normal"},
	property.TypeSwitch:    {tree.PathName: "s", estatefacts.PathUUID: "50 2f"},
}

// Each property that decides whether an object may be changed is, if it cannot be read, a reason not to change the object.
func TestWhatCannotBeSeenIsNotTouched(t *testing.T) {
	for kind, all := range whole {
		see := func(hidden string) *property.Props {
			p := &property.Props{Ref: ref{Type: kind, Value: "x-1"}, Values: map[string]any{}, Unknown: func(string) bool { return false }}
			for path, v := range all {
				if path != hidden {
					p.Values[path] = v
				}
			}
			if hidden != "" {
				p.Missing = map[string]types.BaseMethodFault{hidden: &types.NoPermission{}}
			}
			return p
		}
		v := &survey{Session: &session.Session{}}
		require.Empty(t, v.untouchable(see("")), kind)
		for path := range all {
			if path == tree.PathName {
				continue // the name is then the object's id, which no pattern protects
			}
			t.Run(kind+" "+path, func(t *testing.T) { require.NotEmpty(t, v.untouchable(see(path))) })
		}
	}
}
