package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// RollupInterval is an interval at which a server keeps averages and sums of the hosts' samples.
type RollupInterval struct {
	Interval time.Duration
	Kept     time.Duration // how far back
	Level    int           // the statistics level, 1 to 4; 0: the server has no levels, as a standalone host
}

// Rollups describes the rollups of a server.
type Rollups struct {
	Intervals []RollupInterval // the shortest first; disabled ones are omitted

	session  *session.Session
	roster   *Roster
	counters perfCounters
	levels   map[int32]perfLevel
}

// perfLevel is the statistics level from which on a vCenter keeps rollups of a counter: of an object, and of each of its devices.
type perfLevel struct{ whole, device int }

// ReadRollups reads which rollups a server keeps, and its list of counters with their levels.
func ReadRollups(ctx context.Context, roster *Roster) (*Rollups, error) {
	s := roster.session
	manager := s.Client().ServiceContent.PerfManager
	if manager == nil {
		return nil, &session.ConnectError{Host: s.Host(), Operation: "reading rollups of", Why: "it has no PerformanceManager"}
	}
	p, err := property.Object(ctx, s, *manager, "historicalInterval", "perfCounter")
	if err != nil {
		return nil, fmt.Errorf("reading the intervals of rollups: %w", err)
	}
	intervals, state, reason := property.Read(p, "historicalInterval", property.As[types.ArrayOfPerfInterval], property.Required).Get()
	if state != inventory.StateKnown {
		return nil, fmt.Errorf("reading the intervals of rollups of %s: %s", s.Host(), reason)
	}
	list, state, reason := property.Read(p, "perfCounter", property.As[types.ArrayOfPerfCounterInfo], property.Required).Get()
	if state != inventory.StateKnown {
		return nil, fmt.Errorf("reading the list of counters of %s: %s", s.Host(), reason)
	}
	r := &Rollups{session: s, roster: roster, counters: perfCounters{}, levels: map[int32]perfLevel{}}
	r.Intervals = enabled(intervals.PerfInterval)
	for _, c := range list.PerfCounterInfo {
		if c.GroupInfo != nil && c.NameInfo != nil {
			r.counters[keyOf(c.GroupInfo)+"."+keyOf(c.NameInfo)+"."+string(c.RollupType)] = c.Key
			r.levels[c.Key] = perfLevel{int(c.Level), int(c.PerDeviceLevel)}
		}
	}
	return r, nil
}

// enabled returns the intervals that a server keeps, the shortest first.
func enabled(all []types.PerfInterval) (list []RollupInterval) {
	for _, i := range all {
		if i.SamplingPeriod > 0 && (i.Enabled || i.Level == 0) {
			list = append(list, RollupInterval{seconds(i.SamplingPeriod), seconds(i.Length), int(i.Level)})
		}
	}
	slices.SortStableFunc(list, func(a, b RollupInterval) int { return int(a.Interval - b.Interval) })
	return list
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }

// Reaching returns the shortest interval that is kept back to a moment. It is false if there is none.
func (r *Rollups) Reaching(back time.Duration) (RollupInterval, bool) {
	for _, i := range r.Intervals {
		if i.Kept >= back {
			return i, true
		}
	}
	return RollupInterval{}, false
}

// RollupFigure is a figure that rollups are read for.
type RollupFigure struct {
	Object esxtop.Object
	Metric *esxtop.Metric
}

// NotCollectedError reports counters that a vCenter does not keep at its statistics level.
type NotCollectedError struct {
	Metric   string
	Counters []string
	Interval RollupInterval
	Needs    int // the level; 0: the server has no such counter
}

// Error says what to do.
func (e *NotCollectedError) Error() string {
	what := strings.Join(e.Counters, ", ")
	if e.Needs == 0 {
		return e.Metric + " has no rollups: the PerformanceManager has no counter for it"
	}
	return fmt.Sprintf("%s (%s) is not collected at statistics level %d of the %s interval: set that interval to level %d in the vCenter's statistics settings, and wait until both periods are recorded",
		e.Metric, what, e.Interval.Level, e.Interval.Interval, e.Needs)
}

// Collected reports, as a [NotCollectedError], a figure of which there are no rollups at an interval.
func (r *Rollups) Collected(f RollupFigure, at RollupInterval) error {
	inputs := f.Metric.PerfInputs()
	if len(inputs) == 0 {
		return &NotCollectedError{Metric: f.Metric.ID, Interval: at}
	}
	e := &NotCollectedError{Metric: f.Metric.ID, Interval: at}
	for _, m := range inputs {
		need, missing := r.levelOf(m, f.Object)
		if missing == "" {
			return &NotCollectedError{Metric: f.Metric.ID, Interval: at}
		}
		if at.Level > 0 && need > at.Level {
			e.Counters, e.Needs = append(e.Counters, missing), max(e.Needs, need)
		}
	}
	if e.Needs > 0 {
		return e
	}
	return nil
}

// levelOf returns the lowest level of a metric's counters, and the name of that counter; "" if the server has none.
func (r *Rollups) levelOf(m *esxtop.Metric, o esxtop.Object) (level int, counter string) {
	each := perfHomes[o].host == eachInstance || perfHomes[o].vm == eachInstance
	for _, from := range m.Perf {
		id, there := r.counters[from.Counter]
		if !there || !fills(from, o) {
			continue
		}
		n := r.levels[id].whole
		if each {
			n = r.levels[id].device
		}
		if counter == "" || n < level {
			level, counter = n, from.Counter
		}
	}
	return level, counter
}

// RollupQuery selects rollups.
type RollupQuery struct {
	Hosts    []string // ids
	VMs      []string // ids of the VMs that are read; nil: all of the hosts
	Figures  []RollupFigure
	Interval RollupInterval
	From     time.Time // of the server's clock; rollups that end after it
	Until    time.Time // and not after this moment
}

// historicalMetrics is how many counters of objects a call may ask for: the default of a vCenter's config.vpxd.stats.maxQueryMetrics.
const historicalMetrics = 64

// rollupPatience is how long a call may take: a vCenter reads rollups from its database.
const rollupPatience = 2 * time.Minute

// Read returns one frame for each host and interval, in rounds of the same time, oldest first. The VMs are shown on the hosts where they
// are now, because a vCenter keeps rollups by VM.
func (r *Rollups) Read(ctx context.Context, q RollupQuery) ([]*esxtop.Round, error) {
	plan := r.plan(q)
	asks := r.asks(q, plan)
	if len(asks) == 0 {
		return nil, errNoHosts
	}
	query := &perfQuery{
		session: r.session, plan: plan, size: &perfSize{now: 1 << 30, most: 1 << 30}, rooms: new(perfRooms), plain: new(atomic.Bool), stale: new(atomic.Bool),
		recount: new(atomic.Bool), limit: rollupPatience, within: patiently, interval: int(q.Interval.Interval / time.Second),
	}
	query.run(ctx, rollupBatches(asks, plan))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var failed []error
	var frames []*esxtop.Frame
	for _, a := range asks {
		if a.err != nil {
			failed = append(failed, fmt.Errorf("reading the rollups of %s: %w", a.host.name, a.err))
			continue
		}
		frames = append(frames, a.frames(true)...)
	}
	return roundsOf(frames), errors.Join(failed...)
}

// plan asks only for the counters of the figures, because a vCenter limits them.
func (r *Rollups) plan(q RollupQuery) *perfPlan {
	wanted := perfCounters{}
	var objects esxtop.Objects
	for _, f := range q.Figures {
		objects |= esxtop.ObjectsOf(f.Object)
		for _, m := range f.Metric.PerfInputs() {
			for _, from := range m.Perf {
				if id, there := r.counters[from.Counter]; there && fills(from, f.Object) {
					wanted[from.Counter] = id
				}
			}
		}
	}
	return newPerfPlan(objects, nil, wanted)
}

func (r *Rollups) asks(q RollupQuery, plan *perfPlan) (list []*perfAsk) {
	samples := int(q.Until.Sub(q.From)/q.Interval.Interval) + 1
	for _, host := range r.roster.Hosts() {
		if !slices.Contains(q.Hosts, host.MoID) {
			continue
		}
		h := &perfHost{moid: host.MoID, name: host.Name, threads: host.Threads, self: &perfEntity{ref: ref{Type: property.TypeHost, Value: host.MoID}}}
		for _, vm := range r.roster.VMs(host.MoID) {
			if !vm.Template && (q.VMs == nil || slices.Contains(q.VMs, vm.MoID)) {
				h.vms = append(h.vms, &perfEntity{ref: ref{Type: property.TypeVM, Value: vm.MoID}, vm: vm})
			}
		}
		a := &perfAsk{host: h, harvest: newPerfHarvest(plan, nil, 1+len(h.vms))}
		for place, e := range plan.entities(h) {
			a.of = append(a.of, perfItem{perfEntity: e, place: place, after: q.From, until: q.Until, samples: samples})
		}
		if a.trusted = len(a.of); a.trusted > 0 {
			list = append(list, a)
		}
	}
	return list
}

// rollupBatches combines entities, so that no call asks for more counters than a vCenter allows.
func rollupBatches(asks []*perfAsk, plan *perfPlan) (list []perfBatch) {
	var open perfBatch
	room := historicalMetrics
	for _, a := range asks {
		from := 0
		for i := range a.of {
			n := strings.Count(plan.sideOf(a.of[i].perfEntity).metrics, "<metricId>")
			if n > room && (i > from || len(open) > 0) {
				if i > from {
					open = append(open, perfPart{a, from, i})
				}
				list, open, room, from = append(list, open), nil, historicalMetrics, i
			}
			room -= n
		}
		open = append(open, perfPart{a, from, len(a.of)})
	}
	if len(open) > 0 {
		list = append(list, open)
	}
	return list
}

// roundsOf groups frames by their time.
func roundsOf(frames []*esxtop.Frame) (rounds []*esxtop.Round) {
	slices.SortStableFunc(frames, func(a, b *esxtop.Frame) int { return a.Time.Compare(b.Time) })
	for _, f := range frames {
		if n := len(rounds); n == 0 || !rounds[n-1].Time.Equal(f.Time) {
			rounds = append(rounds, &esxtop.Round{Time: f.Time, Past: true})
		}
		last := rounds[len(rounds)-1]
		last.Frames = append(last.Frames, f)
	}
	return rounds
}
