package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
)

// chapters introduce the categories of the guide.
var chapters = map[advice.Category]string{
	"power":   "How fast cores may run and how deep they may sleep.",
	"numa":    "Keeping threads, memory and devices on one node of the host.",
	"network": "From the physical NIC to the adapter the guest sees.",
	"storage": "Disks, controllers and what lies between them and the array.",
	"vm":      "What a VM is promised, and what holds it back.",
}

// Guide writes docs/best-practices.md: every rule with why it matters, what it was measured to bring, how vperf looks
// and how to fix it. It holds nothing that the rules do not say.
func Guide(w io.Writer, rules []*advice.Rule) error {
	g := &guidePage{bufio.NewWriter(w)}
	g.say("# Best practices for ESXi performance")
	g.say("This guide is made from vperf's rules (`make golden` writes it); each section is one rule, and every finding links to its section.")
	g.say("Severity is given for the profile of an object. vperf tells the profile from the configuration: a VM is *latency* when its latency sensitivity is high and *monster* when it is wider than a NUMA node; a host is *network* when an uplink of 40 Gb/s or more is up and *vsan* when vSAN is on; everything else is *general*. A tag, a custom attribute or a pattern in the config file says otherwise, and `--profile` overrides all.")
	for _, c := range advice.Categories() {
		of := slices.DeleteFunc(slices.Clone(rules), func(r *advice.Rule) bool { return r.Category != c })
		if len(of) == 0 {
			continue
		}
		g.say("## Chapter: %s", c)
		g.say("%s", chapters[c])
		for _, r := range of {
			g.rule(r)
		}
	}
	if err := g.w.Flush(); err != nil {
		return fmt.Errorf("writing the guide: %w", err)
	}
	return nil
}

type guidePage struct{ w *bufio.Writer }

// say writes one paragraph.
func (g *guidePage) say(format string, args ...any) {
	fmt.Fprintf(g.w, format+"\n\n", args...)
}

func (g *guidePage) list(items []string) {
	for _, i := range items {
		fmt.Fprintf(g.w, "- %s\n", i)
	}
	if len(items) > 0 {
		g.w.WriteByte('\n')
	}
}

func (g *guidePage) rule(r *advice.Rule) {
	g.say("### %s", r.ID)
	g.say("**%s** (looks at each %s; severity %s)", r.Title, r.Scope, severities(r))
	g.say("%s", oneLine(r.Why))
	g.say("**Measured benefit**")
	g.list(benefits(r))
	g.say("**How vperf looks**")
	if !r.Applies.Empty() {
		g.code("applies", r.Applies.Source)
	}
	g.code("wants", r.Want.Source)
	g.list(params(r))
	g.say("**Fix**")
	g.list(fixes(r))
	g.list(notes(r))
	g.list(optionEras(r))
	g.say("**Trade-off:** %s", oneLine(r.Tradeoff))
	g.say("**Sources:** %s", strings.Join(r.Sources, "; "))
}

func (g *guidePage) code(what, source string) {
	fmt.Fprintf(g.w, "%s:\n\n```cel\n%s\n```\n\n", what, strings.TrimRight(source, "\n"))
}

func severities(r *advice.Rule) string {
	var parts []string
	for _, p := range advice.Profiles() {
		if s, ok := r.Profiles[p]; ok {
			parts = append(parts, fmt.Sprintf("%s for %s", s, p))
		}
	}
	if len(parts) == 0 {
		return string(r.Severity)
	}
	return strings.Join(parts, ", ") + ", otherwise " + string(r.Severity)
}

func benefits(r *advice.Rule) []string {
	items := make([]string, len(r.Benefit))
	for i, b := range r.Benefit {
		items[i] = b.Text
		if b.When != "" {
			items[i] += " (" + b.When + ")"
		}
		if b.Source != "" {
			items[i] += " — " + b.Source
		}
	}
	return items
}

func fixes(r *advice.Rule) []string {
	items := make([]string, len(r.Remedy))
	for i, m := range r.Remedy {
		s := m.Setting()
		items[i] = fmt.Sprintf("set `%s` to `%s`", s, oneLine(m.To.Source))
		if !m.When.Empty() {
			items[i] += fmt.Sprintf(" when `%s`", oneLine(m.When.Source))
		}
		if !s.Kind.Applicable {
			items[i] += "; by hand, vperf never does it"
			continue
		}
		items[i] += fmt.Sprintf("; takes effect: %s; way back: %s%s", m.Activation, s.Kind.Inverse, consent(m.Consent))
	}
	return items
}

func notes(r *advice.Rule) []string {
	var items []string
	for _, n := range r.Notes {
		text := oneLine(n.Text)
		if !n.When.Empty() {
			text = fmt.Sprintf("when `%s`: %s", oneLine(n.When.Source), text)
		}
		items = append(items, text)
	}
	for _, c := range r.Cases {
		if c.About != "" {
			items = append(items, fmt.Sprintf("%s Severity is then %s.", oneLine(c.About), c.Severity))
		}
	}
	return items
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
