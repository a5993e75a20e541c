package simfleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// vmSettings is what of a VM's configuration its load depends on, as it was for a while. Nobody changes one.
type vmSettings struct {
	name            string
	vcpus, memoryMB int64
	cpu, memory     grant // in MHz and MB
	poolMHz         int64 // its part of what its pool is limited to; -1 is none
	threads         int64 // vCPUs that share a core
	latency         bool  // high sensitivity, of some vCPU at least
	affinity        []int32
	node            int // that it is kept on; -1 is where the scheduler likes
	memoryNode      int // that its memory is kept on; -1 as above
	unevenNUMA      bool
	balloonDriver   bool
	snapshots       int64
	nics            []vnicSettings
	disks           []vdiskSettings
}

// grant is a reservation, a limit (-1 is none) and shares.
type grant struct{ reservation, limit, shares int64 }

type vnicSettings struct {
	key         int32
	kind        string
	manyQueues  bool // pnicFeatures asks for RSS
	distributed bool // on a distributed switch
	bypass      bool // it is no port of a switch
}

type vdiskSettings struct {
	key       int32
	name      string // scsi0:0
	store     string
	iopsLimit int64 // -1 is none
	delta     bool
}

// settingsOf reads them. The caller holds the VM's lock.
func (s *stays) settingsOf(vm *mo.VirtualMachine) *vmSettings {
	c := vm.Config
	keys := map[string]string{}
	for _, o := range c.ExtraConfig {
		v := o.GetOptionValue()
		keys[strings.ToLower(v.Key)] = fmt.Sprint(v.Value)
	}
	v := &vmSettings{
		name: vm.Name, vcpus: int64(c.Hardware.NumCPU), memoryMB: int64(c.Hardware.MemoryMB),
		cpu: granted(c.CpuAllocation), memory: granted(c.MemoryAllocation), node: -1, memoryNode: -1,
		threads: max(1, int64(c.Hardware.SimultaneousThreads)),
	}
	v.poolMHz = s.pools.share(vm)
	v.latency = c.LatencySensitivity != nil && c.LatencySensitivity.Level == types.LatencySensitivitySensitivityLevelHigh
	for _, one := range c.VcpuConfig {
		v.latency = v.latency || one.LatencySensitivity != nil && one.LatencySensitivity.Level == types.LatencySensitivitySensitivityLevelHigh
	}
	if c.CpuAffinity != nil {
		v.affinity = slices.Clone(c.CpuAffinity.AffinitySet)
	}
	for i := range v.vcpus {
		var cpu int32
		if text, ok := keys[fmt.Sprintf("sched.vcpu%d.affinity", i)]; ok {
			if _, err := fmt.Sscanf(text, "%d", &cpu); err == nil && !slices.Contains(v.affinity, cpu) {
				v.affinity = append(v.affinity, cpu)
			}
		}
	}
	if text := keys["numa.nodeaffinity"]; text != "" {
		_, _ = fmt.Sscanf(text, "%d", &v.node)
	}
	if a := c.MemoryAffinity; a != nil && len(a.AffinitySet) > 0 {
		v.memoryNode = int(a.AffinitySet[0])
	}
	numa := c.NumaInfo
	v.unevenNUMA = v.vcpus > widestUMA && deref(c.CpuHotAddEnabled) && (numa == nil || !deref(numa.VnumaOnCpuHotaddExposed))
	v.balloonDriver = keys["sched.mem.maxmemctl"] != "0" && vm.Guest != nil && vm.Guest.ToolsStatus != types.VirtualMachineToolsStatusToolsNotInstalled
	if vm.Snapshot != nil {
		v.snapshots = depth(vm.Snapshot.RootSnapshotList)
	}
	for _, d := range c.Hardware.Device {
		switch d := d.(type) {
		case types.BaseVirtualEthernetCard:
			v.nics = append(v.nics, vnicOf(d, len(v.nics), keys))
		case *types.VirtualDisk:
			v.disks = append(v.disks, s.vdiskOf(d, c.Hardware.Device))
		}
	}
	return v
}

// widestUMA is how many vCPUs a VM has at most that shows its guest no NUMA.
const widestUMA = 8

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

func vnicOf(d types.BaseVirtualEthernetCard, n int, keys map[string]string) vnicSettings {
	card := d.GetVirtualEthernetCard()
	v := vnicSettings{key: card.Key, kind: fleetdata.NICVmxnet3}
	switch d := d.(type) {
	case *types.VirtualE1000:
		v.kind = fleetdata.NICE1000
	case *types.VirtualE1000e:
		v.kind = fleetdata.NICE1000e
	case *types.VirtualSriovEthernetCard:
		v.kind, v.bypass = fleetdata.NICSRIOV, true
	case *types.VirtualVmxnet3:
		v.bypass = deref(d.Uptv2Enabled)
	}
	features := keys[fmt.Sprintf("ethernet%d.pnicfeatures", n)]
	v.manyQueues = features == "4" || features == "5"
	_, v.distributed = card.Backing.(*types.VirtualEthernetCardDistributedVirtualPortBackingInfo)
	return v
}

func (s *stays) vdiskOf(d *types.VirtualDisk, devices []types.BaseVirtualDevice) vdiskSettings {
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
			v.store = s.stores[*ref]
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

// hostSettings is what a host is and has set, as it was for a while. Nobody changes one.
type hostSettings struct {
	stream                         stream
	cores, sockets, perCore, nodes int
	mhz                            int64
	memoryKB                       int64
	policy                         int32
	maxFreqPct                     int64 // of the custom policy
	bios                           bool  // which keeps power control
	numaIO                         bool  // worlds that handle packets stay on the NIC's node
	lro                            bool  // packets are joined before guests see them
	numaMoves                      bool  // the NUMA scheduler places VMs and moves their memory
	alone                          bool  // no vCenter looks after it
	booted                         int64 // Unix seconds
	pnics                          []pnicSettings
	switches                       []switchSettings // the first is the standard one that VMs are on
	devices                        []deviceSettings
	nfs                            []string // mounts
	vsan                           bool
}

type pnicSettings struct {
	name string
	mbps int64 // 0 is down
	full bool
	ring int // descriptors to receive into
	// rings are how many share what arrives for one VM, each with a world that polls it.
	rings int
}

// switchSettings is a switch with the NICs that VMs' ports take turns over, by number, and its VMkernel adapters.
type switchSettings struct {
	name    string
	uplinks []int // all of them
	active  []int // those that are up and in use
	vmks    []string
}

type deviceSettings struct {
	name, display string
	blocks        int64
	queueDepth    int64 // with several VMs on it
	local         bool
	paths         []pathSettings
}

type pathSettings struct {
	name, adapter string
	used          bool
}

// capture reads all of a host's settings. The caller holds the lock of its managers, or nobody else knows the host yet.
func (s *stays) capture(e *esxi) *hostSettings {
	r, c := e.row, e.host.Config
	h := &hostSettings{
		stream: newStream(s.site, r.Name),
		cores:  r.Server.AllCores(), sockets: r.Server.Sockets, perCore: e.perCore.count(), nodes: r.NUMANodes(), mhz: r.Hz / 1_000_000,
		memoryKB: r.Server.MemoryGB << 20, policy: e.power.Info.CurrentPolicy.Key, bios: r.BIOSPower(),
		vsan: len(r.DiskGroups) > 0, alone: r.Cluster == "",
	}
	e.captureOptions(h)
	if at := e.host.Runtime.BootTime; at != nil {
		h.booted = at.Unix()
	}
	for i, n := range c.Network.Pnic {
		p := pnicSettings{name: n.Device, ring: e.ringNow(n.Device).RX}
		if l := n.LinkSpeed; l != nil {
			p.mbps, p.full = int64(l.SpeedMb), l.Duplex
		}
		p.rings = e.ringsOf(i, p.mbps)
		h.pnics = append(h.pnics, p)
	}
	h.switches = switchesNow(c.Network, h.pnics)
	h.devices = e.devicesNow()
	for _, row := range fleetdata.Demo().Datastores {
		if strings.HasPrefix(row.Kind, "NFS") && r.Cluster != "" && row.On(&r) {
			h.nfs = append(h.nfs, row.Name)
		}
	}
	return h
}

// captureOptions reads what of a host's advanced options its load depends on.
func (e *esxi) captureOptions(h *hostSettings) {
	off := func(key string) bool { n, ok := e.options.value(key).(int64); return ok && n == 0 }
	h.maxFreqPct = e.maxFreqPct()
	threshold, ok := e.options.value(numaIO).(int64)
	h.numaIO = ok && threshold > 0
	h.lro = !off("Net.Vmxnet3HwLRO") && !off("Net.Vmxnet3SwLRO")
	h.numaMoves = !off("Numa.RebalanceEnable") && !off("Numa.PageMigEnable")
}

// maxFreqPct is how much of its clock the custom policy lets a core have.
func (e *esxi) maxFreqPct() int64 {
	if pct, ok := e.options.value("Power.MaxFreqPct").(int64); ok {
		return pct
	}
	return 100
}

// switchesNow are the host's switches, the one that VMs are on first.
func switchesNow(n *types.HostNetworkInfo, pnics []pnicSettings) []switchSettings {
	byKey := func(keys []string) (list []int) {
		for i, p := range n.Pnic {
			if slices.Contains(keys, p.Key) {
				list = append(list, i)
			}
		}
		return list
	}
	up := func(list []int, only []string) (active []int) {
		for _, i := range list {
			if pnics[i].mbps > 0 && (only == nil || slices.Contains(only, pnics[i].name)) {
				active = append(active, i)
			}
		}
		return active
	}
	var all []switchSettings
	for _, v := range n.Vswitch {
		s := switchSettings{name: v.Name, uplinks: byKey(v.Pnic)}
		var order []string
		for _, g := range n.Portgroup {
			if g.Spec.VswitchName == v.Name && g.Spec.Name == networkName && g.ComputedPolicy.NicTeaming != nil {
				order = g.ComputedPolicy.NicTeaming.NicOrder.ActiveNic
			}
		}
		s.active = up(s.uplinks, order)
		for _, vmk := range n.Vnic {
			for _, g := range n.Portgroup {
				if vmk.Spec.DistributedVirtualPort == nil && g.Spec.Name == vmk.Portgroup && g.Spec.VswitchName == v.Name {
					s.vmks = append(s.vmks, vmk.Device)
				}
			}
		}
		all = append(all, s)
	}
	for _, v := range n.ProxySwitch {
		s := switchSettings{name: v.DvsName, uplinks: byKey(v.Pnic)}
		s.active = up(s.uplinks, nil)
		for _, vmk := range n.Vnic {
			if p := vmk.Spec.DistributedVirtualPort; p != nil && p.SwitchUuid == v.DvsUuid {
				s.vmks = append(s.vmks, vmk.Device)
			}
		}
		all = append(all, s)
	}
	return all
}

// switchOf is the switch that a virtual NIC is on: where there is no distributed one with NICs, the first.
func (h *hostSettings) switchOf(n vnicSettings) int {
	for i, s := range h.switches {
		if n.distributed && i > 0 && s.name[0] == 'd' && len(s.active) > 0 {
			return i
		}
	}
	return 0
}

// devicesNow are the disks of the host with the paths that are used.
func (e *esxi) devicesNow() []deviceSettings {
	info := e.host.Config.StorageDevice
	var list []deviceSettings
	for _, l := range info.ScsiLun {
		disk, ok := l.(*types.HostScsiDisk)
		if !ok {
			continue
		}
		d := deviceSettings{
			name: disk.CanonicalName, display: disk.DisplayName, blocks: disk.Capacity.Block, local: deref(disk.LocalDisk),
			queueDepth: int64(e.outstandingOf(len(list), disk.CanonicalName)),
		}
		for _, unit := range info.MultipathInfo.Lun {
			if unit.Lun == disk.Key {
				d.paths = pathsOf(unit)
			}
		}
		list = append(list, d)
	}
	return list
}

// pathsOf are the paths to a disk: round robin uses all that are active, other policies the first of them.
func pathsOf(unit types.HostMultipathInfoLogicalUnit) []pathSettings {
	var list []pathSettings
	every, found := unit.Policy.GetHostMultipathInfoLogicalUnitPolicy().Policy == pathRoundRobin, false
	for _, p := range unit.Path {
		used := p.State == "active" && (every || !found)
		found = found || used
		list = append(list, pathSettings{name: p.Name, adapter: strings.TrimPrefix(p.Adapter, "key-vim.host."), used: used})
	}
	return list
}
