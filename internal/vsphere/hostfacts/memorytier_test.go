package hostfacts

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestMemoryTiers reads the memory tiers of hosts and the devices used as tiers, and the meaning of nil.
func TestMemoryTiers(t *testing.T) {
	disk := func(used *bool) *types.HostScsiDisk {
		return &types.HostScsiDisk{ScsiLun: types.ScsiLun{CanonicalName: "naa.1"}, UsedByMemoryTiering: used}
	}
	h := hostOf(vspheretest.Given(map[string]any{
		"hardware.memoryTierInfo": types.ArrayOfHostMemoryTierInfo{HostMemoryTierInfo: []types.HostMemoryTierInfo{
			{Name: "tier0", Type: "DRAM", Size: 512 << 30}, {Name: "tier1", Type: "NVMe", Size: 256 << 30},
		}},
		pathLUN: types.ArrayOfScsiLun{ScsiLun: []types.BaseScsiLun{disk(new(true)), disk(new(false)), disk(nil)}},
	}))
	require.Equal(t, inventory.Known([]*inventory.MemoryTier{
		{Name: "tier0", Kind: inventory.TierDRAM, SizeMB: 512 << 10}, {Name: "tier1", Kind: inventory.TierNVMe, SizeMB: 256 << 10},
	}), h.MemoryTiers)
	luns, _ := h.LUNs.Value()
	for i, want := range []bool{true, false, false} {
		require.Equal(t, inventory.Known(want), luns[i].MemoryTier)
	}
	require.Equal(t, "absent", vspheretest.ReasonOf(&hostOf(vspheretest.Given(nil)).MemoryTiers), "before 7.0 U3 there are none")
}
