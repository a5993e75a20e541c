package advice

import (
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// verdicts is what became of the rules that diagnoses refer to, wherever findings say it. All else that was held passed, so
// nobody has to remember it.
type verdicts struct {
	rules map[string]*compiled // by id: Select picks all that diagnoses refer to
	keeps func(inventory.Object) bool
	by    map[string]map[inventory.Object][]*Finding // by rule, and by the object that has the device that failed
	pools map[*inventory.VCenter]map[string]*inventory.Pool
}

// add keeps findings of the rules that diagnoses refer to.
func (v *verdicts) add(findings []Finding) {
	for i := range findings {
		f := &findings[i]
		if of := v.by[f.Rule.ID]; of != nil {
			owner := mark.OwnerOf(f.object)
			of[owner] = append(of[owner], f)
		}
	}
}

// of says whether a rule fails around the subject. One object that fails is enough; else it has to be known of all of them.
func (v *verdicts) of(s *subject, rule string) ref.Val {
	found, lack := v.around(s, rule)
	for _, f := range found {
		switch {
		case f.Outcome == Fail: // nothing is waived yet
			return types.True
		case len(f.Gaps) > 0:
			for _, g := range f.Gaps {
				lack = types.MergeUnknowns(lack, expr.UnknownOf(g))
			}
		default:
			u, _ := f.Outcome.failed(f.object, rule).(*types.Unknown)
			lack = types.MergeUnknowns(lack, u)
		}
	}
	if lack != nil {
		return lack
	}
	return types.False
}

// fails are the findings of a rule around the subject.
func (v *verdicts) fails(s *subject, rule string) []*Finding {
	found, _ := v.around(s, rule)
	return slices.DeleteFunc(found, func(f *Finding) bool { return f.Outcome != Fail })
}

// around are the findings of a rule on the subject, its devices and what it belongs to; lack is what of
// that could not be seen, or nil.
func (v *verdicts) around(s *subject, rule string) (found []*Finding, lack *types.Unknown) {
	scope := v.rules[rule].Scope
	itself := s.object.Ref().Kind == scope
	owners, lack := v.owners(s, scope)
	for _, o := range owners {
		if !v.keeps(o) {
			lack = types.MergeUnknowns(lack, expr.Unread(o, expr.RuleFact+rule, "this "+string(o.Ref().Kind)+" was not asked for"))
			continue
		}
		for _, f := range v.by[rule][o] {
			if !itself || f.object == s.object {
				found = append(found, f)
			}
		}
	}
	return found, lack
}

// owners are the objects that have, or are, what a rule of the scope is held against around the subject.
func (v *verdicts) owners(s *subject, scope inventory.Scope) ([]inventory.Object, *types.Unknown) {
	own := s.object.Ref().Kind
	if own == scope {
		return []inventory.Object{mark.OwnerOf(s.object)}, nil
	}
	via, _ := through(own, scope)
	switch x := s.vars[via]; scope {
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

// one is the object that a variable stands for, or what stands for its lack. One that does not exist has nothing that fails.
func one(x any) ([]inventory.Object, *types.Unknown) {
	switch x := x.(type) {
	case inventory.Object:
		return []inventory.Object{x}, nil
	case *types.Unknown:
		return nil, x
	}
	return nil, nil
}

// poolsOf are the pool that a VM is in and those above it: their limits hold for it too.
func (v *verdicts) poolsOf(x any) ([]inventory.Object, *types.Unknown) {
	vm, ok := x.(*inventory.VM)
	if !ok {
		return one(x)
	}
	all := v.poolsBy(vm.VCenter())
	var found []inventory.Object
	at, fact, object := vm.PoolID, "VM.poolId", inventory.Object(vm)
	for range len(all) + 1 { // never more, should they be in a ring
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

// switchesOf are the host itself, which has its standard switches, and the distributed ones it is connected to.
func switchesOf(x any) ([]inventory.Object, *types.Unknown) {
	h, ok := x.(*inventory.Host)
	if !ok {
		return one(x)
	}
	found := []inventory.Object{h}
	var lack *types.Unknown
	for _, s := range h.VCenter().Switches {
		ids, state, reason := s.HostIDs.Get()
		switch {
		case slices.Contains(ids, h.ID):
			found = append(found, s)
		case state == inventory.StateUnread:
			lack = types.MergeUnknowns(lack, expr.Unread(s, "Switch.hostIds", reason))
		}
	}
	return found, lack
}

// datastoresOf are those that a virtual disk, the disks of a VM, or a LUN lie on, and those that a host mounts.
func datastoresOf(x any) ([]inventory.Object, *types.Unknown) {
	switch x := x.(type) {
	case *inventory.VDisk:
		return datastoreOf(x)
	case *inventory.VM:
		return datastoresOfVM(x)
	case *inventory.LUN:
		return objects(x.Datastores), nil
	case *inventory.Host:
		return objects(x.Datastores), nil
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

func datastoresOfVM(vm *inventory.VM) (found []inventory.Object, lack *types.Unknown) {
	disks, state, reason := vm.Disks.Get()
	if state == inventory.StateUnread {
		return nil, expr.Unread(vm, "VM.disks", reason)
	}
	for _, d := range disks {
		on, missing := datastoreOf(d)
		lack = types.MergeUnknowns(lack, missing)
		for _, o := range on {
			if !slices.Contains(found, o) {
				found = append(found, o)
			}
		}
	}
	return found, lack
}

func objects[O inventory.Object](list []O) []inventory.Object {
	all := make([]inventory.Object, len(list))
	for i, o := range list {
		all[i] = o
	}
	return all
}

// failed is an outcome as findings["RULE"] gives it. What only a person can tell is unknown.
func (o Outcome) failed(on inventory.Object, rule string) ref.Val {
	switch o {
	case Fail, Waived:
		return types.True
	case Pass, NotApplicable:
		return types.False
	case Manual:
		return expr.Unread(on, expr.RuleFact+rule, "only a person can tell")
	}
	return expr.Unread(on, expr.RuleFact+rule, "the rule could not be told")
}
