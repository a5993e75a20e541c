package advice

import (
	"math"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// loss returns the known loss of VMs; 0 if there is none or it is unknown.
func (i Impact) loss() float64 {
	lost, known := i.Lost.Value()
	if !known || math.IsNaN(lost) {
		return 0
	}
	return lost
}

// Recommendation is one recommended action.
type Recommendation struct {
	// Rule is the diagnosis, or without a symptom the rule with the findings. If the same changes remove several
	// causes, or one cause is the consequence of another, it is the rule of the first cause; each diagnosis has its
	// own.
	Rule *Rule
	// Object is where the cause is; zero if it is at several objects, or there are findings of many.
	Object inventory.Ref
	// Parts are the same action at each of several objects, largest loss first; empty if there is only one object.
	Parts    []*Recommendation
	Severity Severity // the worst of its symptoms or findings
	// Possible is true if the diagnoses make the cause possible but do not prove it.
	Possible bool
	// Diagnoses are the proven causes with their symptoms, consequences last. If there are none, the object is
	// misconfigured, with no visible effect during this measurement.
	Diagnoses []*Diagnosis
	// Also are further proven causes of the same symptoms, to check after the first one is fixed.
	Also []*Diagnosis
	// Undecided and RuledOut are the other causes that were considered for the same symptoms.
	Undecided []*Diagnosis
	RuledOut  []*Diagnosis
	// Findings are the fixes of the diagnoses, each once, or the rule's findings.
	Findings []*Finding
	Impact   Impact
	Benefits []Expected
	// Effort is the largest effort of the changes; empty if unknown.
	Effort Effort
	// Risk is the strictest approval that a remedy needs; ConsentNever if the change is manual.
	Risk   Consent
	Unseen []Gap // facts that the diagnoses could not read
	// Waived are waived symptoms and waived fixes; they do not count.
	Waived []*Finding
	// ByLoad is true if the action matters only under load, and the load was not measured.
	ByLoad bool
}

// Impact is the present, measured effect of the symptoms.
type Impact struct {
	Objects int // with symptoms, or with findings if there are none
	VMs     int // among the objects, and on hosts among them
	// Lost is the time that VMs lose, in seconds per second, over the symptoms for which it is known; unread if it is
	// known for none.
	Lost inventory.Fact[float64]
	// Share is the ratio of samples with the symptom, for the object that had it longest.
	Share inventory.Fact[float64]
}

// Unexplained is a symptom without a proven cause.
type Unexplained struct {
	Symptom  *Finding
	Possible []*Diagnosis // undecided causes
	RuledOut []*Diagnosis
}

// Advice is a ranked list of actions.
type Advice struct {
	Recommendations []*Recommendation // highest priority first
	// Harmless are explained symptoms that need no change: they are no fault, or the cause is waived.
	Harmless    []*Diagnosis
	Unexplained []*Unexplained
}

// distinct keeps each element once, in order.
type distinct[T comparable] struct {
	list []T
	has  map[T]bool
}

// few is how many elements are compared one by one: most lists are short, and there are many.
const few = 16

func (d *distinct[T]) add(x T) {
	if d.contains(x) {
		return
	}
	d.list = append(d.list, x)
	switch {
	case d.has != nil:
		d.has[x] = true
	case len(d.list) > few:
		d.has = make(map[T]bool, 2*few)
		for _, y := range d.list {
			d.has[y] = true
		}
	}
}

func (d *distinct[T]) contains(x T) bool {
	if d.has != nil {
		return d.has[x]
	}
	return slices.Contains(d.list, x)
}

// Objects returns the objects where the cause is: one, or one for each part.
func (r *Recommendation) Objects() []inventory.Ref {
	if len(r.Parts) == 0 {
		return []inventory.Ref{r.Object}
	}
	all := make([]inventory.Ref, len(r.Parts))
	for i, p := range r.Parts {
		all[i] = p.Object
	}
	return all
}
