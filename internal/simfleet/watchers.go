package simfleet

import (
	"slices"
	"strconv"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// watchers remember what was told to those who wait for updates. The simulator forgets: one whose answer was lost names the
// version before, and is told again; and when something new came into a view, the simulator would tell of all that lies there
// as if it were new, and not of what went at the same time.
type watchers struct {
	mu   sync.Mutex
	told map[types.ManagedObjectReference]*telling // by collector
}

// telling is what a collector was told last.
type telling struct {
	count         int
	before, after string // versions
	set           *types.UpdateSet
	rest          []types.PropertyFilterUpdate                                           // not told yet
	known         map[types.ManagedObjectReference]map[types.ManagedObjectReference]bool // objects, by filter
}

// of is what a collector was told last; nothing yet is the version "".
func (w *watchers) of(collector types.ManagedObjectReference) *telling {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told == nil {
		w.told = map[types.ManagedObjectReference]*telling{}
	}
	if w.told[collector] == nil {
		w.told[collector] = &telling{known: map[types.ManagedObjectReference]map[types.ManagedObjectReference]bool{}}
	}
	return w.told[collector]
}

func (w *watchers) forget(collector types.ManagedObjectReference) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.told, collector)
}

// WaitForUpdatesEx tells of changes by versions, as a vCenter does, and not of what the account may not read.
func (o *overrides) WaitForUpdatesEx(ctx *simulator.Context, req *types.WaitForUpdatesEx) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.WaitForUpdatesExBody{Fault_: world.NotFound(req.This)}
	}
	var body soap.HasFault
	ctx.WithLock(pc, func() { body = o.tell(ctx, pc, req, o.watchers.of(req.This)) })
	return body
}

func (o *overrides) tell(ctx *simulator.Context, pc *simulator.PropertyCollector, req *types.WaitForUpdatesEx, last *telling) soap.HasFault {
	stock := *req
	switch {
	case req.Version == "":
		last.set = nil // of what came with other filters the simulator goes on to tell
	case req.Version == last.after:
		stock.Version = "-" // the simulator knows no other
	case req.Version == last.before && last.set != nil:
		return &methods.WaitForUpdatesExBody{Res: &types.WaitForUpdatesExResponse{Returnval: last.set}}
	default:
		return &methods.WaitForUpdatesExBody{Fault_: simulator.Fault("", &types.InvalidCollectorVersion{})}
	}
	if len(last.rest) == 0 {
		body := pc.WaitForUpdatesEx(ctx, &stock).(*methods.WaitForUpdatesExBody)
		if body.Res == nil || body.Res.Returnval == nil {
			return body
		}
		for set := body.Res.Returnval; ; set = pc.WaitForUpdatesEx(ctx, &stock).(*methods.WaitForUpdatesExBody).Res.Returnval {
			last.rest = append(last.rest, set.FilterSet...)
			if stock.Version = "-"; set.Truncated == nil || !*set.Truncated {
				break
			}
		}
		last.sift()
		for _, f := range last.rest {
			o.denied.hideChanges(ctx, f.ObjectSet)
		}
	}
	most := 0
	if req.Options != nil {
		most = int(req.Options.MaxObjectUpdates)
	}
	return &methods.WaitForUpdatesExBody{Res: &types.WaitForUpdatesExResponse{Returnval: last.piece(req.Version, most)}}
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
		known := t.known[f.Filter]
		if known == nil {
			known = map[types.ManagedObjectReference]bool{}
			t.known[f.Filter] = known
		}
		news := f.ObjectSet[:0:0]
		for _, u := range f.ObjectSet {
			switch was := known[u.Obj]; {
			case u.Kind == types.ObjectUpdateKindLeave && was:
				delete(known, u.Obj)
				news = append(news, u)
			case u.Kind == types.ObjectUpdateKindModify && was:
				news = append(news, u)
			case u.Kind == types.ObjectUpdateKindEnter:
				if entered[f.Filter] == nil {
					entered[f.Filter] = map[types.ManagedObjectReference]bool{}
				}
				entered[f.Filter][u.Obj] = true
				if anew[f.Filter] = anew[f.Filter] || was; !was {
					known[u.Obj] = true
					news = append(news, u)
				}
			}
		}
		f.ObjectSet = news
	}
	for filter := range anew {
		if anew[filter] {
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
func (o *overrides) DestroyPropertyCollector(ctx *simulator.Context, req *types.DestroyPropertyCollector) soap.HasFault {
	pc := collector(ctx, req.This)
	if pc == nil {
		return &methods.DestroyPropertyCollectorBody{Fault_: world.NotFound(req.This)}
	}
	o.watchers.forget(req.This)
	var body soap.HasFault
	ctx.WithLock(pc, func() { body = pc.DestroyPropertyCollector(ctx, req) })
	return body
}

// hideChanges moves what the account may not read from the changed to the missing properties.
func (n denial) hideChanges(ctx *simulator.Context, updates []types.ObjectUpdate) {
	if n.folder.Value == "" {
		return
	}
	for i := range updates {
		u := &updates[i]
		object := types.ObjectContent{Obj: u.Obj, MissingSet: u.MissingSet}
		for _, c := range u.ChangeSet {
			object.PropSet = append(object.PropSet, types.DynamicProperty{Name: c.Name, Val: c.Val})
		}
		one := []types.ObjectContent{object}
		n.hide(ctx, one)
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

// moves listens to the registry, and tells of what the simulator changes without a word: where objects went, and whether hosts
// are connected.
type moves struct{}

// Reference is what the registry knows its listeners by.
func (*moves) Reference() types.ManagedObjectReference {
	return types.ManagedObjectReference{Type: world.OwnType, Value: "moves"}
}

// PutObject and RemoveObject are not of interest.
func (*moves) PutObject(*simulator.Context, mo.Reference)                    {}
func (*moves) RemoveObject(*simulator.Context, types.ManagedObjectReference) {}

// UpdateObject hears of tasks that end. The simulator has let go of their objects by then.
func (*moves) UpdateObject(ctx *simulator.Context, obj mo.Reference, _ []types.PropertyChange) {
	task, ok := obj.(*mo.Task)
	if !ok || task.Info.State != types.TaskInfoStateSuccess || task.Info.Entity == nil {
		return
	}
	on := ctx.Map.Get(*task.Info.Entity)
	switch task.Info.DescriptionId {
	case "Folder.moveIntoFolder":
		if f, ok := on.(*simulator.Folder); ok {
			tellParents(ctx, f, func() []types.ManagedObjectReference { return f.ChildEntity })
		}
	case "ClusterComputeResource.moveInto":
		if c, ok := on.(*simulator.ClusterComputeResource); ok {
			tellParents(ctx, c, func() []types.ManagedObjectReference { return c.Host })
		}
	case "HostSystem.disconnectHost", "HostSystem.reconnectHost":
		if h, ok := on.(*simulator.HostSystem); ok {
			ctx.WithLock(h, func() {
				ctx.Update(h, []types.PropertyChange{{Name: "runtime.connectionState", Val: h.Runtime.ConnectionState}})
			})
		}
	}
}

// tellParents tells of all that lies in an object where it lies: a task does not say what it moved.
func tellParents(ctx *simulator.Context, parent mo.Entity, in func() []types.ManagedObjectReference) {
	var children []types.ManagedObjectReference
	self := parent.Reference()
	ctx.WithLock(parent, func() { children = append(children, in()...) })
	for _, ref := range children {
		if child, ok := ctx.Map.Get(ref).(mo.Entity); ok {
			ctx.WithLock(child, func() { ctx.Update(child, []types.PropertyChange{{Name: "parent", Val: &self}}) })
		}
	}
}

// MarkAsTemplate tells of it, too.
func (*overrides) MarkAsTemplate(ctx *simulator.Context, req *types.MarkAsTemplate) soap.HasFault {
	return marked(ctx, req.This, &methods.MarkAsTemplateBody{Fault_: world.NotFound(req.This)},
		func(vm *simulator.VirtualMachine) soap.HasFault { return vm.MarkAsTemplate(req) })
}

// MarkAsVirtualMachine tells of it, and of the host that it named.
func (*overrides) MarkAsVirtualMachine(ctx *simulator.Context, req *types.MarkAsVirtualMachine) soap.HasFault {
	return marked(ctx, req.This, &methods.MarkAsVirtualMachineBody{Fault_: world.NotFound(req.This)},
		func(vm *simulator.VirtualMachine) soap.HasFault { return vm.MarkAsVirtualMachine(req) })
}

func marked(ctx *simulator.Context, ref types.ManagedObjectReference, body soap.HasFault, mark func(*simulator.VirtualMachine) soap.HasFault) soap.HasFault {
	vm, ok := ctx.Map.Get(ref).(*simulator.VirtualMachine)
	if !ok {
		return body
	}
	ctx.WithLock(vm, func() {
		if body = mark(vm); body.Fault() == nil {
			ctx.Update(vm, []types.PropertyChange{
				{Name: "config.template", Val: vm.Config.Template}, {Name: "runtime.host", Val: vm.Runtime.Host},
			})
		}
	})
	return body
}
