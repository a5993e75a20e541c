package view

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// mostTargets are as many names as a command that somebody types has room for.
const mostTargets = 8

// Commands are what to type, for a shell, to see and to make the changes of a recommendation: for each rule that vperf can
// do something about, the plan and then the change. None where only a person makes the change; the plan alone where the
// objects are too many to name, so that nobody changes more by pasting than was shown.
func Commands(r *advice.Recommendation) []string {
	var all []string
	for _, g := range fixable(r) {
		targets, rest := targetArgs(g), ruleArgs(g)
		if targets == "" {
			all = append(all, "vperf plan "+rest)
			continue
		}
		all = append(all, "vperf plan "+targets+" "+rest, "vperf apply "+targets+" "+rest)
	}
	return all
}

// fixable are the findings of a recommendation with a change that vperf makes, by rule in the order in which they stand.
func fixable(r *advice.Recommendation) [][]*advice.Finding {
	var by collect.ByKey[string, []*advice.Finding]
	for _, f := range r.Findings {
		if f.Pending != "" || !slices.ContainsFunc(f.Remedies, func(c advice.Change) bool { return !byHand(c) }) {
			continue
		}
		g := by.At(f.Rule.ID)
		*g = append(*g, f)
	}
	return by.Values()
}

// byHand reports a change that vperf explains and never makes.
func byHand(c advice.Change) bool {
	return !c.Setting.Kind.Applicable() || c.Consent == advice.ConsentNever || c.Activation == inventory.ActivationByHand ||
		c.Consent == advice.ConsentValue && len(c.Params) == 0
}

// ruleArgs name the rule of findings, and the values that the user has to give.
func ruleArgs(g []*advice.Finding) string {
	rule := g[0].Rule.ID
	args := []string{"--rule " + shellWord(rule)}
	for _, f := range g {
		for _, c := range f.Remedies {
			if c.Consent != advice.ConsentValue || c.Given || byHand(c) {
				continue
			}
			for _, p := range c.Params {
				args = collect.AddOnce(args, "--set "+shellWord(rule+"."+p)+"=VALUE")
			}
		}
	}
	return strings.Join(args, " ")
}

// targetArgs name the VMs, or else the hosts or clusters, that findings are of; "" where neither can be named, or they are
// too many to type.
func targetArgs(g []*advice.Finding) string {
	var vms, hosts, clusters collect.Distinct
	for _, f := range g {
		vms.Add(vmName(f.Object))
		hosts.Add(hostName(f))
		clusters.Add(clusterName(f.Object))
	}
	switch {
	case fit(vms.Words):
		return "--vm " + shellWord(strings.Join(vms.Words, ","))
	case fit(clusters.Words):
		return "--cluster " + shellWord(strings.Join(clusters.Words, ","))
	case fit(hosts.Words):
		return strings.Join(collect.Map(hosts.Words, shellWord), " ")
	}
	return ""
}

// fit reports names that are there, all of them, and few enough to type.
func fit(names []string) bool { return !slices.Contains(names, "") && len(names) <= mostTargets }

// vmName names the VM that an object is or is a device of; "" where it is neither, or cannot be typed.
func vmName(o inventory.Ref) string {
	switch o.Kind {
	case inventory.ScopeVM:
		return typedName(o)
	case inventory.ScopeVNIC, inventory.ScopeVDisk:
		id, _, _ := strings.Cut(o.ID, "/")
		return typedName(inventory.Ref{ID: id})
	}
	return ""
}

func clusterName(o inventory.Ref) string {
	if o.Kind == inventory.ScopeCluster {
		return typedName(o)
	}
	return ""
}

// hostName names the host that a finding is of or on.
func hostName(f *advice.Finding) string {
	if f.Object.Kind == inventory.ScopeHost {
		return typedName(f.Object)
	}
	return typedName(f.Host)
}

// typedName is an object's name, or its id, which commands take as well, where the name has characters that a shell, a list
// of names or a terminal would take for something else. Names are text that others chose, and people paste.
func typedName(o inventory.Ref) string {
	for _, s := range []string{o.Name, o.ID} {
		if typeable.MatchString(s) {
			return s
		}
	}
	return ""
}

var (
	// typeable means itself inside of the quotes of every shell, and in a list of names.
	typeable = regexp.MustCompile(`^[\p{L}\p{N}_./:(\[]([\p{L}\p{N} _./:()\[\]{}+@=~-]*[\p{L}\p{N}_/)\]}-])?$`)
	// bare means itself without quotes.
	bare = regexp.MustCompile(`^[A-Za-z0-9_./:-]+$`)
)

// shellWord is text as one word of a shell.
func shellWord(s string) string {
	if bare.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// commandOf is what to type to make the changes of one finding, or to see them where it cannot be named.
func commandOf(f *advice.Finding) string {
	if all := Commands(&advice.Recommendation{Findings: []*advice.Finding{f}}); len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}
