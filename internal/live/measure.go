package live

import (
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// measure is how one live metric is read off a frame.
type measure struct {
	scope inventory.Scope
	name  string
	needs []esxtop.Object
	below bool // the lowest is the worst
	read  func(t *tally, f *esxtop.Frame)
}

// measures has one entry for each of inventory.LiveMetrics; a test keeps it so.
var measures = []measure{
	ofVM("cpu.ready", false, group("cpu.contentionPerVCPU", 1)),
	ofVM("cpu.costop", false, group("cpu.costopPerVCPU", 1)),
	ofVM("cpu.usage", false, group("cpu.usage", 1), group("cpu.usedPerVCPU", 1)),
	ofVM("mem.swapIn", false, group("mem.swapIn", kbOfMB)),
	ofVM("mem.balloon", false, group("mem.balloon", 1)),
	ofVM("mem.decompress", false, group("mem.decompress", kbOfMB)),
	ofVM("numa.local", true, group("numa.local", 1)),
	{scope: inventory.ScopeVM, name: "net.droppedRx", needs: []esxtop.Object{esxtop.Port}, read: dropsOfVMs},
	{scope: inventory.ScopeHost, name: "cpu.coreUtilization", needs: []esxtop.Object{esxtop.Host, esxtop.PCPU}, read: coresOfHost},
	ofHost("mem.state", "mem.state", 1, esxtop.Host),
	ofHost("mem.swapIn", "mem.hostSwapRead", kbOfMB, esxtop.Host),
	{scope: inventory.ScopeHost, name: "net.droppedRx", needs: []esxtop.Object{esxtop.Port}, read: dropsOfHost},
	worstDevice("disk.deviceLatency"),
	worstDevice("disk.kernelLatency"),
	worstDevice("disk.queueLatency"),
	{scope: inventory.ScopeHost, name: "disk.aborts", needs: []esxtop.Object{esxtop.Device}, read: abortsOfHost},
}

// kbOfMB turns esxtop's megabytes into the kilobytes that rules have had from the PerformanceManager.
const kbOfMB = 1024

// figure is a metric and what it is multiplied by.
type figure struct {
	metric *esxtop.Metric
	scale  float64
}

func group(id string, scale float64) figure { return figure{metric(id), scale} }

// metric is one of the catalogue. An id that is not there is a mistake of this package's, which any test finds.
func metric(id string) *esxtop.Metric {
	m := esxtop.Lookup(id)
	if m == nil {
		panic("live: the catalogue has no metric " + id)
	}
	return m
}

// ofVM is the first of some figures of a VM's group that its source has.
func ofVM(name string, below bool, from ...figure) measure {
	return measure{inventory.ScopeVM, name, []esxtop.Object{esxtop.Group, esxtop.World}, below, func(t *tally, f *esxtop.Frame) {
		for i := range f.Rows(esxtop.Group) {
			row := &f.Rows(esxtop.Group)[i]
			if !row.VM {
				continue
			}
			for _, fig := range from {
				if v, ok := row.Value(fig.metric); ok {
					t.add(row.MoID, v*fig.scale)
					break
				}
			}
		}
	}}
}

// coresOfHost is how busy cores are. Where each has one thread the Esxtop service tells of threads alone.
func coresOfHost(t *tally, f *esxtop.Frame) {
	v, ok := f.Of(metric("pcpu.coreUtilAvg"))
	if !ok && f.Origin != esxtop.Performance {
		v, ok = f.Of(metric("pcpu.utilAvg"))
	}
	if ok {
		t.add(f.MoID, v)
	}
}

func ofHost(name, id string, scale float64, needs ...esxtop.Object) measure {
	m := metric(id)
	return measure{inventory.ScopeHost, name, needs, false, func(t *tally, f *esxtop.Frame) {
		if v, ok := f.Of(m); ok {
			t.add(f.MoID, v*scale)
		}
	}}
}
