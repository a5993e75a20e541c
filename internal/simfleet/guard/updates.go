package guard

import (
	"slices"
	"strconv"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// lastUpdates holds the last updates sent to a collector: after a lost answer a client names the previous version, and gets
// the same updates again.
//
// govmomi v0.56.0 simulator: it does not keep them, and when an object enters a view it sends all of the view's objects as new, without those that
// left at the same time.
type lastUpdates struct {
	count         int
	before, after string // versions
	set           *types.UpdateSet
	rest          []types.PropertyFilterUpdate                                           // not sent yet
	known         map[types.ManagedObjectReference]map[types.ManagedObjectReference]bool // objects, by filter
}

// of returns the last updates sent to a collector; the version is "" before the first.
func (p *Properties) of(collector types.ManagedObjectReference) *lastUpdates {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sent[collector] == nil {
		p.sent[collector] = &lastUpdates{known: map[types.ManagedObjectReference]map[types.ManagedObjectReference]bool{}}
	}
	return p.sent[collector]
}

// WaitForUpdatesEx returns changes by version, as a vCenter does, without properties that the account may not read.
func (p *Properties) WaitForUpdatesEx(ctx *simulator.Context, req *types.WaitForUpdatesEx) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.WaitForUpdatesExBody{Fault_: world.NotFound(req.This)}
	}
	boundWait(req)
	var body soap.HasFault
	ctx.WithLock(pc, func() { body = p.nextUpdates(ctx, pc, req, p.of(req.This)) })
	return body
}

// maxWait is the maximum wait for updates in seconds, after which a client asks again.
const maxWait = 600

// govmomi v0.56.0 simulator: a wait without a limit goes on for ever if its client is gone.
func boundWait(req *types.WaitForUpdatesEx) {
	if req.Options == nil {
		req.Options = &types.WaitOptions{}
	}
	if s := req.Options.MaxWaitSeconds; s == nil || *s > maxWait {
		req.Options.MaxWaitSeconds = new(int32(maxWait))
	}
}

func (p *Properties) nextUpdates(ctx *simulator.Context, pc *simulator.PropertyCollector, req *types.WaitForUpdatesEx, last *lastUpdates) soap.HasFault {
	stock := *req
	again, known := last.resume(&stock)
	switch {
	case !known:
		return &methods.WaitForUpdatesExBody{Fault_: simulator.Fault("", &types.InvalidCollectorVersion{})}
	case again:
		return &methods.WaitForUpdatesExBody{Res: &types.WaitForUpdatesExResponse{Returnval: last.set}}
	case len(last.rest) == 0:
		if nothing := p.fetch(ctx, pc, &stock, last); nothing != nil {
			return nothing
		}
	}
	most := 0
	if req.Options != nil {
		most = int(req.Options.MaxObjectUpdates)
	}
	return &methods.WaitForUpdatesExBody{Res: &types.WaitForUpdatesExResponse{Returnval: last.piece(req.Version, most)}}
}

// resume continues from the version that the request names, in the simulator's numbering. It may be the previous version, whose
// answer is then repeated, or an unknown one.
func (t *lastUpdates) resume(req *types.WaitForUpdatesEx) (again, known bool) {
	switch req.Version {
	case "":
		t.set = nil // the simulator will send the rest for other filters
	case t.after:
		req.Version = "-" // the simulator knows no other version
	default:
		again = req.Version == t.before && t.set != nil
		return again, again
	}
	return false, true
}

// fetch gets all pending updates from the simulator. If there are none, it returns the simulator's answer.
func (p *Properties) fetch(ctx *simulator.Context, pc *simulator.PropertyCollector, stock *types.WaitForUpdatesEx, last *lastUpdates) soap.HasFault {
	body := pc.WaitForUpdatesEx(ctx, stock).(*methods.WaitForUpdatesExBody)
	if body.Res == nil || body.Res.Returnval == nil {
		return body
	}
	for set := body.Res.Returnval; ; set = pc.WaitForUpdatesEx(ctx, stock).(*methods.WaitForUpdatesExBody).Res.Returnval {
		last.rest = append(last.rest, set.FilterSet...)
		if stock.Version = "-"; set.Truncated == nil || !*set.Truncated {
			break
		}
	}
	last.sift()
	for _, f := range last.rest {
		if p.hide != nil {
			p.hideChanges(ctx, f.ObjectSet)
		}
	}
	return nil
}

// mostUpdates is the maximum number of updates in one answer of a vCenter, whatever the request.
const mostUpdates = 100

// piece returns the next piece of the pending updates.
func (t *lastUpdates) piece(version string, most int) *types.UpdateSet {
	if most <= 0 || most > mostUpdates {
		most = mostUpdates
	}
	t.count++
	t.before, t.after = version, strconv.Itoa(t.count)
	t.set = &types.UpdateSet{Version: t.after, Truncated: new(false)}
	for len(t.rest) > 0 && most > 0 {
		f := t.rest[0]
		if len(f.ObjectSet) > most {
			t.rest[0].ObjectSet = f.ObjectSet[most:]
			f.ObjectSet = f.ObjectSet[:most]
		} else {
			t.rest = t.rest[1:]
		}
		most -= len(f.ObjectSet)
		t.set.FilterSet = append(t.set.FilterSet, f)
	}
	*t.set.Truncated = len(t.rest) > 0
	return t.set
}

// sift removes updates that repeat known state.
func (t *lastUpdates) sift() {
	entered := map[types.ManagedObjectReference]map[types.ManagedObjectReference]bool{} // by filter
	anew := map[types.ManagedObjectReference]bool{}                                     // filters that send all objects again
	for i := range t.rest {
		f := &t.rest[i]
		if t.known[f.Filter] == nil {
			t.known[f.Filter] = map[types.ManagedObjectReference]bool{}
		}
		if entered[f.Filter] == nil {
			entered[f.Filter] = map[types.ManagedObjectReference]bool{}
		}
		known, here := t.known[f.Filter], entered[f.Filter]
		f.ObjectSet = slices.DeleteFunc(slices.Clone(f.ObjectSet), func(u types.ObjectUpdate) (old bool) {
			was := known[u.Obj]
			switch u.Kind {
			case types.ObjectUpdateKindEnter:
				known[u.Obj], here[u.Obj] = true, true
				anew[f.Filter] = anew[f.Filter] || was
				return was
			case types.ObjectUpdateKindLeave:
				delete(known, u.Obj)
			}
			return !was
		})
	}
	for filter, again := range anew {
		if again {
			t.addRemovals(filter, entered[filter])
		}
	}
	t.rest = slices.DeleteFunc(t.rest, func(f types.PropertyFilterUpdate) bool { return len(f.ObjectSet) == 0 })
}

// addRemovals adds the removal of objects that are missing in a complete list of a filter.
func (t *lastUpdates) addRemovals(filter types.ManagedObjectReference, here map[types.ManagedObjectReference]bool) {
	known := t.known[filter]
	gone := types.PropertyFilterUpdate{Filter: filter}
	for ref := range known {
		if !here[ref] {
			delete(known, ref)
			gone.ObjectSet = append(gone.ObjectSet, types.ObjectUpdate{Obj: ref, Kind: types.ObjectUpdateKindLeave})
		}
	}
	t.rest = append(t.rest, gone)
}

// DestroyPropertyCollector removes the collector's state.
func (p *Properties) DestroyPropertyCollector(ctx *simulator.Context, req *types.DestroyPropertyCollector) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.DestroyPropertyCollectorBody{Fault_: world.NotFound(req.This)}
	}
	p.mu.Lock()
	delete(p.sent, req.This)
	p.mu.Unlock()
	var body soap.HasFault
	ctx.WithLock(pc, func() { body = pc.DestroyPropertyCollector(ctx, req) })
	return body
}

// hideChanges moves properties that the account may not read from the changed to the missing ones.
func (p *Properties) hideChanges(ctx *simulator.Context, updates []types.ObjectUpdate) {
	for i := range updates {
		u := &updates[i]
		object := types.ObjectContent{Obj: u.Obj, MissingSet: u.MissingSet}
		for _, c := range u.ChangeSet {
			object.PropSet = append(object.PropSet, types.DynamicProperty{Name: c.Name, Val: c.Val})
		}
		one := []types.ObjectContent{object}
		p.hide(ctx, one)
		shown := map[string]bool{}
		for _, p := range one[0].PropSet {
			shown[p.Name] = true
		}
		kept := u.ChangeSet[:0:0]
		for _, c := range u.ChangeSet {
			if shown[c.Name] {
				kept = append(kept, c)
			}
		}
		u.ChangeSet, u.MissingSet = kept, one[0].MissingSet
	}
}
