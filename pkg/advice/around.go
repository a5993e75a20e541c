package advice

import (
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// verdicts holds the findings of the rules that diagnoses refer to. Every other check of these rules passed, so it
// needs no entry.
type verdicts struct {
	rules map[string]*compiled // by id: Select picks all that diagnoses refer to
	keeps func(inventory.Object) bool
	by    map[string]map[inventory.Object][]*Finding // by rule, and by the object that is or has the failed device
	pools map[*inventory.VCenter]map[string]*inventory.Pool
}

// add stores findings of the rules that diagnoses refer to.
func (v *verdicts) add(findings []*Finding) {
	for _, f := range findings {
		if of := v.by[f.Rule.ID]; of != nil {
			owner := mark.OwnerOf(f.object)
			of[owner] = append(of[owner], f)
		}
	}
}

// of reports whether a rule fails for an object around the subject. One failed object is enough for true; false
// requires that all of them are known.
func (v *verdicts) of(s *subject, rule string) ref.Val {
	found, unknown := v.around(s, rule)
	for _, f := range found {
		switch {
		case f.Outcome == Fail || f.Outcome == Waived: // diagnoses are evaluated before waivers are applied; causes that are ruled out may be later
			return types.True
		case len(f.Gaps) > 0:
			for _, g := range f.Gaps {
				unknown = types.MergeUnknowns(unknown, expr.UnknownOf(g))
			}
		default:
			u, _ := f.Outcome.failed(f.object, rule).(*types.Unknown)
			unknown = types.MergeUnknowns(unknown, u)
		}
	}
	if unknown != nil {
		return unknown
	}
	return types.False
}

// fails returns the failed findings of a rule around the subject.
func (v *verdicts) fails(s *subject, rule string) []*Finding {
	found, _ := v.around(s, rule)
	return slices.DeleteFunc(found, func(f *Finding) bool { return f.Outcome != Fail })
}

// around returns the findings of a rule about the subject, its devices and the objects it belongs to. lack describes
// those that could not be checked, or is nil.
func (v *verdicts) around(s *subject, rule string) (found []*Finding, unknown *types.Unknown) {
	scope := v.rules[rule].Scope
	itself := s.object.Ref().Kind == scope
	owners, unknown := v.owners(s, scope)
	for _, o := range owners {
		if !v.keeps(o) {
			unknown = types.MergeUnknowns(unknown, expr.Unread(o, expr.RuleFact+rule, "this "+string(o.Ref().Kind)+" was not selected"))
			continue
		}
		for _, f := range v.by[rule][o] {
			if !itself || f.object == s.object {
				found = append(found, f)
			}
		}
	}
	return found, unknown
}

// owners returns the objects around the subject that are in the scope, or whose devices are.
func (v *verdicts) owners(s *subject, scope inventory.Scope) ([]inventory.Object, *types.Unknown) {
	own := s.object.Ref().Kind
	if own == scope {
		return []inventory.Object{mark.OwnerOf(s.object)}, nil
	}
	via, _ := through(own, scope)
	switch x := s.vars.Get(via); scope {
	case inventory.ScopePool:
		return v.poolsOf(x)
	case inventory.ScopeSwitch:
		return switchesOf(x)
	case inventory.ScopeDatastore:
		return datastoresOf(x)
	default:
		return one(x)
	}
}

// one returns the object that a variable holds, or the unknown in its place. An object that does not exist has no
// findings.
func one(x any) ([]inventory.Object, *types.Unknown) {
	switch x := x.(type) {
	case inventory.Object:
		return []inventory.Object{x}, nil
	case *types.Unknown:
		return nil, x
	}
	return nil, nil
}

// poolsOf returns the pool of a VM and the pools above it: their limits apply to the VM too.
func (v *verdicts) poolsOf(x any) ([]inventory.Object, *types.Unknown) {
	vm, ok := x.(*inventory.VM)
	if !ok {
		return one(x)
	}
	all := v.poolsBy(vm.VCenter())
	var found []inventory.Object
	at, fact, object := vm.PoolID, "VM.poolId", inventory.Object(vm)
	for range len(all) + 1 { // a bound, in case the pools form a cycle
		id, state, reason := at.Get()
		switch p := all[id]; {
		case state == inventory.StateAbsent:
			return found, nil
		case state == inventory.StateUnread:
			return found, expr.Unread(object, fact, reason)
		case p == nil:
			return found, expr.Unread(object, fact, "the pool was not read")
		default:
			found = append(found, p)
			at, fact, object = p.ParentID, "Pool.parentId", p
		}
	}
	return found, nil
}

func (v *verdicts) poolsBy(vc *inventory.VCenter) map[string]*inventory.Pool {
	if v.pools[vc] == nil {
		v.pools[vc] = make(map[string]*inventory.Pool, len(vc.Pools))
		for _, p := range vc.Pools {
			v.pools[vc][p.ID] = p
		}
	}
	return v.pools[vc]
}

// switchesOf returns the host itself, for its standard switches, and the distributed switches that it is connected to.
func switchesOf(x any) ([]inventory.Object, *types.Unknown) {
	h, ok := x.(*inventory.Host)
	if !ok {
		return one(x)
	}
	found := []inventory.Object{h}
	var unknown *types.Unknown
	for _, s := range h.VCenter().Switches {
		ids, state, reason := s.HostIDs.Get()
		switch {
		case slices.Contains(ids, h.ID):
			found = append(found, s)
		case state == inventory.StateUnread:
			unknown = types.MergeUnknowns(unknown, expr.Unread(s, "Switch.hostIds", reason))
		}
	}
	return found, unknown
}

// datastoresOf returns the datastores of a virtual disk, of a VM's disks or of a LUN, and those that a host mounts.
func datastoresOf(x any) ([]inventory.Object, *types.Unknown) {
	switch x := x.(type) {
	case *inventory.VDisk:
		return datastoreOf(x)
	case *inventory.VM:
		return datastoresOfVM(x)
	case *inventory.LUN:
		return storesOf(x, "LUN.datastores", x.Datastores)
	case *inventory.Host:
		return storesOf(x, "Host.datastores", x.Datastores)
	}
	return one(x)
}

func datastoreOf(d *inventory.VDisk) ([]inventory.Object, *types.Unknown) {
	store, state, reason := d.Datastore.Get()
	switch state {
	case inventory.StateKnown:
		return []inventory.Object{store}, nil
	case inventory.StateUnread:
		return nil, expr.Unread(d, "VDisk.datastore", reason)
	}
	return nil, nil
}

func datastoresOfVM(vm *inventory.VM) (found []inventory.Object, unknown *types.Unknown) {
	disks, state, reason := vm.Disks.Get()
	if state == inventory.StateUnread {
		return nil, expr.Unread(vm, "VM.disks", reason)
	}
	for _, d := range disks {
		on, missing := datastoreOf(d)
		unknown = types.MergeUnknowns(unknown, missing)
		for _, o := range on {
			if !slices.Contains(found, o) {
				found = append(found, o)
			}
		}
	}
	return found, unknown
}

func storesOf(o inventory.Object, fact string, list inventory.Fact[[]*inventory.Datastore]) (found []inventory.Object, unknown *types.Unknown) {
	stores, state, reason := list.Get()
	if state == inventory.StateUnread {
		return nil, expr.Unread(o, fact, reason)
	}
	for _, d := range stores {
		found = append(found, d)
	}
	return found, nil
}

// failed converts an outcome to the value of findings["RULE"]. Manual checks are unknown.
func (o Outcome) failed(on inventory.Object, rule string) ref.Val {
	switch o {
	case Fail, Waived:
		return types.True
	case Pass, NotApplicable:
		return types.False
	case Manual:
		return expr.Unread(on, expr.RuleFact+rule, "needs a manual check")
	}
	return expr.Unread(on, expr.RuleFact+rule, "the rule's outcome is unknown")
}
