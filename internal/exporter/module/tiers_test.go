package module

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestMemoryTiers: the sizes of a host's tiers, and the reads of VMs for which the server reports tiers.
func TestMemoryTiers(t *testing.T) {
	t.Parallel()
	h := &inventory.Host{MemoryTiers: inventory.Known([]*inventory.MemoryTier{{Name: "DRAM", Kind: "DRAM", SizeMB: 4}, {Name: "NVMe", Kind: "NVMe", SizeMB: 1}})}
	h.ID, h.Name = "host-1", "esx1"
	v := &inventory.VCenter{Hosts: []*inventory.Host{h}}
	for id, reads := range map[string]inventory.Fact[int64]{
		"vm-1": inventory.Known[int64](3), "vm-2": inventory.Absent[int64](), "vm-3": inventory.Unread[int64]("no privilege"),
	} {
		vm := &inventory.VM{LowerTierReadMBps: reads}
		vm.ID, vm.Name = id, id
		v.VMs = append(v.VMs, vm)
	}
	require.ElementsMatch(t, []string{
		`esxi_host_memory_tier_size_bytes{host="esx1",kind="DRAM",moid="host-1",tier="DRAM"} 4.194304e+06`,
		`esxi_host_memory_tier_size_bytes{host="esx1",kind="NVMe",moid="host-1",tier="NVMe"} 1.048576e+06`,
		`esxi_vm_memory_lower_tiers_read_bytes_per_second{moid="vm-1",vm="vm-1"} 3.145728e+06`,
	}, seriesLines(page(t, func(w *exposition.Writer) { hardwareModule().Write(w, v) })))
	_, _, trouble := hardwareModule().Coverage(v)
	require.Contains(t, trouble, "vm-3: no privilege", "what was not read is reported")
}
