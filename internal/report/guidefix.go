package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// activationWords say when a change takes effect.
var activationWords = map[inventory.Activation]string{
	inventory.ActivationLive:         "takes effect at once",
	inventory.ActivationNextPowerOn:  "takes effect when the VM is next powered on",
	inventory.ActivationPowerCycle:   "takes effect after the VM was powered off and on; a reboot of the guest is not enough",
	inventory.ActivationPowerOff:     "takes the VM off: a running one refuses it",
	inventory.ActivationDriverReload: "takes effect when the driver is loaded again, which means a reboot of the host",
	inventory.ActivationHostReboot:   "takes effect after a reboot of the host",
	inventory.ActivationByHand:       "takes a person's hands",
}

// inverseWords say how a change is taken back.
var inverseWords = map[inventory.Inverse]string{
	inventory.InverseExact:      "the old value is the way back",
	inventory.InverseEquivalent: "the way back is a value that means the same",
	inventory.InverseNone:       "there is no way back",
}

// consentWords say how a change is agreed to.
var consentWords = map[advice.Consent]string{
	advice.ConsentAny:   "part of fixing everything",
	advice.ConsentNamed: "only when you name the rule",
	advice.ConsentValue: "only with a value you give",
	advice.ConsentNever: "explained, never applied",
}

func (g *guidePage) fix(r *advice.Rule) {
	switch {
	case len(r.Remedy) > 0:
		g.titled("Fix", g.remedies(r))
	case r.Manual == "":
		g.say("**Fix.** There is no setting to change: what to do depends on the case.")
	}
	always, sometimes := guideNotes(r)
	g.list(always)
	g.titled("A finding adds, where it is so", sometimes)
}

// remedies says each change, and what it takes; what all of them take is said once, in the end.
func (g *guidePage) remedies(r *advice.Rule) []string {
	items := make([]string, len(r.Remedy))
	costs := make([]string, len(r.Remedy))
	for i, m := range r.Remedy {
		items[i], costs[i] = g.change(m), cost(m)
	}
	if len(slices.Compact(slices.Clone(costs))) == 1 && len(items) > 1 {
		return append(items, "Each "+costs[0]+".")
	}
	for i := range items {
		items[i] += "; it " + costs[i]
	}
	return items
}

func cost(m advice.Remedy) string {
	s := m.Setting()
	if !s.Kind.Applicable {
		return "takes a person's hands: vperf never does it"
	}
	return fmt.Sprintf("%s; %s; %s", activationWords[m.Activation], inverseWords[s.Kind.Inverse], consentWords[m.Consent])
}

// change is what a remedy sets, and to what.
func (g *guidePage) change(m advice.Remedy) string {
	what := g.setting(m.Setting())
	to := oneLine(m.To.Source)
	item := fmt.Sprintf("set %s to what `%s` gives", what, to)
	switch value, plain := plainValue(to); {
	case plain && value == "" && strings.HasSuffix(m.Setting().Kind.Name, "-vmx"):
		item = "remove " + what
	case plain && value == "":
		item = "clear " + what
	case plain:
		item = fmt.Sprintf("set %s to `%s`", what, value)
	case strings.HasPrefix(to, "params."):
		item = fmt.Sprintf("set %s to the parameter `%s`", what, strings.TrimPrefix(to, "params."))
	}
	if !m.When.Empty() && !saysOnlyDifferent(m) {
		item += ", under a condition of its own"
	}
	return item
}

// setting names a setting as people know it.
func (g *guidePage) setting(s inventory.Setting) string {
	switch s.Kind.Name {
	case "host-option":
		return "host option `" + s.Key + "`"
	case "vm-vmx":
		if s.Key == "*" {
			return "each VMX key that was found"
		}
		return "VMX key `" + s.Key + "`"
	case "vnic-vmx":
		return "VMX key `ethernetN." + s.Key + "`"
	}
	return "`" + s.String() + "`"
}

var literalValue = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?|true|false|"[^"]*")$`)

// plainValue is what an expression gives whatever the facts are.
func plainValue(source string) (string, bool) {
	return strings.Trim(source, `"`), literalValue.MatchString(source)
}

var different = regexp.MustCompile(`^\w+\.(?:option\("([^"]+)"\)|\w+) != (\S+)$`)

// saysOnlyDifferent reports a condition that only keeps a remedy from setting what is set.
func saysOnlyDifferent(m advice.Remedy) bool {
	d := different.FindStringSubmatch(oneLine(m.When.Source))
	return d != nil && d[2] == oneLine(m.To.Source) && (d[1] == "" || d[1] == m.Setting().Key)
}

// guideNotes are the notes that always hold, and those that a finding carries only where they do.
func guideNotes(r *advice.Rule) (always, sometimes []string) {
	for _, n := range r.Notes {
		if n.When.Empty() {
			always = append(always, oneLine(n.Text))
		} else {
			sometimes = append(sometimes, oneLine(n.Text))
		}
	}
	for _, c := range r.Cases {
		if c.About != "" {
			sometimes = append(sometimes, fmt.Sprintf("%s Severity is then %s.", oneLine(c.About), c.Severity))
		}
	}
	return always, sometimes
}

// takes is what the index says of a rule's fix: all its activations, mildest first.
func takes(r *advice.Rule) string {
	if r.Manual != "" {
		return "a person looks"
	}
	var words []string
	for _, a := range inventory.Activations() {
		if slices.ContainsFunc(r.Remedy, func(m advice.Remedy) bool { return m.Activation == a && m.Consent != advice.ConsentNever }) {
			words = append(words, string(a))
		}
	}
	switch {
	case len(words) > 0:
		return strings.Join(words, " or ")
	case len(r.Remedy) > 0:
		return "explained only"
	}
	return "advice"
}
