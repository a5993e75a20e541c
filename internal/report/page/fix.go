package page

import (
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
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
	By       string // the approval that the change needs, if any
	Why      string // the finding it cures
}

// fixes are the remedies of findings, one that many objects need once.
func (s *show) fixes(all []view.Change) []fix {
	type same struct {
		fix

		kind inventory.Scope
	}
	var by collect.ByKey[same, collect.Distinct]
	for _, c := range all {
		x := fix{
			Setting: clean(c.Setting.String()), From: setting(c.From), To: target(c.Change), Takes: takesWords[c.Activation], By: byWords(c.Change),
			Why: prose(c.Finding.Rule.Title),
		}
		by.At(same{x, c.Object.Kind}).Add(clean(c.Object.Name))
	}
	return collect.Each(by, func(x same, who *collect.Distinct) fix {
		x.Objects = someOf(who.Words, 4)
		if x.Few = x.Objects; len(who.Words) > 2 {
			x.Few = counted(len(who.Words), wording.PageKind(x.kind))
		}
		return x.fix
	})
}

// target is the value to set.
func target(c advice.Change) string {
	if to, ok := c.To.Value(); ok && to.Text == "" && c.Consent == advice.ConsentValue {
		return "your value (--set)"
	}
	return setting(c.To)
}

func byWords(c advice.Change) string {
	switch {
	case !c.Setting.Kind.Applicable() || c.Consent == advice.ConsentNever:
		return "manual"
	case c.Consent == advice.ConsentNamed:
		return "needs --rule"
	case c.Consent == advice.ConsentValue:
		return "needs --set"
	}
	return ""
}

var takesWords = map[inventory.Activation]string{
	inventory.ActivationLive:         "takes effect at once",
	inventory.ActivationNextPowerOn:  "takes effect after the next power-on",
	inventory.ActivationPowerCycle:   "takes effect after a power cycle",
	inventory.ActivationPowerOff:     "requires the VM to be powered off",
	inventory.ActivationDriverReload: "takes effect after a driver reload",
	inventory.ActivationHostReboot:   "takes effect after a host reboot",
	inventory.ActivationManual:       "manual",
}

// commands are what to type to see and to make the changes of a recommendation.
func commands(all []string) []string {
	all, _ = first(all, 2*mostFixes)
	return collect.Map(all, clean)
}
