package remedy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// manualReason returns why a change is manual, or "".
func manualReason(r *advice.Rule, c advice.Change) string {
	why := ""
	switch {
	case !c.Setting.Kind.Applicable():
		why = "vperf explains " + c.Setting.Kind.Name + " but never writes it"
	case c.Consent == advice.ConsentNever:
		why = "vperf has too little information for this change"
	case c.Activation == inventory.ActivationManual:
		why = "it is not a change that vperf can write"
	case c.Consent == advice.ConsentValue && len(c.Params) == 0:
		why = "the rule needs a value from you but has no parameter for it"
	default:
		return ""
	}
	return "manual: " + why + "; see vperf explain " + r.ID
}

// nothingToWrite is the reason for a named rule without a remedy for its finding.
func nothingToWrite(r *advice.Rule) string {
	return "manual: the rule has no setting to change here; see vperf explain " + r.ID
}

// writes reports whether vperf can change something for a rule.
func writes(r *advice.Rule) bool {
	return slices.ContainsFunc(r.Remedy, func(m advice.Remedy) bool {
		return m.Setting().Kind.Applicable() && m.Consent != advice.ConsentNever
	})
}

// unjudged returns why it is unknown whether there is anything to change. For a wholly unread object it names no fact.
func unjudged(f *advice.Finding, unreadObjects map[inventory.Ref]bool) string {
	why := "could not be evaluated: "
	if len(f.Gaps) == 0 {
		return why + f.Reason
	}
	if unreadObjects[f.Gaps[0].Object] {
		return why + f.Gaps[0].Reason
	}
	if profile := profileUnknown(f); profile != "" {
		return why + profile
	}
	return why + f.Gaps[0].Fact + " was not read (" + f.Gaps[0].Reason + ")"
}

// profileUnknown returns what to type if a finding depends on the profile of its object, which is unknown; "" if it does not.
func profileUnknown(f *advice.Finding) string {
	g, depends := f.ProfileGap()
	if !depends {
		return ""
	}
	return fmt.Sprintf("the profile of %s is unknown, because %s was not read (%s); use --profile NAME", f.Object.Name, g.Fact, g.Reason)
}

// waiverUnknown returns what to type if it could not be checked whether a waiver accepts a finding; "" if it could.
func waiverUnknown(f *advice.Finding) string {
	g, unchecked := f.WaiverGap()
	if !unchecked {
		return ""
	}
	return fmt.Sprintf("it could not be checked whether a waiver accepts it, because %s was not read (%s); use --no-waivers to change it anyway", g.Fact, g.Reason)
}

// missingApproval returns what the user has to type to approve a change, or "" if it is approved.
func missingApproval(r *advice.Rule, c advice.Change, named bool) string {
	switch c.Consent {
	case advice.ConsentNamed:
		if !named {
			return "must be named: --rule " + r.ID
		}
	case advice.ConsentValue:
		switch {
		case !named:
			return fmt.Sprintf("must be named, with a value from you: --rule %s %s", r.ID, settings(r, c))
		case !c.Given:
			return "needs a value from you: " + paramHint(r, c)
		}
	}
	return ""
}

// belowSeverity returns what to type for a finding below the requested severity.
func belowSeverity(f *advice.Finding, least advice.Severity, named bool) string {
	why := fmt.Sprintf("severity %s is below %s (include it with --severity %s)", f.Severity, least, f.Severity)
	if !named {
		why += ", or name the rule: --rule " + f.Rule.ID
	}
	return why
}

// paramHint returns what to type for the parameters of a value, and their meaning.
func paramHint(r *advice.Rule, c advice.Change) string {
	var about []string
	for _, p := range c.Params {
		if a := oneLine(r.Params[p].About); a != "" {
			about = append(about, a)
		}
	}
	if len(about) == 0 {
		return settings(r, c)
	}
	return settings(r, c) + " (" + strings.Join(about, "; ") + ")"
}

func settings(r *advice.Rule, c advice.Change) string {
	all := make([]string, len(c.Params))
	for i, p := range c.Params {
		all[i] = fmt.Sprintf("--set %s.%s=VALUE", r.ID, p)
	}
	return strings.Join(all, " ")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
