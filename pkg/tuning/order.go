package tuning

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// kindOrder is the order in which kinds of target are changed: a pool's limit is raised before reservations inside
// it are set, and kinds that affect more objects come later.
var kindOrder = []inventory.Scope{
	inventory.ScopePool, inventory.ScopeVM, inventory.ScopeHost, inventory.ScopeDatastore, inventory.ScopeSwitch, inventory.ScopeCluster,
}

// sortSteps sorts steps into a safe order and numbers them. VMs that release reservations come first, so that others can
// use them. A VM's steps stay together, so that one power cycle serves them. Of hosts' steps, those without a restart
// come first: a failed reboot then stops only other reboots.
func sortSteps(steps []Step) {
	takes := map[string]bool{} // VMs with changes other than releases
	for _, s := range steps {
		takes[s.Target.Key()] = takes[s.Target.Key()] || !s.releases()
	}
	slices.SortStableFunc(steps, func(a, b Step) int {
		return cmp.Or(
			cmp.Compare(kindRank(a), kindRank(b)),
			cmp.Compare(a.phase(takes), b.phase(takes)),
			strings.Compare(a.Target.Path, b.Target.Path),
			strings.Compare(a.Target.ID, b.Target.ID),
			cmp.Compare(len(a.Deferred), len(b.Deferred)), // "" first
		)
	})
	for i := range steps {
		steps[i].ID = i + 1
	}
}

// kindRank returns the position of a step's kind in the order; unknown kinds come last.
func kindRank(s Step) int {
	if i := slices.Index(kindOrder, s.Target.Kind); i >= 0 {
		return i
	}
	return len(kindOrder)
}

func (s Step) phase(takes map[string]bool) int {
	first := true
	switch s.Target.Kind {
	case inventory.ScopeVM:
		first = !takes[s.Target.Key()]
	case inventory.ScopeHost:
		first = s.Activation == inventory.ActivationLive
	}
	if first {
		return 0
	}
	return 1
}

// releases reports whether a step only releases reservations.
func (s Step) releases() bool {
	return !slices.ContainsFunc(s.Changes, func(c Change) bool { return !c.releases() })
}

func (c Change) releases() bool {
	before, _ := c.Before.Value()
	after, _ := c.After.Value()
	return kindOf(c.Address).Releases(before, after)
}
