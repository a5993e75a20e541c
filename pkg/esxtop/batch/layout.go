package batch

import (
	"slices"
	"strings"
	"sync"

	"github.com/vperf/vperf/pkg/esxtop"
)

// csvGroup is a group of counters in the batch CSV, which esxtop calls an object.
type csvGroup struct {
	name     string
	all      esxtop.Object // whose metrics are counters of it, unless they name their groups; Host: all of them do
	counters []*csvCounter
	byText   map[string]*csvCounter
	place    placing
}

// csvCounter is a counter of a group with its metric.
type csvCounter struct {
	text   string
	metric *esxtop.Metric
	short  bool // written without -a as well
	whole  bool // without decimals
	first  int  // 1: it comes before the others
	states bool // the text ends with the number of a state: one column of each row below the CPU
}

// csvGroups are the groups in the order of a file, with their counters in the order of the catalogue.
var csvGroups = sync.OnceValue(func() []*csvGroup { return layOut(csvGroupList(), esxtop.Catalogue()) })

func csvGroupList() []*csvGroup {
	return []*csvGroup{
		{name: "Memory", place: ofRows(esxtop.Host, (*csvHost).itself)},
		{name: "Physical Cpu Load", place: ofRows(esxtop.Host, (*csvHost).itself)},
		{name: "Physical Cpu", place: placeCPU},
		{name: "Power", place: placePower},
		{name: "VSAN", place: placeVSAN},
		{name: "Group Cpu", place: placeGroup},
		{name: "Vcpu", all: esxtop.World, place: ofRows(esxtop.World, (*csvHost).world)},
		{name: "Group Memory", place: placeGroup},
		{name: "Physical Disk", all: esxtop.Path, place: placeDisk},
		{name: "Physical Disk Adapter", all: esxtop.Adapter, place: byName(esxtop.Adapter)},
		{name: "Physical Disk Path", all: esxtop.Path, place: placePath},
		{name: "Physical Disk SCSI Device", all: esxtop.Device, place: placeDevice},
		{name: "Physical Disk Per-Device-Per-World", all: esxtop.DeviceWorld, place: ofRows(esxtop.DeviceWorld, (*csvHost).deviceWorld)},
		{name: "Physical Disk Partition", all: esxtop.Partition, place: ofRows(esxtop.Partition, (*csvHost).partition)},
		{name: "Physical Disk NFS Volume", all: esxtop.NFS, place: byName(esxtop.NFS)},
		{name: "Virtual Disk", all: esxtop.DiskVM, place: placeVirtualDisk},
		{name: "Network Port", all: esxtop.Port, place: ofRows(esxtop.Port, (*csvHost).port)},
		{name: "Interrupt Cookie", all: esxtop.Vector, place: placeVector},
		{name: "PCPU Power State", place: placePowerState},
	}
}

// layOut assigns the counters of metrics to groups.
func layOut(groups []*csvGroup, metrics []*esxtop.Metric) []*csvGroup {
	for _, g := range groups {
		g.byText = map[string]*csvCounter{}
		for _, m := range metrics {
			for _, b := range m.Batch {
				if slices.Contains(b.Groups, g.name) || b.Groups == nil && g.all != esxtop.Host && slices.Contains(m.Objects, g.all) {
					g.add(m, &b)
				}
			}
		}
		slices.SortStableFunc(g.counters, func(a, b *csvCounter) int { return b.first - a.first })
	}
	return groups
}

func (g *csvGroup) add(m *esxtop.Metric, b *esxtop.BatchCounter) {
	c := &csvCounter{text: b.Text, metric: m, short: b.Default, whole: b.Whole}
	switch m.Objects[0] {
	case esxtop.CState, esxtop.PState, esxtop.TState:
		c.states = m.Kind == esxtop.Share // P-states have a clock speed, too
	}
	if b.First || c.states {
		c.first = 1
	}
	g.counters = append(g.counters, c)
	g.byText[c.text] = c
}

// csvGroupNames maps names to groups, including names of old releases.
var csvGroupNames = sync.OnceValue(func() map[string]*csvGroup {
	byName := map[string]*csvGroup{}
	for _, g := range csvGroups() {
		byName[g.name] = g
	}
	byName["Interrupt Vector"] = byName["Interrupt Cookie"] // until 5.x
	return byName
})

// counter finds a counter of the group by its text, and the state it is for.
func (g *csvGroup) counter(text string) (c *csvCounter, state string) {
	if c = g.byText[text]; c != nil && !c.states {
		return c, ""
	}
	digits := len(text) - len(strings.TrimRight(text, "0123456789"))
	if c = g.byText[text[:len(text)-digits]]; c != nil && c.states && digits > 0 {
		return c, text[len(text)-digits:]
	}
	return nil, ""
}

// Objects returns the objects that a batch CSV contains.
func Objects(o Options) (all esxtop.Objects) {
	for _, g := range csvGroups() {
		for _, c := range g.counters {
			if c.short || o.All {
				all |= esxtop.ObjectsOf(c.metric.Objects...)
			}
		}
	}
	return all
}

// Options configure a batch CSV.
type Options struct {
	All bool // every counter of the source, as esxtop -a; else only those that esxtop shows by default
}
