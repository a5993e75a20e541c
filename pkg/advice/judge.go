package advice

import (
	"cmp"
	"fmt"
	"slices"

	"cel.dev/cel-go/common/types"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/inventory"
)

// judge evaluates one rule against one subject. For passes it collects evidence only if all is set.
func (r *compiled) judge(s *subject, all bool) Finding {
	f := Finding{Evaluated: s.evaluated(), Rule: r.Rule, Severity: r.severity(s.severityProfile())}
	skip, unknown := r.skips(vmOf(s.object), s.include)
	if skip != "" {
		f.Outcome, f.Reason = NotApplicable, skip
		return f
	}
	if s.unreadDevices != nil {
		f.unknown(s.unreadDevices)
		return f
	}
	if r.live && !s.measured && r.because == nil { // the same for every object of a fleet without counters, so that is checked first
		f.Outcome, f.Reason = NotApplicable, inventory.NoLiveCounters
		return f
	}
	a := s.activation(r)
	r.hold(&f, a, all, unknown)
	r.doubt(&f, a)
	f.open = a.open
	return f
}

// hold determines the outcome of a rule. power is set if the VM's power state is unknown; then the outcome is unknown
// unless the rule does not apply.
func (r *compiled) hold(f *Finding, a *activation, all bool, power *types.Unknown) {
	if r.applies != nil {
		if yes, decided := f.decide(r.applies, a); !decided {
			return
		} else if !yes {
			f.Outcome = NotApplicable
			return
		}
	}
	if power != nil {
		f.unknown(power)
		return
	}
	if r.Manual != "" {
		f.Outcome, f.Reason = Manual, r.Manual
		r.together(f, a)
		r.measure(f, a)
		r.leaveToProvider(f, a.subject)
		return
	}
	yes, decided := f.decide(r.verdict(), a)
	switch {
	case !decided:
	case yes == (r.because == nil):
		f.Outcome = Pass
		if all {
			r.measure(f, a)
		}
	default:
		f.Outcome = Fail
		r.explain(f, a)
		r.leaveToProvider(f, a.subject)
	}
}

// verdict returns the expression that decides: want, or for a diagnosis because, which is true if the cause is present.
func (r *compiled) verdict() *memo.Program {
	if r.because != nil {
		return r.because
	}
	return r.want
}

func (r *Rule) severity(p Profile) Severity {
	if s, ok := r.Profiles[p]; ok {
		return s
	}
	return r.Severity
}

// Worst returns the worst severity of the rule, over all profiles and cases.
func (r *Rule) Worst() Severity {
	w := r.Severity
	for _, s := range r.Profiles {
		if s.AtLeast(w) {
			w = s
		}
	}
	for _, c := range r.Cases {
		if c.Severity.AtLeast(w) {
			w = c.Severity
		}
	}
	return w
}

// explain adds the severity of a case, evidence, remedies, benefits and notes to a fail.
func (r *compiled) explain(f *Finding, a *activation) {
	for i, p := range r.cases {
		if isTrue(p, a) {
			f.Severity = r.Cases[i].Severity
			if r.Cases[i].About != "" {
				f.Notes = append(f.Notes, r.Cases[i].About)
			}
			break
		}
	}
	if a.brief {
		return
	}
	r.measure(f, a)
	f.Remedies, f.unsettled = r.settled(a)
	f.Lost = r.lose(a)
	f.Benefits = r.expect(a)
	for i, p := range r.notes {
		if p == nil || isTrue(p, a) {
			f.Notes = append(f.Notes, r.Notes[i].Text)
		}
	}
}

// lose returns the seconds that VMs lose to a symptom per second.
func (r *compiled) lose(a *activation) inventory.Fact[float64] {
	if r.lost == nil {
		return inventory.Absent[float64]()
	}
	return expr.Typed[float64](expr.FactOf(run(r.lost, a)))
}

// expect returns the rule's benefits, and whether the object is similar to those they were measured on.
func (r *compiled) expect(a *activation) []Expected {
	if !slices.ContainsFunc(r.holds, func(p *memo.Program) bool { return p != nil }) {
		return r.expected // the same for all, so it is shared
	}
	all := slices.Clone(r.expected)
	for i, p := range r.holds {
		if p != nil {
			all[i].Holds = expr.Typed[bool](expr.FactOf(run(p, a)))
		}
	}
	return all
}

// measure adds the evidence, and collects the parts that need a call to the host.
func (r *compiled) measure(f *Finding, a *activation) {
	if a.brief {
		return
	}
	f.Evidence = make([]Measured, len(r.evidence))
	for i, p := range r.evidence {
		v, err := run(p, a)
		f.Evidence[i] = Measured{r.Evidence[i].Name, expr.FactOf(v, err)}
		if u, ok := v.(*types.Unknown); ok {
			f.unreadEvidence = append(f.unreadEvidence, perHost(expr.GapsOf(u))...)
		}
	}
}

// together sets the key of objects that share one manual check. If the key is unknown, the object has its own check.
func (r *compiled) together(f *Finding, a *activation) {
	if r.once == nil {
		return
	}
	key, known := expr.Typed[string](expr.FactOf(run(r.once, a))).Value()
	if !known {
		return
	}
	for _, scope := range []inventory.Scope{inventory.ScopeCluster, inventory.ScopeHost} {
		if o, ok := a.vars.Get(scope).(inventory.Object); ok {
			f.once = &checkGroup{o, key}
			return
		}
	}
}

// doubt turns a fail into an unknown if the rule may rely on the default of an older release: the option table does not
// describe the host's release, and an option is at a default that the table does not have.
func (r *compiled) doubt(f *Finding, a *activation) {
	h, ok := a.vars.Get(inventory.ScopeHost).(*inventory.Host)
	if f.Outcome != Fail || !ok || len(r.options) == 0 {
		return
	}
	version, known := h.Version.Value()
	table := cmp.Or(a.table, inventory.ShippedOptions())
	releases := table.ReleasesOf(version)
	if !known || !table.Newer(version) && len(releases) == 0 {
		return
	}
	options, _ := h.Options.Value()
	for _, key := range r.options {
		o, ok := options[key]
		if !ok || o.Default == nil || o.Unread != "" || o.Value.Text != o.Default.Text {
			continue
		}
		doc, _ := table.Lookup(key)
		if describes(doc, releases) {
			continue
		}
		if era, ok := lastEra(doc); ok && !era.Absent && era.Default.Text == o.Default.Text {
			continue
		}
		*f = Finding{Evaluated: f.Evaluated, Rule: f.Rule, Severity: f.Severity}
		f.unknown(expr.Unread(h, key, undescribed(table, version, *o.Default)))
		return
	}
}

// describes reports whether a table says what an option is in one of the releases.
func describes(d inventory.OptionDoc, releases []string) bool {
	return slices.ContainsFunc(releases, func(release string) bool {
		_, ok := d.At(release)
		return ok
	})
}

// lastEra returns the era of the newest release that describes the option.
func lastEra(d inventory.OptionDoc) (inventory.OptionEra, bool) {
	if len(d.Eras) == 0 {
		return inventory.OptionEra{}, false
	}
	return d.Eras[len(d.Eras)-1], true
}

// undescribed is the reason why a default is in doubt.
func undescribed(table *inventory.OptionTable, version inventory.Version, byDefault inventory.Value) string {
	if table.Newer(version) {
		return fmt.Sprintf("release %s is newer than vperf's option table, which ends at %s, and has another default (%s)", version,
			table.Newest(), byDefault)
	}
	return fmt.Sprintf("vperf's option table does not describe the option in release %s, which has another default (%s)", version, byDefault)
}
