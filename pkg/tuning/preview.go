package tuning

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// previewAll asks the server for the effect of each want on its target in its current state.
func previewAll(ctx context.Context, s Settings, drafts []*draft) error {
	var asked []*draft
	var requests []Request
	for _, w := range drafts {
		if why := w.condition.reasonAgainst(); why != "" {
			for _, x := range w.wants {
				x.skip(why)
			}
			continue
		}
		asked, requests = append(asked, w), append(requests, w.request())
	}
	found, err := previewsOf(ctx, s, requests)
	if err != nil {
		return err
	}
	for i, w := range asked {
		for j, x := range w.wants {
			x.judge(w.condition, found[i][j])
		}
		w.skipTogether()
	}
	return nil
}

func (w *draft) request() Request {
	all := Request{Condition: w.condition}
	for _, x := range w.wants {
		all.Assignments = append(all.Assignments, x.Assignment)
	}
	return all
}

// reasonAgainst returns why the target must not be changed, or "".
func (c Condition) reasonAgainst() string {
	switch {
	case c.Gone != "":
		return c.Gone
	case c.Untouchable != "":
		return c.Untouchable
	case c.Busy != "":
		return "another task is running on it: " + c.Busy
	}
	return ""
}

func (x *want) skip(why string) { x.why, x.refused = why, true }

func (x *want) judge(c Condition, p Preview) {
	x.preview = p
	x.activation = activationOn(c, x.activation, p.Activation)
	_, before, reason := p.Before.Get()
	_, after, doubt := p.After.Get()
	missing := c.missingPrivileges(p.Privileges)
	switch {
	case p.Refused != "":
		x.skip(p.Refused)
	case before == inventory.StateUnread:
		x.skip("its value could not be read: " + cmp.Or(reason, "unknown reason"))
	case after == inventory.StateUnread:
		x.skip("the value to write is unknown: " + cmp.Or(doubt, "unknown reason"))
	case Same(x.Address, p.Before, p.After):
		x.why = "already has this value"
	case x.activation == inventory.ActivationManual:
		x.skip("the change is manual")
	case len(missing) > 0:
		x.skip("missing privilege " + strings.Join(missing, ", "))
	}
}

// missingPrivileges lists the needed privileges, each once, that the user is known not to have on the target.
func (c Condition) missingPrivileges(needed []string) []string {
	have, known := c.Privileges.Value()
	if !known {
		return nil // the server will refuse
	}
	var missing []string
	for _, p := range needed {
		if !slices.Contains(have, p) && !slices.Contains(missing, p) {
			missing = append(missing, p)
		}
	}
	return missing
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

// skipTogether skips all changes that a rule wants on a VM if one of them is refused: they go in one call because they
// depend on each other, as latency sensitivity depends on its reservations. A change that another rule wants too stays.
// Settings of other targets are written one by one and do not depend on each other.
func (w *draft) skipTogether() {
	if w.target.Kind != inventory.ScopeVM {
		return
	}
	refused := slices.DeleteFunc(slices.Clone(w.wants), func(x *want) bool { return !x.refused })
	for _, bad := range refused {
		for _, x := range w.wants {
			if x.why == "" && x.dropCauses(bad.causes) {
				x.skip("goes together with " + bad.Setting + ", which is skipped: " + bad.why)
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

func (w *draft) skipped() []Skipped {
	var skipped []Skipped
	for _, x := range w.wants {
		if x.why != "" {
			skipped = append(skipped, Skipped{
				Target: w.condition.Target.or(w.target), Address: x.Address, Rules: rulesOf(x.causes), Why: x.why, Refused: x.refused,
			})
		}
	}
	return skipped
}

// or returns the target as the server knows it now; fields that the server does not report come from known.
func (t Target) or(known Target) Target {
	if t.ID == "" {
		return known
	}
	t.Name, t.Path = cmp.Or(t.Name, known.Name), cmp.Or(t.Path, known.Path)
	return t
}
