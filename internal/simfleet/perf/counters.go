package perf

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// perfCounter is a counter of hosts or VMs. The functions return the value of the nth instance.
type perfCounter struct {
	group, name, rollup string
	unit                types.PerformanceManagerUnit
	stats               types.PerfStatsType
	host                func(f *hostSample, n int) int64
	vm                  func(f *vmSample, n int) int64
	hostInstances       instances[load.Host]
	vmInstances         instances[load.VM]
}

// instances returns the names of a counter's instances of a host or a VM; nil means only the aggregate.
type instances[T any] func(*T) []string

func (i instances[T]) names(of *T) []string {
	if i == nil {
		return []string{""}
	}
	return i(of)
}

// kind is a counter's unit and type of values.
type kind struct {
	unit  types.PerformanceManagerUnit
	stats types.PerfStatsType
}

// The kinds of counters.
var (
	inPercent    = kind{types.PerformanceManagerUnitPercent, types.PerfStatsTypeRate} // in hundredths
	percentNow   = kind{types.PerformanceManagerUnitPercent, types.PerfStatsTypeAbsolute}
	inMHz        = kind{types.PerformanceManagerUnitMegaHertz, types.PerfStatsTypeRate}
	mhzNow       = kind{types.PerformanceManagerUnitMegaHertz, types.PerfStatsTypeAbsolute}
	inMillis     = kind{types.PerformanceManagerUnitMillisecond, types.PerfStatsTypeDelta}
	millisNow    = kind{types.PerformanceManagerUnitMillisecond, types.PerfStatsTypeAbsolute}
	microsNow    = kind{types.PerformanceManagerUnitMicrosecond, types.PerfStatsTypeAbsolute}
	inKB         = kind{types.PerformanceManagerUnitKiloBytes, types.PerfStatsTypeAbsolute}
	inMB         = kind{types.PerformanceManagerUnitMegaBytes, types.PerfStatsTypeAbsolute}
	inKBps       = kind{types.PerformanceManagerUnitKiloBytesPerSecond, types.PerfStatsTypeRate}
	inNumber     = kind{types.PerformanceManagerUnitNumber, types.PerfStatsTypeDelta}
	numberPerSec = kind{types.PerformanceManagerUnitNumber, types.PerfStatsTypeRate}
	numberNow    = kind{types.PerformanceManagerUnitNumber, types.PerfStatsTypeAbsolute}
	inWatt       = kind{types.PerformanceManagerUnitWatt, types.PerfStatsTypeRate}
	wattNow      = kind{types.PerformanceManagerUnitWatt, types.PerfStatsTypeAbsolute}
	inJoule      = kind{types.PerformanceManagerUnitJoule, types.PerfStatsTypeDelta}
	celsiusNow   = kind{types.PerformanceManagerUnitCelsius, types.PerfStatsTypeAbsolute}
	inSeconds    = kind{types.PerformanceManagerUnitSecond, types.PerfStatsTypeAbsolute}
)

// counterOf returns a counter by its full name, such as cpu.ready.summation, without hosts or VMs yet.
func counterOf(name string, k kind) perfCounter {
	group, rest, _ := strings.Cut(name, ".")
	at := strings.LastIndexByte(rest, '.') // names may have dots: gpu.mem.used.average
	return perfCounter{group: group, name: rest[:at], rollup: rest[at+1:], unit: k.unit, stats: k.stats}
}

// ofHosts adds the counter to hosts, ofVMs to VMs.
func (c perfCounter) ofHosts(each instances[load.Host], f func(f *hostSample, n int) int64) perfCounter {
	c.hostInstances, c.host = each, f
	return c
}

func (c perfCounter) ofVMs(each instances[load.VM], f func(f *vmSample, n int) int64) perfCounter {
	c.vmInstances, c.vm = each, f
	return c
}

// fullName returns the name of the counter, such as cpu.ready.summation.
func (c *perfCounter) fullName() string { return c.group + "." + c.name + "." + c.rollup }

func (c *perfCounter) info(id int32, levels map[string]level) types.PerfCounterInfo {
	element := func(key string) *types.ElementDescription {
		return &types.ElementDescription{Key: key, Description: types.Description{Label: key, Summary: key}}
	}
	of, known := levels[c.fullName()]
	if !known {
		of = usualLevel
	}
	return types.PerfCounterInfo{
		Key: id, NameInfo: element(c.name), GroupInfo: element(c.group), UnitInfo: element(string(c.unit)),
		RollupType: types.PerfSummaryType(c.rollup), StatsType: c.stats, Level: of.whole, PerDeviceLevel: of.device,
	}
}
