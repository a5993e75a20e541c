package tuning

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// lookAtAll asks the server for the effect of each want on its target in its current state.
func lookAtAll(ctx context.Context, s Settings, works []*draft) error {
	var asked []*draft
	var wishes []Wish
	for _, w := range works {
		if why := w.condition.against(); why != "" {
			for _, x := range w.wants {
				x.leave(why)
			}
			continue
		}
		asked, wishes = append(asked, w), append(wishes, w.wish())
	}
	found, err := prospectsOf(ctx, s, wishes)
	if err != nil {
		return err
	}
	for i, w := range asked {
		for j, x := range w.wants {
			x.judge(w.condition, found[i][j])
		}
		w.holdTogether()
	}
	return nil
}

func (w *draft) wish() Wish {
	all := Wish{Condition: w.condition}
	for _, x := range w.wants {
		all.Want = append(all.Want, x.Assignment)
	}
	return all
}

// against returns why the target must not be changed, or "".
func (c Condition) against() string {
	switch {
	case c.Gone != "":
		return c.Gone
	case c.Untouchable != "":
		return c.Untouchable
	case c.Busy != "":
		return "another task is changing it: " + c.Busy
	}
	return ""
}

func (x *want) leave(why string) { x.why, x.refused = why, true }

func (x *want) judge(c Condition, p Prospect) {
	x.prospect = p
	x.activation = activationOn(c, x.activation, p.Activation)
	_, before, reason := p.Before.Get()
	_, after, doubt := p.After.Get()
	missing := c.missing(p.Privileges)
	switch {
	case p.Refused != "":
		x.leave(p.Refused)
	case before == inventory.StateUnread:
		x.leave("its value could not be read: " + cmp.Or(reason, "unknown reason"))
	case after == inventory.StateUnread:
		x.leave("the value to write is unknown: " + cmp.Or(doubt, "unknown reason"))
	case Same(x.Address, p.Before, p.After):
		x.why = "already has this value"
	case x.activation == inventory.ActivationByHand:
		x.leave("the change is manual")
	case len(missing) > 0:
		x.leave("missing privilege " + strings.Join(missing, ", "))
	}
}

// missing lists the needed privileges, each once, that the user is known not to have on the target.
func (c Condition) missing(needed []string) []string {
	have, known := c.Privileges.Value()
	if !known {
		return nil // the server will refuse
	}
	var lacks []string
	for _, p := range needed {
		if !slices.Contains(have, p) && !slices.Contains(lacks, p) {
			lacks = append(lacks, p)
		}
	}
	return lacks
}

// activationOn returns the stricter of what the rule asks for and what the server needs. A VM that is off needs no
// power cycle: the value is in force at its next start.
func activationOn(c Condition, rule, server inventory.Activation) inventory.Activation {
	a := server
	if a.MilderThan(rule) {
		a = rule
	}
	cycle := a == inventory.ActivationPowerCycle || a == inventory.ActivationPowerOff
	if cycle && c.Target.Kind == inventory.ScopeVM && !c.Running {
		return inventory.ActivationNextPowerOn
	}
	return a
}

// holdTogether skips all changes that a rule wants on a VM if one of them is refused: they go in one call because they
// depend on each other, as latency sensitivity depends on its reservations. A change that another rule wants too stays.
// Settings of other targets are written one by one and do not depend on each other.
func (w *draft) holdTogether() {
	if w.target.Kind != inventory.ScopeVM {
		return
	}
	refused := slices.DeleteFunc(slices.Clone(w.wants), func(x *want) bool { return !x.refused })
	for _, bad := range refused {
		for _, x := range w.wants {
			if x.why == "" && x.dropCauses(bad.causes) {
				x.leave("goes together with " + bad.Setting + ", which is skipped: " + bad.why)
			}
		}
	}
}

// dropCauses removes causes. It returns true if none would be left; then it keeps them, for the record.
func (x *want) dropCauses(bad []Cause) bool {
	rest := slices.DeleteFunc(slices.Clone(x.causes), func(c Cause) bool { return slices.ContainsFunc(bad, c.sameAs) })
	if len(rest) == 0 {
		return true
	}
	x.causes = rest
	return false
}

func (w *draft) left() []Left {
	var left []Left
	for _, x := range w.wants {
		if x.why != "" {
			left = append(left, Left{
				Target: w.condition.Target.or(w.target), Address: x.Address, Rules: rulesOf(x.causes), Why: x.why, Refused: x.refused,
			})
		}
	}
	return left
}

// or returns the target as the server knows it now; fields that the server does not report come from known.
func (t Target) or(known Target) Target {
	if t.ID == "" {
		return known
	}
	t.Name, t.Path = cmp.Or(t.Name, known.Name), cmp.Or(t.Path, known.Path)
	return t
}
