package guide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// rule writes the section of a rule. Its heading is the id, because findings link to it.
func (g *writer) rule(r *advice.Rule) {
	g.heading(3, r.ID)
	g.say("**%s.** %s; severity: %s.", prose(strings.TrimSuffix(r.Title, ".")), capital(report.EvaluatedOn(r, scopeName, linkTo)), bySeverity(r))
	g.say("%s", prose(r.Why))
	if r.High != nil {
		g.say("**Why it can be %s.** %s", report.WorstSeverity(r), prose(r.High.Text))
	}
	g.titled("Measured benefit", report.Benefits(r))
	if r.Manual != "" {
		g.say("**How a person looks.** %s", prose(r.Manual))
		g.titled("Data that vperf reads to find the cause", g.readings(r))
	} else {
		g.titled("Data that vperf reads", g.readings(r))
	}
	g.titled("Parameters", report.Params(r))
	if len(r.Covers) > 0 {
		names := make([]string, len(r.Covers))
		for i, c := range r.Covers {
			names[i] = linkTo(c.Rule)
		}
		g.say("**Covers.** Where it fails, what %s found on the same object is folded into it.", and(names))
	}
	g.fix(r)
	if r.Tradeoff != "" {
		g.say("**Trade-off.** %s", prose(r.Tradeoff))
	}
	g.titled("Releases", g.releases(r))
	g.expressions(r)
	g.say("**Sources:** %s.", prose(strings.Join(r.Sources, "; ")))
}

// linkFacts do not show how a rule evaluates objects: they find a related object, or hold keys that are listed separately.
var linkFacts = []string{"VM.hostId", "Host.clusterId", "Host.options", "VM.vmx"}

// powerFacts are the facts that show whether a VM runs.
var powerFacts = []string{"VM.powerState", "VM.template"}

// readings describes the facts that the rule's expressions read, with their sources in vSphere.
func (g *writer) readings(r *advice.Rule) []string {
	needs := g.reads[r.ID]
	var items []string
	for _, f := range needs.Facts() {
		if len(r.Skips()) > 0 && slices.Contains(powerFacts, f) {
			continue // the text above names the objects of the rule
		}
		if d, known := g.facts[f]; known && !slices.Contains(linkFacts, f) {
			items = append(items, reading(f, d))
		}
	}
	items = append(items, named("live counter", arguments(r, "live"), "")...)
	items = append(items, named("VMX key", arguments(r, "vmx"), "config.extraConfig")...)
	items = append(items, named("VMX key pattern", arguments(r, "vmxKeys"), "config.extraConfig")...)
	items = append(items, named("host option", needs.OptionKeys(), "config.option")...)
	if needs.OptionBounds() {
		items = append(items, "default and range of these options, as the host reports them: `config.optionDef`")
	}
	return items
}

// named returns one item for all keys of a kind, or nothing.
func named(kind string, keys []string, path string) []string {
	switch {
	case len(keys) == 0:
		return nil
	case len(keys) > 1:
		kind += "s"
	}
	item := kind + " `" + strings.Join(keys, "`, `") + "`"
	if path != "" {
		item += ": `" + path + "`"
	}
	return []string{item}
}

// reading describes one fact. It omits a path that the description already names.
func reading(fact string, d fact) string {
	words, paths := d.Words, []string{}
	for _, p := range d.Paths {
		if strings.Contains(words, p) {
			words = strings.Replace(words, p, "`"+p+"`", 1)
		} else {
			paths = append(paths, "`"+p+"`")
		}
	}
	if len(paths) == 0 {
		return "`" + fact + "` " + words
	}
	return "`" + fact + "` " + words + ": " + strings.Join(paths, ", ")
}

// arguments returns the distinct strings that a rule's expressions pass to a member function.
func arguments(r *advice.Rule, function string) []string {
	call := regexp.MustCompile(`\.` + function + `\(["']([^"']+)["']\)`)
	var all []string
	for _, e := range expressionsOf(r) {
		for _, m := range call.FindAllStringSubmatch(e, -1) {
			all = append(all, strings.ReplaceAll(m[1], `\\`, `\`))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func expressionsOf(r *advice.Rule) []string {
	all := []string{r.Applies.Source, r.Want.Source, r.Because.Source, r.Lost.Source}
	for _, b := range r.Benefit {
		all = append(all, b.Holds.Source)
	}
	for _, c := range r.Cases {
		all = append(all, c.When.Source)
	}
	for _, e := range r.Evidence {
		all = append(all, e.Expr.Source)
	}
	for _, m := range r.Remedy {
		all = append(all, m.When.Source, m.Each.Source, m.To.Source)
	}
	for _, n := range r.Notes {
		all = append(all, n.When.Source)
	}
	return all
}

// releases describes how releases treat the options that the rule reads or sets; it merges identical options.
func (g *writer) releases(r *advice.Rule) []string {
	needs := g.reads[r.ID]
	var order []string
	keys := map[string][]string{}
	for _, key := range needs.OptionKeys() {
		d, ok := inventory.LookupOption(key)
		if !ok {
			continue
		}
		eras := make([]string, len(d.Eras))
		for i, e := range d.Eras {
			eras[i] = report.EraText(e)
		}
		text := strings.Join(eras, "; ")
		if keys[text] == nil {
			order = append(order, text)
		}
		keys[text] = append(keys[text], "`"+key+"`")
	}
	items := make([]string, len(order))
	for i, text := range order {
		items[i] = and(keys[text]) + ": " + text
	}
	return items
}

// expressions writes the expressions in a folded block, for readers who want to verify the text.
func (g *writer) expressions(r *advice.Rule) {
	if r.Applies.Empty() && r.Want.Empty() && r.Because.Empty() {
		return
	}
	fmt.Fprintf(&g.w, "<details><summary>Expressions of the rule</summary>\n\n```cel\n")
	g.expression("applies", r.Applies)
	g.expression("wants", r.Want)
	g.expression("is the cause when", r.Because)
	g.expression("seconds lost in a second", r.Lost)
	for i, m := range r.Remedy {
		if !saysOnlyDifferent(m) {
			g.expression(fmt.Sprintf("fix %d, when", i+1), m.When)
		}
		if _, plain := plainValue(oneLine(m.To.Source)); !plain {
			g.expression(fmt.Sprintf("fix %d, to", i+1), m.To)
		}
	}
	g.say("```\n\n</details>")
}

func (g *writer) expression(what string, e advice.Expr) {
	if !e.Empty() {
		fmt.Fprintf(&g.w, "// %s\n%s\n", what, strings.TrimRight(e.Source, "\n"))
	}
}
