package live

import (
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// ofGroups are what a VM's figures come from. Its row says how many vCPUs it has: nobody need read its worlds for that, which are
// most of what there is.
var ofGroups = []esxtop.Object{esxtop.Group}

// ofVMs are the measures of a VM's group.
func ofVMs() []measure {
	return []measure{
		ofVM("cpu.ready", whole("cpu.contentionPerVCPU")),
		ofVM("cpu.readyTotal", whole("cpu.readyPerVCPU")),
		ofVM("cpu.maxLimited", whole("cpu.maxLimitedPerVCPU")),
		ofVM("cpu.costop", whole("cpu.costopPerVCPU")),
		ofVM("cpu.usage", whole("cpu.usage"), whole("cpu.usedPerVCPU")),
		ofVM("cpu.run", byVCPU("cpu.run")),
		ofVM("cpu.system", byVCPU("cpu.system")),
		ofVM("cpu.overlap", byVCPU("cpu.overlap")),
		ofVM("cpu.swapWait", whole("cpu.swapWaitPerVCPU")),
		ofVM("cpu.vmWait", whole("cpu.vmWaitPerVCPU")),
		ofVM("cpu.latency", whole("cpu.latencyPerVCPU")),
		ofVM("cpu.memLatency", byVCPU("cpu.memLatency"), whole("mem.latency")),
		ofVM("cpu.timers", whole("cpu.timers")),
		ofVM("mem.swapIn", inKB("mem.swapIn")),
		ofVM("mem.swapOut", inKB("mem.swapOut")),
		ofVM("mem.swapped", whole("mem.swapped")),
		ofVM("mem.balloon", whole("mem.balloon")),
		ofVM("mem.compress", inKB("mem.compress")),
		ofVM("mem.decompress", inKB("mem.decompress")),
		ofVM("mem.compressed", whole("mem.cacheUsed")),
		ofVM("mem.granted", whole("mem.granted")),
		ofVM("mem.active", whole("mem.touched")),
		onNodes(ofVM("numa.migrations", whole("numa.migrationsDelta"))),
		onNodes(ofVM("numa.remote", whole("numa.remote"))),
		onNodes(measure{scope: inventory.ScopeVM, name: "numa.local", needs: ofGroups, read: localMemory}),
	}
}

// part is a figure of a group and what it is multiplied by.
type part struct {
	metric  *esxtop.Metric
	scale   float64
	perVCPU bool // it is divided instead, by how many vCPUs there are: none where nobody knows
}

func whole(id string) part  { return part{metric: metric(id), scale: 1} }
func inKB(id string) part   { return part{metric: metric(id), scale: kbOfMB} }
func byVCPU(id string) part { return part{metric: metric(id), perVCPU: true} }

func (p part) of(row *esxtop.Row) (float64, bool) {
	v, ok := row.Value(p.metric)
	switch {
	case !p.perVCPU:
		return v * p.scale, ok
	case row.VCPUs == 0:
		return 0, false
	}
	return v / float64(row.VCPUs), ok
}

// ofVM is the first of some figures of a VM's group that its source has.
func ofVM(name string, from ...part) measure {
	return measure{scope: inventory.ScopeVM, name: name, needs: ofGroups, read: func(s *subject) (float64, telling) {
		if s.row == nil {
			return 0, untold
		}
		for _, p := range from {
			if v, ok := p.of(s.row); ok {
				return v, figure
			}
		}
		return 0, untold
	}}
}
