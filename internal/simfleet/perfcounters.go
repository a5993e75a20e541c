package simfleet

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"

	"github.com/vmware/govmomi/vim25/types"
)

// perfCounter is a statistic that hosts or VMs have.
type perfCounter struct {
	group, name, rollup string
	unit                types.PerformanceManagerUnit
	stats               types.PerfStatsType
	host                func(h *hostLoad, instance string, slot int64) int64
	vm                  func(s *stay, instance string, slot int64) int64
	hostInstances       func(h *hostLoad) []string // nil is the total alone
	vmInstances         func(s *stay) []string
}

// perfCounters is a small choice of what a vCenter has five hundred of.
var perfCounters = []perfCounter{
	{
		group: "cpu", name: "usage", rollup: "average", unit: types.PerformanceManagerUnitPercent, stats: types.PerfStatsTypeRate,
		host: total((*hostLoad).cpuUsage), vm: total((*stay).cpuUsage),
	},
	{
		group: "cpu", name: "usagemhz", rollup: "average", unit: types.PerformanceManagerUnitMegaHertz, stats: types.PerfStatsTypeRate,
		host: total((*hostLoad).mhz), vm: total((*stay).usedMHz),
	},
	{
		group: "cpu", name: "utilization", rollup: "average", unit: types.PerformanceManagerUnitPercent, stats: types.PerfStatsTypeRate,
		host: (*hostLoad).utilization, hostInstances: (*hostLoad).threads,
	},
	{
		group: "cpu", name: "ready", rollup: "summation", unit: types.PerformanceManagerUnitMillisecond, stats: types.PerfStatsTypeDelta,
		vm: (*stay).ready, vmInstances: (*stay).vcpuNames,
	},
	{
		group: "cpu", name: "costop", rollup: "summation", unit: types.PerformanceManagerUnitMillisecond, stats: types.PerfStatsTypeDelta,
		vm: total((*stay).costop),
	},
	{
		group: "mem", name: "usage", rollup: "average", unit: types.PerformanceManagerUnitPercent, stats: types.PerfStatsTypeAbsolute,
		host: total((*hostLoad).memoryUsage), vm: total((*stay).memoryUsage),
	},
	{
		group: "mem", name: "consumed", rollup: "average", unit: types.PerformanceManagerUnitKiloBytes, stats: types.PerfStatsTypeAbsolute,
		host: total((*hostLoad).consumedKB), vm: total((*stay).consumedKB),
	},
	{
		group: "mem", name: "vmmemctl", rollup: "average", unit: types.PerformanceManagerUnitKiloBytes, stats: types.PerfStatsTypeAbsolute,
		host: none[*hostLoad], vm: none[*stay],
	},
	{
		group: "mem", name: "swapinRate", rollup: "average", unit: types.PerformanceManagerUnitKiloBytesPerSecond, stats: types.PerfStatsTypeRate,
		host: none[*hostLoad], vm: none[*stay],
	},
	{
		group: "net", name: "usage", rollup: "average", unit: types.PerformanceManagerUnitKiloBytesPerSecond, stats: types.PerfStatsTypeRate,
		host: (*hostLoad).netKBps, hostInstances: (*hostLoad).nics, vm: total((*stay).netKBps),
	},
	{
		group: "net", name: "droppedRx", rollup: "summation", unit: types.PerformanceManagerUnitNumber, stats: types.PerfStatsTypeDelta,
		host: none[*hostLoad], hostInstances: (*hostLoad).nics, vm: none[*stay],
	},
	{
		group: "disk", name: "maxTotalLatency", rollup: "latest", unit: types.PerformanceManagerUnitMillisecond, stats: types.PerfStatsTypeAbsolute,
		host: total((*hostLoad).latency), vm: total((*stay).latency),
	},
	{
		group: "sys", name: "resourceCpuUsage", rollup: "average", unit: types.PerformanceManagerUnitMegaHertz, stats: types.PerfStatsTypeRate,
		host: (*hostLoad).resourceMHz, hostInstances: (*hostLoad).resources,
	},
}

// total is a counter without instances.
func total[T any](f func(of T, slot int64) int64) func(T, string, int64) int64 {
	return func(of T, _ string, slot int64) int64 { return f(of, slot) }
}

// none is what a healthy fleet has of a counter.
func none[T any](T, string, int64) int64 { return 0 }

// perfIDs are out of how many the ids of counters are drawn.
const perfIDs = 600

// counterIDs draws the ids of an endpoint's counters: others than another endpoint has, and the same at each start.
func counterIDs(site string) []int32 {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(site))
	var ids []int32
	for _, n := range rand.New(rand.NewPCG(seed.Sum64(), 0)).Perm(perfIDs)[:len(perfCounters)] {
		ids = append(ids, int32(n)+1)
	}
	return ids
}

func (c *perfCounter) info(id int32) types.PerfCounterInfo {
	element := func(key string) *types.ElementDescription {
		return &types.ElementDescription{Key: key, Description: types.Description{Label: key, Summary: key}}
	}
	return types.PerfCounterInfo{
		Key: id, NameInfo: element(c.name), GroupInfo: element(c.group), UnitInfo: element(string(c.unit)),
		RollupType: types.PerfSummaryType(c.rollup), StatsType: c.stats, Level: 1, PerDeviceLevel: 3,
	}
}

// instancesOf are the instances of a counter that a host or a VM has, the total among them.
func instancesOf[T any](of T, list func(T) []string) []string {
	if list == nil {
		return []string{""}
	}
	return list(of)
}

// numbered names n instances after their numbers, and the total.
func numbered(prefix string, n int) []string {
	names := []string{""}
	for i := range n {
		names = append(names, prefix+strconv.Itoa(i))
	}
	return names
}
