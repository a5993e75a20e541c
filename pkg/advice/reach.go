package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
)

// reach is where a rule of one scope finds objects of others: the variable through which it does. Objects in its own chain
// are found without.
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

// through is the variable through which a rule of scope from finds objects of scope to; false where it cannot know what
// became of them.
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

// around lists the kinds of objects of which a rule of the scope can know what became of other rules.
func around(from inventory.Scope) []inventory.Scope {
	return slices.DeleteFunc(Scopes(), func(to inventory.Scope) bool { return !reaches(from, to) })
}

// addDiagnosisNeeds adds the facts that tie an object to those around it that a diagnosis looks at.
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

// reachNeeds are the facts through which objects are found that are in nobody's chain.
var reachNeeds = map[inventory.Scope][]string{
	inventory.ScopePool:      {"VM.poolId", "Pool.parentId"},
	inventory.ScopeSwitch:    {"Switch.hostIds"},
	inventory.ScopeDatastore: {"Datastore.hostIds", "Datastore.extents", "VM.disks", "VDisk.datastoreId"},
}
