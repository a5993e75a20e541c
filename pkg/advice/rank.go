package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// compareRecommendations compares recommendations by priority. The order is total, so that it does not depend on the
// order of the findings:
//
//  1. recommendations with symptoms before those without: the latter have no effect now;
//  2. proven causes before possible ones;
//  3. the time that VMs lose to all its symptoms, most first; unknown losses come last;
//  4. the severity of the worst symptom, which follows from the measured value and the profile; without symptoms, that of
//     the worst finding;
//  5. the number of affected VMs;
//  6. the share of the time with the symptom, for the object that had it longest;
//  7. the expected benefit, by the size of the published change: first those measured on similar objects, then those of
//     unknown similarity; a benefit that does not apply here does not count;
//  8. the effort, least first;
//  9. the risk, by the approval that the change needs, easiest first;
//  10. the rule and the object, so that no two are equal.
func compareRecommendations(a, b *Recommendation) int {
	return cmp.Or(
		-compareBools(len(a.Diagnoses) > 0, len(b.Diagnoses) > 0),
		compareBools(a.Possible, b.Possible),
		-cmp.Compare(a.Impact.loss(), b.Impact.loss()),
		cmp.Compare(slices.Index(Severities(), a.Severity), slices.Index(Severities(), b.Severity)),
		-cmp.Compare(a.Impact.VMs, b.Impact.VMs),
		-compareKnown(a.Impact.Share, b.Impact.Share),
		-comparePromises(a.Benefits, b.Benefits),
		cmp.Compare(effortIndex(a.Effort), effortIndex(b.Effort)),
		cmp.Compare(slices.Index(inventory.Consents(), a.Risk), slices.Index(inventory.Consents(), b.Risk)),
		strings.Compare(a.Rule.ID, b.Rule.ID),
		strings.Compare(string(a.Object.Kind), string(b.Object.Kind)),
		a.Object.Compare(b.Object),
	)
}

// rank puts all parts of the advice in order.
func rank(a *Advice) {
	slices.SortStableFunc(a.Recommendations, compareRecommendations)
	slices.SortStableFunc(a.Harmless, compareDiagnoses)
	slices.SortStableFunc(a.Unexplained, func(x, y *Unexplained) int {
		return cmp.Or(
			-cmp.Compare(Impact{Lost: x.Symptom.Lost}.loss(), Impact{Lost: y.Symptom.Lost}.loss()),
			cmp.Compare(slices.Index(Severities(), x.Symptom.Severity), slices.Index(Severities(), y.Symptom.Severity)),
			compareFindings(x.Symptom, y.Symptom),
		)
	})
}

// compareKnown orders known values above unknown ones.
func compareKnown(a, b inventory.Fact[float64]) int {
	x, known := a.Value()
	y, other := b.Value()
	if !known || !other {
		return compareBools(known, other)
	}
	return cmp.Compare(x, y)
}

func comparePromises(a, b []Expected) int {
	x, y := bestOf(a), bestOf(b)
	return cmp.Or(compareBools(x.holds, y.holds), cmp.Compare(x.size, y.size))
}

// promise is how much of a benefit can be expected.
type promise struct {
	holds bool
	size  float64 // absolute change; 0 if there is no figure, or it does not apply here
}

func promiseOf(e Expected) promise {
	holds, known := e.Holds.Value()
	if e.Change == nil || known && !holds {
		return promise{}
	}
	return promise{holds, math.Abs(*e.Change)}
}

func bestOf(all []Expected) promise {
	var best promise
	for _, e := range all {
		if p := promiseOf(e); cmp.Or(compareBools(p.holds, best.holds), cmp.Compare(p.size, best.size)) > 0 {
			best = p
		}
	}
	return best
}

// expectations merges benefits of many objects: each is listed once, and applies if it applies to all objects.
type expectations struct {
	list []*expectation
}

type expectation struct {
	Expected

	yes, no, unknown int
	unread           string
}

func (e *expectations) add(f *Finding) {
	for _, x := range f.Benefits {
		i := slices.IndexFunc(e.list, func(y *expectation) bool { return x.same(y.Benefit) })
		if i < 0 {
			i = len(e.list)
			e.list = append(e.list, &expectation{Expected: x})
		}
		holds, state, reason := x.Holds.Get()
		switch y := e.list[i]; {
		case holds:
			y.yes++
		case state == inventory.StateKnown:
			y.no++
		default:
			y.unknown++
			if state == inventory.StateUnread {
				y.unread = reason
			}
		}
	}
}

func (b Benefit) same(o Benefit) bool {
	return b.Metric == o.Metric && b.Text == o.Text && b.When == o.When && b.Source == o.Source
}

// all returns the benefits, most likely first.
func (e *expectations) all() []Expected {
	var all []Expected
	for _, x := range e.list {
		x.Holds = x.holds()
		all = append(all, x.Expected)
	}
	slices.SortStableFunc(all, func(a, b Expected) int {
		x, y := promiseOf(a), promiseOf(b)
		return -cmp.Or(compareBools(x.holds, y.holds), cmp.Compare(x.size, y.size))
	})
	return all
}

// holds reports whether a benefit was measured on objects similar to all these objects.
func (x *expectation) holds() inventory.Fact[bool] {
	of := x.yes + x.no + x.unknown
	switch {
	case x.yes == of:
		return inventory.Known(true)
	case x.no == of:
		return inventory.Known(false)
	case x.yes+x.no > 0:
		return inventory.Unread[bool](x.partly())
	case x.unread != "":
		return inventory.Unread[bool](x.unread)
	}
	return inventory.Absent[bool]()
}

// partly describes how many of several objects are similar.
func (x *expectation) partly() string {
	are := "are"
	if x.yes == 1 {
		are = "is"
	}
	return fmt.Sprintf("%d of %d objects %s similar to those it was measured on", x.yes, x.yes+x.no+x.unknown, are)
}

// efforts maps the activation of a change to its effort. The effort of a manual change depends on the rule.
var efforts = map[inventory.Activation]Effort{
	inventory.ActivationLive:         EffortLow,
	inventory.ActivationNextPowerOn:  EffortMedium,
	inventory.ActivationPowerCycle:   EffortMedium,
	inventory.ActivationPowerOff:     EffortMedium,
	inventory.ActivationDriverReload: EffortHigh,
	inventory.ActivationHostReboot:   EffortHigh,
}

// effortOf returns the largest effort of the remedies; manualEffort is the effort of a manual change.
func effortOf(findings []*Finding, byHand Effort) Effort {
	most, found := Effort(""), false
	for _, f := range findings {
		for _, c := range f.Remedies {
			e, known := efforts[c.Activation]
			if !known {
				e = byHand
			}
			if !found || effortIndex(e) > effortIndex(most) {
				most, found = e, true
			}
		}
	}
	if !found {
		return byHand
	}
	return most
}

// effortIndex orders efforts; unknown ones come last.
func effortIndex(e Effort) int {
	if i := slices.Index(allEfforts(), e); i >= 0 {
		return i
	}
	return len(allEfforts())
}

// riskOf returns the strictest approval that a remedy needs; ConsentNever if there is no remedy, because then the
// change is manual.
func riskOf(findings []*Finding) Consent {
	risk := -1
	for _, f := range findings {
		for _, c := range f.Remedies {
			risk = max(risk, slices.Index(inventory.Consents(), c.Consent))
		}
	}
	if risk < 0 {
		return ConsentNever
	}
	return inventory.Consents()[risk]
}
