package page

import (
	"cmp"
	"math"

	"github.com/vperf/vperf/pkg/inventory"
)

// use is the CPU or memory usage of a host, as the map shows it.
type use struct {
	Text  string
	Class string // level of heat; h0: absent or not read
	Width string // of the bar, of 100
	Why   string // reason for having no value
}

func (u use) words() string {
	if u.Why != "" {
		return u.Why
	}
	return u.Text
}

// alarmSteps are where vCenter's default alarms for a host warn and turn critical, in percent, and half of the first.
var (
	cpuAlarmSteps = [levels - 1]float64{37.5, 75, 90}
	memorySteps   = [levels - 1]float64{45, 90, 95}
)

// cpuSteps are the limits of the headroom rule. Without the rule they are those of vCenter's alarm.
func (s *show) cpuSteps() [levels - 1]float64 {
	ok, known := s.param(limit{"host-cpu-headroom", "latency"})
	bad, both := s.param(limit{"host-cpu-headroom", "others"})
	if known && both && ok > 0 && bad > ok {
		return [levels - 1]float64{ok / 2, ok, bad}
	}
	return cpuAlarmSteps
}

// cpuUse returns the 95th percentile of a host's cores in use, in percent.
func cpuUse(h *inventory.Host) inventory.Fact[float64] {
	return p95Fact(h.Live, "cpu.coreUtilization", "cpu.utilization")
}

// memoryUse returns the same for memory: all memory that is not free.
func memoryUse(h *inventory.Host) inventory.Fact[float64] {
	all, state, reason := h.MemoryMB.Get()
	free := p95Fact(h.Live, "mem.free")
	v, known := free.Value()
	switch {
	case state == inventory.StateUnread:
		return inventory.Unread[float64](cmp.Or(reason, "memory size not read"))
	case !known:
		return free
	case all <= 0:
		return inventory.Absent[float64]()
	}
	return inventory.Known(100 * (1 - v/float64(all)))
}

// p95Fact returns the first measured counter. It is absent without samples, and unread if the source does not have the counter.
func p95Fact(live inventory.Live, names ...string) inventory.Fact[float64] {
	if len(live) == 0 {
		return inventory.Unread[float64](inventory.NoLiveCounters)
	}
	for _, n := range names {
		s, there := live.Get(n)
		switch {
		case !there:
		case s.Samples == 0 || math.IsNaN(s.P95) || math.IsInf(s.P95, 0):
			return inventory.Absent[float64]()
		default:
			return inventory.Known(s.P95)
		}
	}
	return inventory.Unread[float64]("the source does not report " + names[0])
}

func useOf(f inventory.Fact[float64], steps [levels - 1]float64) use {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		full := min(max(v, 0), 100)
		return use{Text: figure(math.Round(v)) + noBreak + "%", Class: levelClass(v, steps), Width: number(full)}
	case inventory.StateAbsent:
		return use{Text: dash, Class: "h0", Width: "0", Why: "no samples"}
	}
	return use{Text: "?", Class: "h0", Width: "0", Why: "not read (" + clean(cmp.Or(reason, "no reason given")) + ")"}
}
