package live

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// columns are the metrics on esxtop's screens that a live metric is told from, whatever the object: who looks at one of
// them wants to know which rules do, too.
var columns = map[string][]string{
	"cpu.ready":      {"cpu.ready", "cpu.readyPerVCPU", "cpu.maxLimited", "cpu.maxLimitedPerVCPU", "cpu.contentionPerVCPU"},
	"cpu.readyTotal": {"cpu.ready", "cpu.readyPerVCPU"},
	"cpu.maxLimited": {"cpu.maxLimited", "cpu.maxLimitedPerVCPU"},
	"cpu.costop":     {"cpu.costop", "cpu.costopPerVCPU"},
	"cpu.usage":      {"cpu.usage", "cpu.used", "cpu.usedPerVCPU"},
	"cpu.run":        {"cpu.run"},
	"cpu.system":     {"cpu.system"},
	"cpu.overlap":    {"cpu.overlap"},
	"cpu.swapWait":   {"cpu.swapWait", "cpu.swapWaitPerVCPU"},
	"cpu.vmWait":     {"cpu.vmWait", "cpu.vmWaitPerVCPU"},
	"cpu.latency":    {"cpu.latency", "cpu.latencyPerVCPU"},
	"cpu.memLatency": {"cpu.memLatency", "mem.latency"},
	"cpu.timers":     {"cpu.timers"},

	"cpu.load":            {"host.load1", "host.load5", "host.load15"},
	"cpu.utilization":     {"pcpu.util", "pcpu.utilAvg"},
	"cpu.used":            {"pcpu.used", "pcpu.usedAvg"},
	"cpu.coreUtilization": {"pcpu.coreUtil", "pcpu.coreUtilAvg"},
	"cpu.clock":           {"pcpu.aperfMperf"},
	"power.watts":         {"power.usage"},

	"mem.swapIn":     {"mem.swapIn", "mem.hostSwapRead"},
	"mem.swapOut":    {"mem.swapOut", "mem.hostSwapWrite"},
	"mem.swapped":    {"mem.swapped", "mem.hostSwapUsed"},
	"mem.balloon":    {"mem.balloon", "mem.hostBalloon"},
	"mem.compress":   {"mem.compress"},
	"mem.decompress": {"mem.decompress"},
	"mem.compressed": {"mem.cacheUsed", "mem.hostZipped"},
	"mem.granted":    {"mem.granted"},
	"mem.active":     {"mem.touched"},
	"mem.state":      {"mem.state", "mem.stateWord"},
	"mem.overcommit": {"mem.overcommit1", "mem.overcommit5", "mem.overcommit15"},
	"mem.free":       {"mem.free"},

	"numa.local":      {"numa.local", "numa.localMemory", "numa.remote"},
	"numa.migrations": {"numa.migrations", "numa.migrationsDelta"},
	"numa.remote":     {"numa.remote"},

	"net.rx":        {"net.rateRx"},
	"net.tx":        {"net.rateTx"},
	"net.packetsRx": {"net.packetsRx"},
	"net.packetsTx": {"net.packetsTx"},
	"net.droppedRx": {"net.droppedRx", "net.droppedRxRate"},
	"net.droppedTx": {"net.droppedTx", "net.droppedTxRate"},

	"disk.commands":      {"disk.commands", "vdisk.commands"},
	"disk.read":          {"disk.readRate"},
	"disk.deviceLatency": {"disk.deviceLatency"},
	"disk.kernelLatency": {"disk.kernelLatency"},
	"disk.queueLatency":  {"disk.queueLatency"},
	"disk.guestLatency":  {"disk.guestLatency"},
	"disk.queued":        {"disk.queued"},
	"disk.aborts":        {"disk.aborts"},
	"disk.resets":        {"disk.resets"},
	"disk.failed":        {"disk.failedCommands"},
	"disk.conflicts":     {"disk.conflicts"},
	"disk.readLatency":   {"vdisk.readLatency"},
	"disk.writeLatency":  {"vdisk.writeLatency"},
}

// Reads reports whether a live metric is told from a metric of esxtop.
func Reads(name string, m *esxtop.Metric) bool { return slices.Contains(columns[name], m.ID) }
