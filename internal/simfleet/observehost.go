package simfleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxcli"
	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// capture reads all of a host's settings. The caller holds the lock of its managers, or is the only user of the host.
func (o *observer) capture(e *world.Host) *load.Host {
	r := e.Row
	h := &load.Host{
		Stream: load.NewStream(o.site, r.Name),
		Cores:  r.Server.AllCores(), Sockets: r.Server.Sockets, PerCore: e.PerCore.Count(), Nodes: r.NUMANodes(), MHz: r.Hz / 1_000_000,
		MemoryKB: r.Server.MemoryGB << 20, Policy: load.PowerPolicy(e.System.Config.PowerSystemInfo.CurrentPolicy.Key), BIOS: r.BIOSPower(),
		Volumes: volumes(), NFS: mounts(&r), VSAN: len(r.DiskGroups) > 0, Alone: r.Cluster == "",
	}
	for _, g := range r.GPUs {
		h.GPUs = append(h.GPUs, load.GPU{ID: "gpu-" + g.PCIID, MemoryKB: g.MemoryMB << 10})
	}
	if at := e.System.Runtime.BootTime; at != nil {
		h.Booted = at.Unix()
	}
	captureOptions(e, h)
	captureNetwork(e, h)
	captureDevices(e, h)
	return h
}

// volumes returns the datastores on hosts' disks.
func volumes() (list []load.Volume) {
	fleet := fleetdata.Demo()
	for _, d := range fleet.Datastores {
		if d.LUN != "" {
			list = append(list, load.Volume{Name: d.Name, Device: fleet.LUN(d.LUN).ID})
		}
	}
	return list
}

// mounts returns the names of the host's NFS datastores.
func mounts(h *fleetdata.Host) (names []string) {
	for _, d := range fleetdata.Demo().Datastores {
		if strings.HasPrefix(d.Kind, "NFS") && d.On(h.Short()) && h.Cluster != "" {
			names = append(names, d.Name)
		}
	}
	return names
}

// captureOptions reads the advanced options of a host that affect its load.
func captureOptions(e *world.Host, h *load.Host) {
	off := func(key string) bool { n, ok := e.Option(key).(int64); return ok && n == 0 }
	h.MaxFreqPct = 100
	if pct, ok := e.Option("Power.MaxFreqPct").(int64); ok {
		h.MaxFreqPct = pct
	}
	threshold, ok := e.Option(world.NUMAIO).(int64)
	h.NUMAIO = ok && threshold > 0
	h.LRO = !off("Net.Vmxnet3HwLRO") && !off("Net.Vmxnet3SwLRO")
	h.NUMAMoves = !off("Numa.RebalanceEnable") && !off("Numa.PageMigEnable")
}

// captureNetwork reads its NICs and its switches, the VMs' switch first.
func captureNetwork(e *world.Host, h *load.Host) {
	n := e.System.Config.Network
	for i, nic := range n.Pnic {
		p := load.PNIC{Name: nic.Device, Ring: e.RingNow(nic.Device).RX}
		if l := nic.LinkSpeed; l != nil {
			p.Mbps, p.Full = int64(l.SpeedMb), l.Duplex
		}
		p.Rings = ringsOf(e, i, p.Mbps)
		h.PNICs = append(h.PNICs, p)
	}
	for _, v := range n.Vswitch {
		s := load.Switch{Name: v.Name, Uplinks: nicsOf(n, v.Pnic), VMKs: vmksOf(n, onSwitch(n, v.Name))}
		s.Active = inUse(h, s.Uplinks, teamOf(n, v.Name))
		h.Switches = append(h.Switches, s)
	}
	for _, v := range n.ProxySwitch {
		s := load.Switch{Name: v.DvsName, Uplinks: nicsOf(n, v.Pnic), VMKs: vmksOf(n, func(vmk types.HostVirtualNic) bool {
			p := vmk.Spec.DistributedVirtualPort
			return p != nil && p.SwitchUuid == v.DvsUuid
		})}
		s.Active = inUse(h, s.Uplinks, nil)
		h.Switches = append(h.Switches, s)
	}
}

// nicsOf returns the numbers of the NICs with these keys.
func nicsOf(n *types.HostNetworkInfo, keys []string) (list []int) {
	for i, p := range n.Pnic {
		if slices.Contains(keys, p.Key) {
			list = append(list, i)
		}
	}
	return list
}

// inUse returns the NICs that are up and in the team; without a team all that are up.
func inUse(h *load.Host, nics []int, team []string) (active []int) {
	for _, i := range nics {
		if h.PNICs[i].Mbps > 0 && (team == nil || slices.Contains(team, h.PNICs[i].Name)) {
			active = append(active, i)
		}
	}
	return active
}

// teamOf returns the NICs of the VM port group, or nil if it has no failover order of its own.
func teamOf(n *types.HostNetworkInfo, name string) (team []string) {
	for _, g := range n.Portgroup {
		if g.Spec.VswitchName == name && g.Spec.Name == world.VMNetwork && g.ComputedPolicy.NicTeaming != nil {
			team = g.ComputedPolicy.NicTeaming.NicOrder.ActiveNic
		}
	}
	return team
}

func vmksOf(n *types.HostNetworkInfo, here func(types.HostVirtualNic) bool) (names []string) {
	for _, vmk := range n.Vnic {
		if here(vmk) {
			names = append(names, vmk.Device)
		}
	}
	return names
}

// onSwitch returns a function that reports VMkernel adapters on port groups of a standard switch.
func onSwitch(n *types.HostNetworkInfo, name string) func(types.HostVirtualNic) bool {
	return func(vmk types.HostVirtualNic) bool {
		return vmk.Spec.DistributedVirtualPort == nil && slices.ContainsFunc(n.Portgroup, func(g types.HostPortGroup) bool {
			return g.Spec.Name == vmk.Portgroup && g.Spec.VswitchName == name
		})
	}
}

// ringsOf returns the number of a NIC's rings that share the packets of one VM. RSS in the driver makes it more than one;
// Enhanced Data Path has its own. Slower NICs distribute packets by VM.
func ringsOf(e *world.Host, at int, mbps int64) int {
	if world.Deref(e.System.Config.Network.Pnic[at].Spec.EnableEnhancedNetworkingStack) {
		return load.MostRings
	}
	options := esxcli.OptionsIn(e.Modules[e.Cards()[at].Driver].Running)
	for _, name := range []string{"RSS", "num_rings_per_rss_queue", "netq_num_rings_per_rss"} {
		var n int
		if _, err := fmt.Sscanf(options[name], "%d", &n); err == nil {
			return min(max(n, 1), load.MostRings)
		}
	}
	if mbps >= load.FastNIC || e.AtBoot["netNetqueueEnabled"] == false {
		return 1
	}
	return 2
}

// captureDevices reads the disks of the host with their used paths, and the adapters of these.
func captureDevices(e *world.Host, h *load.Host) {
	info := e.System.Config.StorageDevice
	h.Devices, h.Adapters = nil, nil
	for _, l := range info.ScsiLun {
		disk, ok := l.(*types.HostScsiDisk)
		if !ok {
			continue
		}
		d := load.Device{
			Name: disk.CanonicalName, Display: disk.DisplayName, Blocks: disk.Capacity.Block, Local: world.Deref(disk.LocalDisk),
			VSAN:       strings.HasPrefix(disk.CanonicalName, world.VSANDiskPrefix),
			QueueDepth: int64(e.OutstandingOf(len(h.Devices), disk.CanonicalName)),
		}
		if lun := fleetdata.Demo().LUN(d.Name); lun != nil {
			d.Millis, d.IOPS = lun.Millis, lun.IOPS
		}
		for _, unit := range info.MultipathInfo.Lun {
			if unit.Lun == disk.Key {
				d.Paths = usedPaths(unit)
			}
		}
		h.Devices = append(h.Devices, d)
		for _, p := range d.Paths {
			if a := (load.Adapter{Name: p.Adapter, QueueDepth: adapterDepth(p.Adapter)}); !slices.Contains(h.Adapters, a) {
				h.Adapters = append(h.Adapters, a)
			}
		}
	}
	slices.SortStableFunc(h.Adapters, func(a, b load.Adapter) int { return strings.Compare(a.Name, b.Name) })
}

// adapterDepth returns the queue depth of an adapter.
func adapterDepth(name string) int64 {
	switch name {
	case world.HBALocal:
		return 891
	case world.HBAISCSI:
		return 1024
	}
	return 8192
}

// usedPaths returns the paths to a disk: round robin uses all active paths, other policies the first of them.
func usedPaths(unit types.HostMultipathInfoLogicalUnit) []load.Path {
	var list []load.Path
	every, found := unit.Policy.GetHostMultipathInfoLogicalUnitPolicy().Policy == world.PathRoundRobin, false
	for _, p := range unit.Path {
		used := p.State == "active" && (every || !found)
		found = found || used
		list = append(list, load.Path{Name: p.Name, Adapter: strings.TrimPrefix(p.Adapter, "key-vim.host."), Used: used})
	}
	return list
}
