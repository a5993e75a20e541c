package simfleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// settingsOf reads a VM's settings. The caller holds the VM's lock.
func (o *observer) settingsOf(vm *mo.VirtualMachine) *load.VM {
	c, keys := vm.Config, keysOf(vm)
	v := &load.VM{
		Name: vm.Name, VCPUs: int64(c.Hardware.NumCPU), MemoryMB: int64(c.Hardware.MemoryMB),
		CPU: granted(c.CpuAllocation), Memory: granted(c.MemoryAllocation), PoolMHz: o.pools.share(vm),
		Threads: max(1, int64(c.Hardware.SimultaneousThreads)), Latency: latencySensitive(c), Affinity: boundTo(c, keys),
		Node: -1, MemoryNode: -1, UnevenNUMA: unevenNUMA(c), BalloonDriver: keys["sched.mem.maxmemctl"] != "0" && hasTools(vm.Guest),
	}
	if text := keys["numa.nodeaffinity"]; text != "" {
		_, _ = fmt.Sscanf(text, "%d", &v.Node)
	}
	if a := c.MemoryAffinity; a != nil && len(a.AffinitySet) > 0 {
		v.MemoryNode = int(a.AffinitySet[0])
	}
	if vm.Snapshot != nil {
		v.Snapshots = chainLength(vm.Snapshot.RootSnapshotList)
	}
	for _, d := range c.Hardware.Device {
		switch d := d.(type) {
		case types.BaseVirtualEthernetCard:
			v.NICs = append(v.NICs, vnicOf(d, len(v.NICs), keys))
		case *types.VirtualPCIPassthrough:
			v.VGPUMB += vgpuMB(d)
		case *types.VirtualDisk:
			v.Disks = append(v.Disks, o.vdiskOf(d, c.Hardware.Device))
		}
	}
	return v
}

// vgpuMB returns the memory of a vGPU, which is in the name of its profile in GB: grid_l40s-12q.
func vgpuMB(d *types.VirtualPCIPassthrough) int64 {
	b, is := d.Backing.(*types.VirtualPCIPassthroughVmiopBackingInfo)
	if !is {
		return 0
	}
	_, size, _ := strings.Cut(b.Vgpu, "-")
	var gb int64
	_, _ = fmt.Sscanf(size, "%d", &gb)
	return gb << 10
}

// keysOf returns a VM's advanced settings by lower-case key.
func keysOf(vm *mo.VirtualMachine) map[string]string {
	keys := map[string]string{}
	for _, option := range vm.Config.ExtraConfig {
		v := option.GetOptionValue()
		keys[strings.ToLower(v.Key)] = fmt.Sprint(v.Value)
	}
	return keys
}

// latencySensitive reports whether the VM or one of its vCPUs has latency sensitivity high.
func latencySensitive(c *types.VirtualMachineConfigInfo) bool {
	is := func(s *types.LatencySensitivity) bool {
		return s != nil && s.Level == types.LatencySensitivitySensitivityLevelHigh
	}
	return is(c.LatencySensitivity) || slices.ContainsFunc(c.VcpuConfig, func(one types.VirtualMachineVcpuConfig) bool {
		return is(one.LatencySensitivity)
	})
}

// boundTo returns the logical CPUs that the VM is bound to, by its field or by keys of its vCPUs.
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

// widestUMA is the maximum number of vCPUs of a VM without virtual NUMA.
const widestUMA = 8

// unevenNUMA reports a wide VM whose guest has no virtual NUMA because of CPU hot-add.
func unevenNUMA(c *types.VirtualMachineConfigInfo) bool {
	exposed := c.NumaInfo != nil && world.Deref(c.NumaInfo.VnumaOnCpuHotaddExposed)
	return c.Hardware.NumCPU > widestUMA && world.Deref(c.CpuHotAddEnabled) && !exposed
}

func hasTools(g *types.GuestInfo) bool {
	return g != nil && g.ToolsStatus != types.VirtualMachineToolsStatusToolsNotInstalled
}

// chainLength returns the number of snapshots in the longest chain.
func chainLength(trees []types.VirtualMachineSnapshotTree) (most int64) {
	for _, t := range trees {
		most = max(most, 1+chainLength(t.ChildSnapshotList))
	}
	return most
}

func granted(a *types.ResourceAllocationInfo) load.Grant {
	g := load.Grant{Limit: world.NoLimit}
	if a == nil {
		return g
	}
	g.Reservation = world.Deref(a.Reservation)
	if a.Limit != nil {
		g.Limit = *a.Limit
	}
	if a.Shares != nil {
		g.Shares = int64(a.Shares.Shares)
	}
	return g
}

// vnicOf reads the nth virtual NIC.
func vnicOf(d types.BaseVirtualEthernetCard, n int, keys map[string]string) load.VNIC {
	card := d.GetVirtualEthernetCard()
	v := load.VNIC{Key: card.Key}
	switch d := d.(type) {
	case *types.VirtualE1000:
		v.Kind = load.E1000
	case *types.VirtualE1000e:
		v.Kind = load.E1000e
	case *types.VirtualSriovEthernetCard:
		v.Bypass = true
	case *types.VirtualVmxnet3:
		v.Bypass = world.Deref(d.Uptv2Enabled)
	}
	features := keys[fmt.Sprintf("ethernet%d.pnicfeatures", n)]
	v.ManyQueues = features == "4" || features == "5"
	_, v.Distributed = card.Backing.(*types.VirtualEthernetCardDistributedVirtualPortBackingInfo)
	return v
}

// vdiskOf reads a virtual disk; devices are all devices of its VM.
func (o *observer) vdiskOf(d *types.VirtualDisk, devices []types.BaseVirtualDevice) load.VDisk {
	v := load.VDisk{Key: d.Key, IOPSLimit: world.NoLimit}
	bus := int32(0)
	for _, other := range devices {
		if c, ok := other.(types.BaseVirtualController); ok && c.GetVirtualController().Key == d.ControllerKey {
			bus = c.GetVirtualController().BusNumber
		}
	}
	v.Name = fmt.Sprintf("scsi%d:%d", bus, world.Deref(d.UnitNumber))
	if a := d.StorageIOAllocation; a != nil && a.Limit != nil {
		v.IOPSLimit = *a.Limit
	}
	if b, ok := d.Backing.(types.BaseVirtualDeviceFileBackingInfo); ok {
		if ref := b.GetVirtualDeviceFileBackingInfo().Datastore; ref != nil {
			v.Store = o.stores[*ref]
		}
	}
	switch b := d.Backing.(type) {
	case *types.VirtualDiskFlatVer2BackingInfo:
		v.Delta = b.Parent != nil
	case *types.VirtualDiskSeSparseBackingInfo:
		v.Delta = true
	}
	return v
}
