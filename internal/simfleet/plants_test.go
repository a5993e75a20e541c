package simfleet

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Plant is an intended fault in the tables of the fleet, or one that follows from them by counting. It does not depend on
// counters or on vperf's findings.
type Plant struct{ Fault, Object string }

// Plants returns all of them: of hosts with their devices, of VMs, and of the objects that hosts and VMs belong to.
func Plants() (all []Plant) {
	vms := fleetTables.VMs
	hosts := map[string]*fleetdata.Host{}
	for _, row := range slices.Concat(hostTable, standaloneTable) {
		hosts[row.Short()] = &row
		all = slices.Concat(all, (&hostPlants{row: &row, name: row.Short()}).list(vms))
	}
	for _, row := range vms {
		if row.Template && len(row.Snapshots) > 0 {
			all = append(all, Plant{"parent-of-clones", row.Name})
		}
		if !row.Template {
			all = slices.Concat(all, (&vmPlants{row: &row, host: hosts[row.Host]}).list())
		}
	}
	return slices.Concat(all, plantsAround())
}

// plantsAround returns those of clusters, pools, switches and datastores, by table.
func plantsAround() (list []Plant) {
	for _, row := range fleetTables.Pools {
		if row.CPUShares != 0 {
			list = append(list, Plant{"pool-shares", row.Name})
		}
		if row.Parent != "" {
			list = append(list, Plant{"pool-below", row.Name})
		}
	}
	for _, row := range fleetTables.Clusters {
		list = append(list, Plant{"cluster-settings", row.Name})
	}
	for _, row := range fleetTables.Switches {
		if row.Traffic != nil || !row.NIOC || row.Version != "version3" {
			list = append(list, Plant{"network-io-control", row.Name})
		}
	}
	for _, row := range fleetTables.PortGroups {
		if row.Policy != "loadbalance_loadbased" {
			list = append(list, Plant{"port-group-team", row.Name})
		}
	}
	for _, row := range fleetTables.Datastores[1:] {
		list = append(list, Plant{"datastore-settings", row.Name})
	}
	mark := func(name string, attributes map[string]string, tags []string) {
		if len(attributes)+len(tags) > 0 {
			list = append(list, Plant{"mark", name})
		}
	}
	for _, row := range fleetTables.Clusters {
		mark(row.Name, row.Attributes, row.Tags)
	}
	for _, row := range fleetTables.Hosts {
		mark(row.Short(), row.Attributes, row.Tags)
	}
	for _, row := range fleetTables.VMs {
		mark(row.Name, row.Attributes, row.Tags)
	}
	return list
}

// hostPlants collects the faults of a host.
type hostPlants struct {
	row  *fleetdata.Host
	name string
	all  []Plant
}

func (p *hostPlants) add(is bool, fault string) { p.at(is, fault, "") }

func (p *hostPlants) at(is bool, fault, device string) {
	if is {
		p.all = append(p.all, Plant{fault, p.name + device})
	}
}

func (p *hostPlants) list(vms []fleetdata.VM) []Plant {
	p.settings()
	p.hardware()
	p.nics()
	p.disks()
	p.commandLine()
	p.crowd(vms)
	return p.all
}

func (p *hostPlants) fast() bool { return p.row.Server.NIC.Mbps >= load.FastNIC }

// settings checks power, options and other settings.
func (p *hostPlants) settings() {
	r := p.row
	p.add(r.Power == "low", "power-low")
	p.add(r.Power == "custom", "power-custom")
	p.add(r.Power == "dynamic" && p.fast(), "power-balanced-fast")
	p.add(r.PowerHardware != fleetdata.BothStates, "power-bios")
	_, set := r.Options[world.NUMAIO]
	p.add(!set && p.fast() && r.NUMANodes() > 1, "numa-io-off")
	for key := range r.Options {
		p.add(key != world.NUMAIO, "option:"+key)
	}
	p.add(r.Scheduler != "", "scheduler")
	p.add(r.Free, "licence")
	p.add(r.SwapCacheMB > 0, "swap-cache")
	p.add(r.FlashCacheGB > 0, "flash-cache")
	p.add(r.Tiering != "", "tiering")
	p.add(r.OSData, "system-volume-on-flash")
	p.add(r.Unbound, "iscsi-unbound")
	p.add(r.ServerName == "i3metal", "managed-cloud")
}

func (p *hostPlants) hardware() {
	r := p.row
	p.add(r.HidePCI, "nodes-hidden")
	p.add(r.Threads == fleetdata.ThreadsOff, "threads-off")
	p.add(r.Threads == fleetdata.ThreadsHidden, "threads-hidden")
	p.add(r.NUMANodes() < r.Server.Sockets, "interleaving")
	p.add(r.NUMANodes() > r.Server.Sockets, "sub-numa")
	p.add(r.Server.NIC.Driver == "ixgbe", "nic-driver-old")
	for _, g := range r.DiskGroups {
		p.add(g.CacheGB*10 < g.CapacityGB*int64(g.Disks) && !g.Flash, "vsan-cache-small")
	}
	p.add(len(r.DiskGroups) == 1, "vsan-one-group")
}

func (p *hostPlants) nics() {
	r := p.row
	for n, l := range r.Links {
		device := "/" + n
		p.at(l.Mbps == 0, "link-down", device)
		p.at(l.Half, "link-half", device)
		p.at(l.Mbps > 0 && !l.Half && l.Mbps < r.Server.NIC.Mbps, "link-slow", device)
	}
	for n := range r.Server.Slots {
		driver := r.Modules[r.Server.NIC.Driver]
		off := p.fast() && !r.EDP && !strings.Contains(" "+driver.Configured, " RSS=4")
		p.at(off, "rss-off", "/"+nicName(n))
		p.at(driver.Configured != driver.Running, "rss-waits", "/"+nicName(n))
	}
	p.add(r.IdleNIC, "nic-idle")
	for _, s := range r.Switches {
		p.add(slices.Contains(s.Groups, vmotionGroup), "vmotion-1g")
		p.add(slices.Contains(s.Groups, vsanGroup), "vsan-1g")
	}
	for _, t := range r.Teams {
		p.add(t.Standby != nil, "team-standby")
		p.add(t.Policy == "loadbalance_ip", "team-hash")
	}
	p.add(r.VMotionMTU > max(r.MTU, defaultMTU), "vmk-mtu")
	for _, v := range r.VMKs {
		p.add(v.Service == "vmotion" || v.Service == "faultToleranceLogging", "vmk-second")
	}
	p.add(r.ISCSI && !r.NoDelayedAck, "delayed-ack")
}

func (p *hostPlants) disks() {
	for disk, s := range p.row.SAN {
		device := "/" + disk
		p.at(s.Policy != "", "path-policy", device)
		p.at(slices.Contains(s.Paths, "dead"), "path-dead", device)
		p.at(len(s.Paths) == 1, "path-single", device)
	}
}

// commandLine checks values that only the host's command line reports.
func (p *hostPlants) commandLine() {
	row, disks := p.row.ESXCLI, []string{localDisk, sanDisk, flashDisk, oldDisk}
	for nic, r := range row.Rings {
		p.at(r.RX < world.StockRing.RX, "ring-small", "/"+nic)
	}
	for nic := range row.Interrupts {
		p.at(true, "interrupts-fixed", "/"+nic)
	}
	for n, open := range row.Outstanding {
		p.at(open < world.StockOutstanding, "ios-few", "/"+disks[n])
		p.at(open > world.StockOutstanding, "ios-many", "/"+disks[n])
	}
	for n := range row.SampleSize {
		p.at(true, "queue-throttle", "/"+disks[n])
	}
	p.add(len(row.SwitchAfter) > 0, "path-switch")
	p.add(len(row.Kernel) > 0, "kernel-setting")
}

// Number of VMs per core from which a host is crowded.
const crowdedFrom = 4

// crowd checks faults of all VMs of a host together.
func (p *hostPlants) crowd(vms []fleetdata.VM) {
	var vcpus, mb int64
	for _, v := range vms {
		if v.Host == p.name && !v.Off && !v.Template {
			vcpus, mb = vcpus+int64(v.VCPUs), mb+int64(v.MemoryMB)
			for _, d := range v.Data {
				p.at(d.Store == storeOld, "slow-array", "/"+oldDisk)
			}
		}
	}
	p.add(vcpus > crowdedFrom*int64(p.row.Server.AllCores()), "crowded")
	p.add(mb > p.row.Server.MemoryGB<<10, "memory-short")
	slices.SortFunc(p.all, func(a, b Plant) int { return strings.Compare(a.Fault+a.Object, b.Fault+b.Object) })
	p.all = slices.Compact(p.all)
}

// vmPlants collects the faults of a VM.
type vmPlants struct {
	row  *fleetdata.VM
	host *fleetdata.Host
	all  []Plant
}

func (p *vmPlants) add(is bool, fault string) {
	if is {
		p.all = append(p.all, Plant{fault, p.row.Name})
	}
}

func (p *vmPlants) list() []Plant {
	p.allotted()
	p.shape()
	p.devices()
	p.rest()
	p.work()
	slices.SortFunc(p.all, func(a, b Plant) int { return strings.Compare(a.Fault, b.Fault) })
	return slices.Compact(p.all)
}

// allotted checks a VM's limits and reservations.
func (p *vmPlants) allotted() {
	r := p.row
	p.add(r.Latency == fleetdata.LatencyHigh && r.Reserve == fleetdata.ReserveNothing, "latency-bare")
	p.add(r.Latency == fleetdata.LatencyHigh && r.Reserve == fleetdata.ReserveCPU, "latency-memory")
	p.add(r.Latency == fleetdata.LatencyMedium, "latency-medium")
	p.add(r.CPULimitMHz > 0 && r.CPULimitMHz < int64(r.VCPUs)*p.host.Hz/1_000_000, "cpu-limit")
	p.add(r.MemoryLimitMB > 0 && r.MemoryLimitMB < int64(r.MemoryMB), "memory-limit")
	for _, pool := range fleetTables.Pools {
		p.add(pool.Name == r.Pool && pool.Cluster == p.host.Cluster && pool.CPULimitMHz > 0, "pool-limit")
	}
}

// shape checks a VM's topology on the cores and nodes of its host.
func (p *vmPlants) shape() {
	r, cores, nodes := p.row, int32(p.host.Server.AllCores()), int32(p.host.NUMANodes())
	node := cores / nodes
	needs := (r.VCPUs + node - 1) / node
	p.add(r.VCPUs > cores, "wider-than-host")
	p.add(r.VCPUs <= cores && r.VCPUs*4 > cores*3 && r.VCPUs > 2, "wide-for-host")
	p.add(r.VCPUs > node && r.VCPUs <= cores && nodes > 1, "wider-than-node")
	p.add(needs > 1 && needs < nodes && r.VCPUs%needs != 0, "uneven-on-nodes")
	p.add(r.Cores > node, "wide-socket")
	p.add(r.HotAdd && r.VCPUs > max(widestUMA, node) && !r.VNUMAOnHotAdd, "hot-add")
	p.add(r.Affinity != nil, "pinned-to-cpus")
}

func (p *vmPlants) devices() {
	r := p.row
	for _, n := range r.NICs {
		p.add(n.Kind == fleetdata.NICE1000 || n.Kind == fleetdata.NICE1000e, "nic-emulated")
	}
	if p.manyRings() {
		for _, n := range r.NICs {
			p.add(n.Kind == fleetdata.NICVmxnet3 && n.PNICFeatures != "4", "one-queue")
		}
	}
	p.add(r.IOPSLimit > 0, "io-limit")
	for _, d := range r.Data {
		p.add(d.IOPSLimit > 0, "io-limit")
		p.add(d.Kind != fleetdata.DiskPVSCSI, "data-on-lsi")
		p.add(d.Beside, "controller-crowded")
		p.add(d.Form == fleetdata.FormLazy, "disk-lazy")
		p.add(d.Form == fleetdata.FormRedo || d.Form == fleetdata.FormSESparse, "disk-delta")
		p.add(d.Store == storeOld, "on-slow-array")
	}
}

// manyRings reports whether the host's fast NICs could give a virtual NIC several rings.
func (p *vmPlants) manyRings() bool {
	h := p.host
	return h.Server.NIC.Mbps > 10_000 && (h.EDP || strings.Contains(h.Modules[h.Server.NIC.Driver].Configured, "RSS=4"))
}

// usualKeys are VMX keys for the purpose of a VM, which are not faults.
var usualKeys = []string{"numa.nodeaffinity"}

var pinning = regexp.MustCompile(`^sched\.vcpu\d+\.affinity$`)

// rest checks keys, manual changes, snapshots, and the load of the guest.
func (p *vmPlants) rest() {
	r := p.row
	for _, k := range r.Keys {
		key := strings.ToLower(k.Key)
		p.add(pinning.MatchString(key), "pinned-to-cpus")
		p.add(key == "numa.nodeaffinity", "pinned-to-node")
		p.add(!pinning.MatchString(key) && !slices.Contains(usualKeys, key), "key:"+key)
	}
	for _, t := range r.With {
		p.add(true, "quirk:"+t)
	}
	old := slices.ContainsFunc(r.Snapshots, func(s fleetdata.Snapshot) bool { return !s.Taken.IsZero() })
	p.add(old && len(r.Snapshots) > 2, "snapshot-chain")
	p.add(old && len(r.Snapshots) <= 2, "snapshot-old")
	p.add(r.Consolidate, "deltas-left-behind")
	p.add(r.Hardware < 13, "hardware-old")
	p.add(r.Tools.Status != "guestToolsCurrent" && r.Tools.Status != "guestToolsUnmanaged", "tools")
	p.add(r.Disk == fleetdata.DiskLSIParallel, "boot-on-lsi-parallel")
}

// work checks loads that are a fault, or look like one.
func (p *vmPlants) work() {
	for does, w := range map[string]struct {
		fault      string
		vm, onHost bool // the object that shows it
	}{
		"tooMuchToDo": {"too-much-to-do", true, false}, "queried": {"packets-while-waiting", true, false},
		"swappedOnce": {"swapped-once", true, true}, "balloonedOnce": {"ballooned-once", true, true}, "lineRate": {"wire-full", false, true},
	} {
		is := fleetTables.ProfileOf(p.row.Name) == fleetTables.Profiles[does]
		p.add(is && w.vm, w.fault)
		if is && w.onHost {
			p.all = append(p.all, Plant{w.fault, p.row.Host})
		}
	}
}

// identities are fields of rows that identify or describe. All others are checked for faults: whoever adds a field decides.
var identities = map[reflect.Type]string{
	reflect.TypeFor[fleetdata.Host](): "Name Identity Cluster Hz Release Version Build EDP Uplinks DVS Address Booted Board MTU NoDelayedAck " +
		"SensorFaults Alarms Defaults GPUs",
	reflect.TypeFor[fleetdata.VM]():     "Name Count Folder Template Secret Threads Off VNUMAOnHotAdd",
	reflect.TypeFor[fleetdata.ESXCLI](): "FCFirmware",
	reflect.TypeFor[fleetdata.Disk]():   "",
	reflect.TypeFor[fleetdata.VNIC]():   "LowerCase",
}

// lookedAt are the fields that define faults.
var lookedAt = map[reflect.Type]string{
	reflect.TypeFor[fleetdata.Host](): "ServerName Server Power PowerHardware HidePCI Options Modules ESXCLI Links IdleNIC Threads Free Nodes Scheduler " +
		"Tiering SwapCacheMB FlashCacheGB OSData Unbound Switches Teams VMotionMTU VMKs ISCSI SAN DiskGroups Attributes Tags",
	reflect.TypeFor[fleetdata.VM](): "Host Pool GuestName Guest Tools VCPUs MemoryMB Hardware Latency Reserve CPULimitMHz NICs Disk Cores HotAdd Affinity " +
		"MemoryLimitMB IOPSLimit Data Keys With Consolidate Snapshots Attributes Tags",
	reflect.TypeFor[fleetdata.ESXCLI](): "Rings Interrupts Outstanding SampleSize SwitchAfter Kernel",
	reflect.TypeFor[fleetdata.Disk]():   "Kind IOPSLimit Beside Form Store",
	reflect.TypeFor[fleetdata.VNIC]():   "Kind PNICFeatures",
}

// TestPlantsLookAtAllFields: a new field of a table is either part of an identity, or a new kind of fault.
func TestPlantsLookAtAllFields(t *testing.T) {
	for kind, known := range identities {
		var fields []string
		for f := range kind.Fields() {
			fields = append(fields, f.Name)
		}
		require.ElementsMatch(t, strings.Fields(known+" "+lookedAt[kind]), fields, kind.Name())
	}
	require.NotEmpty(t, Plants())
	for _, p := range Plants() {
		require.NotEmpty(t, p.Fault, fmt.Sprint(p))
	}
}
