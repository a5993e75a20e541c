package vmfacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// vmFlags are the flags of a VM that users can set. If vCenter omits a flag that was never set, the fact has ESXi's default.
var vmFlags = []property.Entry[*vm]{
	property.Leaf("VM.memoryHotAdd", "config.memoryHotAddEnabled", property.Bool, property.DefaultTo(false),
		func(v *vm) *inventory.Fact[bool] { return &v.MemoryHotAdd }),
	property.Leaf("VM.memoryAffinity", "config.memoryAffinity.affinitySet", property.Ints, property.DefaultTo([]int64{}),
		func(v *vm) *inventory.Fact[[]int64] { return &v.MemoryAffinity }),
	property.Leaf("VM.coresPerNumaNode", "config.numaInfo.coresPerNumaNode", property.Int, property.UnreadIfUnset[int64](noVNUMA),
		func(v *vm) *inventory.Fact[int64] { return &v.CoresPerNUMANode }),
	property.Leaf("VM.autoCoresPerNumaNode", "config.numaInfo.autoCoresPerNumaNode", property.Bool, property.UnreadIfUnset[bool](noVNUMA),
		func(v *vm) *inventory.Fact[bool] { return &v.AutoCoresPerNUMANode }),
	property.Leaf("VM.htSharing", "config.flags.htSharing", property.Text, property.DefaultTo("any"), func(v *vm) *inventory.Fact[string] { return &v.HTSharing }),
	// No VM of a real vCenter 8.0 has these two: they are written only if a user sets them.
	property.Leaf("VM.virtualMMU", "config.flags.virtualMmuUsage", property.Text, property.DefaultTo("automatic"),
		func(v *vm) *inventory.Fact[string] { return &v.VirtualMMU }),
	property.Leaf("VM.virtualExec", "config.flags.virtualExecUsage", property.Text, property.DefaultTo("hvAuto"),
		func(v *vm) *inventory.Fact[string] { return &v.VirtualExec }),
	property.Leaf("VM.monitorType", "config.flags.monitorType", property.Text, property.DefaultTo("release"),
		func(v *vm) *inventory.Fact[string] { return &v.MonitorType }),
	property.Leaf("VM.logging", "config.flags.enableLogging", property.Bool, property.DefaultTo(true), func(v *vm) *inventory.Fact[bool] { return &v.Logging }),
	property.Leaf("VM.vbs", "config.flags.vbsEnabled", property.Bool, property.DefaultTo(false), func(v *vm) *inventory.Fact[bool] { return &v.VBS }),
	// Servers before 7.0 U3 do not know the property; later ones omit it for VMs with the default.
	property.Leaf("VM.statsCollection", "config.vmxStatsCollectionEnabled", property.Bool, property.AbsentIfUnset,
		func(v *vm) *inventory.Fact[bool] { return &v.StatsCollection }),
	property.Leaf("VM.nestedHV", "config.nestedHVEnabled", property.Bool, property.DefaultTo(false), func(v *vm) *inventory.Fact[bool] { return &v.NestedHV }),
	property.Leaf("VM.virtualPMC", "config.vPMCEnabled", property.Bool, property.DefaultTo(false), func(v *vm) *inventory.Fact[bool] { return &v.VirtualPMC }),
	// A VM without per-vCPU settings has no list of them.
	property.Leaf("VM.latencyVCPUs", "config.vcpuConfig", asLatencyVCPUs, property.DefaultTo(int64(0)),
		func(v *vm) *inventory.Fact[int64] { return &v.LatencyVCPUs }),
	property.Leaf("VM.swapPlacement", "config.swapPlacement", property.Text, property.Required, func(v *vm) *inventory.Fact[string] { return &v.SwapPlacement }),
	property.Leaf("VM.encryptedVMotion", "config.migrateEncryption", property.Text, property.Required,
		func(v *vm) *inventory.Fact[string] { return &v.EncryptedVMotion }),
	property.Leaf("VM.encrypted", "config.keyId", asPresent, property.DefaultTo(false), func(v *vm) *inventory.Fact[bool] { return &v.Encrypted }),
	property.Leaf("VM.managedBy", "config.managedBy.extensionKey", property.Text, property.DefaultTo(""), func(v *vm) *inventory.Fact[string] { return &v.ManagedBy }),
	{Facts: []string{"VM.appliance"}, Paths: []string{"config.managedBy.extensionKey", PathProduct, pathAnnotation}, Fill: fillAppliance},
	{Facts: []string{"VM.maybeAppliance"}, Paths: []string{tree.PathGuest}, Fill: fillMaybeAppliance},
	{Facts: []string{"VM.vdiRole"}, Fill: fillVDIRole},
	property.Leaf("VM.instantCloneFrozen", PathFrozen, property.Bool, property.DefaultTo(false),
		func(v *vm) *inventory.Fact[bool] { return &v.InstantCloneFrozen }),
	property.Leaf("VM.flashCacheMB", "config.vFlashCacheReservation", property.Int, property.DefaultTo(int64(0)),
		func(v *vm) *inventory.Fact[int64] { return &v.FlashCacheMB }),
	property.Leaf("VM.runningGuestId", "guest.guestId", property.Text, property.UnreadIfUnset[string](noTools),
		func(v *vm) *inventory.Fact[string] { return &v.RunningGuestID }),
	property.Leaf("VM.runningGuestFamily", "guest.guestFamily", property.Text, property.UnreadIfUnset[string](noTools),
		func(v *vm) *inventory.Fact[string] { return &v.RunningGuestFamily }),
	// A template is in no pool.
	property.Leaf("VM.poolId", "resourcePool", property.ID, property.AbsentIfUnset, func(v *vm) *inventory.Fact[string] { return &v.PoolID }),
	property.Leaf("VM.datastoreIds", "datastore", property.IDs, property.DefaultTo([]string{}), func(v *vm) *inventory.Fact[[]string] { return &v.DatastoreIDs }),
}

// asPresent decodes a property whose presence alone is the value.
func asPresent(any) (there, ok bool) { return true, true }

func asLatencyVCPUs(v any) (int64, bool) {
	list, ok := property.As[types.ArrayOfVirtualMachineVcpuConfig](v)
	n := int64(0)
	for _, c := range list.VirtualMachineVcpuConfig {
		if c.LatencySensitivity != nil && c.LatencySensitivity.Level == types.LatencySensitivitySensitivityLevelHigh {
			n++
		}
	}
	return n, ok
}
