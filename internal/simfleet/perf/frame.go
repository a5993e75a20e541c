package perf

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/pkg/esxtop"
)

// FrameObjects are the objects that Frame knows.
var FrameObjects = esxtop.ObjectsOf(
	esxtop.Host, esxtop.PCPU, esxtop.Group, esxtop.World, esxtop.Adapter, esxtop.Path, esxtop.Device, esxtop.DiskVM, esxtop.VDisk, esxtop.Port,
	esxtop.GPU,
)

var (
	metricDisks  = esxtop.Lookup("vdisk.disks")
	metricUplink = esxtop.Lookup("net.uplink")
	metricUsedBy = esxtop.Lookup("net.usedBy")
	metricWait   = esxtop.Lookup("cpu.wait")
	metricIdle   = esxtop.Lookup("cpu.idle")
	metricVMWait = esxtop.Lookup("cpu.vmWait")
)

// Frame returns what a client reads of a host and its VMs from the PerformanceManager as the sample of a slot, without asking a
// server. name is the host's name in the inventory. It is nil before the host existed.
func Frame(l *load.Model, host, name string, slot int64, objects esxtop.Objects) *esxtop.Frame {
	figures := l.Host(host, slot)
	if figures == nil {
		return nil
	}
	f := &frame{loads: l, objects: objects & FrameObjects, rows: map[esxtop.Object][]esxtop.Row{}}
	if f.objects.Has(esxtop.DiskVM) {
		f.objects |= esxtop.ObjectsOf(esxtop.VDisk)
	}
	for o := range frameColumns() {
		if f.objects.Has(o.Parent()) || f.objects.Has(o) {
			f.objects |= esxtop.ObjectsOf(o.Parent()) & FrameObjects
		}
	}
	f.host(&hostSample{figures, l, host, slot}, name)
	for i, v := range figures.Each(slot) {
		f.vm(&vmSample{v, figures.Residencies[i], slot})
	}
	out := &esxtop.Frame{
		Host: name, MoID: host, Time: load.SlotEnd(slot), Interval: time.Duration(load.SlotSeconds) * time.Second, Origin: esxtop.Performance,
	}
	for o := range frameColumns() {
		if f.objects.Has(o) {
			out.Put(o, f.rows[o])
		}
	}
	out.Settle()
	return out
}

// frame is a frame under construction.
type frame struct {
	loads   *load.Model
	objects esxtop.Objects
	rows    map[esxtop.Object][]esxtop.Row
}

// column is a figure of an object with its counter.
type column struct {
	metric *esxtop.Metric
	as     esxtop.Conversion
	of     *perfCounter
}

// frameColumns returns the columns of each object.
var frameColumns = sync.OnceValue(func() map[esxtop.Object][]column {
	counters := map[string]*perfCounter{}
	for _, c := range perfCounters {
		counters[strings.Join([]string{c.group, c.name, c.rollup}, ".")] = c
	}
	all := map[esxtop.Object][]column{}
	for o := range esxtop.Object(32) {
		if !FrameObjects.Has(o) {
			continue
		}
		all[o] = nil
		for _, m := range esxtop.MetricsOf(o) {
			for _, from := range m.Perf {
				c := counters[from.Counter]
				if c != nil && (from.On == nil || slices.Contains(from.On, o)) {
					all[o] = append(all[o], column{m, from.As, c})
				}
			}
		}
	}
	return all
})

// host adds the rows of a host.
func (f *frame) host(s *hostSample, name string) {
	settings := s.settings()
	for _, o := range []esxtop.Object{esxtop.Host, esxtop.PCPU, esxtop.Adapter, esxtop.Path, esxtop.Device, esxtop.Port, esxtop.GPU} {
		fill(f, o, settings.Stream, s.slot, func(c *perfCounter) ([]string, func(int) int64) {
			if c.host == nil {
				return nil, nil
			}
			return c.hostInstances.names(settings), func(n int) int64 { return c.host(s, n) }
		})
	}
	if rows := f.rows[esxtop.Host]; len(rows) > 0 {
		rows[0].ID, rows[0].Name, rows[0].MoID = name, name, s.id
	}
	for i := range f.rows[esxtop.Port] {
		row := &f.rows[esxtop.Port][i]
		row.Set(metricUplink, 1)
		row.SetText(metricUsedBy, row.Name)
	}
	for i := range f.rows[esxtop.Path] {
		row := &f.rows[esxtop.Path][i]
		adapter, _, _ := strings.Cut(row.ID, ":")
		row.Parent = slices.IndexFunc(f.rows[esxtop.Adapter], func(a esxtop.Row) bool { return a.ID == adapter })
	}
	for i := range f.rows[esxtop.PCPU] { // a core's figure is in the row of its first thread, if it has several
		if settings.PerCore == 1 || i%settings.PerCore != 0 {
			f.rows[esxtop.PCPU][i].Set(esxtop.Lookup("pcpu.coreUtil"), math.NaN())
		}
	}
}

// vm adds the rows of a VM.
func (f *frame) vm(s *vmSample) {
	v, id := s.residency.Settings, s.residency.VM
	from := map[esxtop.Object]int{}
	for _, o := range []esxtop.Object{esxtop.Group, esxtop.World, esxtop.VDisk, esxtop.Port} {
		from[o] = len(f.rows[o])
		fill(f, o, s.residency.Stream, s.slot, func(c *perfCounter) ([]string, func(int) int64) {
			if c.vm == nil {
				return nil, nil
			}
			return c.vmInstances.names(v), func(n int) int64 { return c.vm(s, n) }
		})
		for i := from[o]; i < len(f.rows[o]); i++ {
			row := &f.rows[o][i]
			row.VM, row.MoID = true, id
			waitOfVCPUs(row)
			switch o {
			case esxtop.Group:
				row.ID, row.Name, row.VCPUs = id, v.Name, int(v.VCPUs)
			case esxtop.World:
				row.Name, row.Parent = "vcpu "+row.ID, from[esxtop.Group]
			case esxtop.VDisk:
				row.Parent = len(f.rows[esxtop.DiskVM])
			case esxtop.Port:
				row.Name = v.Name + ".eth" + row.ID
				if key, err := strconv.Atoi(row.ID); err == nil {
					row.Name = v.Name + ".eth" + strconv.Itoa(key-firstNICKey)
				}
				row.ID = id + "-" + row.ID
				row.Set(metricUplink, 0)
				row.SetText(metricUsedBy, row.Name)
			}
		}
	}
	if disks := len(f.rows[esxtop.VDisk]) - from[esxtop.VDisk]; disks > 0 && f.objects.Has(esxtop.DiskVM) {
		row := esxtop.NewRow(esxtop.DiskVM, id, v.Name)
		row.VM, row.MoID = true, id
		row.Set(metricDisks, float64(disks))
		f.rows[esxtop.DiskVM] = append(f.rows[esxtop.DiskVM], row)
	}
}

// firstNICKey is the device key of ethernet0.
const firstNICKey = 4000

// waitOfVCPUs sets the wait time of a VM to that of its vCPUs.
func waitOfVCPUs(r *esxtop.Row) {
	wait, waits := r.Value(metricWait)
	if idle, ok := r.Value(metricIdle); ok && waits {
		r.Set(metricVMWait, max(0, wait-idle))
	}
}

// fill adds the rows of one object: the whole of a host or a VM, or its instances.
func fill(f *frame, o esxtop.Object, noise load.Stream, slot int64, at func(*perfCounter) ([]string, func(int) int64)) {
	if !f.objects.Has(o) {
		return
	}
	whole := o == esxtop.Host || o == esxtop.Group
	known, rows := map[string]int{}, f.rows[o]
	missing := f.loads.Missing(noise, slot)
	for _, c := range frameColumns()[o] {
		names, value := at(c.of)
		for n, name := range names {
			if whole != (name == "") {
				continue
			}
			i, there := known[name]
			if !there {
				i = len(rows)
				known[name] = i
				rows = append(rows, esxtop.NewRow(o, name, name))
			}
			if v := value(n); v != NoSample && !missing {
				rows[i].Set(c.metric, c.as.Apply(v, time.Duration(load.SlotSeconds)*time.Second))
			}
		}
	}
	slices.SortStableFunc(rows[len(f.rows[o]):], func(a, b esxtop.Row) int { return esxtop.CompareIDs(a.ID, b.ID) })
	f.rows[o] = rows
}
