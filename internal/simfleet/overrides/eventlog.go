package overrides

import (
	"slices"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
)

// mostEvents is the number of events that the simulator keeps, and that a vCenter returns at once.
const mostEvents = 1000

// eventTimes dates events by the fleet's clock.
//
// govmomi v0.56.0 simulator: it dates them by the real one.
type eventTimes struct {
	mu     sync.Mutex
	dated  int32 // key of the last event that was dated
	clocks []clocks
}

// clocks are the two clocks at a moment at which the fleet's was seen to have moved.
type clocks struct{ real, fleet time.Time }

// mostClocks is the number of moments that are kept: a replay of a day has one for each sample.
const mostClocks = 8192

// See notes what the fleet's clock shows before a call is executed.
func (o *Service) See() {
	t := &o.events
	t.mu.Lock()
	defer t.mu.Unlock()
	now := clocks{time.Now(), o.Now()}
	if n := len(t.clocks); n > 0 && t.clocks[n-1].shows(now.real).Sub(now.fleet).Abs() < time.Millisecond {
		return
	}
	if len(t.clocks) >= mostClocks {
		t.clocks = t.clocks[mostClocks/2:]
	}
	t.clocks = append(t.clocks, now)
}

// shows returns the time of the fleet's clock if it has run with the real one since.
func (c clocks) shows(actual time.Time) time.Time { return c.fleet.Add(actual.Sub(c.real)) }

// fleetTime converts a time of the real clock. The fleet's clock may have stood still since it was last seen to move.
func (t *eventTimes) fleetTime(actual, now time.Time) time.Time {
	for _, c := range slices.Backward(t.clocks) {
		if !c.real.After(actual) {
			at := c.shows(actual)
			if at.After(now) {
				return now
			}
			return at
		}
	}
	return now
}

// date dates the events that were logged since the last call.
func (o *Service) date(ctx *simulator.Context, manager *simulator.EventManager) {
	body, ok := manager.QueryEvents(ctx, &types.QueryEvents{
		This: manager.Self, Filter: types.EventFilterSpec{MaxCount: mostEvents},
	}).(*methods.QueryEventsBody)
	if !ok || body.Res == nil {
		return
	}
	t := &o.events
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.dated
	for _, event := range body.Res.Returnval {
		if e := event.GetEvent(); e.Key > t.dated {
			e.CreatedTime = t.fleetTime(e.CreatedTime, o.Now())
			last = max(last, e.Key)
		}
	}
	t.dated = last
}

// QueryEvents returns up to a thousand events, as a vCenter does.
//
// govmomi v0.56.0 simulator: it returns ten unless the filter says more.
func (o *Service) QueryEvents(ctx *simulator.Context, req *types.QueryEvents) (body soap.HasFault) {
	o.withEvents(ctx, func(manager *simulator.EventManager) {
		own := *req
		if own.Filter.MaxCount == 0 {
			own.Filter.MaxCount = mostEvents
		}
		body = manager.QueryEvents(ctx, &own)
	})
	return body
}

// CreateCollectorForEvents creates a collector of dated events.
func (o *Service) CreateCollectorForEvents(ctx *simulator.Context, req *types.CreateCollectorForEvents) (body soap.HasFault) {
	o.withEvents(ctx, func(manager *simulator.EventManager) { body = manager.CreateCollectorForEvents(ctx, req) })
	return body
}

func (o *Service) withEvents(ctx *simulator.Context, do func(*simulator.EventManager)) {
	manager := ctx.Map.EventManager()
	ctx.WithLock(manager, func() {
		o.date(ctx, manager)
		do(manager)
	})
}

// post logs an event. ctx has the session of its user.
func post(ctx *simulator.Context, event types.BaseEvent) {
	if e := event.GetEvent(); e.Datacenter == nil {
		e.Datacenter = datacenterArgument(ctx)
	}
	manager := ctx.Map.EventManager()
	ctx.WithLock(manager, func() { manager.PostEvent(ctx, &types.PostEvent{This: manager.Self, EventToPost: event}) })
}

// system returns a context for what happens in the fleet by itself.
func system(ctx *simulator.Context) *simulator.Context {
	return &simulator.Context{
		Context: ctx.Context, Map: ctx.Map,
		Session: &simulator.Session{UserSession: types.UserSession{UserName: "System"}, Registry: simulator.NewRegistry(), Map: ctx.Map},
	}
}

// datacenterArgument returns the fleet's only datacenter.
func datacenterArgument(ctx *simulator.Context) *types.DatacenterEventArgument {
	d, ok := ctx.Map.Any("Datacenter").(*simulator.Datacenter)
	if !ok {
		return nil
	}
	return &types.DatacenterEventArgument{EntityEventArgument: types.EntityEventArgument{Name: d.Name}, Datacenter: d.Self}
}

func hostArgument(e *esxi.Host) types.HostEventArgument {
	return types.HostEventArgument{EntityEventArgument: types.EntityEventArgument{Name: e.Row.Name}, Host: e.System.Self}
}
