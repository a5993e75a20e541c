package rvtoolstest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// builder makes one sheet.
type builder struct {
	sheet   Sheet
	columns map[string]int
}

func newSheet(name string, columns ...string) *builder {
	b := &builder{sheet: Sheet{Name: name}, columns: map[string]int{}}
	header := make([]any, len(columns))
	for i, c := range columns {
		header[i], b.columns[c] = c, i
	}
	b.sheet.Rows = [][]any{header}
	return b
}

// add adds a row. An unread or absent fact is an empty cell.
func (b *builder) add(cells map[string]any) {
	row := make([]any, len(b.columns))
	for i := range row {
		row[i] = ""
	}
	for name, value := range cells {
		i, ok := b.columns[name]
		if !ok {
			panic("sheet " + b.sheet.Name + " has no column " + name)
		}
		row[i] = value
	}
	b.sheet.Rows = append(b.sheet.Rows, row)
}

// value returns the value of a fact, or "" for an unread or absent one.
func value[T any](f inventory.Fact[T]) any {
	v, known := f.Value()
	if !known {
		return ""
	}
	switch x := any(v).(type) {
	case time.Time:
		return x.UTC().Format("2006/01/02 15:04:05")
	case string, bool, int64:
		return x
	}
	return fmt.Sprint(v)
}

// orFalse is value for columns that have False for values that the server omits.
func orFalse(f inventory.Fact[bool]) any {
	yes, _ := f.Value()
	return yes
}

// vmTail and hostHead are columns that many sheets have.
var (
	server   = []string{"VI SDK Server", "VI SDK UUID"}
	vmHead   = []string{"VM", "Powerstate", "Template", "SRM Placeholder"}
	vmTail   = []string{"Annotation", "Datacenter", "Cluster", "Host", "Folder", "OS according to the configuration file", "OS according to the VMware Tools", "VM ID", "VM UUID", "VI SDK Server", "VI SDK UUID"}
	hostHead = []string{"Host", "Datacenter", "Cluster"}
)

func columns(parts ...[]string) (all []string) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// Of returns the export that RVTools 4.x would write of a fleet: all sheets that vperf reads, and some that it does not. Columns
// whose values a snapshot does not hold are empty. The names and the order of the columns are those of RVTools.
func Of(s *inventory.Snapshot) []Sheet {
	attributes := attributeNames(s)
	x := &export{
		info: newSheet("vInfo", columns(vmHead, []string{"Config status", "DNS Name", "Connection state", "Guest state", "Heartbeat", "Consolidation Needed", "PowerOn",
			"CPUs", "Memory", "NICs", "Disks", "min Required EVC Mode Key", "Latency Sensitivity", "Resource pool", "Provisioned MiB", "HW version", "Path"}, vmTail[:1], attributes, vmTail[1:])...),
		cpu:    newSheet("vCPU", columns(vmHead, []string{"CPUs", "Sockets", "Cores p/s", "Level", "Shares", "Reservation", "Limit", "Hot Add", "Hot Remove", "Numa Hotadd Exposed"}, vmTail)...),
		memory: newSheet("vMemory", columns(vmHead, []string{"Size MiB", "Memory Reservation Locked To Max", "Overhead", "Level", "Shares", "Reservation", "Limit", "Hot Add"}, vmTail)...),
		disk: newSheet("vDisk", columns(vmHead, []string{"Disk", "Disk Key", "Disk UUID", "Disk Path", "Capacity MiB", "Raw", "Disk Mode", "Sharing mode", "Thin", "Eagerly Scrub",
			"Level", "Shares", "Reservation", "Limit", "Controller", "Label", "SCSI Unit #", "Unit #", "Shared Bus", "Path", "Raw LUN ID"}, vmTail)...),
		network:  newSheet("vNetwork", columns(vmHead, []string{"NIC label", "Adapter", "Network", "Switch", "Connected", "Starts Connected", "Mac Address", "Type"}, vmTail)...),
		snapshot: newSheet("vSnapshot", columns([]string{"VM", "Powerstate", "Name", "Description", "Date / time", "Filename", "Size MiB (vmsn)", "Size MiB (total)", "Quiesced", "State"}, vmTail)...),
		tools:    newSheet("vTools", columns(vmHead, []string{"VM Version", "Tools", "Tools Version", "Required Version", "Upgradeable"}, vmTail)...),
		host: newSheet("vHost", columns(hostHead, []string{"Config status", "CPU Model", "Speed", "HT Available", "HT Active", "# CPU", "Cores per CPU", "# Cores", "# Memory",
			"Memory Tiering Type", "# NICs", "# HBAs", "# VMs total", "Supported CPU power man.", "Host Power Policy", "ESX Version", "Boot time", "Domain", "Vendor", "Model", "Object ID"}, attributes, []string{"UUID"}, server)...),
		cluster: newSheet("vCluster", columns([]string{"Name", "Config status", "NumHosts", "HA enabled", "AdmissionControlEnabled", "DRS enabled", "DRS default VM behavior", "DRS vmotion rate", "DPM enabled", "Object ID"}, attributes, server)...),
		pool:    newSheet("vRP", columns([]string{"Resource Pool name", "Resource Pool path", "Status", "# VMs total", "CPU limit", "CPU shares", "Mem limit", "Mem shares", "Object ID"}, server)...),
		hba:     newSheet("vHBA", columns(hostHead, []string{"Device", "Type", "Status", "Bus", "Pci", "Driver", "Model", "WWN"}, server)...),
		nic:     newSheet("vNIC", columns(hostHead, []string{"Network Device", "Driver", "Speed", "Duplex", "MAC", "Switch", "Uplink port", "PCI", "WakeOn"}, server)...),
		vswitch: newSheet("vSwitch", columns(hostHead, []string{"Switch", "# Ports", "Policy", "MTU"}, server)...),
		dvs:     newSheet("dvSwitch", columns([]string{"Switch", "Datacenter", "Name", "Vendor", "Version", "Host members", "Max MTU", "Object ID"}, server)...),
		dvport:  newSheet("dvPort", columns([]string{"Port", "Switch", "Type", "Active Uplink", "Standby Uplink", "Policy", "Object ID"}, server)...),
		vmk:     newSheet("vSC_VMK", columns(hostHead, []string{"Port Group", "Device", "Mac Address", "DHCP", "IP Address", "Subnet mask", "MTU"}, server)...),
		store: newSheet("vDatastore", columns([]string{"Name", "Config status", "Address", "Accessible", "Type", "# VMs total", "Capacity MiB", "Free MiB", "SIOC enabled", "# Hosts", "Hosts",
			"Cluster name", "# Extents", "Major Version", "URL", "Object ID"}, server)...),
		paths: newSheet("vMultiPath", columns([]string{"Host", "Cluster", "Datacenter", "Datastore", "Disk", "Display name", "Policy", "Oper. State"}, pathColumns(),
			[]string{"vStorage", "Queue depth", "Vendor", "Model", "Object ID"}, server)...),
		source: newSheet("vSource", columns([]string{"Name", "OS type", "API type", "API version", "Version", "Build", "Fullname"}, server)...),
		meta:   newSheet("vMetaData", "RVTools major version", "RVTools version", "xlsx creation datetime", "Server"),
	}
	for _, v := range s.VCenters {
		x.of = v
		x.vcenter()
	}
	return x.sheets()
}

// attributeNames returns the names of the custom attributes of VMs, hosts and clusters, which are columns.
func attributeNames(s *inventory.Snapshot) []string {
	all := map[string]bool{}
	add := func(f inventory.Fact[map[string]string]) {
		values, _ := f.Value()
		for name := range values {
			all[name] = true
		}
	}
	for _, v := range s.VCenters {
		for _, c := range v.Clusters {
			add(c.Attributes)
		}
		for _, h := range v.Hosts {
			add(h.Attributes)
		}
		for _, vm := range v.VMs {
			add(vm.Attributes)
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// withAttributes adds the custom attributes of an object to its row.
func withAttributes(cells map[string]any, f inventory.Fact[map[string]string]) map[string]any {
	values, _ := f.Value()
	for name, text := range values {
		cells[name] = text
	}
	return cells
}

func pathColumns() (all []string) {
	for i := range 8 {
		all = append(all, fmt.Sprintf("Path %d", i+1), fmt.Sprintf("Path %d state", i+1))
	}
	return all
}

type export struct {
	info, cpu, memory, disk, network, snapshot, tools        *builder
	host, cluster, pool, hba, nic, vswitch, dvs, dvport, vmk *builder
	store, paths, source, meta                               *builder
	of                                                       *inventory.VCenter
}

func (x *export) sheets() []Sheet {
	all := []*builder{
		x.info, x.cpu, x.memory, x.disk, x.network, x.snapshot, x.tools, x.source, x.pool, x.cluster, x.host, x.hba, x.nic, x.vswitch, x.dvs, x.dvport,
		x.vmk, x.store, x.paths, x.meta,
	}
	sheets := make([]Sheet, len(all))
	for i, b := range all {
		sheets[i] = b.sheet
	}
	return sheets
}

// row returns the cells that all rows of an endpoint have.
func (x *export) row(more map[string]any) map[string]any {
	more["VI SDK Server"], more["VI SDK UUID"] = x.of.Name, x.of.ID
	return more
}

func (x *export) vcenter() {
	v := x.of
	api := "VirtualCenter"
	if v.Kind == inventory.EndpointESXi {
		api = "HostAgent"
	}
	x.source.add(x.row(map[string]any{"Name": "VMware vCenter Server", "API type": api, "Version": value(v.Version)}))
	x.meta.add(map[string]any{"RVTools major version": "4.7", "xlsx creation datetime": v.TakenAt.UTC().Format("2006/01/02 15:04:05"), "Server": v.Name})
	for _, c := range v.Clusters {
		ids, _ := c.HostIDs.Value()
		x.cluster.add(withAttributes(x.row(map[string]any{
			"Name": c.Name, "NumHosts": int64(len(ids)), "HA enabled": value(c.HAEnabled), "AdmissionControlEnabled": value(c.HAAdmissionControl),
			"DRS enabled": value(c.DRSEnabled), "DRS default VM behavior": value(c.DRSAutomation), "DRS vmotion rate": value(c.DRSMigrationRate),
			"DPM enabled": value(c.DPMEnabled), "Object ID": c.ID,
		}), c.Attributes))
	}
	for _, p := range v.Pools {
		x.pool.add(x.row(map[string]any{
			"Resource Pool name": p.Name, "Resource Pool path": p.Path, "CPU limit": value(p.CPULimitMHz), "CPU shares": value(p.CPUShares),
			"Mem limit": value(p.MemoryLimitMB), "Mem shares": value(p.MemoryShares), "Object ID": p.ID, "# VMs total": value(p.VMCount),
		}))
	}
	for _, h := range v.Hosts {
		x.addHost(h)
	}
	for _, d := range v.Datastores {
		x.addStore(d)
	}
	for _, s := range v.Switches {
		x.addDVS(s)
	}
	for _, vm := range v.VMs {
		x.addVM(vm)
	}
}

func (x *export) names(ids inventory.Fact[[]string]) (names []string) {
	list, _ := ids.Value()
	for _, id := range list {
		for _, h := range x.of.Hosts {
			if h.ID == id {
				names = append(names, h.Name)
			}
		}
	}
	return names
}

func (x *export) hostRow(h *inventory.Host, more map[string]any) map[string]any {
	more["Host"] = h.Name
	if c := h.Cluster(); c != nil {
		more["Cluster"] = c.Name
	}
	return x.row(more)
}

// policies are the names of power policies, as clients show them.
var policies = map[string]string{"static": "High performance", "dynamic": "Balanced", "low": "Low power", "custom": "Custom"}

func (x *export) addHost(h *inventory.Host) {
	cells := map[string]any{
		"CPU Model": value(h.CPUDescription), "Speed": value(h.CPUMHz), "HT Available": orFalse(h.HyperThreadingAvailable), "HT Active": orFalse(h.HyperThreadingActive),
		"# CPU": value(h.CPUPackages), "# Cores": value(h.Cores), "# Memory": value(h.MemoryMB), "Memory Tiering Type": value(h.MemoryTiering),
		"Supported CPU power man.": value(h.PowerHardware), "Boot time": value(h.BootTime), "Vendor": value(h.Vendor), "Model": value(h.Model), "Object ID": h.ID,
	}
	if version, known := h.Version.Value(); known {
		cells["ESX Version"] = fmt.Sprintf("VMware ESXi %s build-%v", version, value(h.Build))
	}
	if policy, known := h.PowerPolicy.Value(); known {
		cells["Host Power Policy"] = cmp.Or(policies[policy], policy)
	}
	if name, known := h.DNSName.Value(); known {
		_, cells["Domain"], _ = strings.Cut(name, ".")
	}
	nics, _ := h.PNICs.Value()
	hbas, _ := h.HBAs.Value()
	cells["# NICs"], cells["# HBAs"] = int64(len(nics)), int64(len(hbas))
	x.host.add(withAttributes(x.hostRow(h, cells), h.Attributes))
	for _, n := range nics {
		x.nic.add(x.hostRow(h, map[string]any{
			"Network Device": n.Device, "Driver": value(n.Driver), "Speed": value(n.LinkMbps), "Duplex": orFalse(n.FullDuplex), "Switch": value(n.Switch),
		}))
	}
	for _, b := range hbas {
		kind, _ := b.Kind.Value()
		x.hba.add(x.hostRow(h, map[string]any{
			"Device": b.Device, "Type": cmp.Or(map[string]string{"iscsi": "iSCSI", "fibre-channel": "Fibre Channel", "block": "Block SCSI"}[kind], kind),
			"Status": value(b.Status), "Driver": value(b.Driver), "Model": value(b.Model),
		}))
	}
	x.addHostNetwork(h)
	luns, _ := h.LUNs.Value()
	for _, l := range luns {
		x.addLUN(h, l)
	}
}

func (x *export) addHostNetwork(h *inventory.Host) {
	vmks, _ := h.VMKNICs.Value()
	for _, k := range vmks {
		cells := map[string]any{"Device": k.Device, "MTU": value(k.MTU)}
		if subnet, known := k.Subnet.Value(); known {
			address, bits, _ := strings.Cut(subnet, "/")
			cells["IP Address"], cells["Subnet mask"] = address, maskOf(bits)
		}
		x.vmk.add(x.hostRow(h, cells))
	}
	switches, _ := h.VSwitches.Value()
	for _, s := range switches {
		x.vswitch.add(x.hostRow(h, map[string]any{"Switch": s.Name, "MTU": value(s.MTU)}))
	}
}

func maskOf(bits string) string {
	var n, mask uint32
	_, _ = fmt.Sscan(bits, &n)
	for i := range n {
		mask |= 1 << (31 - i)
	}
	return fmt.Sprintf("%d.%d.%d.%d", mask>>24, mask>>16&255, mask>>8&255, mask&255)
}

func (x *export) addLUN(h *inventory.Host, l *inventory.LUN) {
	cells := map[string]any{
		"Disk": l.Device, "Policy": value(l.PathPolicy), "vStorage": value(l.HardwareAcceleration), "Queue depth": value(l.QueueDepth), "Vendor": value(l.Vendor), "Model": value(l.Model),
	}
	all, _ := l.Paths.Value()
	active, _ := l.ActivePaths.Value()
	dead, _ := l.DeadPaths.Value()
	for i := range min(all, 8) {
		state := "standby"
		switch {
		case i < active:
			state = "active"
		case i < active+dead:
			state = "dead"
		}
		cells[fmt.Sprintf("Path %d", i+1)], cells[fmt.Sprintf("Path %d state", i+1)] = fmt.Sprintf("vmhba%d:C0:T0:L0", i), state
	}
	x.paths.add(x.hostRow(h, cells))
}

func (x *export) addStore(d *inventory.Datastore) {
	names := x.names(d.HostIDs)
	extents, _ := d.Extents.Value()
	cells := map[string]any{
		"Name": d.Name, "Accessible": value(d.Accessible), "Type": value(d.Kind), "# VMs total": value(d.VMCount), "Capacity MiB": value(d.CapacityMB),
		"Free MiB": value(d.FreeMB), "SIOC enabled": orFalse(d.SIOCEnabled), "# Hosts": int64(len(names)), "Hosts": strings.Join(names, ", "),
		"Address": strings.Join(extents, ", "), "# Extents": int64(len(extents)), "Major Version": value(d.VMFSVersion), "Object ID": d.ID,
	}
	if in, _ := d.InCluster.Value(); in {
		cells["Cluster name"] = "pod"
	}
	x.store.add(x.row(cells))
}

func (x *export) addDVS(s *inventory.Switch) {
	x.dvs.add(x.row(map[string]any{"Switch": s.Name, "Name": s.Name, "Max MTU": value(s.MTU), "Host members": strings.Join(x.names(s.HostIDs), ", "), "Object ID": s.ID}))
	groups, _ := s.Portgroups.Value()
	for _, g := range groups {
		active, _ := g.Active.Value()
		x.dvport.add(x.row(map[string]any{"Port": g.Name, "Switch": s.Name, "Policy": value(g.Teaming), "Active Uplink": strings.Join(active, ", ")}))
	}
}

// vmRow returns the cells that all rows about a VM have.
func (x *export) vmRow(v *inventory.VM, more map[string]any) map[string]any {
	more["VM"], more["VM ID"], more["Powerstate"] = v.Name, v.ID, value(v.PowerState)
	if id, known := v.HostID.Value(); known {
		for _, h := range x.of.Hosts {
			if h.ID == id {
				return x.hostRow(h, more)
			}
		}
	}
	return x.row(more)
}

func (x *export) addVM(v *inventory.VM) {
	nics, _ := v.VNICs.Value()
	disks, _ := v.Disks.Value()
	state, _, _ := strings.Cut(v.Unread, ":")
	cells := map[string]any{
		"Template": value(v.Template), "Connection state": cmp.Or(state, "connected"), "Consolidation Needed": value(v.ConsolidationNeeded), "PowerOn": value(v.BootTime),
		"CPUs": value(v.VCPUs), "Memory": value(v.MemoryMB), "NICs": int64(len(nics)), "Disks": int64(len(disks)), "min Required EVC Mode Key": value(v.EVCMode),
		"Latency Sensitivity": value(v.LatencySensitivity), "HW version": value(v.HardwareVersion),
	}
	if id, known := v.PoolID.Value(); known {
		for _, p := range x.of.Pools {
			if p.ID == id {
				cells["Resource pool"] = p.Path
			}
		}
	}
	if appliance, _ := v.Appliance.Value(); strings.HasPrefix(appliance, "annotation ") {
		cells["Annotation"] = strings.TrimPrefix(appliance, "annotation ")
	}
	x.info.add(withAttributes(x.vmRow(v, cells), v.Attributes))
	x.cpu.add(x.vmRow(v, map[string]any{
		"CPUs": value(v.VCPUs), "Cores p/s": value(v.CoresPerSocket), "Reservation": value(v.CPUReservationMHz), "Limit": value(v.CPULimitMHz),
		"Hot Add": value(v.CPUHotAdd), "Numa Hotadd Exposed": orFalse(v.VNUMAOnHotAdd),
	}))
	x.memory.add(x.vmRow(v, map[string]any{
		"Size MiB": value(v.MemoryMB), "Memory Reservation Locked To Max": value(v.MemoryReservationLocked), "Reservation": value(v.MemoryReservationMB),
		"Limit": value(v.MemoryLimitMB), "Hot Add": value(v.MemoryHotAdd),
	}))
	for _, d := range disks {
		x.addDisk(v, d)
	}
	for _, n := range nics {
		x.network.add(x.vmRow(v, map[string]any{"NIC label": n.Label, "Adapter": value(n.Type), "Switch": value(n.Switch)}))
	}
	points, _ := v.Snapshots.Value()
	for _, p := range points {
		x.snapshot.add(x.vmRow(v, map[string]any{"Name": p.Name, "Date / time": p.Created.UTC().Format("2006/01/02 15:04:05")}))
	}
}

// controllers are the descriptions of controllers in the API.
var controllers = map[string]string{
	inventory.ControllerPVSCSI: "VMware paravirtual SCSI", inventory.ControllerLSI: "LSI Logic", inventory.ControllerLSISAS: "LSI Logic SAS",
	inventory.ControllerBusLogic: "BusLogic", inventory.ControllerIDE: "IDE 0", inventory.ControllerSATA: "AHCI", inventory.ControllerNVMe: "NVME controller",
}

func (x *export) addDisk(v *inventory.VM, d *inventory.VDisk) {
	backing, _ := d.Backing.Value()
	kind, _ := d.Controller.Value()
	path := fmt.Sprintf("%s/disk-%d.vmdk", v.Name, d.Key)
	if delta, _ := d.DeltaFormat.Value(); delta != "" || backing == "sesparse" {
		path = fmt.Sprintf("%s/disk-%d-000001.vmdk", v.Name, d.Key)
	}
	if store, _ := d.Datastore.Value(); store != nil {
		path = "[" + store.Name + "] " + path
	}
	x.disk.add(x.vmRow(v, map[string]any{
		"Disk": d.Label, "Disk Key": int64(d.Key), "Capacity MiB": value(d.CapacityMB), "Raw": backing == "rdm", "Thin": orFalse(d.Thin),
		"Eagerly Scrub": orFalse(d.EagerZeroed), "Limit": value(d.IOPSLimit), "Controller": controllers[kind], "Shared Bus": value(d.BusSharing), "Path": path, "Disk Path": path,
	}))
}
