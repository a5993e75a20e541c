package change

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

func TestWhatTheHostDefines(t *testing.T) {
	fixed := &types.LongOption{Max: 10}
	fixed.ValueIsReadonly = new(true)
	free := &types.LongOption{Max: 10}
	free.ValueIsReadonly = new(false)
	choice := &types.ChoiceOption{ChoiceInfo: []types.BaseElementDescription{
		&types.ElementDescription{Key: "a"}, nil, &types.ElementDescription{Key: "b"},
	}}
	for name, c := range map[string]struct {
		def  types.BaseOptionType
		v    inventory.Value
		want string
	}{
		"within":             {&types.LongOption{Max: 10}, inventory.LongValue(10), ""},
		"above":              {&types.LongOption{Max: 10}, inventory.LongValue(11), "11 is out of range: this host accepts 0 to 10"},
		"below":              {&types.IntOption{Min: 2, Max: 10}, inventory.IntValue(1), "1 is out of range: this host accepts 2 to 10"},
		"upside down":        {&types.LongOption{Min: 4294967293, Max: 15}, inventory.LongValue(17), ""},
		"fixed":              {fixed, inventory.LongValue(1), "the host reports that this option cannot be changed"},
		"not fixed":          {free, inventory.LongValue(1), ""},
		"a choice":           {choice, inventory.StringValue("b"), ""},
		"no choice":          {choice, inventory.StringValue("c"), `the host accepts a, b, not "c"`},
		"choices not listed": {&types.ChoiceOption{}, inventory.StringValue("c"), ""},
		"a text":             {&types.StringOption{}, inventory.StringValue("c"), ""},
		"a boolean":          {&types.BoolOption{}, inventory.BoolValue(true), ""},
		"not defined":        {nil, inventory.LongValue(1), ""},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, outside(c.def, c.v)) })
	}
}

// A host refuses an option in a type other than the one it sent, even if the number is the same.
func TestTypesOnTheWire(t *testing.T) {
	for _, c := range []struct {
		v    inventory.Value
		want any
	}{
		{inventory.IntValue(7), int32(7)}, {inventory.LongValue(7), int64(7)}, {inventory.BoolValue(true), true}, {inventory.StringValue("7"), "7"},
	} {
		native, err := onWire(c.v)
		require.NoError(t, err)
		require.Equal(t, c.want, native)
	}
	_, err := onWire(inventory.Value{Type: inventory.TypeInt, Text: "4294967296"})
	require.EqualError(t, err, `it accepts a whole number of 32 bits, not "4294967296"`)
}

func TestRetyped(t *testing.T) {
	for _, c := range []struct {
		v    inventory.Value
		as   inventory.ValueType
		want inventory.Value
	}{
		{inventory.StringValue(" 40 "), inventory.TypeLong, inventory.LongValue(40)},
		{inventory.LongValue(40), inventory.TypeInt, inventory.IntValue(40)},
		{inventory.LongValue(40), inventory.TypeString, inventory.StringValue("40")},
		{inventory.StringValue("TRUE"), inventory.TypeBool, inventory.BoolValue(true)},
		{inventory.StringValue("False"), inventory.TypeBool, inventory.BoolValue(false)},
	} {
		v, err := convertType(c.v, c.as)
		require.NoError(t, err)
		require.Equal(t, c.want, v)
	}
	for _, c := range []struct {
		v  inventory.Value
		as inventory.ValueType
	}{
		{inventory.LongValue(1), inventory.TypeBool}, {inventory.BoolValue(true), inventory.TypeLong},
		{inventory.LongValue(1 << 40), inventory.TypeInt}, {inventory.StringValue("1.5"), inventory.TypeLong},
	} {
		_, err := convertType(c.v, c.as)
		require.Error(t, err)
	}
}

func TestDRSThatIsOff(t *testing.T) {
	rate := tuning.Address{Setting: "cluster-drs-rate"}
	for _, c := range []struct {
		enabled *bool
		want    string
	}{
		{new(true), ""}, {new(false), "DRS of the cluster is off; vperf does not turn it on"},
		{nil, "DRS of the cluster is off; vperf does not turn it on"},
	} {
		config := inventory.Known(types.ClusterDrsConfigInfo{Enabled: c.enabled, VmotionRate: 5})
		require.Equal(t, c.want, refuseDRS(config, rate, inventory.LongValue(3)))
	}
}

// A host's own data about a volume takes precedence over vCenter's cached copy.
func TestVolumeAmongMounts(t *testing.T) {
	known := &types.HostVmfsVolume{Uuid: "a", UnmapPriority: "none"}
	own, other := &types.HostVmfsVolume{Uuid: "a", UnmapPriority: "low"}, &types.HostVmfsVolume{Uuid: "b", UnmapPriority: "low"}
	nas := types.HostFileSystemMountInfo{Volume: &types.HostNasVolume{}}
	require.Same(t, own, volumeAmong([]types.HostFileSystemMountInfo{nas, {Volume: other}, {Volume: own}}, known))
	require.Same(t, known, volumeAmong([]types.HostFileSystemMountInfo{nas, {Volume: other}}, known))
}

// Different kinds of server report in different ways that an object does not exist.
func TestTargetThatIsGone(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	for _, kind := range []inventory.Scope{
		inventory.ScopeHost, inventory.ScopeCluster, inventory.ScopePool, inventory.ScopeSwitch, inventory.ScopeDatastore,
	} {
		_, err := w.estate.target(t.Context(), tuning.Target{Kind: kind, ID: "gone-1"}, tree.PathName)
		require.ErrorIs(t, err, property.ErrGone)
		require.EqualError(t, err, string(kind)+" gone-1: the server no longer has this object")
	}
	listed := &property.Props{Missing: map[string]types.BaseMethodFault{tree.PathName: &types.ManagedObjectNotFound{}}}
	require.True(t, listed.NotFound())
	listed.Missing[tree.PathName] = &types.NoPermission{}
	require.False(t, listed.NotFound())
}

func TestQueueOfADisk(t *testing.T) {
	row := inventory.Known(esx.Values{"DeviceMaxQueueDepth": {"64"}})
	require.Empty(t, refuseOutstanding(row, inventory.LongValue(64)))
	require.Equal(t, "65 is more than the disk's queue depth of 64", refuseOutstanding(row, inventory.LongValue(65)))
	silent := inventory.Known(esx.Values{})
	require.Empty(t, refuseOutstanding(silent, inventory.LongValue(256)))
	require.Equal(t, "a host accepts 1 to 256, not 257", refuseOutstanding(silent, inventory.LongValue(257)))
}
