package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Plan writes a plan for the person who is going to agree to it: what is changed from what to what, what it needs, how it
// is undone, and what is left alone. Reasons stand once, by rule, below the steps.
func Plan(w io.Writer, plan *tuning.Plan, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t}
	p.line(0, "%s: %s, values read %s", clean(plan.Server.Name), planExtent(plan), plan.Made.UTC().Format(time.RFC3339))
	for i := range plan.Steps {
		p.step(&plan.Steps[i])
	}
	for _, c := range causesOf(plan) {
		p.cause(c)
	}
	p.left(plan.Left)
	p.w.WriteByte('\n')
	p.line(0, "%s", p.term.Style.Bold(planSummary(plan)))
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	return nil
}

// planExtent counts what a plan touches.
func planExtent(plan *tuning.Plan) string {
	changes := 0
	kinds := map[inventory.Scope]map[string]bool{}
	for _, s := range plan.Steps {
		changes += len(s.Changes)
		if kinds[s.Target.Kind] == nil {
			kinds[s.Target.Kind] = map[string]bool{}
		}
		kinds[s.Target.Kind][s.Target.Key()] = true
	}
	if changes == 0 {
		return "nothing to change"
	}
	var parts []string
	for _, kind := range []inventory.Scope{
		inventory.ScopeHost, inventory.ScopeVM, inventory.ScopeCluster, inventory.ScopePool, inventory.ScopeSwitch, inventory.ScopeDatastore,
	} {
		if n := len(kinds[kind]); n > 0 {
			parts = append(parts, count(n, kindWord(kind)))
		}
	}
	return count(changes, "change") + " to " + strings.Join(parts, ", ")
}

// kindWord is a kind of target as people say it.
func kindWord(kind inventory.Scope) string {
	switch kind {
	case inventory.ScopeVM:
		return "VM"
	case inventory.ScopeSwitch:
		return "distributed switch"
	}
	return string(kind)
}

func (p *page) step(s *tuning.Step) {
	p.w.WriteByte('\n')
	p.hanging(0, objectIndent, "%d  %s %s", s.ID, kindWord(s.Target.Kind), p.term.Style.Bold(clean(s.Target.Name)))
	for i := range s.Changes {
		p.change(&s.Changes[i])
	}
	if s.Deferred != "" {
		p.hanging(objectIndent, detailIndent, "%s %s", p.term.Style.Yellow("deferred:"), clean(s.Deferred))
	}
	if s.Owner != "" {
		p.hanging(objectIndent, detailIndent, "%s %s; the change belongs in %s", p.term.Style.Yellow("owner:"), clean(s.Owner), clean(s.Place))
	}
	for _, n := range s.Notes {
		p.hanging(objectIndent, detailIndent, "note: %s", clean(n))
	}
}

func (p *page) change(c *tuning.Change) {
	p.hanging(objectIndent, detailIndent, "%s  %s", addressText(c.Address), p.term.Style.Bold(fromTo(c)))
	needs := activationText(c.Activation)
	if !c.Activation.MilderThan(inventory.ActivationNextPowerOn) {
		needs = p.term.Style.Yellow(needs)
	}
	p.hanging(detailIndent, detailIndent+2, "needs: %s", needs)
	undo := undoText(c)
	if c.Inverse.Kind == inventory.InverseNone {
		undo = p.term.Style.Red(undo)
	}
	p.hanging(detailIndent, detailIndent+2, "undone: %s", undo)
	p.hanging(detailIndent, detailIndent+2, "for: %s", join(rulesAsking(c)))
}

// addressText is a setting as rules write it, and whose it is within the target.
func addressText(a tuning.Address) string {
	device := a.Device
	if a.Label != "" {
		device = a.Label
	}
	if device == "" {
		return clean(a.Setting)
	}
	return clean(a.Setting) + " of " + clean(device)
}

func fromTo(c *tuning.Change) string { return valueText(c.Before) + " → " + valueText(c.After) }

// valueText tells a setting that is not there from one that is empty.
func valueText(f inventory.Fact[inventory.Value]) string {
	if _, state, _ := f.Get(); state == inventory.StateAbsent {
		return "unset"
	}
	return clean(text(f, func(v inventory.Value) string { return plain(v.Text) }))
}

// activationText says what a change needs before it is in force.
func activationText(a inventory.Activation) string {
	meaning := map[inventory.Activation]string{
		inventory.ActivationLive:         "in force at once",
		inventory.ActivationNextPowerOn:  "in force when the VM is powered on",
		inventory.ActivationPowerCycle:   "in force after a power cycle of the VM",
		inventory.ActivationPowerOff:     "the VM has to be off",
		inventory.ActivationDriverReload: "in force when the driver is loaded again, which takes a reboot of the host",
		inventory.ActivationHostReboot:   "in force after a reboot of the host",
		inventory.ActivationByHand:       "by a person only",
	}[a]
	return string(a) + ", " + meaning
}

// undoText says what takes a change back.
func undoText(c *tuning.Change) string {
	if c.Inverse.Kind == inventory.InverseNone {
		return strings.TrimSuffix("by nothing: "+clean(c.Inverse.About), ": ")
	}
	var all []string
	for _, a := range c.Inverse.Write {
		what := "set to " + valueText(a.Value)
		if _, state, _ := a.Value.Get(); state == inventory.StateAbsent {
			what = "removed"
		}
		if a.Key() != c.Key() {
			what = addressText(a.Address) + " " + what
		}
		all = append(all, what)
	}
	s := strings.Join(all, ", ")
	if c.Inverse.Kind == inventory.InverseEquivalent {
		s += " (equivalent)"
	}
	if c.Inverse.About != "" {
		s += ": " + clean(c.Inverse.About)
	}
	return s
}

// rulesAsking are the rules that ask for a change, each once.
func rulesAsking(c *tuning.Change) []string {
	var ids []string
	for _, cause := range c.Causes {
		id := clean(cause.Rule)
		if cause.Object != "" && cause.Object != cause.Rule {
			id += " on " + clean(cause.Object)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// causesOf are the causes of all changes, one a rule.
func causesOf(plan *tuning.Plan) []tuning.Cause {
	var all []tuning.Cause
	for _, s := range plan.Steps {
		for _, c := range s.Changes {
			for _, cause := range c.Causes {
				if !slices.ContainsFunc(all, func(o tuning.Cause) bool { return o.Rule == cause.Rule }) {
					all = append(all, cause)
				}
			}
		}
	}
	return all
}

func (p *page) cause(c tuning.Cause) {
	p.w.WriteByte('\n')
	severity := ""
	if c.Severity != "" {
		severity = " (" + clean(c.Severity) + ")"
	}
	p.hanging(0, objectIndent, "%s%s  %s", p.term.Style.Bold(clean(c.Rule)), severity, clean(c.Title))
	for _, b := range c.Benefit {
		p.hanging(objectIndent, detailIndent, "benefit: %s", clean(oneLine(b)))
	}
	if c.Risk != "" {
		p.hanging(objectIndent, detailIndent, "risk: %s", clean(oneLine(c.Risk)))
	}
}

// left lists what rules ask for and the plan leaves alone: what is refused first, for somebody may want to do something
// about it.
func (p *page) left(all []tuning.Left) {
	if len(all) == 0 {
		return
	}
	p.w.WriteByte('\n')
	p.line(0, "%s", p.term.Style.Bold("left alone"))
	for _, g := range alike(refusedFirst(all)) {
		l, names := g[0], clean(g[0].Target.Name)
		word := ""
		if l.Refused {
			word = p.term.Style.Yellow("REFUSED") + "  "
		} else {
			names = someTargets(g)
		}
		p.hanging(objectIndent, detailIndent, "%s%s  %s (%s): %s", word, names, addressText(l.Address), clean(join(l.Rules)), clean(l.Why))
	}
}

// alike puts together what is left alone of several objects for one reason. What is refused stands by itself.
func alike(all []tuning.Left) [][]tuning.Left {
	var groups [][]tuning.Left
	at := map[string]int{}
	for _, l := range all {
		key := strings.Join(append(slices.Clone(l.Rules), l.Address.Key(), l.Address.Label, l.Why), "\x00")
		i, seen := at[key]
		if l.Refused || !seen {
			at[key] = len(groups)
			groups = append(groups, []tuning.Left{l})
			continue
		}
		groups[i] = append(groups[i], l)
	}
	return groups
}

func someTargets(all []tuning.Left) string {
	names := make([]string, len(all))
	for i, l := range all {
		names[i] = l.Target.Name
	}
	return someOf(names)
}

func refusedFirst(all []tuning.Left) []tuning.Left {
	return slices.SortedStableFunc(slices.Values(all), func(a, b tuning.Left) int {
		switch {
		case a.Refused == b.Refused:
			return 0
		case a.Refused:
			return -1
		}
		return 1
	})
}

// planSummary counts changes by what they need, and what is left out.
func planSummary(plan *tuning.Plan) string {
	by := map[inventory.Activation]int{}
	changes, deferred, refused := 0, 0, 0
	for _, s := range plan.Steps {
		changes += len(s.Changes)
		if s.Deferred != "" {
			deferred += len(s.Changes)
		}
		for _, c := range s.Changes {
			by[c.Activation]++
		}
	}
	for _, l := range plan.Left {
		if l.Refused {
			refused++
		}
	}
	var parts []string
	for _, a := range inventory.Activations() {
		if by[a] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", by[a], a))
		}
	}
	text := "nothing to change"
	if changes > 0 {
		text = fmt.Sprintf("%s in %s (%s)", count(changes, "change"), count(len(plan.Steps), "step"), strings.Join(parts, ", "))
	}
	if deferred > 0 {
		text += fmt.Sprintf(", %d deferred", deferred)
	}
	return fmt.Sprintf("%s; %d refused, %d left alone", text, refused, len(plan.Left)-refused)
}

func join(words []string) string { return strings.Join(words, ", ") }
