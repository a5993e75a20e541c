package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Plan writes a plan for the person who is going to agree to it: what is changed from what to what, what it needs, how it
// is undone, and what is left alone. Reasons stand once, by rule, below the steps. Unless all of it is wanted in full, what
// is the same for several objects is said once with all their names, the changes of a long plan take a line each, and a long
// list of what is left alone is counted.
func Plan(w io.Writer, plan *tuning.Plan, full bool, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t, whole: full}
	p.line(0, "%s: %s, values read %s", wording.Clean(plan.Server.Name), Extent(plan), plan.Made.UTC().Format(time.RFC3339))
	p.allSteps(plan)
	for i, c := range causesOf(plan) {
		if i == 0 || !p.brief {
			p.w.WriteByte('\n')
		}
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

// Extent counts what a plan touches.
func Extent(plan *tuning.Plan) string {
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
			parts = append(parts, plural.Count(n, wording.TargetKind(kind)))
		}
	}
	return plural.Count(changes, "change") + " to " + strings.Join(parts, ", ")
}

// addressText is a setting as rules write it, and whose it is within the target.
func addressText(a tuning.Address) string {
	device := a.Device
	if a.Label != "" {
		device = a.Label
	}
	if device == "" {
		return wording.Clean(a.Setting)
	}
	return wording.Clean(a.Setting) + " of " + wording.Clean(device)
}

func fromTo(c *tuning.Change) string {
	return valueText(c.Address, c.Before) + " → " + valueText(c.Address, c.After)
}

// valueText tells a setting that is not there from one that is empty, and says what a number counts.
func valueText(a tuning.Address, f inventory.Fact[inventory.Value]) string {
	if _, state, _ := f.Get(); state == inventory.StateAbsent {
		return "unset"
	}
	return wording.Clean(wording.FactText(f, func(v inventory.Value) string {
		unit, counts := units[a.Setting]
		switch {
		case counts && v.Text == "-1":
			return "no limit"
		case counts:
			return strings.TrimSpace(wording.Plain(v.Text) + " " + unit)
		}
		return wording.Plain(v.Text)
	}))
}

// units are what limits and reservations count; of all of them vSphere writes no limit as -1.
var units = map[string]string{
	"vm-cpu-limit": "MHz", "vm-cpu-reservation": "MHz", "vm-memory-limit": "MB", "vm-memory-reservation": "MB", "pool-cpu-limit": "MHz", "pool-memory-limit": "MB",
	"vdisk-iops-limit": "IOPS",
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
		return strings.TrimSuffix("by nothing: "+wording.Clean(c.Inverse.About), ": ")
	}
	var all []string
	for _, a := range c.Inverse.Write {
		what := "set to " + valueText(a.Address, a.Value)
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
		s += ": " + wording.Clean(c.Inverse.About)
	}
	return s
}

// rulesAsking are the rules that ask for a change, each once, with the devices of the target that failed them.
func rulesAsking(of tuning.Target, c *tuning.Change) []string {
	var ids []string
	on := map[string][]string{}
	for _, cause := range c.Causes {
		if !slices.Contains(ids, cause.Rule) {
			ids = append(ids, cause.Rule)
		}
		object := wording.Clean(strings.TrimPrefix(cause.Object, of.Path+"/"))
		if object != "" && object != cause.Rule && !slices.Contains(on[cause.Rule], object) {
			on[cause.Rule] = append(on[cause.Rule], object)
		}
	}
	for i, id := range ids {
		ids[i] = wording.Clean(id)
		if on[id] != nil {
			ids[i] += " on " + join(on[id])
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
	severity := ""
	if c.Severity != "" {
		severity = " (" + wording.Clean(c.Severity) + ")"
	}
	p.hanging(0, objectIndent, "%s%s  %s", p.term.Style.Bold(wording.Clean(c.Rule)), severity, wording.Clean(c.Title))
	shown := c.Benefit
	if !p.whole && len(shown) > 1 {
		shown = shown[:1]
	}
	for _, b := range shown {
		p.hanging(objectIndent, detailIndent, "benefit: %s", wording.Clean(wording.OneLine(b)))
	}
	if more := len(c.Benefit) - len(shown); more > 0 {
		p.hanging(objectIndent, detailIndent, "%s: vperf explain %s", plural.Count(more, "more measurement"), wording.Clean(c.Rule))
	}
	if c.Risk != "" {
		p.hanging(objectIndent, detailIndent, "risk: %s", wording.Clean(wording.OneLine(c.Risk)))
	}
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
		text = fmt.Sprintf("%s in %s (%s)", plural.Count(changes, "change"), plural.Count(len(plan.Steps), "step"), strings.Join(parts, ", "))
	}
	if deferred > 0 {
		text += fmt.Sprintf(", %d deferred", deferred)
	}
	return fmt.Sprintf("%s; %d refused, %d left alone", text, refused, len(plan.Left)-refused)
}

func join(words []string) string { return strings.Join(words, ", ") }
