package advice

import (
	"maps"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// mergeCauses merges causes into recommendations, so that no action appears twice. Causes that need the same change, or
// the same task at the same object, are one recommendation, named after the cause that ranks first. Causes of one rule
// at several objects are one recommendation with a part for each object.
func (a *adviser) mergeCauses() []*Recommendation {
	lists := map[*Rule][]*reasons{}
	var rules []*Rule
	for _, c := range a.atOneObject() {
		if lists[c.rule] == nil {
			rules = append(rules, c.rule)
		}
		lists[c.rule] = append(lists[c.rule], c)
	}
	var all []*Recommendation
	for _, rule := range rules {
		all = append(all, a.recommend(lists[rule]))
	}
	return all
}

// atOneObject merges causes that share an action. It returns them by rank.
func (a *adviser) atOneObject() []*reasons {
	of := make(map[*reasons]*Recommendation, len(a.causes))
	for _, c := range a.causes {
		of[c] = a.recommend([]*reasons{c})
	}
	ranked := slices.Clone(a.causes)
	sortStable(ranked, func(x, y *reasons) int { return compareRecommendations(of[x], of[y]) })
	rank := map[*reasons]int{}
	first, lead := map[string]*reasons{}, map[*reasons]*reasons{} // the first cause with an action; the cause that a cause is merged into
	for i, c := range ranked {
		rank[c] = i
		for _, action := range c.actions(of[c]) {
			if first[action] == nil {
				first[action] = c
			}
			x, y := end(lead, first[action]), end(lead, c)
			if rank[x] > rank[y] {
				x, y = y, x
			}
			if x != y {
				lead[y] = x
			}
		}
	}
	for _, c := range ranked {
		if to := end(lead, c); to != c {
			to.merge(c, of[c].Findings)
		}
	}
	return slices.DeleteFunc(ranked, func(c *reasons) bool { return lead[c] != nil })
}

// end returns the cause that c was finally merged into.
func end(lead map[*reasons]*reasons, c *reasons) *reasons {
	for lead[c] != nil {
		c = lead[c]
	}
	return c
}

// actions returns identifiers of a recommendation's actions: each change, and the task of its rule at its object.
func (r *reasons) actions(made *Recommendation) []string {
	var all []string
	for _, f := range made.Findings {
		all = append(all, f.Fingerprint())
	}
	if r.rule.Task != "" {
		all = append(all, strings.Join([]string{r.rule.Task, r.at.VCenter, string(r.at.Kind), r.at.ID}, "\x00"))
	}
	return all
}

// merge adds the diagnoses and symptoms of o. If the causes are at several objects and all changes at one, the result
// is at that one.
func (r *reasons) merge(o *reasons, changes []*Finding) {
	for _, d := range o.diagnoses.list {
		r.diagnoses.add(d)
	}
	for _, d := range o.also.list {
		r.also.add(d)
	}
	for _, d := range o.undecided.list {
		r.undecided.add(d)
	}
	for _, x := range o.ruledOut.list {
		r.ruledOut.add(x)
	}
	r.follow = append(r.follow, o.follow...)
	maps.Copy(r.around, o.around)
	r.symptoms, r.unseen = append(r.symptoms, o.symptoms...), append(r.unseen, o.unseen...)
	if len(changes) == 0 {
		return
	}
	at := changes[0]
	if r.at != o.at && !slices.ContainsFunc(changes, func(f *Finding) bool { return f.Object != at.Object }) {
		r.at, r.object = at.Object, at.object
	}
}

// recommend returns the recommendation for causes of one rule. If they are at several objects, each is a part.
func (a *adviser) recommend(why []*reasons) *Recommendation {
	if len(why) == 1 {
		return a.recommendOne(why[0])
	}
	all := &reasons{cause: cause{rule: why[0].rule}, around: map[*Finding]bool{}}
	r := &Recommendation{Rule: all.rule}
	var fixes, waived distinct[*Finding]
	for _, one := range why {
		r.Parts = append(r.Parts, a.recommendOne(one))
		all.merge(one, nil)
	}
	sortStable(r.Parts, compareRecommendations)
	for _, part := range r.Parts {
		for _, f := range part.Findings {
			fixes.add(f)
		}
		for _, f := range part.Waived {
			waived.add(f)
		}
	}
	r.Findings, r.Waived = fixes.list, waived.list
	a.fill(r, all)
	return r
}

// recommendOne returns the recommendation for one cause.
func (a *adviser) recommendOne(why *reasons) *Recommendation {
	r := &Recommendation{Rule: why.rule, Object: why.at, Findings: why.fixes(Fail), Waived: why.waived()}
	a.fill(r, why)
	return r
}

// fill adds the diagnoses, symptoms and benefits to a recommendation.
func (a *adviser) fill(r *Recommendation, why *reasons) {
	sortStable(why.diagnoses.list, compareDiagnoses)
	sortStable(why.follow, compareDiagnoses)
	sortStable(why.also.list, compareDiagnoses)
	sortStable(why.symptoms, compareFindings) // floating-point sums depend on their order
	r.Severity, r.Impact = worst(why.symptoms), a.fleet.impact(why.symptoms, why.around)
	r.Diagnoses, r.Also = slices.Concat(why.diagnoses.list, why.follow), why.also.list
	r.Possible = !slices.ContainsFunc(why.diagnoses.list, func(d *Diagnosis) bool { return !d.Finding.Rule.Possible })
	sortStable(why.undecided.list, compareConsidered)
	r.Undecided, r.RuledOut = why.undecided.list, considered(why.ruledOut.list)
	r.Unseen = inventory.DistinctGaps(why.unseen)
	var promise expectations
	for _, d := range why.diagnoses.list {
		promise.add(d.Finding)
	}
	for _, f := range r.Findings {
		promise.add(f)
	}
	r.Benefits = promise.all()
	r.Effort, r.Risk = effortOf(r.Findings, manualEffort(why.diagnoses.list)), riskOf(r.Findings)
}

// fold merges causes into the causes they are a consequence of: a slow array shows at its device, at the host and at
// the disks of VMs, and needs one fix. Chains of consequences are followed to their end; rules with cycles are refused
// when they are loaded.
func (a *adviser) fold() {
	by := map[string][]*reasons{}
	for _, c := range a.causes {
		by[c.rule.ID] = append(by[c.rule.ID], c)
	}
	for _, c := range a.causes {
		c.lead = c.leader(by)
	}
	for _, c := range a.causes {
		if first := c.first(); first != c {
			first.followedBy(c)
		}
	}
	a.causes = slices.DeleteFunc(a.causes, func(c *reasons) bool { return c.lead != nil })
}

// leader returns the cause that this one is a consequence of: the likeliest one nearby, and of several objects the one
// with the worst symptom, which comes first; nil if there is none.
func (r *reasons) leader(by map[string][]*reasons) *reasons {
	for _, id := range r.rule.Follows {
		for _, c := range by[id] {
			if related(r.object, c.object) {
				return c
			}
		}
	}
	return nil
}

// first returns the cause at the end of the chain.
func (r *reasons) first() *reasons {
	for r.lead != nil {
		r = r.lead
	}
	return r
}

// followedBy adds a consequence: its symptoms become symptoms of this cause.
func (r *reasons) followedBy(c *reasons) {
	r.follow = append(r.follow, c.diagnoses.list...)
	for _, d := range c.also.list {
		r.also.add(d)
	}
	r.symptoms, r.unseen = append(r.symptoms, c.symptoms...), append(r.unseen, c.unseen...)
	for _, f := range c.symptoms {
		if partOf(r.object, f.object) {
			r.around[f] = true
		}
	}
}

// related reports whether a cause at one object can have a consequence at another: at a part of it, at an object it is a
// part of, or, for a device of a host, at a VM on that host that may use the device.
func related(consequence, cause inventory.Object) bool {
	if consequence == cause || partOf(consequence, cause) || partOf(cause, consequence) {
		return true
	}
	vm, ok := mark.OwnerOf(consequence).(*inventory.VM)
	return ok && mark.OwnerOf(cause) == inventory.Object(vm.Host()) && uses(vm, cause)
}

// partOf reports whether o is a device of whole, or, if whole is a host, one of its VMs or their devices.
func partOf(o, whole inventory.Object) bool {
	owner := mark.OwnerOf(o)
	if owner != o && owner == whole {
		return true
	}
	vm, ok := owner.(*inventory.VM)
	return ok && inventory.Object(vm.Host()) == whole
}

// uses reports whether a fault of a VM's host, or of a device there, can affect the VM. For a LUN, the VM must have
// files on it, if that is known.
func uses(vm *inventory.VM, o inventory.Object) bool {
	l, ok := o.(*inventory.LUN)
	disks, known := vm.Disks.Value()
	if !ok || !known {
		return true
	}
	return slices.ContainsFunc(disks, func(d *inventory.VDisk) bool {
		store, known := d.Datastore.Value()
		on, read := l.Datastores.Value()
		return !known || !read || slices.Contains(on, store)
	})
}
