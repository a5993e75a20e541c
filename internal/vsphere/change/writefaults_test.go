package change

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// onHost calls check for those writes of oneOfEach that one host performs.
func (w *workshop) onHost(t *testing.T, host string, check func(t *testing.T, method string, kind string, err error)) {
	t.Helper()
	for _, c := range oneOfEach {
		if c.kind != inventory.ScopeHost {
			continue
		}
		t.Run(c.method, func(t *testing.T) {
			target, address := w.target(c.kind, host), []tuning.Address{c.write.Address}
			before, err := w.Read(t.Context(), target, address)
			require.NoError(t, err)
			err = w.Write(t.Context(), target, []tuning.Assignment{c.write})
			require.Error(t, err)
			require.NotErrorIs(t, err, tuning.ErrUnsure)
			check(t, c.method, c.write.Setting, err)
			after, err := w.Read(t.Context(), target, address)
			require.NoError(t, err)
			for i := range after {
				require.True(t, sameFact(before[i], after[i]))
			}
		})
	}
}

func sameFact(x, y valueFact) bool {
	v, state, reason := x.Get()
	w, other, why := y.Get()
	return v == w && state == other && reason == why
}

func TestFreeLicenceRefusesWrites(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t, "free-licence")
	w.onHost(t, "host02", func(t *testing.T, _, _ string, err error) {
		require.ErrorContains(t, err, "the host's licence does not allow changes through the API (for example the free licence)")
	})
}

func TestMissingPrivilegeIsNamed(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t, "denied-user")
	w.onHost(t, "host02", func(t *testing.T, _, setting string, err error) {
		privilege := settingOf(tuning.Address{Setting: setting}).Kind.Privileges()[0]
		denied := new(session.PermissionError)
		require.ErrorAs(t, err, &denied)
		require.Equal(t, privilege, denied.Privilege)
		require.ErrorContains(t, err, "no permission: privilege "+privilege+" is missing on ")
		require.ErrorContains(t, err, "; assign the user a role with that privilege there")
	})
}

func TestDisconnectedHostTakesNothing(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t, "host-down")
	w.onHost(t, "host08", func(t *testing.T, method, _ string, err error) {
		require.ErrorContains(t, err, "host not connected", method)
	})
}

// A datastore is written through a connected host.
func TestUnmapNeedsAConnectedHost(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	store := w.target(inventory.ScopeDatastore, "san02")
	p, err := w.estate.target(t.Context(), store, estatefacts.PathMounts)
	require.NoError(t, err)
	mounts, _ := property.Read(p, estatefacts.PathMounts, property.As[types.ArrayOfDatastoreHostMount], property.AbsentIfUnset).Value()
	first := mounts.DatastoreHostMount[0]
	for name, spoil := range map[string]func(*types.HostMountInfo){
		"read only":    func(m *types.HostMountInfo) { m.AccessMode = "readOnly" },
		"not mounted":  func(m *types.HostMountInfo) { m.Mounted = new(false) },
		"out of reach": func(m *types.HostMountInfo) { m.Accessible = new(false) },
	} {
		t.Run(name, func(t *testing.T) {
			m := first
			found, err := w.storageSystem(t.Context(), []types.DatastoreHostMount{m})
			require.NoError(t, err)
			require.NotEmpty(t, found.Value)
			spoil(&m.MountInfo)
			found, err = w.storageSystem(t.Context(), []types.DatastoreHostMount{m})
			require.NoError(t, err)
			require.Empty(t, found.Value)
			next, err := w.storageSystem(t.Context(), []types.DatastoreHostMount{m, mounts.DatastoreHostMount[1]})
			require.NoError(t, err)
			require.NotEmpty(t, next.Value)
		})
	}
	require.Equal(t, errNoWriter.Error(), unmapWriter.refuse(volume{}, tuning.Address{}, inventory.StringValue("low")))

	down := openWorkshop(t, "host-down")
	host := ref{Type: "HostSystem", Value: down.target(inventory.ScopeHost, "host08").ID}
	found, err := down.storageSystem(t.Context(), []types.DatastoreHostMount{{Key: host, MountInfo: first.MountInfo}})
	require.NoError(t, err)
	require.Empty(t, found.Value)
}

// Each obstacle to a change is reported in one sentence.
func TestFaultsOfWriting(t *testing.T) {
	for _, c := range []struct {
		fault types.BaseMethodFault
		want  string
	}{
		{&types.RestrictedVersion{}, "the host's licence does not allow changes through the API (for example the free licence)"},
		{&types.InvalidArgument{InvalidProperty: "key"}, "the server does not accept this value (key)"},
		{&types.InvalidArgument{}, "the server does not accept this value"},
		{&types.InvalidName{Name: "Net.X"}, "the host has no object of this name (Net.X)"},
		{&types.ConcurrentAccess{}, "somebody else changed the object at the same time; try again"},
		{&types.TaskInProgress{}, "another task is running on the object; wait until it finishes"},
		{&types.HostNotConnected{}, "host not connected"},
		{&types.HostCommunication{}, "the connection to the host was lost"},
		{&types.HostConfigFault{}, "the host reported a failure (host config)"},
		{&types.PlatformConfigFault{}, "the host reported a failure (platform config)"},
		{&types.InsufficientMemoryResourcesFault{}, "there are not enough resources (insufficient memory resources)"},
		{&types.InsufficientResourcesFault{}, "there are not enough resources (insufficient resources)"},
		{&types.InvalidState{}, "the object's state does not allow it (invalid state)"},
		{&types.InvalidPowerState{ExistingState: types.VirtualMachinePowerStatePoweredOn}, "this is not possible while it is powered on"},
		{&types.InvalidPowerState{ExistingState: types.VirtualMachinePowerStatePoweredOff}, "this is not possible while it is powered off"},
		{&types.NotSupported{}, "not supported"},
	} {
		require.Equal(t, c.want, session.FaultWords(c.fault, ""))
		require.Equal(t, c.want+": said the server", session.FaultWords(c.fault, "said the server"))
	}
}

func TestWriteOfWhatDoesNotGoTogether(t *testing.T) {
	s := &settings{}
	at := tuning.Target{Kind: inventory.ScopeHost, ID: "host-1", Name: "h"}
	for name, c := range map[string]struct {
		all  []tuning.Assignment
		want string
	}{
		"two writers": {
			[]tuning.Assignment{assign("power-policy", "", "low"), assign("hyperthreading", "", "true")},
			"power-policy and hyperthreading cannot be written in one call",
		},
		"two options": {
			[]tuning.Assignment{assign(pinOption, "", "1"), assign("host-option/Net.UseHwTSO", "", "1")},
			"writing " + pinOption + " of h: 2 settings in a call for one setting",
		},
		"nothing":  {[]tuning.Assignment{remove(pinOption, "")}, "writing " + pinOption + " of h: there is no value, and this setting cannot be removed"},
		"no kind":  {[]tuning.Assignment{assign("nonsense", "", "1")}, `no kind of setting "nonsense"`},
		"no value": {[]tuning.Assignment{assign("cluster-drs-rate", "", "6")}, `the migration threshold is 1 to 5, not "6"`},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, s.Write(t.Context(), at, c.all), c.want) })
	}
	require.NoError(t, s.Write(t.Context(), at, nil))
}

// Every kind that may be written has a writer, and its privileges are known.
func TestEveryApplicableKindHasAWriter(t *testing.T) {
	for _, k := range inventory.SettingKinds() {
		if k.Scope != inventory.ScopeVNIC { // whose keys are written as keys of the VM
			require.Equal(t, k.Applicable(), writers[k.Name] != nil, k.Name)
		}
		require.Equal(t, k.Applicable(), k.Privileges() != nil, k.Name)
	}
}

// A session that ends during a write is replaced; no write is made twice.
func TestWritersGoOnInANewSession(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t, "session-expires")
	for _, c := range oneOfEach {
		t.Run(c.method, func(t *testing.T) {
			target := w.target(c.kind, c.on)
			for range 4 { // the session ends at a different call each time
				w.writes(t, target, []tuning.Assignment{c.write}, []tuning.Address{c.write.Address}, []valueFact{c.write.Value})
			}
		})
	}
}
