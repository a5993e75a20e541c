package rvtools

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/rvtools/sheet"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
)

type vm = inventory.VM

// infoColumns are the columns of vInfo. The guest system is not one of them: the export has its name, and the fact is its id.
var infoColumns = []column[*vm]{
	word("VM.powerState", "Powerstate", same("poweredOn", "poweredOff", "suspended"), func(v *vm) *inventory.Fact[string] { return &v.PowerState }),
	yesNo("VM.template", "Template", func(v *vm) *inventory.Fact[bool] { return &v.Template }),
	yesNo("VM.consolidationNeeded", "Consolidation Needed", func(v *vm) *inventory.Fact[bool] { return &v.ConsolidationNeeded }),
	date("VM.bootTime", "PowerOn", func(v *vm) *inventory.Fact[time.Time] { return &v.BootTime }),
	whole("VM.vcpus", "CPUs", func(v *vm) *inventory.Fact[int64] { return &v.VCPUs }),
	whole("VM.memoryMB", "Memory", func(v *vm) *inventory.Fact[int64] { return &v.MemoryMB }),
	plain("VM.evcMode", "min Required EVC Mode Key", func(v *vm) *inventory.Fact[string] { return &v.EVCMode }),
	word("VM.latencySensitivity", "Latency Sensitivity", latencies, func(v *vm) *inventory.Fact[string] { return &v.LatencySensitivity }),
	{"HW version", []string{"VM.hardwareVersion"}, func(v *vm, text string) {
		v.HardwareVersion = wholeOf("HW version", strings.TrimPrefix(strings.ToLower(text), "vmx-"))
	}},
}

// latencies are the levels of latency sensitivity; ESXi treats custom as normal.
var latencies = map[string]string{"low": "low", "normal": "normal", "medium": "medium", "high": "high", "custom": "normal"}

var cpuColumns = []column[*vm]{
	whole("VM.coresPerSocket", "Cores p/s", func(v *vm) *inventory.Fact[int64] { return &v.CoresPerSocket }),
	whole("VM.cpuReservationMHz", "Reservation", func(v *vm) *inventory.Fact[int64] { return &v.CPUReservationMHz }),
	whole("VM.cpuLimitMHz", "Limit", func(v *vm) *inventory.Fact[int64] { return &v.CPULimitMHz }),
	yesNo("VM.cpuHotAdd", "Hot Add", func(v *vm) *inventory.Fact[bool] { return &v.CPUHotAdd }),
	onlyYes("VM.vnumaOnHotAdd", "Numa Hotadd Exposed", func(v *vm) *inventory.Fact[bool] { return &v.VNUMAOnHotAdd }),
}

var memoryColumns = []column[*vm]{
	yesNo("VM.memoryReservationLocked", "Memory Reservation Locked To Max", func(v *vm) *inventory.Fact[bool] { return &v.MemoryReservationLocked }),
	whole("VM.memoryReservationMB", "Reservation", func(v *vm) *inventory.Fact[int64] { return &v.MemoryReservationMB }),
	whole("VM.memoryLimitMB", "Limit", func(v *vm) *inventory.Fact[int64] { return &v.MemoryLimitMB }),
	yesNo("VM.memoryHotAdd", "Hot Add", func(v *vm) *inventory.Fact[bool] { return &v.MemoryHotAdd }),
}

var diskColumns = []column[*inventory.VDisk]{
	whole("VDisk.capacityMB", "Capacity MiB", func(d *inventory.VDisk) *inventory.Fact[int64] { return &d.CapacityMB }),
	{"Limit", []string{"VDisk.iopsLimit"}, func(d *inventory.VDisk, text string) {
		if d.IOPSLimit = wholeOf("Limit", text); d.IOPSLimit == inventory.Known(int64(0)) {
			d.IOPSLimit = inventory.Unread[int64]("the export has 0, which is no limit of a disk")
		}
	}},
	{"Controller", []string{"VDisk.controller"}, func(d *inventory.VDisk, text string) { d.Controller = controllerOf(text) }},
	{"Raw", []string{"VDisk.backing", "VDisk.thin", "VDisk.eagerZeroed", "VDisk.lunUuid"}, fillRaw},
}

// controllers are the descriptions of controllers in the API, and labels of controllers that only one kind has.
var controllers = []struct {
	is   *regexp.Regexp
	kind string
}{
	{regexp.MustCompile(`(?i)^(vmware )?paravirtual( scsi)?$`), inventory.ControllerPVSCSI},
	{regexp.MustCompile(`(?i)^lsi logic sas$`), inventory.ControllerLSISAS},
	{regexp.MustCompile(`(?i)^lsi logic( parallel)?$`), inventory.ControllerLSI},
	{regexp.MustCompile(`(?i)^buslogic( parallel)?$`), inventory.ControllerBusLogic},
	{regexp.MustCompile(`(?i)^ide \d$`), inventory.ControllerIDE},
	{regexp.MustCompile(`(?i)^(ahci|sata controller \d+)$`), inventory.ControllerSATA},
	{regexp.MustCompile(`(?i)^nvme controller( \d+)?$`), inventory.ControllerNVMe},
}

func controllerOf(text string) inventory.Fact[string] {
	for _, c := range controllers {
		if c.is.MatchString(text) {
			return inventory.Known(c.kind)
		}
	}
	return inventory.Unread[string]("the export has " + quoted(text) + ", which does not show the kind of the controller")
}

func fillRaw(d *inventory.VDisk, text string) {
	switch raw, ok := sheet.Bool(text); {
	case ok && raw:
		d.Backing, d.Thin, d.EagerZeroed = inventory.Known("rdm"), inventory.Absent[bool](), inventory.Absent[bool]()
	case ok:
		d.LUNUUID = inventory.Absent[string]()
	}
}

// deltaName matches the files of disks with a parent: after a snapshot, the disk's format can differ from that of its base.
var deltaName = regexp.MustCompile(`-\d{6}\.vmdk$`)

// fillDisk sets the facts of a disk that need several columns.
func (e *endpoint) fillDisk(d *inventory.VDisk, r *row) {
	fill(d, r, diskColumns)
	path := r.first("Path", "Disk Path")
	raw, known := sheet.Bool(r.text("Raw"))
	if known && !raw && path != "" && !deltaName.MatchString(path) {
		thin, hasThin := sheet.Bool(r.text("Thin"))
		eager, hasEager := sheet.Bool(r.text("Eagerly Scrub"))
		if hasThin {
			d.Thin = inventory.Known(thin)
		}
		switch {
		case hasEager && eager:
			d.EagerZeroed = inventory.Known(true)
		case hasEager && hasThin && thin:
			d.EagerZeroed = inventory.Known(false)
		}
	}
	d.BusSharing = sharing(r.text("Shared Bus"), d.Controller)
	store, found := datastoreOf(path)
	if named := e.datastores[store]; found && len(named) == 1 {
		d.DatastoreID = inventory.Known(named[0].ID)
	}
}

// sharing returns the bus sharing of a controller; only SCSI controllers can share their bus.
func sharing(text string, controller inventory.Fact[string]) inventory.Fact[string] {
	kind, _ := controller.Value()
	switch kind {
	case inventory.ControllerIDE, inventory.ControllerSATA:
		return inventory.Absent[string]()
	}
	if text == "" {
		return inventory.Unread[string](NotHere)
	}
	return wordOf("Shared Bus", text, same("noSharing", "virtualSharing", "physicalSharing"))
}

// datastoreOf returns the name in a path such as [DATASTORE] folder/file.vmdk.
func datastoreOf(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, "[")
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(rest, "] ")
	return name, ok
}

var vnicColumns = []column[*inventory.VNIC]{
	word("VNIC.type", "Adapter", vnicTypes, func(n *inventory.VNIC) *inventory.Fact[string] { return &n.Type }),
	plain("VNIC.switch", "Switch", func(n *inventory.VNIC) *inventory.Fact[string] { return &n.Switch }),
}

// vnicTypes are the kinds of adapters, as the API and as clients write them.
var vnicTypes = map[string]string{
	"vmxnet3": inventory.VNICVmxnet3, "vmxnet 3": inventory.VNICVmxnet3, "virtualvmxnet3": inventory.VNICVmxnet3,
	"vmxnet2": inventory.VNICVmxnet2, "vmxnet 2": inventory.VNICVmxnet2, "virtualvmxnet2": inventory.VNICVmxnet2,
	"vmxnet": inventory.VNICVmxnet, "virtualvmxnet": inventory.VNICVmxnet,
	"e1000": inventory.VNICE1000, "virtuale1000": inventory.VNICE1000,
	"e1000e": inventory.VNICE1000e, "virtuale1000e": inventory.VNICE1000e,
	"pcnet32": inventory.VNICPCNet32, "virtualpcnet32": inventory.VNICPCNet32,
}

// labelNumber matches the number at the end of a device's label.
var labelNumber = regexp.MustCompile(` (\d{1,3})$`)

// vnicKey returns the device key that an adapter of this label usually has; keys are not in the export.
func vnicKey(label string, others []*inventory.VNIC) int32 {
	key := int32(4000 + len(others))
	if found := labelNumber.FindStringSubmatch(label); found != nil {
		if n, err := strconv.ParseInt(found[1], 10, 32); err == nil && n > 0 {
			key = 4000 + int32(n) - 1
		}
	}
	for slices.ContainsFunc(others, func(n *inventory.VNIC) bool { return n.Key == key }) {
		key += 100
	}
	return key
}

// vmOf is a VM with what the sheets say of it.
type vmOf struct {
	*vm

	nics, disks int64 // as vInfo counts them; -1: it does not
	poolName    string
	path        string // of its file
	ambiguous   bool   // rows of other sheets can be about this VM or another
	vnics       []*inventory.VNIC
	vdisks      []*inventory.VDisk
	points      []*inventory.SnapshotPoint
	pointGap    string // why the snapshots are not known, or ""
}

// fillInfo sets the facts of a row of vInfo.
func (x *vmOf) fillInfo(r *row) {
	v := x.vm
	fill(v, r, infoColumns)
	off, _ := v.PowerState.Value()
	if _, state, _ := v.BootTime.Get(); off == "poweredOff" && state == inventory.StateUnread {
		v.BootTime, v.EVCMode = inventory.Absent[time.Time](), inventory.Absent[string]() // only VMs that run have them
	}
	if evidence := vmfacts.EvidenceOf(v.Name, r.text("Annotation")); evidence != "" {
		v.Appliance = inventory.Known(evidence)
	}
	if !vmfacts.IsNamedAsAppliance(v.Name) {
		v.MaybeAppliance = inventory.Known("")
	}
	v.VDIRole = inventory.Known(vmfacts.VDIRole(v.Name))
	x.nics, x.disks = countOf(r.text("NICs")), countOf(r.text("Disks"))
	x.poolName = r.text("Resource pool")
	if template, _ := v.Template.Value(); template {
		v.PoolID = inventory.Absent[string]()
	}
}

func countOf(text string) int64 {
	if n, ok := sheet.Whole(text); ok {
		return n
	}
	return -1
}

// vmGaps are the reasons against the facts of VMs that are not connected.
var vmGaps = map[string]string{
	"orphaned":     "orphaned: the virtual machine is no longer registered on a host (state orphaned)",
	"inaccessible": "inaccessible: the host cannot reach the virtual machine's files (state inaccessible)",
	"invalid":      "invalid: the host cannot read the virtual machine's configuration (state invalid)",
	"disconnected": "disconnected: its host does not respond (state disconnected)",
}

// ambiguous is the reason of facts in rows that can be about several VMs.
const ambiguous = "the export has several virtual machines of this name or id, and does not show whose rows are whose"

var ambiguousFacts = func() map[string]string {
	reasons := map[string]string{}
	for _, facts := range factsIn {
		for _, fact := range facts {
			reasons[fact] = ambiguous
		}
	}
	return reasons
}()

// finish sets the lists of devices, if the sheets have them all.
func (x *vmOf) finish(has map[string]bool) {
	if x.Unread != "" {
		return
	}
	x.VNICs = listOf(x.vnics, x.nics, has["vNetwork"] && (x.nics >= 0 || !x.ambiguous), "NICs", "vNetwork")
	x.Disks = listOf(x.vdisks, x.disks, has["vDisk"] && (x.disks >= 0 || !x.ambiguous), "Disks", "vDisk")
	if x.ambiguous {
		giveReasons(x.vm, ambiguousFacts)
	}
	switch {
	case !has["vSnapshot"]:
	case x.ambiguous:
		x.Snapshots = inventory.Unread[[]*inventory.SnapshotPoint](ambiguous)
	case x.pointGap != "":
		x.Snapshots = inventory.Unread[[]*inventory.SnapshotPoint](x.pointGap)
	case len(x.points) > 1:
		x.Snapshots = inventory.Unread[[]*inventory.SnapshotPoint](fmt.Sprintf("the export does not show how the %d snapshots depend on each other", len(x.points)))
	default:
		x.Snapshots = inventory.Known(append([]*inventory.SnapshotPoint{}, x.points...))
		if len(x.points) == 0 {
			x.SnapshotBytes = inventory.Known(int64(0))
		}
	}
}

// listOf returns the devices that a sheet lists, if they are as many as vInfo counts.
func listOf[T any](list []*T, counted int64, has bool, column, sheet string) inventory.Fact[[]*T] {
	switch {
	case !has, counted < 0 && len(list) == 0:
		return inventory.Unread[[]*T](NotHere)
	case counted >= 0 && int64(len(list)) != counted:
		return inventory.Unread[[]*T](fmt.Sprintf("column %s of vInfo counts %d, and %s lists %d", column, counted, sheet, len(list)))
	}
	return inventory.Known(append([]*T{}, list...))
}
