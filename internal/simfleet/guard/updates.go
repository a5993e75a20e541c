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

// telling is what a collector was told last. The simulator forgets: one whose answer was lost names the version before, and is told
// again; and when something new came into a view, the simulator would tell of all that lies there as if it were new, and not of
// what went at the same time.
type telling struct {
	count         int
	before, after string // versions
	set           *types.UpdateSet
	rest          []types.PropertyFilterUpdate                                           // not told yet
	known         map[types.ManagedObjectReference]map[types.ManagedObjectReference]bool // objects, by filter
}

// of is what a collector was told last; nothing yet is the version "".
func (p *Properties) of(collector types.ManagedObjectReference) *telling {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told[collector] == nil {
		p.told[collector] = &telling{known: map[types.ManagedObjectReference]map[types.ManagedObjectReference]bool{}}
	}
	return p.told[collector]
}

// WaitForUpdatesEx tells of changes by versions, as a vCenter does, and not of what the account may not read.
func (p *Properties) WaitForUpdatesEx(ctx *simulator.Context, req *types.WaitForUpdatesEx) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.WaitForUpdatesExBody{Fault_: world.NotFound(req.This)}
	}
	var body soap.HasFault
	ctx.WithLock(pc, func() { body = p.tell(ctx, pc, req, p.of(req.This)) })
	return body
}

func (p *Properties) tell(ctx *simulator.Context, pc *simulator.PropertyCollector, req *types.WaitForUpdatesEx, last *telling) soap.HasFault {
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

// resume has a request go on from the version that it names, as the simulator counts. It may be the one before the last, whose answer
// is told again, or one that there is not.
func (t *telling) resume(req *types.WaitForUpdatesEx) (again, known bool) {
	switch req.Version {
	case "":
		t.set = nil // of what came with other filters the simulator goes on to tell
	case t.after:
		req.Version = "-" // the simulator knows no other
	default:
		again = req.Version == t.before && t.set != nil
		return again, again
	}
	return false, true
}

// fetch takes all that the simulator has to tell. It returns its answer where that is nothing.
func (p *Properties) fetch(ctx *simulator.Context, pc *simulator.PropertyCollector, stock *types.WaitForUpdatesEx, last *telling) soap.HasFault {
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

// mostUpdates is how many a vCenter puts into one answer, whatever it is asked for.
const mostUpdates = 100

// piece takes the next piece of what is to be told.
func (t *telling) piece(version string, most int) *types.UpdateSet {
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

// sift leaves what is news.
func (t *telling) sift() {
	entered := map[types.ManagedObjectReference]map[types.ManagedObjectReference]bool{} // by filter
	anew := map[types.ManagedObjectReference]bool{}                                     // filters that tell of all again
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
			t.leave(filter, entered[filter])
		}
	}
	t.rest = slices.DeleteFunc(t.rest, func(f types.PropertyFilterUpdate) bool { return len(f.ObjectSet) == 0 })
}

// leave tells of what is not here any more, where a filter told of all that is.
func (t *telling) leave(filter types.ManagedObjectReference, here map[types.ManagedObjectReference]bool) {
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

// DestroyPropertyCollector forgets what it was told.
func (p *Properties) DestroyPropertyCollector(ctx *simulator.Context, req *types.DestroyPropertyCollector) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.DestroyPropertyCollectorBody{Fault_: world.NotFound(req.This)}
	}
	p.mu.Lock()
	delete(p.told, req.This)
	p.mu.Unlock()
	var body soap.HasFault
	ctx.WithLock(pc, func() { body = pc.DestroyPropertyCollector(ctx, req) })
	return body
}

// hideChanges moves what the account may not read from the changed to the missing properties.
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
