package vmfacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathActive    = "summary.quickStats.activeMemory"
	pathTierStats = "summary.quickStats.memoryTierStats"
	pathStatus    = "summary.overallStatus" // set on every VM: it distinguishes unset statistics from a missing summary
)

const noQuickStats = "the server has no quick statistics of the virtual machine's memory"

// fillActiveMemory sets the active memory. A VM that never ran has no quick statistics.
func fillActiveMemory(p *property.Props, v *vm) {
	v.ActiveMemoryMB = property.Read(p, pathActive, property.Int, property.UnreadIfUnset[int64](noQuickStats))
}

// fillLowerTierReads sets the reads from lower memory tiers. For VMs on hosts with one tier the server returns none.
func fillLowerTierReads(p *property.Props, v *vm) {
	v.LowerTierReadMBps = property.Read(p, pathTierStats, asLowerTierReads, property.AbsentIfUnset)
}

// asLowerTierReads sums a VM's reads from tiers below DRAM.
func asLowerTierReads(v any) (sum int64, ok bool) {
	list, ok := property.As[types.ArrayOfVirtualMachineQuickStatsMemoryTierStats](v)
	for _, t := range list.VirtualMachineQuickStatsMemoryTierStats {
		if t.MemoryTierType != inventory.TierDRAM {
			sum += t.ReadBandwidth
		}
	}
	return sum, ok
}
