package simfleet

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// Plant is something that the tables of the fleet have wrong on purpose, or that follows from them by counting. Nothing here
// looks at what counters show, or at what vperf says of them.
type Plant struct{ Fault, Object string }

// Plants are all of them: those of hosts with their devices, of VMs, and of what hosts and VMs are in.
func Plants() (all []Plant) {
	vms := slices.Clone(vmTable)
	for _, row := range standaloneTable {
		vms = append(vms, standaloneVMs[shortName(row.name)]...)
	}
	hosts := map[string]*hostRow{}
	for _, row := range slices.Concat(hostTable, standaloneTable) {
		hosts[shortName(row.name)] = &row
		all = slices.Concat(all, (&hostPlants{row: &row, name: shortName(row.name)}).list(vms))
	}
	for _, row := range vms {
		if row.template && len(row.snapshots) > 0 {
			all = append(all, Plant{"parent-of-clones", row.name})
		}
		if !row.template {
			all = slices.Concat(all, (&vmPlants{row: &row, host: hosts[row.host]}).list())
		}
	}
	return slices.Concat(all, plantsAround())
}

// plantsAround are those of clusters, pools, switches and datastores, each by the table that it stands in.
func plantsAround() (list []Plant) {
	for _, row := range poolTable {
		if row.cpuShares != 0 {
			list = append(list, Plant{"pool-shares", row.name})
		}
		if row.parent != "" {
			list = append(list, Plant{"pool-below", row.name})
		}
	}
	for name := range clusterTable {
		list = append(list, Plant{"cluster-settings", name})
	}
	for _, row := range dvsTable {
		if _, given := trafficTable[row.name]; given || !row.nioc || row.version != niocV3 {
			list = append(list, Plant{"network-io-control", row.name})
		}
	}
	for _, row := range groupTable {
		if row.policy != "loadbalance_loadbased" {
			list = append(list, Plant{"port-group-team", row.name})
		}
	}
	for _, row := range storeTable() {
		list = append(list, Plant{"datastore-settings", row.name})
	}
	for _, row := range markTable {
		list = append(list, Plant{"mark", shortName(row.name)})
	}
	return list
}

// hostPlants finds what is wrong with a host.
type hostPlants struct {
	row  *hostRow
	name string
	all  []Plant
}

func (p *hostPlants) add(is bool, fault string) { p.at(is, fault, "") }

func (p *hostPlants) at(is bool, fault, device string) {
	if is {
		p.all = append(p.all, Plant{fault, p.name + device})
	}
}

func (p *hostPlants) list(vms []vmRow) []Plant {
	p.settings()
	p.hardware()
	p.nics()
	p.disks()
	p.commandLine()
	p.crowd(vms)
	return p.all
}

func (p *hostPlants) fast() bool { return p.row.server.nic.mbps >= load.FastNIC }

// settings are power, options and what else somebody set.
func (p *hostPlants) settings() {
	r := p.row
	p.add(r.policy == policyLow, "power-low")
	p.add(r.policy == policyCustom, "power-custom")
	p.add(r.policy == policyDynamic && p.fast(), "power-balanced-fast")
	p.add(r.powerHardware != bothStates, "power-bios")
	_, set := r.options[numaIO]
	p.add(!set && p.fast() && r.numaNodes() > 1, "numa-io-off")
	for key := range r.options {
		p.add(key != numaIO, "option:"+key)
	}
	p.add(r.scheduler != "", "scheduler")
	p.add(r.free, "licence")
	p.add(r.swapCacheMB > 0, "swap-cache")
	p.add(r.flashCacheGB > 0, "flash-cache")
	p.add(r.tiering != "", "tiering")
	p.add(r.osData, "system-volume-on-flash")
	p.add(r.unbound, "iscsi-unbound")
	p.add(r.server.vendor == i3metal.vendor, "managed-cloud")
}

func (p *hostPlants) hardware() {
	r := p.row
	p.add(r.hidePCI, "nodes-hidden")
	p.add(r.threads == threadsOff, "threads-off")
	p.add(r.threads == threadsHidden, "threads-hidden")
	p.add(r.numaNodes() < r.server.sockets, "interleaving")
	p.add(r.numaNodes() > r.server.sockets, "sub-numa")
	p.add(r.server.nic.driver == intel10old.driver, "nic-driver-old")
	for _, g := range r.diskGroups {
		p.add(g.cacheGB*10 < g.capacityGB*int64(g.disks) && !g.flash, "vsan-cache-small")
	}
	p.add(len(r.diskGroups) == 1, "vsan-one-group")
}

func (p *hostPlants) nics() {
	r := p.row
	for n, l := range r.links {
		device := "/" + nicName(n)
		p.at(l.mbps == 0, "link-down", device)
		p.at(l.half, "link-half", device)
		p.at(l.mbps > 0 && !l.half && l.mbps < r.server.nic.mbps, "link-slow", device)
	}
	for n := range r.server.slots {
		driver := r.modules[r.server.nic.driver]
		off := p.fast() && r.edp != edpOn && !strings.Contains(" "+driver.configured, " RSS=4")
		p.at(off, "rss-off", "/"+nicName(n))
		p.at(driver.configured != driver.running, "rss-waits", "/"+nicName(n))
	}
	p.add(r.idleNIC, "nic-idle")
	for _, s := range r.switches {
		p.add(slices.Contains(s.groups, vmotionGroup), "vmotion-1g")
		p.add(slices.Contains(s.groups, vsanGroup), "vsan-1g")
	}
	for _, t := range r.teams {
		p.add(t.standby != nil, "team-standby")
		p.add(t.policy == "loadbalance_ip", "team-hash")
	}
	p.add(r.vmotionMTU > max(r.mtu, defaultMTU), "vmk-mtu")
	for _, v := range r.vmks {
		p.add(v.service == "vmotion" || v.service == "faultToleranceLogging", "vmk-second")
	}
	p.add(r.iscsi && !r.noDelayedAck, "delayed-ack")
}

func (p *hostPlants) disks() {
	for disk, s := range p.row.san {
		device := "/" + disk
		p.at(s.policy != "", "path-policy", device)
		p.at(slices.Contains(s.paths, "dead"), "path-dead", device)
		p.at(len(s.paths) == 1, "path-single", device)
	}
}

// commandLine is what only the host's command line tells.
func (p *hostPlants) commandLine() {
	row, disks := cliTable[p.row.name], []string{localDisk, sanDisk, flashDisk, oldDisk}
	for nic, r := range row.rings {
		p.at(r.rx < stockRing.rx, "ring-small", "/"+nic)
	}
	for nic := range row.interrupts {
		p.at(true, "interrupts-fixed", "/"+nic)
	}
	for n, open := range row.outstanding {
		p.at(open < stockOutstanding, "ios-few", "/"+disks[n])
		p.at(open > stockOutstanding, "ios-many", "/"+disks[n])
	}
	for n := range row.sampleSize {
		p.at(true, "queue-throttle", "/"+disks[n])
	}
	p.add(len(row.switchAfter) > 0, "path-switch")
	p.add(len(row.kernel) > 0, "kernel-setting")
}

// What a host carries for each of its cores from which it is crowded.
const crowdedFrom = 4

// crowd is what comes of all VMs of a host together.
func (p *hostPlants) crowd(vms []vmRow) {
	var vcpus, mb int64
	for _, v := range vms {
		if v.host == p.name && !v.off && !v.template {
			vcpus, mb = vcpus+int64(v.vcpus), mb+int64(v.memoryMB)
			for _, d := range v.data {
				p.at(d.store == storeOld, "slow-array", "/"+oldDisk)
			}
		}
	}
	p.add(vcpus > crowdedFrom*int64(p.row.server.allCores()), "crowded")
	p.add(mb > p.row.server.memoryGB<<10, "memory-short")
	slices.SortFunc(p.all, func(a, b Plant) int { return strings.Compare(a.Fault+a.Object, b.Fault+b.Object) })
	p.all = slices.Compact(p.all)
}

// vmPlants finds what is wrong with a VM.
type vmPlants struct {
	row  *vmRow
	host *hostRow
	all  []Plant
}

func (p *vmPlants) add(is bool, fault string) {
	if is {
		p.all = append(p.all, Plant{fault, p.row.name})
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

// allotted is what a VM may have, and is promised.
func (p *vmPlants) allotted() {
	r := p.row
	p.add(r.latency == high && r.reserve == reserveNothing, "latency-bare")
	p.add(r.latency == high && r.reserve == reserveCPU, "latency-memory")
	p.add(r.latency == medium, "latency-medium")
	p.add(r.cpuLimitMHz > 0 && r.cpuLimitMHz < int64(r.vcpus)*p.host.hz/1_000_000, "cpu-limit")
	p.add(r.memoryLimitMB > 0 && r.memoryLimitMB < int64(r.memoryMB), "memory-limit")
	for _, pool := range poolTable {
		p.add(pool.name == r.pool && pool.cluster == p.host.cluster && pool.cpuLimitMHz > 0, "pool-limit")
	}
}

// shape is how a VM lies on the cores and nodes of its host.
func (p *vmPlants) shape() {
	r, cores, nodes := p.row, int32(p.host.server.allCores()), int32(p.host.numaNodes())
	node := cores / nodes
	needs := (r.vcpus + node - 1) / node
	p.add(r.vcpus > cores, "wider-than-host")
	p.add(r.vcpus <= cores && r.vcpus*4 > cores*3 && r.vcpus > 2, "wide-for-host")
	p.add(r.vcpus > node && r.vcpus <= cores && nodes > 1, "wider-than-node")
	p.add(needs > 1 && needs < nodes && r.vcpus%needs != 0, "uneven-on-nodes")
	p.add(r.cores > node, "wide-socket")
	p.add(r.hotAdd && r.vcpus > max(widestUMA, node) && !r.vnumaOnHotAdd, "hot-add")
	p.add(r.affinity != nil, "pinned-to-cpus")
}

func (p *vmPlants) devices() {
	r := p.row
	for _, n := range r.nics {
		p.add(n.kind == nicE1000 || n.kind == nicE1000e, "nic-emulated")
	}
	if p.manyRings() {
		nics := r.nics
		if nics == nil {
			nics = []vnicRow{{kind: nicVmxnet3}}
		}
		for _, n := range nics {
			p.add(n.kind == nicVmxnet3 && n.pnicFeatures != "4", "one-queue")
		}
	}
	p.add(r.iopsLimit > 0, "io-limit")
	for _, d := range r.data {
		p.add(d.iopsLimit > 0, "io-limit")
		p.add(d.kind != diskPVSCSI, "data-on-lsi")
		p.add(d.beside, "controller-crowded")
		p.add(d.form == formLazy, "disk-lazy")
		p.add(d.form == formRedo || d.form == formSESparse, "disk-delta")
		p.add(d.store == storeOld, "on-slow-array")
	}
}

// manyRings reports a host whose fast NICs could give a virtual NIC several.
func (p *vmPlants) manyRings() bool {
	h := p.host
	return h.server.nic.mbps > 10_000 && (h.edp == edpOn || strings.Contains(h.modules[h.server.nic.driver].configured, "RSS=4"))
}

// usualKeys are VMX keys that say what a VM is for, and nothing wrong.
var usualKeys = []string{"numa.nodeaffinity"}

var pinning = regexp.MustCompile(`^sched\.vcpu\d+\.affinity$`)

// rest is keys, what people did by hand, snapshots, and what runs inside.
func (p *vmPlants) rest() {
	r := p.row
	for _, k := range r.keys {
		key := strings.ToLower(k.key)
		p.add(pinning.MatchString(key), "pinned-to-cpus")
		p.add(key == "numa.nodeaffinity", "pinned-to-node")
		p.add(!pinning.MatchString(key) && !slices.Contains(usualKeys, key), "key:"+key)
	}
	for _, t := range r.with {
		p.add(true, "touch:"+touchName(t))
	}
	old := slices.ContainsFunc(r.snapshots, func(s snapshotRow) bool { return !s.taken.IsZero() })
	p.add(old && len(r.snapshots) > 2, "snapshot-chain")
	p.add(old && len(r.snapshots) <= 2, "snapshot-old")
	p.add(r.consolidate, "deltas-left-behind")
	p.add(r.hardware < 13, "hardware-old")
	p.add(r.guest.toolsStatus != "guestToolsCurrent" && r.guest.toolsStatus != "guestToolsUnmanaged", "tools")
	p.add(r.disk == diskLSIParallel, "boot-on-lsi-parallel")
}

// touchName is the name of the function that made it.
func touchName(t touch) string {
	parts := strings.Split(runtime.FuncForPC(reflect.ValueOf(t).Pointer()).Name(), ".")
	parts = slices.DeleteFunc(parts, func(s string) bool { return regexp.MustCompile(`^(func\d+|init|glob|\d*)$`).MatchString(s) })
	return parts[len(parts)-1]
}

// work is what a VM does where that is the fault, or looks like one.
func (p *vmPlants) work() {
	for does, w := range map[string]struct {
		fault      string
		vm, onHost bool // where it shows
	}{
		"tooMuchToDo": {"too-much-to-do", true, false}, "queried": {"packets-while-waiting", true, false},
		"swappedOnce": {"swapped-once", true, true}, "balloonedOnce": {"ballooned-once", true, true}, "lineRate": {"wire-full", false, true},
	} {
		is := load.Work(p.row.name) == does
		p.add(is && w.vm, w.fault)
		if is && w.onHost {
			p.all = append(p.all, Plant{w.fault, p.row.host})
		}
	}
}

// identities are fields of rows that say what something is. All others are looked at for faults: who adds one decides.
var identities = map[reflect.Type][]string{
	reflect.TypeFor[hostRow](): {
		"name", "identity", "cluster", "hz", "release", "version", "build", "edp", "uplinks", "dvs", "address", "booted", "board", "mtu", "noDelayedAck",
	},
	reflect.TypeFor[vmRow]():   {"name", "folder", "template", "secret", "threads", "off", "vnumaOnHotAdd"},
	reflect.TypeFor[cliRow]():  {},
	reflect.TypeFor[diskRow](): {},
	reflect.TypeFor[vnicRow](): {"lowerCase"},
}

// lookedAt are the fields that faults are made of.
var lookedAt = map[reflect.Type]string{
	reflect.TypeFor[hostRow](): "server policy powerHardware hidePCI options modules links idleNIC threads free nodes scheduler tiering swapCacheMB " +
		"flashCacheGB osData unbound switches teams vmotionMTU vmks iscsi san diskGroups",
	reflect.TypeFor[vmRow](): "host pool guest vcpus memoryMB hardware latency reserve cpuLimitMHz nics disk cores hotAdd affinity memoryLimitMB " +
		"iopsLimit data keys with consolidate snapshots",
	reflect.TypeFor[cliRow]():  "rings interrupts outstanding sampleSize switchAfter kernel",
	reflect.TypeFor[diskRow](): "kind iopsLimit beside form store",
	reflect.TypeFor[vnicRow](): "kind pnicFeatures",
}

// TestPlantsLookAtAllFields: a new field of a table is either what something is, or a new kind of fault.
func TestPlantsLookAtAllFields(t *testing.T) {
	for kind, known := range identities {
		var fields []string
		for f := range kind.Fields() {
			fields = append(fields, f.Name)
		}
		require.ElementsMatch(t, slices.Concat(known, strings.Fields(lookedAt[kind])), fields, kind.Name())
	}
	require.NotEmpty(t, Plants())
	for _, p := range Plants() {
		require.NotEmpty(t, p.Fault, fmt.Sprint(p))
	}
}
