package perf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// Interval is the seconds between two samples of a host or a VM.
const Interval = 20

const (
	maxQueryMetrics = "config.vpxd.stats.maxQueryMetrics"
	queryMetrics    = "64" // a string, as in a vCenter
)

// Manager returns the fleet's statistics for hosts and VMs. It is immutable and has no lock.
//
// govmomi v0.56.0 simulator: its values differ at each call, newest first and without zeros.
type Manager struct {
	*simulator.PerformanceManager
	now   func() time.Time
	loads *load.Model
	ids   []int32 // in the order of perfCounters
}

// Lock does nothing, so that a long query does not delay others.
func (p *Manager) Lock() {}

// Unlock does nothing, like Lock.
func (p *Manager) Unlock() {}

// NewManager returns a Manager that replaces the stock manager of a site.
func NewManager(stock *simulator.PerformanceManager, now func() time.Time, loads *load.Model, site string) *Manager {
	p := &Manager{PerformanceManager: stock, now: now, loads: loads, ids: counterIDs(site)}
	levels := levelsOf(stock.PerfCounter)
	p.PerfCounter = nil // govmomi v0.56.0 simulator: all of a process share the list
	for i := range perfCounters {
		p.PerfCounter = append(p.PerfCounter, perfCounters[i].info(p.ids[i], levels))
	}
	return p
}

// LimitQueries adds the limit on historical queries to a vCenter's settings; hosts have none.
func LimitQueries(settings *simulator.OptionManager) {
	settings.Setting = append(settings.Setting, &types.OptionValue{Key: maxQueryMetrics, Value: queryMetrics})
}

// QueryPerfCounter returns counters by their ids.
func (p *Manager) QueryPerfCounter(_ *simulator.Context, req *types.QueryPerfCounter) soap.HasFault {
	body, res := new(methods.QueryPerfCounterBody), new(types.QueryPerfCounterResponse)
	for _, id := range req.CounterId {
		i := p.index(id)
		if i < 0 {
			body.Fault_ = world.InvalidArgument("counterId")
			return body
		}
		res.Returnval = append(res.Returnval, p.PerfCounter[i])
	}
	body.Res = res
	return body
}

func (p *Manager) index(id int32) int {
	for i, own := range p.ids {
		if own == id {
			return i
		}
	}
	return -1
}

// QueryPerfProviderSummary reports real-time samples every 20 seconds for hosts and VMs, and only historical ones for other
// objects.
func (p *Manager) QueryPerfProviderSummary(ctx *simulator.Context, req *types.QueryPerfProviderSummary) soap.HasFault {
	if ctx.Map.Get(req.Entity) == nil {
		return &methods.QueryPerfProviderSummaryBody{Fault_: world.NotFound(req.Entity)}
	}
	summary := types.PerfProviderSummary{Entity: req.Entity, SummarySupported: true, RefreshRate: -1}
	if req.Entity.Type == "HostSystem" || req.Entity.Type == "VirtualMachine" {
		summary.CurrentSupported, summary.RefreshRate = true, Interval
	}
	return &methods.QueryPerfProviderSummaryBody{Res: &types.QueryPerfProviderSummaryResponse{Returnval: summary}}
}

// QueryAvailablePerfMetric lists the counters and instances of a host or a VM.
func (p *Manager) QueryAvailablePerfMetric(ctx *simulator.Context, req *types.QueryAvailablePerfMetric) soap.HasFault {
	body := new(methods.QueryAvailablePerfMetricBody)
	if ctx.Map.Get(req.Entity) == nil {
		body.Fault_ = world.NotFound(req.Entity)
		return body
	}
	body.Res = new(types.QueryAvailablePerfMetricResponse)
	for _, r := range p.source(req.Entity, p.interval(req.IntervalId), nil).readings {
		body.Res.Returnval = append(body.Res.Returnval, r.id)
	}
	return body
}

// QueryPerf returns the samples of each entity that has some: oldest first, on a grid of the interval, an hour of real-time samples at
// most, and historical ones as far back as their interval is kept.
func (p *Manager) QueryPerf(ctx *simulator.Context, req *types.QueryPerf) soap.HasFault {
	body, res := new(methods.QueryPerfBody), new(types.QueryPerfResponse)
	historical := 0
	for i := range req.QuerySpec {
		q := &req.QuerySpec[i]
		if body.Fault_ = p.check(ctx, q); body.Fault_ != nil {
			return body
		}
		if interval := p.interval(q.IntervalId); interval != Interval {
			if historical += len(q.MetricId); len(q.MetricId) == 0 {
				historical += len(p.source(q.Entity, interval, nil).readings)
			}
		}
	}
	if most := p.mostMetrics(ctx); most > 0 && historical > most {
		body.Fault_ = simulator.Fault(fmt.Sprintf(
			"A specified parameter was not correct: querySpec.size. %d metrics exceed the limit of %d in %s.", historical, most, maxQueryMetrics,
		), &types.InvalidArgument{InvalidProperty: "querySpec.size"})
		return body
	}
	for i := range req.QuerySpec {
		if m := p.answer(&req.QuerySpec[i]); m != nil {
			res.Returnval = append(res.Returnval, m)
		}
	}
	body.Res = res
	return body
}

func (p *Manager) check(ctx *simulator.Context, q *types.PerfQuerySpec) *soap.Fault {
	switch {
	case ctx.Map.Get(q.Entity) == nil:
		return world.NotFound(q.Entity)
	case p.interval(q.IntervalId) == 0:
		return world.InvalidArgument("querySpec.interval")
	case q.StartTime != nil && q.StartTime.After(p.end(q)):
		return world.InvalidArgument("querySpec.startTime")
	}
	for _, id := range q.MetricId {
		if p.index(id.CounterId) < 0 {
			return world.InvalidArgument("querySpec.metricId")
		}
	}
	return nil
}

// interval returns the matching interval, or 0 if there is none.
func (p *Manager) interval(id int32) int32 {
	if id == 0 || id == -1 || id == Interval {
		return Interval
	}
	for _, h := range p.HistoricalInterval {
		if h.SamplingPeriod == id {
			return id
		}
	}
	return 0
}

// mostMetrics returns the vCenter's current limit on historical queries; 0 or less is no limit.
func (p *Manager) mostMetrics(ctx *simulator.Context) (most int) {
	settings := ctx.Map.OptionManager()
	ctx.WithLock(settings, func() {
		for _, s := range settings.Setting {
			if v := s.GetOptionValue(); v.Key == maxQueryMetrics {
				most, _ = strconv.Atoi(fmt.Sprint(v.Value))
			}
		}
	})
	return most
}

// end returns the end of a query, at most the current time.
func (p *Manager) end(q *types.PerfQuerySpec) time.Time {
	end := p.now()
	if q.EndTime != nil && q.EndTime.Before(end) {
		end = *q.EndTime
	}
	return end
}

// slots returns the slots of a query's samples, oldest first, after its start and up to and including its end. Only real-time
// queries may limit the number of samples.
func (p *Manager) slots(q *types.PerfQuerySpec, has func(slot int64) bool) []int64 {
	interval, start := p.interval(q.IntervalId), p.now().Add(-p.kept(q.IntervalId))
	if q.StartTime != nil && q.StartTime.After(start) {
		start = *q.StartTime
	}
	step := int64(interval) / Interval
	var list []int64
	for slot := p.end(q).Unix() / int64(interval) * step; load.SlotEnd(slot).After(start); slot -= step {
		if q.MaxSample > 0 && interval == Interval && len(list) == int(q.MaxSample) {
			break
		}
		if has(slot) {
			list = append(list, slot)
		}
	}
	slices.Reverse(list)
	return list
}

// answer returns the samples of one entity, or nil if it has none.
func (p *Manager) answer(q *types.PerfQuerySpec) types.BasePerfEntityMetricBase {
	interval := p.interval(q.IntervalId)
	s := p.source(q.Entity, interval, q.MetricId)
	if s.has == nil {
		return nil
	}
	slots := p.slots(q, s.has)
	if len(slots) == 0 {
		return nil
	}
	base := types.PerfEntityMetricBase{Entity: q.Entity}
	plain, text := &types.PerfEntityMetric{PerfEntityMetricBase: base}, &types.PerfEntityMetricCSV{PerfEntityMetricBase: base}
	var stamps []string
	for _, slot := range slots {
		plain.SampleInfo = append(plain.SampleInfo, types.PerfSampleInfo{Timestamp: load.SlotEnd(slot), Interval: interval})
		stamps = append(stamps, strconv.Itoa(int(interval)), load.SlotEnd(slot).Format(time.RFC3339))
	}
	text.SampleInfoCSV = strings.Join(stamps, ",")
	for _, r := range s.wanted(q.MetricId) {
		if !p.collects(interval, &r) {
			continue
		}
		var values []int64
		var words []string
		for _, slot := range slots {
			v := r.over(slot, int64(interval)/Interval)
			values, words = append(values, v), append(words, strconv.FormatInt(v, 10))
		}
		series := types.PerfMetricSeries{Id: r.id}
		plain.Value = append(plain.Value, withZeros(series, values))
		text.Value = append(text.Value, types.PerfMetricSeriesCSV{PerfMetricSeries: series, Value: strings.Join(words, ",")})
	}
	if q.Format == string(types.PerfFormatCsv) {
		return text
	}
	return plain
}

// withZeros returns a series that encodes zeros. The type has the stock type's name, since clients see the name as the value's
// xsi:type.
//
// govmomi v0.56.0 simulator: the encoder omits zeros in lists of numbers.
func withZeros(series types.PerfMetricSeries, values []int64) types.BasePerfMetricSeries {
	type PerfMetricIntSeries struct {
		types.PerfMetricSeries
		Value []int64 `xml:"value"`
	}
	return &PerfMetricIntSeries{series, values}
}

// wanted returns the readings of a query, in its order: "*" selects every instance, an empty list every counter.
func (s *source) wanted(ids []types.PerfMetricId) []reading {
	if len(ids) == 0 {
		return s.readings
	}
	var list []reading
	for _, id := range ids {
		for _, r := range s.readings {
			if r.id.CounterId == id.CounterId && (id.Instance == "*" || r.id.Instance == id.Instance) {
				list = append(list, r)
			}
		}
	}
	return list
}
