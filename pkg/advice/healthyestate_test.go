package advice_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// healthyEstate builds a random estate without faults: hosts of releases 6.7 to 9.0.1 with every option at its default,
// and VMs, pools, switches and datastores configured as the guides recommend. It contains objects that real estates
// have and demo fleets often omit: powered-off VMs, templates, appliances with tuning keys, empty pools, nested hosts,
// hosts whose BIOS controls power management, and unread facts. The same seed gives the same estate.
func healthyEstate(seed uint64) *inventory.Snapshot {
	e := &healthy{rand: rand.New(rand.NewPCG(seed, 1))}
	e.vcenter = &inventory.VCenter{
		Entity: inventory.Entity{ID: "vc", Name: "vc", Path: "/"}, Kind: inventory.EndpointVCenter, Whole: true,
		Version: inventory.Known(inventory.Version{Major: 8, Update: 3}), TakenAt: healthyNow,
		StatsIntervals: inventory.Known([]*inventory.StatsInterval{{Name: "Past day", Seconds: 300, Level: 1, Enabled: true}}),
		Libraries:      inventory.Known([]*inventory.ContentLibrary{}),
	}
	for range 1 + e.rand.IntN(2) {
		e.cluster()
	}
	if e.once(3) {
		e.host(e.model(), nil)
	}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: "generated", VCenters: []*inventory.VCenter{e.vcenter}}
	if e.once(2) {
		e.forget(reflect.ValueOf(e.vcenter), 50)
	}
	s.Link()
	return s
}

var healthyNow = time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)

type healthy struct {
	rand    *rand.Rand
	vcenter *inventory.VCenter
	count   int
}

// once is true one time in n.
func (e *healthy) once(n int) bool { return e.rand.IntN(n) == 0 }

func (e *healthy) id(kind string) string {
	e.count++
	return fmt.Sprintf("%s-%d", kind, e.count)
}

func (e *healthy) entity(kind string) inventory.Entity {
	id := e.id(kind)
	return inventory.Entity{ID: id, Name: id, Path: "/" + id, Tags: inventory.Known([]string{}), Attributes: inventory.Known(map[string]string{})}
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// machine is a server model with a release: the hosts of a cluster share one.
type machine struct {
	release  string
	version  inventory.Version
	kind     string
	vendor   string
	cpu      string
	cores    int64 // of one package
	packages int64
	memoryMB int64
	link     int64
	policy   string
	hardware string // of power management
	options  map[string]inventory.Option
	// offDefault are the options that differ from their default, for a good reason.
	offDefault []string
	vsan       string // "", hybrid or flash
	switches   string // standard or distributed
	san        bool
	nfs        bool
	cloud      string
	tiered     bool
	array      string // vendor of the shared disks
	density    bool   // tuned for page sharing
}

func (e *healthy) model() machine {
	all := inventory.Releases()
	for strings.HasPrefix(all[0], "6.0") || strings.HasPrefix(all[0], "6.5") {
		all = all[1:]
	}
	m := machine{
		release: pick(e.rand, all...), kind: "physical", vendor: pick(e.rand, "Dell Inc.", "HPE", "Lenovo"), cpu: pick(e.rand, "intel", "amd"),
		cores: pick[int64](e.rand, 8, 16, 24, 32), packages: pick[int64](e.rand, 1, 2), memoryMB: 1024 * pick[int64](e.rand, 256, 384, 768),
		link: pick[int64](e.rand, 10000, 25000, 100000), policy: pick(e.rand, "dynamic", "static"),
		hardware: "ACPI P-states, ACPI C-states", vsan: pick(e.rand, "", "", "hybrid", "flash"),
		switches: pick(e.rand, inventory.SwitchStandard, inventory.SwitchDistributed), san: e.once(2), nfs: e.once(3),
	}
	m.version = releaseVersion(m.release)
	m.array, m.density = pick(e.rand, "ACME", "PURE"), e.once(6)
	if m.version.AtLeast(inventory.Version{Major: 9}) && e.once(2) {
		m.version = inventory.Version{Major: 9, Minor: 1} // newer than the option table: the host's own definitions decide
	}
	switch e.rand.IntN(8) {
	case 0:
		if m.version.AtLeast(inventory.Version{Major: 8}) {
			m.cloud, m.vendor, m.link, m.switches, m.vsan, m.san = inventory.CloudVMC, "Amazon EC2", 25000, inventory.SwitchStandard, "flash", false
		}
	case 1:
		m.hardware, m.policy = "", "" // the BIOS keeps power control
	case 2:
		m.kind, m.vendor, m.hardware, m.policy, m.link, m.vsan, m.san = "nested", "VMware, Inc.", "", "", 10000, "", false
	}
	if m.kind == "physical" && m.hardware != "" && m.link > 10000 {
		m.policy = "static" // recommended by the guides for hosts with fast NICs
	}
	m.options = e.defaults(m.release)
	if m.density {
		m.set("Mem.AllocGuestLargePage", 0)
		m.set("Mem.ShareForceSalting", 0)
	}
	if m.san && m.array == "PURE" {
		m.set("Disk.DiskMaxIOSize", 4096)
	}
	m.tiered = m.kind == "physical" && m.version.AtLeast(inventory.Version{Major: 8, Update: 3}) && e.once(4)
	if m.link > 40000 {
		m.set("Net.TcpipRxDispatchQueues", 2)
		m.set("Net.NetSchedHClkMQ", 1)
	}
	return m
}

// set changes an option that the release has.
func (m *machine) set(key string, value int64) {
	if o, ok := m.options[key]; ok {
		o.Value = inventory.LongValue(value)
		m.options[key] = o
		m.offDefault = append(m.offDefault, key)
	}
}

// releaseVersion returns the version that hosts of a release report: those of 6.7 omit the update.
func releaseVersion(release string) inventory.Version {
	base, update, _ := strings.Cut(strings.TrimRight(release, "abcdefgr"), "U")
	v, err := inventory.ParseVersion(base)
	if err != nil {
		panic(err)
	}
	if update != "" && v.Major > 6 {
		v.Update, _ = strconv.Atoi(update)
	}
	return v
}

// defaults returns the options of a release at their defaults, with the definitions that hosts report.
func (e *healthy) defaults(release string) map[string]inventory.Option {
	options := map[string]inventory.Option{}
	for _, key := range inventory.OptionKeys() {
		doc, _ := inventory.LookupOption(key)
		if era, known := doc.At(release); known && !era.Absent {
			options[key] = inventory.Option{Value: era.Default, Default: &era.Default, Min: era.Min, Max: era.Max}
		}
	}
	return options
}

func (e *healthy) cluster() {
	c := &inventory.Cluster{
		Entity: e.entity("cluster"), DRSEnabled: inventory.Known(true), DRSAutomation: inventory.Known("fullyAutomated"),
		DRSMigrationRate: inventory.Known(pick[int64](e.rand, 1, 2, 3, 3)), DRSOverrides: inventory.Known[int64](0),
		DRSDisabledVMs: inventory.Known[int64](0), DRSOverrideVMs: inventory.Known([]string{}), Rules: inventory.Known[int64](0),
		MandatoryRules: inventory.Known[int64](0), DPMEnabled: inventory.Known(false), EVCMode: inventory.Known("intel-cascadelake"),
		EVCBest: inventory.Known("intel-cascadelake"), SwapPlacement: inventory.Known("vmDirectory"), ScaleShares: inventory.Known(false), DRSOptions: inventory.Known([]string{}),
		DRSScore: inventory.Absent[int64](), HAEnabled: inventory.Known(true), HAAdmissionControl: inventory.Known(true),
	}
	e.vcenter.Clusters = append(e.vcenter.Clusters, c)
	root := &inventory.Pool{
		Entity: e.entity("pool"), Root: true, ClusterID: inventory.Known(c.ID), ParentID: inventory.Absent[string](),
		CPULimitMHz: inventory.Known[int64](200000), CPUShares: inventory.Known[int64](4000), MemoryShares: inventory.Known[int64](163840),
		ScaleShares: inventory.Known(false), MemoryLimitMB: inventory.Known[int64](163840),
		CPUReservationMHz: inventory.Known[int64](200000), MemoryReservationMB: inventory.Known[int64](163840),
		CPUUsageMHz: inventory.Known[int64](50000), MemoryUsageMB: inventory.Known[int64](65536),
	}
	e.vcenter.Pools = append(e.vcenter.Pools, root)
	m := e.model()
	var hosts []*inventory.Host
	var ids []string
	for range 1 + e.rand.IntN(4) {
		h := e.host(m, c)
		hosts, ids = append(hosts, h), append(ids, h.ID)
	}
	c.HostIDs = inventory.Known(ids)
	if m.switches == inventory.SwitchDistributed {
		e.distributed(ids)
	}
	e.datastores(m, ids, hosts)
	for _, h := range hosts {
		e.vms(h, m, root)
	}
	e.emptyPools(c, root, m)
	root.VMCount = inventory.Known(int64(len(e.vcenter.VMs)))
}

// emptyPools adds pools that have no VMs, or whose VMs are off: they divide no resources.
func (e *healthy) emptyPools(c *inventory.Cluster, root *inventory.Pool, m machine) {
	for range e.rand.IntN(3) {
		p := &inventory.Pool{
			Entity: e.entity("pool"), ClusterID: inventory.Known(c.ID), ParentID: inventory.Known(root.ID),
			CPULimitMHz: inventory.Known[int64](-1), CPUShares: inventory.Known(pick[int64](e.rand, 2000, 4000, 8000)),
			MemoryShares: inventory.Known[int64](163840), ScaleShares: inventory.Known(false), VMCount: inventory.Known[int64](0),
			MemoryLimitMB: inventory.Known[int64](-1), CPUReservationMHz: inventory.Known[int64](0), MemoryReservationMB: inventory.Known[int64](0),
			CPUUsageMHz: inventory.Known[int64](0), MemoryUsageMB: inventory.Known[int64](0),
		}
		e.vcenter.Pools = append(e.vcenter.Pools, p)
		if e.once(2) {
			p.VMCount = inventory.Known[int64](1)
			e.vm(e.vcenter.Hosts[len(e.vcenter.Hosts)-1], m, p, offVM)
		}
	}
}

func (e *healthy) host(m machine, c *inventory.Cluster) *inventory.Host {
	cores := m.cores * m.packages
	h := &inventory.Host{
		Entity: e.entity("host"), ClusterID: inventory.Absent[string](), Kind: inventory.Known(m.kind), Version: inventory.Known(m.version),
		DNSName: inventory.Known("host.example.com"), Addresses: inventory.Known([]string{"192.0.2.10"}), Build: inventory.Known("24000000"),
		Cores: inventory.Known(cores), CPUPackages: inventory.Known(m.packages), CPUThreads: inventory.Known(2 * cores),
		CPUVendor: inventory.Known(m.cpu), CPUFamily: inventory.Absent[int64](), CPUModel: inventory.Absent[int64](),
		CPUDescription: inventory.Known(m.cpu + " processor"), CPUScheduler: inventory.Absent[string](), MemoryMB: inventory.Known(m.memoryMB),
		MemoryTiering: inventory.Absent[string](), MemoryTiers: inventory.Absent[[]*inventory.MemoryTier](), MemoryUsedMB: inventory.Known(m.memoryMB / 2),
		Cloud: inventory.Known(m.cloud), CloudEvidence: inventory.Known(m.cloud), FlashVolume: inventory.Known(""), FlashVolumeIsSystem: inventory.Known(false),
		GraphicsDevices: inventory.Known([]*inventory.GraphicsDevice{}),
		GraphicsType:    inventory.Absent[string](), VGPUAssignment: inventory.Absent[string](), Vendor: inventory.Known(m.vendor), Model: inventory.Known("R-1"),
		CPUMHz: inventory.Known[int64](2600), HyperThreadingAvailable: inventory.Known(true), HyperThreadingActive: inventory.Known(true),
		HyperThreadingConfigured: inventory.Known(true), LatencySensitivitySupported: inventory.Known(true),
		PowerPolicy: inventory.Known(m.policy), PowerHardware: inventory.Known(m.hardware), VSAN: inventory.Known(m.vsan != ""),
		VSANESA: inventory.Known(false), DiskGroups: inventory.Known([]*inventory.DiskGroup{}), SwapCacheMB: inventory.Known[int64](0),
		FlashCacheMB: inventory.Known[int64](0), Options: inventory.Known(m.options), OffDefault: inventory.Known(slices.Clone(m.offDefault)),
		KernelSettings: inventory.Known(map[string]string{"latencyOptimMode": "TRUE"}), Sensors: inventory.Known([]*inventory.Sensor{}),
		BootTime: inventory.Known(healthyNow.Add(-900 * time.Hour)), HBAs: inventory.Known(e.adapters(m)), VSwitches: inventory.Known([]*inventory.Switch{}),
	}
	if c != nil {
		h.ClusterID = inventory.Known(c.ID)
	}
	if m.version.AtLeast(inventory.Version{Major: 7, Update: 3}) {
		h.MemoryTiering, h.MemoryTiers = inventory.Known("noTiering"), inventory.Known([]*inventory.MemoryTier{})
	}
	if m.tiered {
		h.MemoryTiering = inventory.Known("softwareTiering")
		h.MemoryTiers = inventory.Known([]*inventory.MemoryTier{
			{Name: "DRAM", Kind: inventory.TierDRAM, SizeMB: m.memoryMB / 2}, {Name: "NVMe", Kind: inventory.TierNVMe, SizeMB: m.memoryMB / 2},
		})
	}
	if m.version.AtLeast(inventory.Version{Major: 7}) && e.once(2) { // the volume that ESXi runs from, as the API lists it
		h.FlashCacheMB, h.FlashVolume, h.FlashVolumeIsSystem = inventory.Known[int64](122<<10), inventory.Known("OSDATA-65f0"), inventory.Known(true)
	}
	if m.version.AtLeast(inventory.Version{Major: 8, Update: 3}) {
		h.CPUScheduler = inventory.Known("systemDefault")
		h.CPUFamily, h.CPUModel = inventory.Known[int64](6), inventory.Known[int64](85)
	}
	h.NUMANodes = inventory.Known(nodes(m))
	e.network(h, m)
	e.disks(h, m)
	e.vcenter.Hosts = append(e.vcenter.Hosts, h)
	return h
}

func nodes(m machine) (all []*inventory.NUMANode) {
	for i := range m.packages {
		all = append(all, &inventory.NUMANode{ID: i, MemoryMB: inventory.Known(m.memoryMB / m.packages), PCI: inventory.Absent[[]string]()})
	}
	return all
}

// switchName is the switch of every cluster.
const switchName = "switch-1"

func (e *healthy) network(h *inventory.Host, m machine) {
	var pnics []*inventory.PNIC
	driver := map[int64]string{10000: "ixgben", 25000: "i40en", 100000: "nmlx5_core"}[m.link]
	if m.kind == "nested" {
		driver = "nvmxnet3"
	}
	for i := range int64(2) {
		pnics = append(pnics, &inventory.PNIC{
			Device: fmt.Sprintf("vmnic%d", i), Driver: inventory.Known(driver), DriverVersion: inventory.Known("1.0"),
			FirmwareVersion: inventory.Known("1.0"), LinkMbps: inventory.Known(m.link), BestMbps: inventory.Known(m.link),
			FullDuplex: inventory.Known(true), Uplink: inventory.Known(true), Switch: inventory.Known(switchName), NUMANode: inventory.Known[int64](0),
			EDP: inventory.Known(false), EDPSupported: inventory.Known(false), RingRx: inventory.Known[int64](1024), RingTx: inventory.Known[int64](1024),
			RingRxMax: inventory.Known[int64](4096), RingTxMax: inventory.Known[int64](4096), CoalesceRxMicros: inventory.Known[int64](100),
			CoalesceAdaptiveRx: inventory.Known(true), DriverOptions: inventory.Known(""), RSS: inventory.Unread[bool]("no option is set"),
		})
	}
	h.PNICs = inventory.Known(pnics)
	h.VMKNICs = inventory.Known([]*inventory.VMKNIC{
		e.vmknic("vmk0", "management", "192.0.2.0/24", 1500),
		e.vmknic("vmk1", "vmotion", "198.51.100.0/24", 9000),
	})
	all, _ := h.VMKNICs.Value()
	if m.vsan != "" {
		all = append(all, e.vmknic("vmk2", "vsan", "203.0.113.0/24", 9000))
	}
	if m.link > 40000 { // several adapters share the work of one vMotion
		all = append(all, e.vmknic("vmk3", "vmotion", "198.51.100.0/24", 9000), e.vmknic("vmk4", "vmotion", "198.51.100.0/24", 9000))
	}
	h.VMKNICs = inventory.Known(all)
	if m.switches == inventory.SwitchStandard {
		h.VSwitches = inventory.Known([]*inventory.Switch{{
			Entity: inventory.Entity{ID: switchName, Name: switchName}, Kind: inventory.SwitchStandard, MTU: inventory.Known[int64](9000),
			Uplinks: inventory.Known([]string{"vmnic0", "vmnic1"}), NIOCEnabled: inventory.Absent[bool](), NIOCVersion: inventory.Absent[string](),
			TrafficClasses: inventory.Absent[[]*inventory.TrafficClass](), HostIDs: inventory.Known([]string{h.ID}),
			Portgroups: inventory.Known([]*inventory.Portgroup{{Name: "VM Network", Teaming: inventory.Known("loadbalance_srcid"),
				Active: inventory.Known([]string{"vmnic0", "vmnic1"}), Standby: inventory.Known([]string{})}}),
		}})
	}
}

func (e *healthy) vmknic(device, service, subnet string, mtu int64) *inventory.VMKNIC {
	return &inventory.VMKNIC{
		Device: device, Services: inventory.Known([]string{service}), NetStack: inventory.Known("defaultTcpipStack"), MTU: inventory.Known(mtu),
		Switch: inventory.Known(switchName), SwitchMTU: inventory.Known[int64](9000), Subnet: inventory.Known(subnet), TSO: inventory.Known(true),
	}
}

func (e *healthy) distributed(hosts []string) {
	class := func(name string, shares int64) *inventory.TrafficClass {
		return &inventory.TrafficClass{Name: name, Shares: inventory.Known(shares), SharesLevel: inventory.Known("custom"),
			ReservationMbps: inventory.Known[int64](0), LimitMbps: inventory.Known[int64](-1)}
	}
	entity := e.entity("switch")
	entity.Name = switchName
	e.vcenter.Switches = append(e.vcenter.Switches, &inventory.Switch{
		Entity: entity, Kind: inventory.SwitchDistributed, MTU: inventory.Known[int64](9000), Uplinks: inventory.Absent[[]string](),
		NIOCEnabled: inventory.Known(true), NIOCVersion: inventory.Known("version3"), HostIDs: inventory.Known(hosts),
		TrafficClasses: inventory.Known([]*inventory.TrafficClass{class("vsan", 100), class("virtualMachine", 100), class("vmotion", 50)}),
		Portgroups: inventory.Known([]*inventory.Portgroup{{Name: "vms", Teaming: inventory.Known("loadbalance_loadbased"),
			Active: inventory.Known([]string{"uplink1", "uplink2"}), Standby: inventory.Known([]string{})}}),
	})
}

// adapters returns a host's storage adapters. The software iSCSI adapter of a host that uses no iSCSI has delayed
// acknowledgements on, which is the default.
func (e *healthy) adapters(m machine) []*inventory.HBA {
	all := []*inventory.HBA{{
		Device: "vmhba0", Kind: inventory.Known("block"), Model: inventory.Known("AHCI"), Driver: inventory.Known("vmw_ahci"),
		Software: inventory.Absent[bool](), DelayedAck: inventory.Absent[bool](),
	}}
	if e.once(2) { // the software iSCSI adapter of a host that uses no iSCSI
		all = append(all, &inventory.HBA{Device: "vmhba64", Kind: inventory.Known("iscsi"), Model: inventory.Known("iSCSI Software Adapter"),
			Driver: inventory.Known("iscsi_vmk"), Software: inventory.Known(true), DelayedAck: inventory.Known(true),
			Status: inventory.Known("unbound"), Targets: inventory.Known[int64](0)})
	}
	if m.san {
		all = append(all, &inventory.HBA{Device: "vmhba1", Kind: inventory.Known("fibre-channel"), Model: inventory.Known("LPe35000"),
			Driver: inventory.Known("lpfc"), Software: inventory.Absent[bool](), DelayedAck: inventory.Absent[bool]()})
	}
	return all
}

func (e *healthy) disks(h *inventory.Host, m machine) {
	all := []*inventory.LUN{e.lun("naa.local", true, "VMW_PSP_FIXED", "VMW_SATP_LOCAL", 1)}
	if m.san {
		shared := e.lun("naa.shared", false, "VMW_PSP_RR", "VMW_SATP_ALUA", 4)
		if shared.Vendor = inventory.Known(m.array); m.array == "PURE" { // the vendor's published values
			shared.Model, shared.RoundRobinIOs = inventory.Known("FlashArray"), inventory.Known[int64](1)
		}
		all = append(all, shared)
	}
	h.LUNs = inventory.Known(all)
	if m.vsan != "" {
		h.DiskGroups = inventory.Known([]*inventory.DiskGroup{
			{CacheMB: 800 << 10, CapacityMB: 8 << 20, Disks: 4, AllFlash: m.vsan == "flash"},
			{CacheMB: 800 << 10, CapacityMB: 8 << 20, Disks: 4, AllFlash: m.vsan == "flash"},
		})
	}
}

func (e *healthy) lun(device string, local bool, policy, plugin string, paths int64) *inventory.LUN {
	l := &inventory.LUN{
		Device: device, Vendor: inventory.Known("ACME"), Model: inventory.Known("Array"), Local: inventory.Known(local), SSD: inventory.Known(true),
		QueueDepth: inventory.Known[int64](64), HardwareAcceleration: inventory.Known("vStorageSupported"), PathPolicy: inventory.Known(policy),
		ArrayType: inventory.Known(plugin), Paths: inventory.Known(paths), ActivePaths: inventory.Known(paths), DeadPaths: inventory.Known[int64](0),
		OutstandingIOs: inventory.Known[int64](32), QueueFullSampleSize: inventory.Known[int64](0), QueueFullThreshold: inventory.Known[int64](0),
		RoundRobinIOs: inventory.Absent[int64](), RoundRobinType: inventory.Absent[string](), UUID: inventory.Known(device),
		PerenniallyReserved: inventory.Known(false), MemoryTier: inventory.Known(false),
	}
	if policy == "VMW_PSP_RR" {
		l.RoundRobinIOs, l.RoundRobinType = inventory.Known[int64](1000), inventory.Known("iops")
	}
	return l
}

func (e *healthy) datastores(m machine, ids []string, hosts []*inventory.Host) {
	add := func(kind string, change func(*inventory.Datastore)) {
		d := &inventory.Datastore{
			Entity: e.entity("datastore"), Kind: inventory.Known(kind), CapacityMB: inventory.Known[int64](10 << 20), FreeMB: inventory.Known[int64](6 << 20),
			UncommittedMB: inventory.Known[int64](1 << 20), Accessible: inventory.Known(true), InMaintenance: inventory.Known(false),
			VMFSVersion: inventory.Absent[int64](), UnmapPriority: inventory.Absent[string](), Extents: inventory.Absent[[]string](),
			Local: inventory.Absent[bool](), SSD: inventory.Absent[bool](), SIOCEnabled: inventory.Known(false), SIOCMode: inventory.Known("automatic"),
			SIOCThresholdMillis: inventory.Known[int64](30), HostIDs: inventory.Known(ids), VMCount: inventory.Known[int64](5), InCluster: inventory.Known(false),
		}
		change(d)
		e.vcenter.Datastores = append(e.vcenter.Datastores, d)
	}
	vmfs := func(device string, local bool) func(*inventory.Datastore) {
		return func(d *inventory.Datastore) {
			d.VMFSVersion, d.UnmapPriority = inventory.Known[int64](6), inventory.Known("low")
			d.Extents, d.Local, d.SSD = inventory.Known([]string{device}), inventory.Known(local), inventory.Known(true)
		}
	}
	if m.san {
		add(inventory.DatastoreVMFS, vmfs("naa.shared", false))
	}
	if m.vsan != "" {
		add(inventory.DatastoreVSAN, func(*inventory.Datastore) {})
	}
	if m.nfs {
		add(inventory.DatastoreNFS, func(*inventory.Datastore) {})
	}
	for _, h := range hosts {
		add(inventory.DatastoreVMFS, func(d *inventory.Datastore) {
			vmfs("naa.local", true)(d)
			d.HostIDs = inventory.Known([]string{h.ID})
		})
	}
}

// forget makes one in n facts unread, at any depth below v.
func (e *healthy) forget(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			e.forget(v.Elem(), n)
		}
	case reflect.Slice:
		for i := range v.Len() {
			e.forget(v.Index(i), n)
		}
	case reflect.Struct:
		e.forgetFields(v, n)
	}
}

func (e *healthy) forgetFields(v reflect.Value, n int) {
	for _, field := range v.Fields() {
		if !field.CanSet() {
			continue
		}
		fact, ok := reflect.TypeAssert[inventory.Reader](field.Addr())
		switch {
		case !ok:
			e.forget(field, n)
		case e.once(n):
			field.SetZero()
		default:
			value, _, _ := fact.Raw()
			e.forget(reflect.ValueOf(value), n)
		}
	}
}
