package hostfacts

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// TestGraphicsDevices: a size of 0 is one that the host does not know.
func TestGraphicsDevices(t *testing.T) {
	got, ok := asGraphicsDevices(types.ArrayOfHostGraphicsInfo{HostGraphicsInfo: []types.HostGraphicsInfo{
		{PciId: "0000:3b:00.0", DeviceName: "NVIDIA L40S", VendorName: "NVIDIA", GraphicsType: "sharedDirect", MemorySizeInKB: 1024},
		{PciId: "0000:04:00.0", DeviceName: "VGA", VendorName: "ASPEED", GraphicsType: "basic"},
	}})
	require.True(t, ok)
	require.Equal(t, []*inventory.GraphicsDevice{
		{PCIID: "0000:3b:00.0", Device: "NVIDIA L40S", Vendor: "NVIDIA", Type: "sharedDirect", MemoryKB: inventory.Known(int64(1024))},
		{PCIID: "0000:04:00.0", Device: "VGA", Vendor: "ASPEED", Type: "basic", MemoryKB: inventory.Absent[int64]()},
	}, got)
	_, ok = asGraphicsDevices("something else")
	require.False(t, ok)
}
