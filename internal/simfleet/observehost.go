package simfleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

// capture reads all of a host's settings. The caller holds the lock of its managers, or nobody else knows the host yet.
func (o *observer) capture(e *esxi) *hostSettings {
	r := e.row
	h := &hostSettings{
		stream: newStream(o.site, r.name),
		cores:  r.server.allCores(), sockets: r.server.sockets, perCore: e.perCore.count(), nodes: r.numaNodes(), mhz: r.hz / 1_000_000,
		memoryKB: r.server.memoryGB << 20, policy: policy(e.power.Info.CurrentPolicy.Key), bios: r.biosPower(),
		volumes: volumes, nfs: r.mounts(), vsan: r.cluster == clusterVSAN, alone: r.cluster == "",
	}
	if at := e.host.Runtime.BootTime; at != nil {
		h.booted = at.Unix()
	}
	e.captureOptions(h)
	e.captureNetwork(h)
	e.captureDevices(h)
	return h
}

// volumes are the datastores that are on a disk of hosts.
var volumes = []volumeSettings{{datastoreName, sanDisk}, {storeOld, oldDisk}, {storeFull, flashDisk}, {storeShared, sanDisk}}

// mounts are the names of the host's NFS datastores.
func (r *hostRow) mounts() (names []string) {
	if r.cluster == "" {
		return nil
	}
	for _, s := range storeTable() {
		if strings.HasPrefix(s.kind, "NFS") && (s.hosts == nil || slices.Contains(s.hosts, shortName(r.name))) {
			names = append(names, s.name)
		}
	}
	return names
}

// captureOptions reads what of a host's advanced options its load depends on.
func (e *esxi) captureOptions(h *hostSettings) {
	off := func(key string) bool { n, ok := e.options.value(key).(int64); return ok && n == 0 }
	h.maxFreqPct = 100
	if pct, ok := e.options.value("Power.MaxFreqPct").(int64); ok {
		h.maxFreqPct = pct
	}
	threshold, ok := e.options.value(numaIO).(int64)
	h.numaIO = ok && threshold > 0
	h.lro = !off("Net.Vmxnet3HwLRO") && !off("Net.Vmxnet3SwLRO")
	h.numaMoves = !off("Numa.RebalanceEnable") && !off("Numa.PageMigEnable")
}

// captureNetwork reads its NICs and its switches, the one that VMs are on first.
func (e *esxi) captureNetwork(h *hostSettings) {
	n := e.host.Config.Network
	for i, nic := range n.Pnic {
		p := pnicSettings{name: nic.Device, ring: e.ringNow(nic.Device).rx}
		if l := nic.LinkSpeed; l != nil {
			p.mbps, p.full = int64(l.SpeedMb), l.Duplex
		}
		p.rings = e.ringsOf(i, p.mbps)
		h.pnics = append(h.pnics, p)
	}
	for _, v := range n.Vswitch {
		s := switchSettings{name: v.Name, uplinks: nicsOf(n, v.Pnic), vmks: vmksOf(n, onSwitch(n, v.Name))}
		s.active = inUse(h, s.uplinks, teamOf(n, v.Name))
		h.switches = append(h.switches, s)
	}
	for _, v := range n.ProxySwitch {
		s := switchSettings{name: v.DvsName, uplinks: nicsOf(n, v.Pnic), vmks: vmksOf(n, func(vmk types.HostVirtualNic) bool {
			p := vmk.Spec.DistributedVirtualPort
			return p != nil && p.SwitchUuid == v.DvsUuid
		})}
		s.active = inUse(h, s.uplinks, nil)
		h.switches = append(h.switches, s)
	}
}

// nicsOf are the numbers of the NICs with some keys.
func nicsOf(n *types.HostNetworkInfo, keys []string) (list []int) {
	for i, p := range n.Pnic {
		if slices.Contains(keys, p.Key) {
			list = append(list, i)
		}
	}
	return list
}

// inUse are those of some NICs that are up and that a team names; without a team all that are up.
func inUse(h *hostSettings, nics []int, team []string) (active []int) {
	for _, i := range nics {
		if h.pnics[i].mbps > 0 && (team == nil || slices.Contains(team, h.pnics[i].name)) {
			active = append(active, i)
		}
	}
	return active
}

// teamOf are the NICs that the port group of VMs uses, or nil where it has no order of its own.
func teamOf(n *types.HostNetworkInfo, name string) (team []string) {
	for _, g := range n.Portgroup {
		if g.Spec.VswitchName == name && g.Spec.Name == networkName && g.ComputedPolicy.NicTeaming != nil {
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

// onSwitch tells the VMkernel adapters on port groups of a standard switch from others.
func onSwitch(n *types.HostNetworkInfo, name string) func(types.HostVirtualNic) bool {
	return func(vmk types.HostVirtualNic) bool {
		return vmk.Spec.DistributedVirtualPort == nil && slices.ContainsFunc(n.Portgroup, func(g types.HostPortGroup) bool {
			return g.Spec.Name == vmk.Portgroup && g.Spec.VswitchName == name
		})
	}
}

// ringsOf is how many rings of a NIC share what arrives for one VM. RSS in its driver makes them more than one; Enhanced Data
// Path has its own. What slower NICs get is spread by VM.
func (e *esxi) ringsOf(at int, mbps int64) int {
	if deref(e.host.Config.Network.Pnic[at].Spec.EnableEnhancedNetworkingStack) {
		return mostRings
	}
	options := optionsIn(e.modules.modules[e.cards()[at].driver].running)
	for _, name := range []string{"RSS", "num_rings_per_rss_queue", "netq_num_rings_per_rss"} {
		var n int
		if _, err := fmt.Sscanf(options[name], "%d", &n); err == nil {
			return min(max(n, 1), mostRings)
		}
	}
	if mbps >= fastNIC || e.atBoot["netNetqueueEnabled"] == false {
		return 1
	}
	return 2
}

// captureDevices reads the disks of the host with the paths that are used, and the adapters that these go through.
func (e *esxi) captureDevices(h *hostSettings) {
	info := e.host.Config.StorageDevice
	h.devices, h.adapters = nil, nil
	for _, l := range info.ScsiLun {
		disk, ok := l.(*types.HostScsiDisk)
		if !ok {
			continue
		}
		d := deviceSettings{
			name: disk.CanonicalName, display: disk.DisplayName, blocks: disk.Capacity.Block, local: deref(disk.LocalDisk),
			slow: disk.CanonicalName == oldDisk, vsan: strings.HasPrefix(disk.CanonicalName, vsanDiskPrefix),
			queueDepth: int64(e.outstandingOf(len(h.devices), disk.CanonicalName)),
		}
		for _, unit := range info.MultipathInfo.Lun {
			if unit.Lun == disk.Key {
				d.paths = pathsOf(unit)
			}
		}
		h.devices = append(h.devices, d)
		for _, p := range d.paths {
			if a := (adapterSettings{p.adapter, adapterDepth(p.adapter)}); !slices.Contains(h.adapters, a) {
				h.adapters = append(h.adapters, a)
			}
		}
	}
	slices.SortFunc(h.adapters, func(a, b adapterSettings) int { return strings.Compare(a.name, b.name) })
}

// adapterDepth is how many commands an adapter has room for.
func adapterDepth(name string) int64 {
	switch name {
	case hbaLocal:
		return 891
	case hbaISCSI:
		return 1024
	}
	return 8192
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
