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

// fillLowerTierReads sets the sum of reads from tiers below DRAM. Of VMs on hosts with one tier the server returns none of
// them, or an empty list.
func fillLowerTierReads(p *property.Props, v *vm) {
	list := property.Read(p, pathTierStats, property.As[types.ArrayOfVirtualMachineQuickStatsMemoryTierStats], property.AbsentIfUnset)
	v.LowerTierReadMBps = property.Then(list, func(list types.ArrayOfVirtualMachineQuickStatsMemoryTierStats) inventory.Fact[int64] {
		sum, lower := int64(0), false
		for _, t := range list.VirtualMachineQuickStatsMemoryTierStats {
			if t.MemoryTierType != inventory.TierDRAM {
				sum, lower = sum+t.ReadBandwidth, true
			}
		}
		if !lower {
			return inventory.Absent[int64]()
		}
		return inventory.Known(sum)
	})
}
