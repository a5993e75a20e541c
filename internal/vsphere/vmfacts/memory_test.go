package vmfacts

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestMemoryStatistics reads the memory statistics of a VM, and the meaning of nil.
func TestMemoryStatistics(t *testing.T) {
	v := vmOf(vspheretest.Given(map[string]any{
		"summary.quickStats.activeMemory": int32(2048),
		"summary.quickStats.memoryTierStats": types.ArrayOfVirtualMachineQuickStatsMemoryTierStats{
			VirtualMachineQuickStatsMemoryTierStats: []types.VirtualMachineQuickStatsMemoryTierStats{
				{MemoryTierType: "DRAM", ReadBandwidth: 900}, {MemoryTierType: "NVMe", ReadBandwidth: 20}, {MemoryTierType: "PMem", ReadBandwidth: 3},
			},
		},
	}))
	require.Equal(t, inventory.Known(int64(2048)), v.ActiveMemoryMB)
	require.Equal(t, inventory.Known(int64(23)), v.LowerTierReadMBps)
	v = vmOf(vspheretest.Given(map[string]any{pathStatus: types.ManagedEntityStatusGreen, pathTierStats: types.ArrayOfVirtualMachineQuickStatsMemoryTierStats{
		VirtualMachineQuickStatsMemoryTierStats: []types.VirtualMachineQuickStatsMemoryTierStats{{MemoryTierType: "DRAM", ReadBandwidth: 900}},
	}}))
	require.Equal(t, "absent", vspheretest.ReasonOf(&v.LowerTierReadMBps), "there is no lower tier")
	v = vmOf(vspheretest.Given(map[string]any{pathStatus: types.ManagedEntityStatusGreen}))
	require.Equal(t, "unread: "+noQuickStats, vspheretest.ReasonOf(&v.ActiveMemoryMB))
	require.Equal(t, "absent", vspheretest.ReasonOf(&v.LowerTierReadMBps))
}
