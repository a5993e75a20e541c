package view

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// mostTargets is the maximum number of names in a command to type.
const mostTargets = 8

// Commands returns the shell commands that show and make the changes of a recommendation: for each rule that vperf can fix,
// the plan and then the change. It returns none for a manual change, and only the plan if there are too many objects to
// name, so that a pasted command never changes more than was shown.
func Commands(from typed.Source, r *advice.Recommendation) []string {
	var all []string
	for _, g := range fixable(r) {
		targets := targetArgs(g)
		args := slices.Concat(targets, ruleArgs(g))
		if all = append(all, from.Command(append([]string{"plan"}, args...)...)); len(targets) > 0 {
			all = append(all, from.Command(append([]string{"apply"}, args...)...))
		}
	}
	return all
}

// fixable returns the findings of a recommendation with a change that vperf makes, by rule, in their order.
func fixable(r *advice.Recommendation) [][]*advice.Finding {
	var by collect.ByKey[string, []*advice.Finding]
	for _, f := range r.Findings {
		if f.Pending != "" || !slices.ContainsFunc(f.Remedies, func(c advice.Change) bool { return !isManual(c) }) {
			continue
		}
		g := by.At(f.Rule.ID)
		*g = append(*g, f)
	}
	return by.Values()
}

// isManual reports whether vperf explains a change but never makes it.
func isManual(c advice.Change) bool {
	return !c.Setting.Kind.Applicable() || c.Consent == advice.ConsentNever || c.Activation == inventory.ActivationManual ||
		c.Consent == advice.ConsentValue && len(c.Params) == 0
}

// ruleArgs returns the arguments for the rule of findings, and for values that the user must supply.
func ruleArgs(g []*advice.Finding) []string {
	rule := g[0].Rule.ID
	var values collect.Distinct
	for _, f := range g {
		for _, c := range f.Remedies {
			if c.Consent != advice.ConsentValue || c.Given || isManual(c) {
				continue
			}
			for _, p := range c.Params {
				values.Add(rule + "." + p + "=VALUE")
			}
		}
	}
	args := []string{"--rule", rule}
	for _, v := range values.Words {
		args = append(args, "--set", v)
	}
	return args
}

// targetArgs returns the arguments for the VMs, or else the hosts or clusters, of findings, or none if they have no usable name
// or are too many to type.
func targetArgs(g []*advice.Finding) []string {
	var vms, hosts, clusters collect.Distinct
	for _, f := range g {
		vms.Add(vmName(f.Object))
		hosts.Add(hostName(f))
		clusters.Add(clusterName(f.Object))
	}
	switch {
	case fit(vms.Words):
		return []string{"--vm", strings.Join(vms.Words, ",")}
	case fit(clusters.Words):
		return []string{"--cluster", strings.Join(clusters.Words, ",")}
	case fit(hosts.Words):
		return hosts.Words
	}
	return nil
}

// fit reports whether all names exist and are few enough to type.
func fit(names []string) bool { return !slices.Contains(names, "") && len(names) <= mostTargets }

// vmName returns the name of a VM or of a device's VM; "" for other objects, or if the name cannot be typed.
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

// hostName returns the name of a finding's host.
func hostName(f *advice.Finding) string {
	if f.Object.Kind == inventory.ScopeHost {
		return typedName(f.Object)
	}
	return typedName(f.Host)
}

// typedName returns an object's name, or its id if a shell, a list of names or a terminal would interpret characters of the
// name; commands accept both. Users paste these names, but others chose them. It returns "" if neither is safe.
func typedName(o inventory.Ref) string {
	for _, s := range []string{o.Name, o.ID} {
		if typeable.MatchString(s) {
			return s
		}
	}
	return ""
}

// typeable is literal inside the quotes of every shell, and in a list of names.
var typeable = regexp.MustCompile(`^[\p{L}\p{N}_./:(\[]([\p{L}\p{N} _./:()\[\]{}+@=~-]*[\p{L}\p{N}_/)\]}-])?$`)

// commandOf returns the command that makes the changes of one finding, or shows them if its object cannot be named.
func commandOf(from typed.Source, f *advice.Finding) string {
	if all := Commands(from, &advice.Recommendation{Findings: []*advice.Finding{f}}); len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}
