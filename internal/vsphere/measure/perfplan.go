package measure

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// perfCounters maps the names of counters to their ids on this server; ids differ between servers.
type perfCounters map[string]int32

// readPerfCounters reads the server's list of counters.
func readPerfCounters(ctx context.Context, s *session.Session) (perfCounters, error) {
	manager := s.Client().ServiceContent.PerfManager
	if manager == nil {
		return nil, &session.ConnectError{Host: s.Host(), Operation: "reading counters of", Why: "it has no PerformanceManager"}
	}
	p, err := property.Object(ctx, s, *manager, "perfCounter")
	if err != nil {
		return nil, fmt.Errorf("reading the list of counters: %w", err)
	}
	list, state, reason := property.Read(p, "perfCounter", property.As[types.ArrayOfPerfCounterInfo], property.Required).Get()
	if state != inventory.StateKnown {
		return nil, fmt.Errorf("reading the list of counters of %s: %s", s.Host(), reason)
	}
	counters := perfCounters{}
	for _, c := range list.PerfCounterInfo {
		if c.GroupInfo != nil && c.NameInfo != nil {
			counters[keyOf(c.GroupInfo)+"."+keyOf(c.NameInfo)+"."+string(c.RollupType)] = c.Key
		}
	}
	return counters, nil
}

func keyOf(d types.BaseElementDescription) string { return d.GetElementDescription().Key }

// perfHome defines where the PerformanceManager keeps the values of an esxtop object.
type perfHome struct {
	host, vm perfInstances
}

// perfInstances selects which instances of a counter are rows of an object.
type perfInstances int

const (
	noInstance    perfInstances = iota
	wholeInstance               // "": the host or the VM itself
	eachInstance                // each other instance has a row
)

var perfHomes = map[esxtop.Object]perfHome{
	esxtop.Host:    {host: wholeInstance},
	esxtop.PCPU:    {host: eachInstance},
	esxtop.Adapter: {host: eachInstance},
	esxtop.Path:    {host: eachInstance},
	esxtop.Device:  {host: eachInstance},
	esxtop.NFS:     {host: eachInstance},
	esxtop.Port:    {host: eachInstance, vm: eachInstance},
	esxtop.Group:   {vm: wholeInstance},
	esxtop.World:   {vm: eachInstance},
	esxtop.VDisk:   {vm: eachInstance},
	esxtop.GPU:     {host: eachInstance},
}

// perfObjects are the objects that the PerformanceManager has, owners first.
var perfObjects = [...]esxtop.Object{
	esxtop.Host, esxtop.PCPU, esxtop.Group, esxtop.World, esxtop.Adapter, esxtop.Path, esxtop.Device, esxtop.NFS, esxtop.DiskVM, esxtop.VDisk, esxtop.Port, esxtop.GPU,
}

// perfPlan holds the queries, made from a request and the server's counters.
type perfPlan struct {
	objects  esxtop.Objects // the objects in frames
	whole    bool           // with all their figures
	host, vm perfSide
}

// perfSide holds the query for hosts or for VMs.
type perfSide struct {
	metrics string                 // the metricId elements of a query
	series  int                    // approximate number of series returned
	targets map[int32][]perfTarget // by the counter's id
}

// perfTarget is the destination of a value.
type perfTarget struct {
	metric    *esxtop.Metric
	object    esxtop.Object
	table     int // the object's index in perfObjects
	as        esxtop.Conversion
	instances perfInstances
}

// Approximate number of instances of a counter of a host and a VM.
const (
	instancesOfHost = 16
	instancesOfVM   = 3
)

// newPerfPlan omits counters that the server does not have, those of figures that are not asked for, and objects without any
// counter. No figures means all.
func newPerfPlan(asked esxtop.Objects, figures *esxtop.MetricSet, counters perfCounters) *perfPlan {
	p := &perfPlan{whole: figures == nil}
	asked = perfWanted(asked)
	host, vm := newPerfSide(instancesOfHost), newPerfSide(instancesOfVM)
	for table, o := range perfObjects {
		home := perfHomes[o]
		if !asked.Has(o) {
			continue
		}
		for _, m := range esxtop.MetricsOf(o) {
			if figures != nil && !figures.Has(o, m) {
				continue
			}
			for _, from := range m.Perf {
				id, there := counters[from.Counter]
				if !there || !fills(from, o) {
					continue
				}
				target := perfTarget{metric: m, object: o, table: table, as: from.As}
				host.add(id, target, home.host)
				vm.add(id, target, home.vm)
				p.objects |= esxtop.ObjectsOf(o)
			}
		}
	}
	if asked.Has(esxtop.Host) {
		p.objects |= esxtop.ObjectsOf(esxtop.Host) // values derived from the list of VMs need no counter
	}
	if p.objects.Has(esxtop.VDisk) {
		p.objects |= esxtop.ObjectsOf(esxtop.DiskVM)
	}
	if len(host.seen) == 0 && len(vm.seen) > 0 {
		host.addClock(counters)
	}
	p.host, p.vm = host.side(), vm.side()
	return p
}

// tableOf returns the index of an object in perfObjects.
func tableOf(o esxtop.Object) int { return slices.Index(perfObjects[:], o) }

var (
	tableHost, tablePCPU    = tableOf(esxtop.Host), tableOf(esxtop.PCPU)
	tableGroup, tableWorld  = tableOf(esxtop.Group), tableOf(esxtop.World)
	tableAdapter, tablePath = tableOf(esxtop.Adapter), tableOf(esxtop.Path)
	tableDiskVM, tableVDisk = tableOf(esxtop.DiskVM), tableOf(esxtop.VDisk)
	tableNFS, tablePort     = tableOf(esxtop.NFS), tableOf(esxtop.Port)
	tableDevice, tableGPU   = tableOf(esxtop.Device), tableOf(esxtop.GPU)
)

// perfWanted adds the owners of the requested objects, since rows refer to them, and the disks whose values make up a VM's sum.
func perfWanted(asked esxtop.Objects) esxtop.Objects {
	for _, o := range perfObjects {
		if asked.Has(o) {
			asked |= esxtop.ObjectsOf(o.Parent())
		}
	}
	if asked.Has(esxtop.DiskVM) {
		asked |= esxtop.ObjectsOf(esxtop.VDisk)
	}
	return asked
}

// fills reports whether a counter belongs to an object's rows.
func fills(from esxtop.Perf, o esxtop.Object) bool {
	return from.On == nil || slices.Contains(from.On, o)
}

// perfSideBuilder collects the counters to query.
type perfSideBuilder struct {
	perfSide
	each int // instances per counter
	seen map[types.PerfMetricId]bool
	xml  strings.Builder
}

func newPerfSide(each int) *perfSideBuilder {
	return &perfSideBuilder{perfSide: perfSide{targets: map[int32][]perfTarget{}}, each: each, seen: map[types.PerfMetricId]bool{}}
}

// addClock adds a counter of hosts, so that a host without VMs has samples too, even without values.
func (b *perfSideBuilder) addClock(counters perfCounters) {
	for _, m := range esxtop.MetricsOf(esxtop.Host) {
		for _, from := range m.Perf {
			if id, there := counters[from.Counter]; there {
				b.add(id, perfTarget{}, wholeInstance)
				delete(b.targets, id)
				return
			}
		}
	}
}

func (b *perfSideBuilder) add(id int32, t perfTarget, instances perfInstances) {
	instance, series := "", 1
	switch instances {
	case noInstance:
		return
	case eachInstance:
		instance, series = "*", b.each
	}
	t.instances = instances
	b.targets[id] = append(b.targets[id], t)
	metric := types.PerfMetricId{CounterId: id, Instance: instance}
	if b.seen[metric] {
		return
	}
	b.seen[metric] = true
	b.series += series
	b.xml.WriteString("<metricId><counterId>" + strconv.Itoa(int(id)) + "</counterId><instance>" + instance + "</instance></metricId>")
}

func (b *perfSideBuilder) side() perfSide {
	b.metrics = b.xml.String()
	return b.perfSide
}

// entities returns the entities of a host that a plan queries, with their index in the frame.
func (p *perfPlan) entities(h *perfHost) iter.Seq2[int, *perfEntity] {
	return func(yield func(int, *perfEntity) bool) {
		if p.host.metrics != "" && !yield(0, h.self) {
			return
		}
		if p.vm.metrics == "" {
			return
		}
		for i, e := range h.vms {
			if !yield(i+1, e) {
				return
			}
		}
	}
}

func (p *perfPlan) sideOf(e *perfEntity) *perfSide {
	if e.isHost() {
		return &p.host
	}
	return &p.vm
}
