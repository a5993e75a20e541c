package tuning

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// draft is all that the proposals want of one target.
type draft struct {
	target    Target
	wants     []*want
	condition Condition
}

// want is the wanted value of one setting, with the decision about it.
type want struct {
	Assignment

	activation inventory.Activation
	causes     []Cause
	preview    Preview
	why        string // why it is skipped; "" if it is not
	refused    bool   // it is skipped although there is something to change
}

// merge groups the proposals by target and setting, in their order. Different values for one setting are a conflict
// that the user has to decide. If only one rule wants both, as for two ports of one driver, there is no choice, and the
// setting is skipped.
func merge(proposals []Proposal) (drafts []*draft, torn []Skipped, err error) {
	byTarget, byKey := map[string]*draft{}, map[string][]Proposal{}
	var conflicts []error
	for _, p := range proposals {
		w := byTarget[p.Target.Key()]
		if w == nil {
			w = &draft{target: p.Target}
			byTarget[p.Target.Key()], drafts = w, append(drafts, w)
		}
		key := p.Target.Key() + " " + settingKey(p.Want.Address)
		if byKey[key] = append(byKey[key], p); len(byKey[key]) == 1 {
			w.wants = append(w.wants, &want{Assignment: p.Want})
		}
	}
	for _, w := range drafts {
		var kept []*want
		for _, x := range w.wants {
			all := byKey[w.target.Key()+" "+settingKey(x.Address)]
			switch {
			case x.join(all):
				kept = append(kept, x)
			case len(rulesOf(causesOf(all))) > 1:
				conflicts = append(conflicts, conflict(all))
			default:
				torn = append(torn, skippedConflict(all))
			}
		}
		w.wants = kept
	}
	drafts = slices.DeleteFunc(drafts, func(w *draft) bool { return len(w.wants) == 0 })
	if len(conflicts) == 1 {
		return nil, nil, conflicts[0]
	}
	return drafts, torn, errors.Join(conflicts...)
}

// settingKey identifies a setting of a target. Keys of a VMX file are case-insensitive.
func settingKey(a Address) string {
	if kindOf(a).IsVMX() {
		return strings.ToLower(a.Key())
	}
	return a.Key()
}

// join merges all proposals for the setting into w; it returns false if they want different values.
func (w *want) join(all []Proposal) bool {
	for i, p := range all {
		if i > 0 && !Same(w.Address, w.Value, p.Want.Value) {
			return false
		}
		if w.activation.MilderThan(p.Activation) || i == 0 {
			w.activation = p.Activation
		}
		if !slices.ContainsFunc(w.causes, p.Cause.sameAs) {
			w.causes = append(w.causes, p.Cause)
		}
	}
	return true
}

// sameAs reports whether both causes are the same rule about the same object.
func (c Cause) sameAs(o Cause) bool { return c.Rule == o.Rule && c.Object == o.Object }

func causesOf(all []Proposal) []Cause {
	causes := make([]Cause, len(all))
	for i, p := range all {
		causes[i] = p.Cause
	}
	return causes
}

// conflict returns an error that names each rule with each value that it wants.
func conflict(all []Proposal) *ConflictError {
	e := &ConflictError{Target: all[0].Target, Address: all[0].Want.Address}
	for _, p := range all {
		if w := (Want{p.Cause.Rule, formatValue(p.Want.Value)}); !slices.Contains(e.Wants, w) {
			e.Wants = append(e.Wants, w)
		}
	}
	return e
}

func skippedConflict(all []Proposal) Skipped {
	var wants []string
	for _, p := range all {
		s := formatValue(p.Want.Value)
		if p.Cause.Object != "" {
			s += " for " + p.Cause.Object
		}
		if !slices.Contains(wants, s) {
			wants = append(wants, s)
		}
	}
	return Skipped{
		Target: all[0].Target, Address: all[0].Want.Address, Rules: rulesOf(causesOf(all)), Refused: true,
		Why: fmt.Sprintf("the rules need %s, but all share one setting", strings.Join(wants, " and ")),
	}
}

// formatValue formats a value for messages.
func formatValue(f inventory.Fact[inventory.Value]) string {
	v, state, reason := f.Get()
	switch {
	case state == inventory.StateAbsent:
		return "nothing"
	case state == inventory.StateUnread:
		return "an unknown value:  " + reason
	case v.Text == "":
		return "an empty value"
	}
	return v.Text
}
