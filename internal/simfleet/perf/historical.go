package perf

import (
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// level is the statistics level from which on a vCenter collects a counter: of the object itself, and of each of its devices.
type level struct{ whole, device int32 }

// usualLevel is that of counters that the stock simulator does not list.
var usualLevel = level{1, 3}

// levelsOf returns the levels of the stock simulator's counters, which are those of a vCenter, by the counters' full names. A host has
// none.
func levelsOf(stock []types.PerfCounterInfo) map[string]level {
	levels := map[string]level{}
	for _, c := range stock {
		if c.Level > 0 {
			name := c.GroupInfo.GetElementDescription().Key + "." + c.NameInfo.GetElementDescription().Key + "." + string(c.RollupType)
			levels[name] = level{c.Level, c.PerDeviceLevel}
		}
	}
	return levels
}

// historical returns the interval with a sampling period, or nil for the real-time interval.
func (p *Manager) historical(id int32) *types.PerfInterval {
	for i := range p.HistoricalInterval {
		if p.HistoricalInterval[i].SamplingPeriod == id {
			return &p.HistoricalInterval[i]
		}
	}
	return nil
}

// kept returns how long samples of an interval are kept.
func (p *Manager) kept(id int32) time.Duration {
	if h := p.historical(id); h != nil {
		return time.Duration(h.Length) * time.Second
	}
	return load.Kept
}

// collects reports whether there are samples of a reading at an interval: historical ones depend on the statistics level.
func (p *Manager) collects(interval int32, r *reading) bool {
	h := p.historical(interval)
	if h == nil || h.Level == 0 {
		return true
	}
	info := &p.PerfCounter[p.index(r.id.CounterId)]
	if r.id.Instance == "" {
		return info.Level <= h.Level
	}
	return info.PerDeviceLevel <= h.Level
}
