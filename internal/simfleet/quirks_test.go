package simfleet

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// TestDataHaveVSpheresNames: names in the data that vSphere does not have would be ignored silently.
func TestDataHaveVSpheresNames(t *testing.T) {
	for name, q := range fleetTables.Quirks {
		c := new(types.VirtualMachineConfigInfo)
		world.Patch(q.Config, c)
		requireKept(t, name, q.Config, c)
		nic, disk := new(types.VirtualVmxnet3), new(types.VirtualDisk)
		world.Patch(q.NIC, nic)
		requireKept(t, name, q.NIC, nic)
		world.Patch(q.Disk, disk)
		requireKept(t, name, q.Disk, disk)
		for _, d := range q.Devices {
			requireKept(t, name, d, world.Decoded[types.BaseVirtualDevice](d))
		}
	}
	for name, s := range fleetTables.Servers {
		requireKept(t, name, s.Adapter, world.Decoded[types.BaseHostHostBusAdapter](s.Adapter))
	}
}

// requireKept requires each name of the data in the object made from them.
func requireKept(t *testing.T, what string, data map[string]any, object any) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, types.NewJSONEncoder(&b).Encode(object))
	var tree any
	require.NoError(t, json.Unmarshal(b.Bytes(), &tree))
	kept, named := map[string]bool{}, map[string]bool{}
	namesIn(tree, kept)
	text, err := json.Marshal(data)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &tree))
	namesIn(tree, named)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		require.True(t, kept[name], "%s: vSphere has no %s there", what, name)
	}
}

// namesIn collects the names of all fields that are set.
func namesIn(v any, names map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			namesIn(x, names)
		}
	case map[string]any:
		for name, x := range v {
			if x != 0.0 {
				names[name] = true
			}
			namesIn(x, names)
		}
	}
}
