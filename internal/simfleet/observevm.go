package simfleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// settingsOf reads a VM's settings. The caller holds the VM's lock.
func (o *observer) settingsOf(vm *mo.VirtualMachine) *vmSettings {
	c, keys := vm.Config, keysOf(vm)
	v := &vmSettings{
		name: vm.Name, vcpus: int64(c.Hardware.NumCPU), memoryMB: int64(c.Hardware.MemoryMB),
		cpu: granted(c.CpuAllocation), memory: granted(c.MemoryAllocation), poolMHz: o.pools.share(vm),
		threads: max(1, int64(c.Hardware.SimultaneousThreads)), latency: latencySensitive(c), affinity: boundTo(c, keys),
		node: -1, memoryNode: -1, unevenNUMA: unevenNUMA(c), balloonDriver: keys["sched.mem.maxmemctl"] != "0" && hasTools(vm.Guest),
	}
	if text := keys["numa.nodeaffinity"]; text != "" {
		_, _ = fmt.Sscanf(text, "%d", &v.node)
	}
	if a := c.MemoryAffinity; a != nil && len(a.AffinitySet) > 0 {
		v.memoryNode = int(a.AffinitySet[0])
	}
	if vm.Snapshot != nil {
		v.snapshots = depth(vm.Snapshot.RootSnapshotList)
	}
	for _, d := range c.Hardware.Device {
		switch d := d.(type) {
		case types.BaseVirtualEthernetCard:
			v.nics = append(v.nics, vnicOf(d, len(v.nics), keys))
		case *types.VirtualDisk:
			v.disks = append(v.disks, o.vdiskOf(d, c.Hardware.Device))
		}
	}
	return v
}

// keysOf are a VM's advanced settings by their keys in lower case.
func keysOf(vm *mo.VirtualMachine) map[string]string {
	keys := map[string]string{}
	for _, option := range vm.Config.ExtraConfig {
		v := option.GetOptionValue()
		keys[strings.ToLower(v.Key)] = fmt.Sprint(v.Value)
	}
	return keys
}

// latencySensitive reports whether the VM or a vCPU of it has high latency sensitivity.
func latencySensitive(c *types.VirtualMachineConfigInfo) bool {
	is := func(s *types.LatencySensitivity) bool { return s != nil && s.Level == high }
	return is(c.LatencySensitivity) || slices.ContainsFunc(c.VcpuConfig, func(one types.VirtualMachineVcpuConfig) bool {
		return is(one.LatencySensitivity)
	})
}

// boundTo are the logical CPUs that the VM is bound to, by its field or by keys of its vCPUs.
func boundTo(c *types.VirtualMachineConfigInfo, keys map[string]string) (list []int32) {
	if c.CpuAffinity != nil {
		list = slices.Clone(c.CpuAffinity.AffinitySet)
	}
	for i := range c.Hardware.NumCPU {
		var cpu int32
		text, ok := keys[fmt.Sprintf("sched.vcpu%d.affinity", i)]
		if !ok {
			continue
		}
		if _, err := fmt.Sscanf(text, "%d", &cpu); err == nil && !slices.Contains(list, cpu) {
			list = append(list, cpu)
		}
	}
	return list
}

// widestUMA is how many vCPUs a VM has at most that shows its guest no NUMA.
const widestUMA = 8

// unevenNUMA reports a wide VM whose guest sees no NUMA because CPUs may be added to it.
func unevenNUMA(c *types.VirtualMachineConfigInfo) bool {
	exposed := c.NumaInfo != nil && deref(c.NumaInfo.VnumaOnCpuHotaddExposed)
	return c.Hardware.NumCPU > widestUMA && deref(c.CpuHotAddEnabled) && !exposed
}

func hasTools(g *types.GuestInfo) bool {
	return g != nil && g.ToolsStatus != types.VirtualMachineToolsStatusToolsNotInstalled
}

// depth is the number of snapshots in the longest chain.
func depth(trees []types.VirtualMachineSnapshotTree) (most int64) {
	for _, t := range trees {
		most = max(most, 1+depth(t.ChildSnapshotList))
	}
	return most
}

func granted(a *types.ResourceAllocationInfo) grant {
	g := grant{limit: noLimit}
	if a == nil {
		return g
	}
	g.reservation = deref(a.Reservation)
	if a.Limit != nil {
		g.limit = *a.Limit
	}
	if a.Shares != nil {
		g.shares = int64(a.Shares.Shares)
	}
	return g
}

// vnicOf reads the nth virtual NIC.
func vnicOf(d types.BaseVirtualEthernetCard, n int, keys map[string]string) vnicSettings {
	card := d.GetVirtualEthernetCard()
	v := vnicSettings{key: card.Key}
	switch d := d.(type) {
	case *types.VirtualE1000:
		v.kind = e1000
	case *types.VirtualE1000e:
		v.kind = e1000e
	case *types.VirtualSriovEthernetCard:
		v.bypass = true
	case *types.VirtualVmxnet3:
		v.bypass = deref(d.Uptv2Enabled)
	}
	features := keys[fmt.Sprintf("ethernet%d.pnicfeatures", n)]
	v.manyQueues = features == "4" || features == "5"
	_, v.distributed = card.Backing.(*types.VirtualEthernetCardDistributedVirtualPortBackingInfo)
	return v
}

// vdiskOf reads a virtual disk; the devices are all of its VM.
func (o *observer) vdiskOf(d *types.VirtualDisk, devices []types.BaseVirtualDevice) vdiskSettings {
	v := vdiskSettings{key: d.Key, iopsLimit: noLimit}
	bus := int32(0)
	for _, other := range devices {
		if c, ok := other.(types.BaseVirtualController); ok && c.GetVirtualController().Key == d.ControllerKey {
			bus = c.GetVirtualController().BusNumber
		}
	}
	v.name = fmt.Sprintf("scsi%d:%d", bus, deref(d.UnitNumber))
	if a := d.StorageIOAllocation; a != nil && a.Limit != nil {
		v.iopsLimit = *a.Limit
	}
	if b, ok := d.Backing.(types.BaseVirtualDeviceFileBackingInfo); ok {
		if ref := b.GetVirtualDeviceFileBackingInfo().Datastore; ref != nil {
			v.store = o.stores[*ref]
		}
	}
	switch b := d.Backing.(type) {
	case *types.VirtualDiskFlatVer2BackingInfo:
		v.delta = b.Parent != nil
	case *types.VirtualDiskSeSparseBackingInfo:
		v.delta = true
	}
	return v
}
