package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Plan returns a plan for approval: old and new values, requirements, rollback, and skipped changes. Reasons appear once, by rule,
// below the steps. Unless full is true, it merges identical steps of several objects and lists their names, writes one line per
// change in a long plan, and counts a long list of skipped changes.
func Plan(plan *tuning.Plan, full bool, t Terminal) doc.Document {
	p := &planDoc{Plan: plan, full: full, term: t}
	all := append([]doc.Block{
		doc.Title("vperf plan for ", plan.Server.Name),
		doc.P(plan.Server.Name, ": ", Extent(plan), ", values read ", plan.Made.UTC().Format(time.RFC3339), p.digest()),
	}, p.steps()...)
	return doc.Of(append(all, doc.Section("why", collect.Map(causesOf(plan), p.cause)...), doc.Section("skipped", p.skipped()...),
		doc.P(doc.Bold(planSummary(plan))))...)
}

type planDoc struct {
	*tuning.Plan

	full  bool
	brief bool // each change takes one line
	term  Terminal
}

// digest returns the start of the digest, long enough to compare by eye.
func (p *planDoc) digest() string {
	if p.Digest == "" {
		return ""
	}
	return ", digest " + p.Digest[:min(len(p.Digest), 12)]
}

func (p *planDoc) cause(c tuning.Cause) doc.Block {
	severity := ""
	if c.Severity != "" {
		severity = " (" + c.Severity + ")"
	}
	benefits, more := c.Benefit, ""
	if !p.full && len(benefits) > 1 {
		more = plural.Count(len(benefits)-1, "more measurement") + ": vperf explain " + c.Rule
		benefits = benefits[:1]
	}
	benefits = collect.Map(benefits, wording.OneLine)
	return doc.Item(doc.Apart(doc.T(doc.Bold(c.Rule), severity), c.Title),
		doc.Fields(doc.Lines("benefit", append(benefits, more)...), doc.F("risk", wording.OneLine(c.Risk))))
}

// fewSkipped is the number of skipped lines up to which the plan lists instead of counts them.
const fewSkipped = 6

// skipped lists the skipped changes: refused ones first, because the user may want to act on them. It counts a long remainder by
// reason.
func (p *planDoc) skipped() (all []doc.Block) {
	var rest [][]tuning.Skipped
	for _, g := range groupSteps(p.Skipped) {
		if !g[0].Refused {
			rest = append(rest, g)
			continue
		}
		all = append(all, skippedItem(g, doc.Apart(doc.S(doc.Warn, "REFUSED"), join(targetNames(g)))))
	}
	if !p.full && len(rest) > fewSkipped {
		return append(all, p.skippedCounts(rest)...)
	}
	for _, g := range rest {
		names := wording.SomeNames(targetNames(g))
		if p.full {
			names = join(targetNames(g))
		}
		all = append(all, skippedItem(g, doc.T(names)))
	}
	return all
}

func skippedItem(g []tuning.Skipped, who doc.Text) doc.Block {
	what := join(g[0].Rules)
	if setting := addressText(g[0].Address); setting != "" {
		what = setting + " (" + what + ")"
	}
	return doc.Item(doc.Apart(who, what+": "+g[0].Why))
}

// skippedCounts counts skipped changes by the head of their reasons, and names the rules or, if they are fewer, the objects.
func (p *planDoc) skippedCounts(groups [][]tuning.Skipped) []doc.Block {
	var by collect.ByKey[string, []tuning.Skipped]
	for _, g := range groups {
		head, _, _ := strings.Cut(g[0].Why, ":")
		of := by.At(head)
		*of = append(*of, g...)
	}
	slices.SortStableFunc(by.Keys, func(a, b string) int { return cmp.Compare(len(*by.At(b)), len(*by.At(a))) })
	all := collect.Each(by, func(head string, of *[]tuning.Skipped) doc.Block {
		names := targetNames(*of)
		if rules := rulesWithSkipped(*of); len(rules) <= len(names) {
			names = rules
		}
		some := join(names)
		if p.term.TTY {
			some = wording.SomeNames(names)
		}
		return doc.Item(doc.Apart(strconv.Itoa(len(*of)), head+": "+some))
	})
	return append(all, doc.Item(doc.T("--full lists each with its reason")))
}

// manySteps is the number of steps above which each change takes one line.
const manySteps = 8

func (p *planDoc) steps() []doc.Block {
	groups := p.similarSteps()
	if !p.full && len(groups) > manySteps {
		p.brief = true
		groups = onOneTarget(p.similarSteps())
	}
	all := collect.Map(groups, (*sameSteps).block)
	if !p.brief {
		return all
	}
	legend := []doc.Block{doc.P("undo: restore the old value, unless noted; --full lists each change")}
	if slices.ContainsFunc(p.Steps, func(s tuning.Step) bool { return s.Deferred != "" }) {
		legend = append(legend, doc.P("deferred: the VM is running and must be off; ", p.shutDown()))
	}
	return append(all, doc.Group(legend...))
}

func (p *planDoc) shutDown() string {
	return p.term.Typed.Command("apply", "--allow", "power-cycle") + " shuts it down and starts it"
}

// sameSteps holds steps that make the same change to several objects, and what the plan says about each.
type sameSteps struct {
	steps []*tuning.Step
	under []doc.Block
}

// similarSteps groups steps that differ only in their objects.
func (p *planDoc) similarSteps() []*sameSteps {
	var by collect.ByKey[string, *sameSteps]
	for i := range p.Steps {
		s := &p.Steps[i]
		under := p.step(s)
		key := fmt.Sprint(s.Target.Kind, under)
		if p.full {
			key = strconv.Itoa(i)
		}
		of := by.At(key)
		if *of == nil {
			*of = &sameSteps{under: under}
		}
		(*of).steps = append((*of).steps, s)
	}
	return by.Values()
}

// onOneTarget merges consecutive steps of the same object.
func onOneTarget(all []*sameSteps) []*sameSteps {
	var together []*sameSteps
	for _, g := range all {
		last := len(together) - 1
		if last >= 0 && slices.Equal(together[last].targets().Keys, g.targets().Keys) {
			together[last].steps = append(together[last].steps, g.steps...)
			together[last].under = append(together[last].under, g.under...)
			continue
		}
		together = append(together, g)
	}
	return together
}

// targets returns the names of the objects, by key.
func (g *sameSteps) targets() (by collect.ByKey[string, string]) {
	for _, s := range g.steps {
		*by.At(s.Target.Key()) = s.Target.Name
	}
	return by
}

func (g *sameSteps) block() doc.Block {
	ids := collect.Map(g.steps, func(s *tuning.Step) int { return s.ID })
	slices.Sort(ids)
	of := g.targets()
	names := of.Values()
	return doc.Part(doc.Apart(ranges(ids), doc.T(plural.Noun(len(names), wording.TargetKind(g.steps[0].Target.Kind)), " ", doc.Bold(join(names)))), g.under...)
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

// step describes a step without its number and object.
func (p *planDoc) step(s *tuning.Step) []doc.Block {
	all := collect.Map(s.Changes, func(c tuning.Change) doc.Block {
		if p.brief {
			return changeBriefly(s, &c)
		}
		return change(s.Target, &c)
	})
	var more []doc.Field
	if s.Deferred != "" && !p.brief {
		more = append(more, doc.F("deferred", doc.S(doc.Warn, s.Deferred), "; ", p.shutDown()))
	}
	if s.Owner != "" {
		more = append(more, doc.F("owner", doc.S(doc.Warn, s.Owner), "; the change belongs in ", s.Place))
	}
	return append(all, doc.Fields(append(more, doc.Lines("note", s.Notes...))...))
}

func change(of tuning.Target, c *tuning.Change) doc.Block {
	restores := ""
	if i := slices.IndexFunc(c.Causes, func(c tuning.Cause) bool { return c.Restores != "" }); i >= 0 {
		restores = "restored; " + c.Causes[i].Restores
	}
	return doc.Item(doc.Apart(addressText(c.Address), doc.Bold(fromTo(c))), doc.Fields(
		doc.F("needs", needs(c, activationText(c.Activation))), undone(c), doc.F("default", restores), doc.F("for", join(rulesAsking(of, c)))))
}

// changeBriefly mentions the rollback only if it is unusual.
func changeBriefly(s *tuning.Step, c *tuning.Change) doc.Block {
	text := string(c.Activation)
	if s.Deferred != "" {
		text += ", deferred"
	}
	b := doc.Item(doc.Apart(addressText(c.Address), doc.Bold(fromTo(c)), doc.T("(", needs(c, text), ", for "+join(rulesAsking(s.Target, c))+")")))
	if c.Inverse.Kind != inventory.InverseExact {
		return b.With(doc.Fields(undone(c)))
	}
	return b
}

// needs marks a change that needs more than the write itself.
func needs(c *tuning.Change, text string) doc.Span {
	if c.Activation.MilderThan(inventory.ActivationNextPowerOn) {
		return doc.S(0, text)
	}
	return doc.S(doc.Warn, text)
}

func undone(c *tuning.Change) doc.Field {
	if c.Inverse.Kind == inventory.InverseNone {
		return doc.F("undone", doc.S(doc.Bad, undoText(c)))
	}
	return doc.F("undone", undoText(c))
}
