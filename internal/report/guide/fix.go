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

// activationWords describe when a change takes effect.
var activationWords = map[inventory.Activation]string{
	inventory.ActivationLive:         "takes effect at once",
	inventory.ActivationNextPowerOn:  "takes effect when the VM is next powered on",
	inventory.ActivationPowerCycle:   "takes effect after the VM was powered off and on; a reboot of the guest is not enough",
	inventory.ActivationPowerOff:     "needs the VM powered off",
	inventory.ActivationDriverReload: "takes effect when the driver is loaded again, which means a reboot of the host",
	inventory.ActivationHostReboot:   "takes effect after a reboot of the host",
	inventory.ActivationManual:       "is a manual change",
}

// inverseWords describe how a change is undone.
var inverseWords = map[inventory.Inverse]string{
	inventory.InverseExact:      "can be undone exactly",
	inventory.InverseEquivalent: "can be undone with a value that means the same",
	inventory.InverseNone:       "cannot be undone",
}

// consentWords describe how a user approves a change.
var consentWords = map[advice.Consent]string{
	advice.ConsentFree:  "part of a plan that names no rule",
	advice.ConsentNamed: "only when you name the rule",
	advice.ConsentValue: "only with a value you give",
	advice.ConsentNever: "explained, never applied",
}

func (g *writer) fix(r *advice.Rule) {
	switch {
	case len(r.Explains) > 0:
		g.say("**What to do.** %s", prose(strings.Join(report.Remedies(r, linkTo), " ")))
	case len(r.Remedy) > 0:
		g.say("**Fix**")
		g.remedies(r)
		g.say("**Can be measured here:** %s", prose(report.Measurable(r)))
	case r.Manual == "":
		g.say("**Fix.** vperf has no setting to change here; what to do depends on the case.")
	}
	always, sometimes := guideNotes(r)
	g.prose(always)
	g.titled("A finding adds, where it is so", sometimes)
}

// remedies numbers the changes, so that their conditions can refer to them, and writes their requirements: once for
// consecutive changes with the same requirements.
func (g *writer) remedies(r *advice.Rule) {
	var costs []string
	for i, m := range r.Remedy {
		earlier := slices.ContainsFunc(r.Remedy[:i], func(o advice.Remedy) bool { return o.Set.Text == m.Set.Text })
		fmt.Fprintf(&g.w, "%d. %s\n", i+1, change(m, i+1, earlier))
		costs = append(costs, cost(m))
	}
	g.w.WriteByte('\n')
	for from := 0; from < len(costs); {
		to := from + 1
		for to < len(costs) && costs[to] == costs[from] {
			to++
		}
		if of := fixNumbers(from+1, to, len(costs)); of != "" {
			g.say("%s: %s.", of, costs[from])
		} else {
			g.say("%s.", capital(costs[from]))
		}
		from = to
	}
}

// fixNumbers names a range of the n fixes; it returns "" if the range has all of them.
func fixNumbers(from, to, n int) string {
	switch {
	case from == 1 && to == n:
		return ""
	case from == to:
		return fmt.Sprintf("Fix %d", from)
	}
	if to == from+1 {
		return fmt.Sprintf("Fixes %d and %d", from, to)
	}
	return fmt.Sprintf("Fixes %d to %d", from, to)
}

func cost(m advice.Remedy) string {
	s := m.Setting()
	if !s.Kind.Applicable() {
		return "manual; vperf does not change it"
	}
	return fmt.Sprintf("%s; %s; %s", activationWords[m.Activation], inverseWords[s.Kind.Inverse], consentWords[m.Consent])
}

// longest is the longest value that a fix shows inline; longer ones go below it.
const longest = 80

// change describes the setting and value of remedy n; earlier means that a previous remedy for the same setting takes
// precedence.
func change(m advice.Remedy, n int, earlier bool) string {
	what, to := setting(m.Setting()), oneLine(m.To.Source)
	value, plain := plainValue(to)
	var text string
	switch {
	case plain && value == "" && strings.HasSuffix(m.Setting().Kind.Name, "-vmx"):
		text = "remove " + what
	case plain && value == "":
		text = "clear " + what
	case plain:
		text = fmt.Sprintf("set %s to `%s`", what, value)
	case strings.HasPrefix(to, "params."):
		text = fmt.Sprintf("set %s to the parameter `%s`", what, strings.TrimPrefix(to, "params."))
	case len(to) <= longest:
		text = fmt.Sprintf("set %s to `%s`", what, to)
	default:
		text = fmt.Sprintf("set %s to the value of fix %d below", what, n)
	}
	if earlier {
		text = "otherwise " + text
	}
	if !m.When.Empty() && !saysOnlyDifferent(m) {
		text += ", where its condition below holds"
	}
	return text
}

// setting returns the common name of a setting.
func setting(s inventory.Setting) string {
	switch k := s.Kind; {
	case k.Name == inventory.KindHostOption:
		return "host option `" + s.Key + "`"
	case k.IsVMX() && k.Scope == inventory.ScopeVM:
		if s.Key == "*" {
			return "each VMX key that was found"
		}
		return "VMX key `" + s.Key + "`"
	case k.IsVMX():
		return "VMX key `ethernetN." + s.Key + "`"
	}
	return "`" + s.String() + "`"
}

var literalValue = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?|true|false|"[^"]*")$`)

// plainValue returns the value of a constant expression.
func plainValue(source string) (string, bool) {
	return strings.Trim(source, `"`), literalValue.MatchString(source)
}

// Conditions that only prevent a remedy from writing the current value: a different value, and a switch that is off.
var (
	different = regexp.MustCompile(`^\w+\.(?:option\(["']([^"']+)["']\)|(\w+)) != (\S+)$`)
	switchOff = regexp.MustCompile(`^!\w+\.(?:optionBool\(["']([^"']+)["']\)|(\w+))$`)
)

func saysOnlyDifferent(m advice.Remedy) bool {
	when, to := oneLine(m.When.Source), oneLine(m.To.Source)
	if d := different.FindStringSubmatch(when); d != nil {
		return d[3] == to && readsOwn(m.Setting(), d[1], d[2])
	}
	off := switchOff.FindStringSubmatch(when)
	return off != nil && to == "true" && readsOwn(m.Setting(), off[1], off[2])
}

// readsOwn reports whether an option's key or a fact's field is the setting's own value.
func readsOwn(s inventory.Setting, key, field string) bool {
	needs := s.Needs()
	return slices.Contains(needs.OptionKeys(), key) ||
		slices.ContainsFunc(needs.Facts(), func(f string) bool { return field != "" && strings.HasSuffix(f, "."+field) })
}

// guideNotes returns the unconditional notes, and the notes that a finding has only under a condition.
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

// mayBeDone reports whether vperf or the user can make the change.
func mayBeDone(m advice.Remedy) bool {
	return m.Consent != advice.ConsentNever || m.Activation == inventory.ActivationManual
}

// takes describes the fix of a rule in the index: all its activations, mildest first.
func takes(r *advice.Rule) string {
	switch {
	case r.Manual != "":
		return "a person looks"
	case len(r.Explains) > 0:
		return "explains " + and(r.Explains)
	}
	var words []string
	for _, a := range inventory.Activations() {
		if slices.ContainsFunc(r.Remedy, func(m advice.Remedy) bool { return m.Activation == a && mayBeDone(m) }) {
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
