package page

import (
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// fix is one change, of all objects that need the same.
type fix struct {
	Setting  string
	From, To string
	Takes    string // before it is in force
	Objects  string
	Few      string // the objects, counted where they are many
	By       string // whose consent it takes, where that is not anybody's
	Why      string // the finding it cures
}

// fixes are the remedies of findings, one that many objects need once.
func (s *show) fixes(all []*advice.Finding) []fix {
	type same struct {
		setting, from, to, takes, by, why string
		kind                              inventory.Scope
	}
	who := map[same][]string{}
	var order []same
	for _, f := range all {
		for _, c := range f.Remedies {
			x := same{clean(c.Setting.String()), setting(c.From), target(c), takesWords[c.Activation], byWords(c), prose(f.Rule.Title), c.Object.Kind}
			if who[x] == nil {
				order = append(order, x)
			}
			who[x] = append(who[x], clean(c.Object.Name))
		}
	}
	out := make([]fix, len(order))
	for i, x := range order {
		names := distinct(who[x])
		out[i] = fix{Setting: x.setting, From: x.from, To: x.to, Takes: x.takes, By: x.by, Why: x.why, Objects: someOf(names, 4)}
		if out[i].Few = out[i].Objects; len(names) > 2 {
			out[i].Few = counted(len(names), kindWord(x.kind))
		}
	}
	return out
}

// target is the value to set.
func target(c advice.Change) string {
	if to, ok := c.To.Value(); ok && to.Text == "" && c.Consent == advice.ConsentValue {
		return "a value you give"
	}
	return setting(c.To)
}

func byWords(c advice.Change) string {
	switch {
	case !c.Setting.Kind.Applicable() || c.Consent == advice.ConsentNever:
		return "by hand"
	case c.Consent == advice.ConsentNamed:
		return "only when you name the rule"
	case c.Consent == advice.ConsentValue:
		return "only with a value you give"
	}
	return ""
}

var takesWords = map[inventory.Activation]string{
	inventory.ActivationLive:         "in force at once",
	inventory.ActivationNextPowerOn:  "in force after the next power-on",
	inventory.ActivationPowerCycle:   "in force after a power cycle",
	inventory.ActivationPowerOff:     "the VM has to be off",
	inventory.ActivationDriverReload: "in force after the driver is loaded again",
	inventory.ActivationHostReboot:   "in force after the host restarts",
	inventory.ActivationByHand:       "by hand",
}

// commands are what to type to see and to make the changes of a recommendation.
func commands(r *advice.Recommendation) []string {
	all, _ := first(view.Commands(r), 2*mostFixes)
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = clean(c)
	}
	return out
}
