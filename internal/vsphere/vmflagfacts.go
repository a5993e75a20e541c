package vsphere

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// vmFlags are the switches of a VM that somebody may have touched. What vCenter leaves out of a VM that nobody touched
// has the value that ESXi then uses.
var vmFlags = []entry[*vm]{
	leaf("VM.memoryHotAdd", "config.memoryHotAddEnabled", asBool, means(false),
		func(v *vm) *inventory.Fact[bool] { return &v.MemoryHotAdd }),
	leaf("VM.memoryAffinity", "config.memoryAffinity.affinitySet", asInts, means([]int64{}),
		func(v *vm) *inventory.Fact[[]int64] { return &v.MemoryAffinity }),
	leaf("VM.coresPerNumaNode", "config.numaInfo.coresPerNumaNode", asInt, because[int64](noVNUMA),
		func(v *vm) *inventory.Fact[int64] { return &v.CoresPerNUMANode }),
	leaf("VM.autoCoresPerNumaNode", "config.numaInfo.autoCoresPerNumaNode", asBool, because[bool](noVNUMA),
		func(v *vm) *inventory.Fact[bool] { return &v.AutoCoresPerNUMANode }),
	leaf("VM.htSharing", "config.flags.htSharing", asText, means("any"), func(v *vm) *inventory.Fact[string] { return &v.HTSharing }),
	// No VM of a real vCenter of 8.0 has these two: they are written only where somebody chose.
	leaf("VM.virtualMMU", "config.flags.virtualMmuUsage", asText, means("automatic"),
		func(v *vm) *inventory.Fact[string] { return &v.VirtualMMU }),
	leaf("VM.virtualExec", "config.flags.virtualExecUsage", asText, means("hvAuto"),
		func(v *vm) *inventory.Fact[string] { return &v.VirtualExec }),
	leaf("VM.monitorType", "config.flags.monitorType", asText, means("release"),
		func(v *vm) *inventory.Fact[string] { return &v.MonitorType }),
	leaf("VM.logging", "config.flags.enableLogging", asBool, means(true), func(v *vm) *inventory.Fact[bool] { return &v.Logging }),
	leaf("VM.vbs", "config.flags.vbsEnabled", asBool, means(false), func(v *vm) *inventory.Fact[bool] { return &v.VBS }),
	// Servers before 7.0 U3 do not know the property; later ones leave it out of VMs that are as they were made.
	leaf("VM.statsCollection", "config.vmxStatsCollectionEnabled", asBool, none,
		func(v *vm) *inventory.Fact[bool] { return &v.StatsCollection }),
	leaf("VM.nestedHV", "config.nestedHVEnabled", asBool, means(false), func(v *vm) *inventory.Fact[bool] { return &v.NestedHV }),
	leaf("VM.virtualPMC", "config.vPMCEnabled", asBool, means(false), func(v *vm) *inventory.Fact[bool] { return &v.VirtualPMC }),
	// A VM whose vCPUs are all alike has no list of them.
	leaf("VM.latencyVCPUs", "config.vcpuConfig", asLatencyVCPUs, means(int64(0)),
		func(v *vm) *inventory.Fact[int64] { return &v.LatencyVCPUs }),
	leaf("VM.swapPlacement", "config.swapPlacement", asText, must, func(v *vm) *inventory.Fact[string] { return &v.SwapPlacement }),
	leaf("VM.encryptedVMotion", "config.migrateEncryption", asText, must,
		func(v *vm) *inventory.Fact[string] { return &v.EncryptedVMotion }),
	leaf("VM.encrypted", "config.keyId", asThere, means(false), func(v *vm) *inventory.Fact[bool] { return &v.Encrypted }),
	leaf("VM.managedBy", "config.managedBy.extensionKey", asText, means(""), func(v *vm) *inventory.Fact[string] { return &v.ManagedBy }),
	{facts: []string{"VM.appliance"}, paths: []string{"config.managedBy.extensionKey", pathProduct, pathAnnotation}, fill: fillAppliance},
	{facts: []string{"VM.maybeAppliance"}, paths: []string{pathGuest}, fill: fillMaybeAppliance},
	{facts: []string{"VM.vdiRole"}, fill: fillVDIRole},
	leaf("VM.instantCloneFrozen", pathFrozen, asBool, means(false),
		func(v *vm) *inventory.Fact[bool] { return &v.InstantCloneFrozen }),
	leaf("VM.flashCacheMB", "config.vFlashCacheReservation", asInt, means(int64(0)),
		func(v *vm) *inventory.Fact[int64] { return &v.FlashCacheMB }),
	leaf("VM.runningGuestId", "guest.guestId", asText, because[string](noTools),
		func(v *vm) *inventory.Fact[string] { return &v.RunningGuestID }),
	leaf("VM.runningGuestFamily", "guest.guestFamily", asText, because[string](noTools),
		func(v *vm) *inventory.Fact[string] { return &v.RunningGuestFamily }),
	// A template is in no pool.
	leaf("VM.poolId", "resourcePool", asID, none, func(v *vm) *inventory.Fact[string] { return &v.PoolID }),
	leaf("VM.datastoreIds", "datastore", asIDs, means([]string{}), func(v *vm) *inventory.Fact[[]string] { return &v.DatastoreIDs }),
}

// asThere reads a property that says all by being there.
func asThere(any) (there, ok bool) { return true, true }

func asLatencyVCPUs(v any) (int64, bool) {
	list, ok := asIs[types.ArrayOfVirtualMachineVcpuConfig](v)
	n := int64(0)
	for _, c := range list.VirtualMachineVcpuConfig {
		if c.LatencySensitivity != nil && c.LatencySensitivity.Level == types.LatencySensitivitySensitivityLevelHigh {
			n++
		}
	}
	return n, ok
}
