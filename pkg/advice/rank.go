package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// compareRecommendations is the order in which things are to be done. It is total, so that the same findings make the same
// order however they came:
//
//  1. what shows before what does not: nobody suffers from the latter;
//  2. causes that are proven before those that are possible;
//  3. the time that VMs lose to it, all symptoms together: the more the earlier, and before all of which no loss is known;
//  4. the severity of the worst symptom, which follows from the figure that was measured and from the profile; where nothing
//     shows, of the worst finding;
//  5. how many VMs suffer;
//  6. for how much of the time, of the object that suffers longest;
//  7. the expected benefit, by the size of what was measured elsewhere: first where it was measured on something like this,
//     then where nobody can tell; a figure that does not hold here is none;
//  8. the effort, the least first;
//  9. the risk, by the consent that the change asks for, the easiest first;
//  10. the rule and the object, so that no two are alike.
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

// compareKnown puts what is known above what is not, whatever it is.
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

// promise is how much of a benefit may be expected.
type promise struct {
	holds bool
	size  float64 // of the change, up or down; 0 where there is no figure, or none that holds here
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

// expectations gather benefits of many objects: each stands once, and holds where it holds for all.
type expectations struct {
	list []*expectation
}

type expectation struct {
	Expected

	yes, no, silent int
	unread          string
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
			y.silent++
			if state == inventory.StateUnread {
				y.unread = reason
			}
		}
	}
}

func (b Benefit) same(o Benefit) bool {
	return b.Metric == o.Metric && b.Text == o.Text && b.When == o.When && b.Source == o.Source
}

// all are the benefits, those first that are most likely to be had.
func (e *expectations) all() []Expected {
	var all []Expected
	for _, x := range e.list {
		x.Holds = x.together()
		all = append(all, x.Expected)
	}
	slices.SortStableFunc(all, func(a, b Expected) int {
		x, y := promiseOf(a), promiseOf(b)
		return -cmp.Or(compareBools(x.holds, y.holds), cmp.Compare(x.size, y.size))
	})
	return all
}

// together is whether a benefit was measured on something like all these objects.
func (x *expectation) together() inventory.Fact[bool] {
	of := x.yes + x.no + x.silent
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

// partly says of how many objects it was; there are several.
func (x *expectation) partly() string {
	are := "are"
	if x.yes == 1 {
		are = "is"
	}
	return fmt.Sprintf("%d of %d objects %s like what it was measured on", x.yes, x.yes+x.no+x.silent, are)
}

// efforts is how much work a change is, by what it takes before it is in force. What only a person does depends on what it is.
var efforts = map[inventory.Activation]Effort{
	inventory.ActivationLive:         EffortLow,
	inventory.ActivationNextPowerOn:  EffortMedium,
	inventory.ActivationPowerCycle:   EffortMedium,
	inventory.ActivationPowerOff:     EffortMedium,
	inventory.ActivationDriverReload: EffortHigh,
	inventory.ActivationHostReboot:   EffortHigh,
}

// effortOf is the most that one of the remedies takes; byHand is how much work it is where a person does it.
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

// effortIndex orders efforts; one that nobody knows comes last.
func effortIndex(e Effort) int {
	if i := slices.Index(allEfforts(), e); i >= 0 {
		return i
	}
	return len(allEfforts())
}

// riskOf is the most careful consent that a remedy asks for; where there is no remedy a person makes the change.
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
