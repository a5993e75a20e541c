package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
)

// reach maps a scope to the variables through which rules of other scopes find its objects. Objects in a rule's own
// chain need none.
var reach = map[inventory.Scope][]inventory.Scope{
	inventory.ScopeVNIC:      {inventory.ScopeVM},
	inventory.ScopeVDisk:     {inventory.ScopeVM},
	inventory.ScopePool:      {inventory.ScopeVM},
	inventory.ScopePNIC:      {inventory.ScopeHost},
	inventory.ScopeVMKNIC:    {inventory.ScopeHost},
	inventory.ScopeHBA:       {inventory.ScopeHost},
	inventory.ScopeLUN:       {inventory.ScopeHost},
	inventory.ScopeSwitch:    {inventory.ScopeHost},
	inventory.ScopeDatastore: {inventory.ScopeVDisk, inventory.ScopeVM, inventory.ScopeLUN, inventory.ScopeHost},
}

// through returns the variable through which a rule of scope from finds objects of scope to; false if it cannot find
// them.
func through(from, to inventory.Scope) (inventory.Scope, bool) {
	for _, s := range slices.Concat([]inventory.Scope{to}, reach[to]) {
		if slices.Contains(expr.Chain[from], s) {
			return s, true
		}
	}
	return "", false
}

func reaches(from, to inventory.Scope) bool {
	_, ok := through(from, to)
	return ok
}

// around lists the scopes whose rules' outcomes a rule of the scope can read.
func around(from inventory.Scope) []inventory.Scope {
	return slices.DeleteFunc(Scopes(), func(to inventory.Scope) bool { return !reaches(from, to) })
}

// addDiagnosisNeeds adds the facts that connect an object to the objects around it that a diagnosis reads.
func addDiagnosisNeeds(n *inventory.Needs, r *Rule, rules map[string]*Rule) {
	addReachNeeds(n, r.Scope, r.At)
	for _, id := range r.refers() {
		if to := rules[id].Scope; to != r.Scope {
			addReachNeeds(n, r.Scope, to)
		}
	}
}

func addReachNeeds(n *inventory.Needs, from, to inventory.Scope) {
	via, _ := through(from, to)
	expr.AddLinkNeeds(n, string(via))
	n.AddFact(reachNeeds[to]...)
}

// reachNeeds are the facts needed to find objects that are in no chain.
var reachNeeds = map[inventory.Scope][]string{
	inventory.ScopePool:      {"VM.poolId", "Pool.parentId"},
	inventory.ScopeSwitch:    {"Switch.hostIds"},
	inventory.ScopeDatastore: {"Datastore.hostIds", "Datastore.extents", "VM.disks", "VDisk.datastoreId"},
}
