package measure

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

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
	metricVMs      = esxtop.Lookup("host.vms")
	metricVCPUs    = esxtop.Lookup("host.vcpus")
)

// frames returns the host's frames, oldest first. If some is true, each frame has only the available rows; otherwise each frame
// includes the host.
func (a *perfAsk) frames(some bool) []*esxtop.Frame {
	h := a.harvest
	h.sort()
	list := make([]*esxtop.Frame, 0, len(h.moments))
	for _, m := range h.moments {
		f := a.frame(m, some)
		f.Age = h.moments[len(h.moments)-1].stamp.time.Sub(f.Time)
		if whole := func(s perfSpan) bool { return s.item.until.IsZero() }; !slices.ContainsFunc(m.spans, whole) { // newer samples were not asked for
			f.Age = max(f.Age, perfInterval, a.now.Sub(f.Time))
		}
		list = append(list, f)
	}
	return list
}

func (a *perfAsk) frame(m *perfMoment, some bool) *esxtop.Frame {
	host, objects := a.host, a.harvest.plan.objects
	f := &esxtop.Frame{Host: host.name, MoID: host.moid, Time: m.stamp.time, Interval: m.stamp.interval, Origin: esxtop.Performance}
	m.order()
	b := perfFrame{perfMoment: m, nfs: a.harvest.nfs}
	whole := len(m.spans) > 0 && m.spans[0].item.isHost()
	if !whole && !some && objects.Has(esxtop.Host) {
		m.tables[tableHost].rows = []esxtop.Row{esxtop.NewRow(esxtop.Host, "", "")}
	}
	b.host(host)
	for i := range m.spans {
		if !m.spans[i].item.isHost() {
			b.vm(i)
		}
	}
	if whole && some && (a.err != nil || a.held != nil) {
		b.count(host)
	}
	b.onceByCore(host.threads)
	m.fill(f, objects, whole || !some)
	f.Settle()
	if rows := f.Rows(esxtop.Host); whole && !m.spans[0].valued && len(rows) > 0 { // not even what was computed
		rows[0].Set(metricVMs, math.NaN())
		rows[0].Set(metricVCPUs, math.NaN())
	}
	return f
}

// fill puts the rows into a frame, and empty tables too if requested.
func (m *perfMoment) fill(f *esxtop.Frame, objects esxtop.Objects, empty bool) {
	for t, o := range perfObjects {
		if objects.Has(o) && (empty || len(m.tables[t].rows) > 0) {
			f.Put(o, m.tables[t].rows)
		}
	}
}

// order sorts the host before its VMs, and the VMs by name. They are sorted already, unless the host was too large for one call.
func (m *perfMoment) order() {
	byPlace := func(a, b perfSpan) int { return cmp.Compare(a.item.place, b.item.place) }
	if slices.IsSortedFunc(m.spans, byPlace) {
		return
	}
	type cut struct{ from, to int }
	old, ends := m.tables, make(map[*perfItem][len(perfObjects)]cut, len(m.spans))
	for i, s := range m.spans {
		var of [len(perfObjects)]cut
		for t := range of {
			of[t] = cut{s.from[t], m.end(i, t)}
		}
		ends[s.item] = of
	}
	slices.SortStableFunc(m.spans, byPlace)
	for t := range m.tables {
		rows := make([]esxtop.Row, 0, len(old[t].rows))
		for i := range m.spans {
			of := ends[m.spans[i].item][t]
			m.spans[i].from[t] = len(rows)
			rows = append(rows, old[t].rows[of.from:of.to]...)
		}
		m.tables[t] = perfTable{rows: slices.Clip(rows)}
	}
}

// end returns the end of a span's rows in a table.
func (m *perfMoment) end(span, table int) int {
	if span+1 < len(m.spans) {
		return m.spans[span+1].from[table]
	}
	return len(m.tables[table].rows)
}

// rows returns the rows of a span, sorted by id with numbers in numeric order: vmhba2 before vmhba10.
func (m *perfMoment) rows(span, table int) []esxtop.Row {
	rows := m.tables[table].rows[m.spans[span].from[table]:m.end(span, table)]
	if len(rows) > 1 {
		slices.SortStableFunc(rows, func(a, b esxtop.Row) int { return esxtop.CompareIDs(a.ID, b.ID) })
	}
	return rows
}

// perfFrame is a frame under construction.
type perfFrame struct {
	*perfMoment
	nfs map[string]string
}

// host names the host's own rows, in esxtop's order.
func (b *perfFrame) host(of *perfHost) {
	for i := range b.tables[tableHost].rows {
		row := &b.tables[tableHost].rows[i]
		row.ID, row.Name, row.MoID = of.name, of.name, of.moid
	}
	if len(b.spans) == 0 || !b.spans[0].item.isHost() {
		return
	}
	for _, t := range []int{tablePCPU, tableAdapter, tableDevice, tableGPU} {
		b.rows(0, t)
	}
	volumes := b.rows(0, tableNFS)
	for i := range volumes {
		volumes[i].Name = cmp.Or(b.nfs[volumes[i].ID], volumes[i].ID)
		volumes[i].ID = volumes[i].Name // the id in the Esxtop service
	}
	ports := b.rows(0, tablePort)
	for i := range ports {
		ports[i].Set(metricUplink, 1)
		ports[i].SetText(metricUsedBy, ports[i].Name)
	}
	paths := b.rows(0, tablePath)
	for i := range paths {
		paths[i].Parent = adapterOf(paths[i].ID, b.tables[tableAdapter].rows)
	}
}

// adapterOf returns the index of the adapter of a path with a runtime name such as vmhba1:C0:T0:L3, or -1 for other names.
func adapterOf(path string, adapters []esxtop.Row) int {
	name, _, _ := strings.Cut(path, ":")
	return slices.IndexFunc(adapters, func(a esxtop.Row) bool { return a.ID == name })
}

// vm combines the rows of a VM.
func (b *perfFrame) vm(span int) {
	if group := b.spans[span].from[tableGroup]; group < b.end(span, tableGroup) {
		waitOfVCPUs(&b.tables[tableGroup].rows[group])
		worlds := b.rows(span, tableWorld)
		for i := range worlds {
			waitOfVCPUs(&worlds[i])
			worlds[i].Parent = group
		}
	}
	if disks := b.rows(span, tableVDisk); len(disks) > 0 {
		t := &b.tables[tableDiskVM]
		at := t.add(esxtop.DiskVM, "", b.spans[span].item)
		t.rows[at].Set(metricDisks, float64(len(disks)))
		for i := range disks {
			disks[i].Parent = at
		}
	}
	ports := b.rows(span, tablePort)
	for i := range ports {
		ports[i].Set(metricUplink, 0)
		ports[i].SetText(metricUsedBy, ports[i].Name)
	}
}

// count sets the number of VMs if not all of them have rows.
func (b *perfFrame) count(host *perfHost) {
	vcpus := 0.0
	for _, e := range host.vms {
		if vcpus += float64(e.vm.VCPUs); e.vm.VCPUs == 0 { // unknown
			vcpus = math.NaN()
		}
	}
	for i := range b.tables[tableHost].rows {
		b.tables[tableHost].rows[i].Set(metricVMs, float64(len(host.vms)))
		b.tables[tableHost].rows[i].Set(metricVCPUs, vcpus)
	}
}

// waitOfVCPUs sets the wait time of a VM to that of its vCPUs. The PerformanceManager does not have a VM's other worlds.
func waitOfVCPUs(r *esxtop.Row) {
	wait, waits := r.Value(metricWait)
	if idle, ok := r.Value(metricIdle); ok && waits {
		r.Set(metricVMWait, max(0, wait-idle))
	}
}

// onceByCore keeps a core's value in the row of its first thread, as esxtop does. With one thread per core the value is dropped.
func (b *perfFrame) onceByCore(threads int) {
	rows := b.tables[tablePCPU].rows
	for i := range rows {
		if n, err := strconv.Atoi(rows[i].ID); threads > 0 && (err != nil || threads == 1 || n%threads != 0) {
			rows[i].Set(metricCoreUtil, math.NaN())
		}
	}
}
