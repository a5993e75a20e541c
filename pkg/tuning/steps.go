package tuning

import (
	"cmp"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// steps groups the wanted changes of the target into calls.
func (w *draft) steps() []Step {
	var steps []Step
	later := w.later()
	at := map[string]int{} // group → its step
	for _, x := range w.wants {
		if x.why != "" {
			continue
		}
		group := x.preview.Group
		if later[x] {
			group += " later"
		}
		i, open := at[group]
		if !open || x.preview.Group == "" {
			i = len(steps)
			at[group], steps = i, append(steps, w.step(later[x]))
		}
		steps[i].add(x)
	}
	for i := range steps {
		steps[i].note(w.condition)
	}
	return steps
}

// later returns the changes that wait until the VM is off, because the server refuses them while it runs. Other changes
// of the same rule wait too, because a rule's changes go together.
func (w *draft) later() map[*want]bool {
	later := map[*want]bool{}
	if w.target.Kind != inventory.ScopeVM || !w.condition.Running {
		return later
	}
	for more := true; more; {
		more = false
		for _, x := range w.wants {
			if x.why == "" && !later[x] && (x.activation == inventory.ActivationPowerOff || x.sharesRule(later)) {
				later[x], more = true, true
			}
		}
	}
	return later
}

// sharesRule reports whether x has a cause in common with one of the others.
func (x *want) sharesRule(others map[*want]bool) bool {
	for o := range others {
		if slices.ContainsFunc(o.causes, func(c Cause) bool { return slices.ContainsFunc(x.causes, c.sameAs) }) {
			return true
		}
	}
	return false
}

func (w *draft) step(later bool) Step {
	c := w.condition
	s := Step{Target: c.Target.or(w.target), Owner: c.Owner, Place: c.Place, Host: c.Host, Cluster: c.Cluster}
	if later {
		s.Deferred = "the VM must be off for this change, but it is running"
	}
	return s
}

func (s *Step) add(x *want) {
	p := x.preview
	s.Changes = append(s.Changes, Change{
		Address: x.Address, Before: p.Before, After: p.After, Activation: x.activation, Inverse: p.Inverse,
		Privileges: p.Privileges, Causes: x.causes,
	})
	if len(s.Changes) == 1 || s.Activation.MilderThan(x.activation) {
		s.Activation = x.activation
	}
}

// note adds caveats to the step.
func (s *Step) note(c Condition) {
	needs := slices.ContainsFunc(s.Changes, func(x Change) bool { return len(x.Privileges) > 0 })
	if _, state, reason := c.Privileges.Get(); needs && state != inventory.StateKnown {
		s.Notes = append(s.Notes, "your privileges could not be checked: "+cmp.Or(reason, "the server does not report them"))
	}
	s.Notes = append(s.Notes, c.Doubts...)
}
