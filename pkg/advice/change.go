package advice

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// settled returns the changes, if they are the same for every profile that the object may have.
func (r *compiled) settled(a *activation) (changes []Change, unsettled bool) {
	if len(a.possible) == 0 || !slices.ContainsFunc(r.remedies, compiledRemedy.readsProfile) {
		return r.changes(a), false
	}
	unknown := a.choice
	defer func() { a.choice = unknown }()
	a.possible = nil
	for i, p := range unknown.possible {
		a.profile = p
		one := r.changes(a)
		if i > 0 && !reflect.DeepEqual(one, changes) {
			return nil, true
		}
		changes = one
	}
	return changes, false
}

func (m compiledRemedy) readsProfile() bool {
	return slices.ContainsFunc([]*memo.Program{m.when, m.each, m.to}, func(p *memo.Program) bool { return p != nil && p.ReadsProfile() })
}

// changes computes the changes of the remedies. If several remedies set the same setting, the first one whose condition
// is true counts, so that a rule can require more approval when it is not sure of the milder case.
func (r *compiled) changes(a *activation) []Change {
	var out []Change
	for i, m := range r.remedies {
		rule := r.Remedy[i]
		taken := slices.ContainsFunc(out, func(c Change) bool { return c.Setting.String() == rule.setting.String() })
		if taken || m.when != nil && !isTrue(m.when, a) {
			continue
		}
		target, ok := a.vars.Get(rule.setting.Kind.Scope).(inventory.Object)
		if !ok {
			continue // the object that carries the setting was not read
		}
		for _, s := range m.settings(rule.setting, a) {
			from := s.Current(target)
			_, _, reason := from.Get()
			a.key, a.open = s.Key, a.open || reason == inventory.PerHost
			c := Change{
				Object: target.Ref(), Setting: s, From: from, To: settingValue(s, from, expr.FactOf(run(m.to, a))),
				Activation: stricter(rule.Activation, s.Activation()), Params: m.params, Given: m.given,
			}
			if n, known := c.To.Value(); known && m.atMost != nil && n.Text != strconv.FormatInt(*m.atMost, 10) {
				c.To = inventory.Unread[inventory.Value](fmt.Sprintf("%s of rule %s is %d, and %s accepts at most %s: set no more", strings.Join(m.params, ", "), r.ID, *m.atMost, target.Ref().Name, n.Text))
			}
			if to, known := c.To.Value(); known {
				c.Restores = s.Restores(target, to)
			}
			c.Consent = rule.consentTo(c)
			out = append(out, c)
		}
		a.key = ""
	}
	return out
}

// consentTo returns the minimum approval for a change: that of the remedy and that of the setting. The rule must be
// named unless the change is live, can be undone exactly and restores a documented default.
func (r Remedy) consentTo(c Change) Consent {
	least := c.Setting.Consent()
	if least.EasierThan(r.Consent) {
		least = r.Consent
	}
	harmless := c.Activation == inventory.ActivationLive && c.Setting.Kind.Inverse == inventory.InverseExact && c.Restores != ""
	if least == ConsentFree && !harmless {
		return ConsentNamed
	}
	return least
}

// stricter returns the more disruptive activation: one option of a list may need a reboot where the others do not.
func stricter(a, b inventory.Activation) inventory.Activation {
	if a.MilderThan(b) {
		return b
	}
	return a
}

// settings returns the setting itself, or one setting for each key of the list.
func (m compiledRemedy) settings(s inventory.Setting, a *activation) []inventory.Setting {
	if m.each == nil {
		return []inventory.Setting{s}
	}
	keys, _ := expr.FactOf(run(m.each, a)).Value()
	list, _ := keys.([]any)
	var out []inventory.Setting
	for _, k := range list {
		key, _ := k.(string)
		out = append(out, inventory.Setting{Kind: s.Kind, Key: key})
	}
	return out
}

// settingValue converts a result to the wire type that the setting has or should have.
func settingValue(s inventory.Setting, from inventory.Fact[inventory.Value], to inventory.Fact[any]) inventory.Fact[inventory.Value] {
	v, state, reason := to.Get()
	switch state {
	case inventory.StateAbsent:
		return inventory.Absent[inventory.Value]()
	case inventory.StateUnread:
		return inventory.Unread[inventory.Value](reason)
	}
	switch x := v.(type) {
	case bool:
		return inventory.Known(inventory.BoolValue(x))
	case string:
		return inventory.Known(inventory.StringValue(x))
	case int64:
		value := inventory.LongValue(x)
		if now, ok := from.Value(); ok && now.Type == inventory.TypeInt {
			value.Type = inventory.TypeInt
		}
		return inventory.Known(value)
	}
	return inventory.Unread[inventory.Value]("the rule proposes no value that " + s.String() + " can have")
}

// nothingToSwitch is the reason why a rule that changes no setting has no trial.
const nothingToSwitch = "There is nothing to switch: the rule changes no setting."

// Trial returns how a trial can measure the change that the rule wants, whatever object it is found on: the slowest
// design of all settings that it changes. Settings that vperf never changes count only if the rule has no others.
func (r *Rule) Trial() inventory.Trial {
	parts := make([]switched, len(r.Remedy))
	for i, m := range r.Remedy {
		parts[i] = switched{m.setting, m.Activation, m.Consent}
	}
	return r.trialOf(parts)
}

// TrialOf is as Trial, for the changes of one finding.
func (r *Rule) TrialOf(changes []Change) inventory.Trial {
	parts := make([]switched, len(changes))
	for i, c := range changes {
		parts[i] = switched{c.Setting, c.Activation, c.Consent}
	}
	return r.trialOf(parts)
}

// switched is one setting that is changed.
type switched struct {
	setting    inventory.Setting
	activation inventory.Activation
	consent    Consent
}

func (p switched) made() bool { return p.consent != ConsentNever }

func (r *Rule) trialOf(parts []switched) inventory.Trial {
	if len(parts) == 0 {
		return inventory.Trial{Unit: r.Scope}.With(inventory.DesignNone, nothingToSwitch)
	}
	if slices.ContainsFunc(parts, switched.made) {
		parts = slices.DeleteFunc(parts, func(p switched) bool { return !p.made() })
	}
	var slowest inventory.Trial
	for _, p := range parts {
		t := p.setting.Trial(p.activation, p.consent)
		if e := r.Experiment; e != nil {
			if own := e.of(t); p.setting.AnyKey() || own.SlowerThan(t) {
				t = own
			}
		}
		if slowest.Design == "" || t.SlowerThan(slowest) {
			slowest = t
		}
	}
	return slowest
}

// of returns a setting's trial with the design of the rule.
func (e *Experiment) of(t inventory.Trial) inventory.Trial {
	t = t.With(e.Design, strictyaml.OneLine(e.Reason))
	if e.Unit != "" {
		t.Unit = e.Unit
	}
	return t
}
