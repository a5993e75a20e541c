package vsphere

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

var (
	metricWait     = esxtop.Lookup("cpu.wait")
	metricIdle     = esxtop.Lookup("cpu.idle")
	metricVMWait   = esxtop.Lookup("cpu.vmWait")
	metricDisks    = esxtop.Lookup("vdisk.disks")
	metricUplink   = esxtop.Lookup("net.uplink")
	metricUsedBy   = esxtop.Lookup("net.usedBy")
	metricCoreUtil = esxtop.Lookup("pcpu.coreUtil")
)

// perfHarvest is what was read of one host: by place on the grid, rows of the host and of its VMs.
type perfHarvest struct {
	plan    *perfPlan
	nfs     map[string]string // names of NFS volumes by the instance that counters know them by
	moments map[int64]*perfMoment
}

// perfMoment is the samples of one time.
type perfMoment struct {
	stamp perfStamp
	of    map[string]*perfRows // by the VM's id; "" is the host itself
}

// perfRows are rows of one host or VM.
type perfRows struct {
	list map[esxtop.Object][]esxtop.Row
	at   map[perfRowKey]int
}

type perfRowKey struct {
	object   esxtop.Object
	instance string
}

// add takes what came of a host or a VM, but for samples up to a time, which were taken before.
func (h *perfHarvest) add(a perfAnswer, vm *RosterVM, after time.Time) {
	side, owner := &h.plan.host, ""
	if vm != nil {
		side, owner = &h.plan.vm, vm.MoID
	}
	rows := make([]*perfRows, len(a.stamps))
	for i, stamp := range a.stamps {
		if stamp.isAfter(after) {
			rows[i] = h.moment(stamp).rows(owner)
		}
	}
	for _, s := range a.series {
		for _, t := range side.targets[s.counter] {
			if !h.takes(t, s.instance) {
				continue
			}
			for i, v := range s.values {
				if rows[i] != nil && v != noSample {
					rows[i].row(t.object, s.instance, vm).Set(t.metric, t.as.Apply(v, a.stamps[i].interval))
				}
			}
		}
	}
}

// isAfter leaves room for servers that date a sample anew each time they are asked.
func (s perfStamp) isAfter(last time.Time) bool { return s.time.After(last.Add(perfInterval / 2)) }

func (h *perfHarvest) moment(stamp perfStamp) *perfMoment {
	place := onGrid(stamp.time)
	m := h.moments[place]
	if m == nil {
		m = &perfMoment{stamp: stamp, of: map[string]*perfRows{}}
		h.moments[place] = m
	}
	return m
}

func (m *perfMoment) rows(owner string) *perfRows {
	r := m.of[owner]
	if r == nil {
		r = &perfRows{list: map[esxtop.Object][]esxtop.Row{}, at: map[perfRowKey]int{}}
		m.of[owner] = r
	}
	return r
}

// takes reports whether an instance has a row of the target. Servers that do not know "*" take it for a name.
func (h *perfHarvest) takes(t perfTarget, instance string) bool {
	switch {
	case t.instances == wholeInstance || instance == "":
		return t.instances == wholeInstance && instance == ""
	case instance == "*":
		return false
	}
	switch t.object {
	case esxtop.PCPU, esxtop.World:
		_, err := strconv.ParseUint(instance, 10, 32)
		return err == nil
	case esxtop.NFS:
		_, is := h.nfs[instance]
		return is
	}
	return true
}

// row is the one of an instance, made when it is first needed.
func (r *perfRows) row(o esxtop.Object, instance string, vm *RosterVM) *esxtop.Row {
	key := perfRowKey{o, instance}
	i, there := r.at[key]
	if !there {
		i = len(r.list[o])
		r.at[key] = i
		r.list[o] = append(r.list[o], newPerfRow(o, instance, vm))
	}
	return &r.list[o][i]
}

// newPerfRow names a row as esxtop does.
func newPerfRow(o esxtop.Object, instance string, vm *RosterVM) esxtop.Row {
	if vm == nil {
		return esxtop.NewRow(o, instance, instance)
	}
	id, name := vm.MoID, vm.Name
	switch o {
	case esxtop.World:
		id, name = instance, "vcpu "+instance
	case esxtop.VDisk:
		id, name = instance, instance
	case esxtop.Port:
		id, name = vm.MoID+"-"+instance, portName(vm.Name, instance) // with no colon: a batch CSV puts some around it
	}
	r := esxtop.NewRow(o, id, name)
	r.VM, r.MoID = true, vm.MoID
	if o == esxtop.Group {
		r.VCPUs = vm.VCPUs
	}
	return r
}

// firstNIC is the device key of ethernet0, by which counters know a VM's NIC.
const firstNIC = 4000

// portName is what the port of a VM's NIC is called: web-1.eth0.
func portName(vm, instance string) string {
	if key, err := strconv.Atoi(instance); err == nil && key >= firstNIC {
		return vm + ".eth" + strconv.Itoa(key-firstNIC)
	}
	return vm + "." + instance
}

// frames are the host's frames, oldest first.
func (h *perfHarvest) frames(host *perfHost) []*esxtop.Frame {
	var list []*esxtop.Frame
	for _, m := range h.moments {
		list = append(list, h.frame(host, m))
	}
	slices.SortFunc(list, func(a, b *esxtop.Frame) int { return a.Time.Compare(b.Time) })
	return list
}

func (h *perfHarvest) frame(host *perfHost, m *perfMoment) *esxtop.Frame {
	f := &esxtop.Frame{Host: host.name, MoID: host.moid, Time: m.stamp.time, Interval: m.stamp.interval, Origin: esxtop.Performance}
	b := perfFrame{objects: h.plan.objects, nfs: h.nfs, tables: map[esxtop.Object][]esxtop.Row{}}
	b.host(m.rows(""), host)
	for i := range host.vms {
		if rows := m.of[host.vms[i].MoID]; rows != nil {
			b.vm(rows, &host.vms[i])
		}
	}
	b.onceByCore(host.threads)
	for _, o := range perfObjects {
		if h.plan.objects.Has(o) {
			f.Put(o, b.tables[o])
		}
	}
	f.Settle()
	return f
}

// perfFrame is a frame in the making.
type perfFrame struct {
	objects esxtop.Objects
	nfs     map[string]string
	tables  map[esxtop.Object][]esxtop.Row
}

// host takes the host's own rows, in esxtop's order.
func (b *perfFrame) host(r *perfRows, of *perfHost) {
	if b.objects.Has(esxtop.Host) {
		row := *r.row(esxtop.Host, "", nil)
		row.ID, row.Name, row.MoID = of.name, of.name, of.moid
		b.tables[esxtop.Host] = []esxtop.Row{row}
	}
	for _, o := range []esxtop.Object{esxtop.PCPU, esxtop.Adapter, esxtop.Path, esxtop.Device, esxtop.NFS, esxtop.Port} {
		b.tables[o] = inOrder(r.list[o])
	}
	for i := range b.tables[esxtop.NFS] {
		row := &b.tables[esxtop.NFS][i]
		row.Name = cmp.Or(b.nfs[row.ID], row.ID)
		row.ID = row.Name // as the Esxtop service knows it
	}
	for i := range b.tables[esxtop.Port] {
		row := &b.tables[esxtop.Port][i]
		row.Set(metricUplink, 1)
		row.SetText(metricUsedBy, row.Name)
	}
	for i := range b.tables[esxtop.Path] {
		row := &b.tables[esxtop.Path][i]
		row.Parent = adapterOf(row.ID, b.tables[esxtop.Adapter])
	}
}

// adapterOf finds the adapter of a path that is named by its place, vmhba1:C0:T0:L3; -1 where it is named otherwise.
func adapterOf(path string, adapters []esxtop.Row) int {
	name, _, _ := strings.Cut(path, ":")
	return slices.IndexFunc(adapters, func(a esxtop.Row) bool { return a.ID == name })
}

// vm takes the rows of a VM.
func (b *perfFrame) vm(r *perfRows, vm *RosterVM) {
	if b.objects.Has(esxtop.Group) {
		group := r.row(esxtop.Group, "", vm)
		waitOfVCPUs(group)
		for i := range r.list[esxtop.World] {
			waitOfVCPUs(&r.list[esxtop.World][i])
		}
		b.own(esxtop.World, r, b.put(esxtop.Group, *group))
	}
	if len(r.list[esxtop.VDisk]) > 0 {
		row := newPerfRow(esxtop.DiskVM, "", vm)
		row.ID = vm.MoID
		row.Set(metricDisks, float64(len(r.list[esxtop.VDisk])))
		b.own(esxtop.VDisk, r, b.put(esxtop.DiskVM, row))
	}
	first := len(b.tables[esxtop.Port])
	b.own(esxtop.Port, r, -1)
	for i := range b.tables[esxtop.Port][first:] {
		row := &b.tables[esxtop.Port][first+i]
		row.Set(metricUplink, 0)
		row.SetText(metricUsedBy, row.Name)
	}
}

// waitOfVCPUs is what they waited for other things than work. The PerformanceManager has no other worlds of a VM.
func waitOfVCPUs(r *esxtop.Row) {
	wait, waits := r.Value(metricWait)
	if idle, ok := r.Value(metricIdle); ok && waits {
		r.Set(metricVMWait, max(0, wait-idle))
	}
}

func (b *perfFrame) put(o esxtop.Object, r esxtop.Row) int {
	b.tables[o] = append(b.tables[o], r)
	return len(b.tables[o]) - 1
}

// own puts rows below the one that owns them.
func (b *perfFrame) own(o esxtop.Object, r *perfRows, owner int) {
	for _, row := range inOrder(r.list[o]) {
		row.Parent = owner
		b.put(o, row)
	}
}

// inOrder sorts rows by their ids, vmhba2 before vmhba10.
func inOrder(rows []esxtop.Row) []esxtop.Row {
	slices.SortFunc(rows, func(a, b esxtop.Row) int { return esxtop.CompareIDs(a.ID, b.ID) })
	return rows
}

// onceByCore leaves a core's figure with its first thread, as esxtop does. Where cores have one thread there is no such line.
func (b *perfFrame) onceByCore(threads int) {
	for i := range b.tables[esxtop.PCPU] {
		r := &b.tables[esxtop.PCPU][i]
		if n, err := strconv.Atoi(r.ID); threads > 0 && (err != nil || threads == 1 || n%threads != 0) {
			r.Set(metricCoreUtil, math.NaN())
		}
	}
}
