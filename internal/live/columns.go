package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// columns are the metrics on esxtop's screens that a live metric is told from, whatever the object: who looks at one of
// them wants to know which rules do, too.
var columns = map[string][]string{
	"cpu.ready":           {"cpu.ready", "cpu.readyPerVCPU", "cpu.maxLimited", "cpu.maxLimitedPerVCPU", "cpu.contentionPerVCPU"},
	"cpu.costop":          {"cpu.costop", "cpu.costopPerVCPU"},
	"cpu.usage":           {"cpu.usage", "cpu.used", "cpu.usedPerVCPU"},
	"cpu.coreUtilization": {"pcpu.coreUtil", "pcpu.coreUtilAvg"},
	"mem.swapIn":          {"mem.swapIn", "mem.hostSwapRead"},
	"mem.balloon":         {"mem.balloon"},
	"mem.decompress":      {"mem.decompress"},
	"mem.state":           {"mem.state", "mem.stateWord"},
	"numa.local":          {"numa.local", "numa.localMemory", "numa.remote"},
	"net.droppedRx":       {"net.droppedRx", "net.droppedRxRate"},
	"disk.deviceLatency":  {"disk.deviceLatency"},
	"disk.kernelLatency":  {"disk.kernelLatency"},
	"disk.queueLatency":   {"disk.queueLatency"},
	"disk.aborts":         {"disk.aborts"},
}

// Reads reports whether a live metric is told from a metric of esxtop.
func Reads(name string, m *esxtop.Metric) bool { return slices.Contains(columns[name], m.ID) }
