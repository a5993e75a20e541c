package report

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// manySteps is the number of steps above which each change takes one line.
const manySteps = 8

// allSteps writes the steps of a plan.
func (p *page) allSteps(plan *tuning.Plan) {
	groups := p.similarSteps(plan)
	if !p.whole && len(groups) > manySteps {
		p.brief = true
		groups = onOneTarget(p.similarSteps(plan))
	}
	for _, g := range groups {
		p.steps(g)
	}
	if p.brief {
		p.w.WriteByte('\n')
		p.line(0, "undo: restore the old value, unless noted; --full lists each change")
		if slices.ContainsFunc(plan.Steps, func(s tuning.Step) bool { return s.Deferred != "" }) {
			p.line(0, "deferred: the VM is running and must be off; %s shuts it down and starts it", p.term.Typed.Command("apply", "--allow", "power-cycle"))
		}
	}
}

// sameSteps holds steps that make the same change to several objects, and their text.
type sameSteps struct {
	steps []*tuning.Step
	text  string
}

// similarSteps groups steps that differ only in their objects.
func (p *page) similarSteps(plan *tuning.Plan) []*sameSteps {
	var all []*sameSteps
	of := map[string]*sameSteps{}
	for i := range plan.Steps {
		s := &plan.Steps[i]
		text := p.stepText(s)
		key := string(s.Target.Kind) + " " + text
		if p.whole || of[key] == nil {
			of[key] = &sameSteps{text: text}
			all = append(all, of[key])
		}
		of[key].steps = append(of[key].steps, s)
	}
	return all
}

// onOneTarget merges consecutive steps of the same object.
func onOneTarget(all []*sameSteps) []*sameSteps {
	var together []*sameSteps
	for _, g := range all {
		last := len(together) - 1
		if last >= 0 && slices.Equal(together[last].targets(), g.targets()) {
			together[last].steps = append(together[last].steps, g.steps...)
			together[last].text += g.text
			continue
		}
		together = append(together, g)
	}
	return together
}

// targets returns the distinct keys of the objects.
func (g *sameSteps) targets() []string {
	var keys []string
	for _, s := range g.steps {
		if !slices.Contains(keys, s.Target.Key()) {
			keys = append(keys, s.Target.Key())
		}
	}
	return keys
}

func (p *page) steps(g *sameSteps) {
	var names []string
	var ids []int
	seen := map[string]bool{}
	for _, s := range g.steps {
		ids = append(ids, s.ID)
		if !seen[s.Target.Key()] {
			seen[s.Target.Key()] = true
			names = append(names, p.term.Style.Bold(wording.Clean(s.Target.Name)))
		}
	}
	slices.Sort(ids)
	p.w.WriteByte('\n')
	p.hanging(0, detailIndent, "%s  %s %s", ranges(ids), plural.Noun(len(names), wording.TargetKind(g.steps[0].Target.Kind)), join(names))
	p.w.WriteString(g.text)
}

// ranges shortens ascending numbers: 1, 3-5.
func ranges(ids []int) string {
	var parts []string
	for i := 0; i < len(ids); {
		last := i
		for last+1 < len(ids) && ids[last+1] == ids[last]+1 {
			last++
		}
		part := strconv.Itoa(ids[i])
		if last > i {
			part += "-" + strconv.Itoa(ids[last])
		}
		parts, i = append(parts, part), last+1
	}
	return join(parts)
}

// stepText describes a step without its number and object.
func (p *page) stepText(s *tuning.Step) string {
	var b bytes.Buffer
	inner := &page{w: bufio.NewWriter(&b), term: p.term}
	for i := range s.Changes {
		if p.brief {
			inner.changeBriefly(s, &s.Changes[i])
			continue
		}
		inner.change(s.Target, &s.Changes[i])
	}
	if s.Deferred != "" && !p.brief {
		inner.hanging(objectIndent, detailIndent, "%s %s; %s shuts it down and starts it",
			p.term.Style.Yellow("deferred:"), wording.Clean(s.Deferred), p.term.Typed.Command("apply", "--allow", "power-cycle"))
	}
	if s.Owner != "" {
		inner.hanging(objectIndent, detailIndent, "%s %s; the change belongs in %s", p.term.Style.Yellow("owner:"), wording.Clean(s.Owner), wording.Clean(s.Place))
	}
	for _, n := range s.Notes {
		inner.hanging(objectIndent, detailIndent, "note: %s", wording.Clean(n))
	}
	_ = inner.w.Flush() // writing to a buffer cannot fail
	return b.String()
}

func (p *page) change(of tuning.Target, c *tuning.Change) {
	p.hanging(objectIndent, detailIndent, "%s  %s", addressText(c.Address), p.term.Style.Bold(fromTo(c)))
	p.hanging(detailIndent, detailIndent+2, "needs: %s", p.needs(c, activationText(c.Activation)))
	p.undone(c)
	if i := slices.IndexFunc(c.Causes, func(c tuning.Cause) bool { return c.Restores != "" }); i >= 0 {
		p.hanging(detailIndent, detailIndent+2, "restores the default: %s", wording.Clean(c.Causes[i].Restores))
	}
	p.hanging(detailIndent, detailIndent+2, "for: %s", join(rulesAsking(of, c)))
}

// changeBriefly mentions the rollback only if it is unusual.
func (p *page) changeBriefly(s *tuning.Step, c *tuning.Change) {
	needs := string(c.Activation)
	if s.Deferred != "" {
		needs += ", deferred"
	}
	p.hanging(objectIndent, detailIndent, "%s  %s  (%s, for %s)", addressText(c.Address), p.term.Style.Bold(fromTo(c)),
		p.needs(c, needs), join(rulesAsking(s.Target, c)))
	if c.Inverse.Kind != inventory.InverseExact {
		p.undone(c)
	}
}

// needs marks a change that needs more than the write itself.
func (p *page) needs(c *tuning.Change, text string) string {
	if c.Activation.MilderThan(inventory.ActivationNextPowerOn) {
		return text
	}
	return p.term.Style.Yellow(text)
}

func (p *page) undone(c *tuning.Change) {
	undo := undoText(c)
	if c.Inverse.Kind == inventory.InverseNone {
		undo = p.term.Style.Red(undo)
	}
	p.hanging(detailIndent, detailIndent+2, "undone: %s", undo)
}
