package advice

import (
	"math"

	"github.com/vperf/vperf/pkg/inventory"
)

// loss is what VMs are known to lose; 0 where that is nothing, or not known.
func (i Impact) loss() float64 {
	lost, known := i.Lost.Value()
	if !known || math.IsNaN(lost) {
		return 0
	}
	return lost
}

// Recommendation is one thing to do.
type Recommendation struct {
	// Rule is the one that explains; where there is no symptom now, the one that found something. Where the same changes take
	// several causes away, or one cause is the consequence of another, it is that of the first; each diagnosis has its own.
	Rule *Rule
	// Object is where the cause lies; zero where it lies at several objects, or the findings are of many.
	Object inventory.Ref
	// Parts are the same thing to do at each of several objects, the one with the largest loss first; empty where it is at one.
	Parts    []*Recommendation
	Severity Severity // the worst of its symptoms or findings
	// Possible says that the diagnoses make the cause possible and do not prove it.
	Possible bool
	// Diagnoses are proven, with their symptoms, and last those that are consequences; none: nothing shows now, the
	// configuration is wrong all the same.
	Diagnoses []*Diagnosis
	// Also are further causes that are proven for the same symptoms, to be looked at when the first is gone.
	Also []*Diagnosis
	// Undecided and RuledOut are the other causes that were considered for the same symptoms: those that could not be decided,
	// and those that are not the cause.
	Undecided, RuledOut []*Diagnosis
	// Findings are the fixes of the diagnoses, each once, or what the rule found.
	Findings []*Finding
	Impact   Impact
	Benefits []Expected
	// Effort is the most that one of the changes takes; empty where nobody can say.
	Effort Effort
	// Risk is the most careful consent that a remedy asks for; ConsentNever where only a person makes the change.
	Risk   Consent
	Unseen []Gap // what the diagnoses could not see
	// Waived is what somebody accepted of it, and counts for nothing: symptoms, and findings that would take the cause away.
	Waived []*Finding
	// ByLoad says of what shows nowhere that it is called for only under load, and that nobody measured whether there is any.
	ByLoad bool
}

// Impact is what the symptoms do now, as measured.
type Impact struct {
	Objects int // with symptoms, or with findings where there are none
	VMs     int // among them, and on hosts among them
	// Lost is how many seconds VMs lose in a second, of the symptoms of which that is known; unread where it is of none.
	Lost inventory.Fact[float64]
	// Share is the part of the samples in which the symptom was there, of the object that had it longest.
	Share inventory.Fact[float64]
}

// Unexplained is a symptom for which no cause was proven.
type Unexplained struct {
	Symptom  *Finding
	Possible []*Diagnosis // those that could not be told
	RuledOut []*Diagnosis
}

// Advice is what to do first.
type Advice struct {
	Recommendations []*Recommendation // the first is to be done first
	// Harmless are measured, explained, and nothing to change: because all is well, or because somebody accepted the cause.
	Harmless    []*Diagnosis
	Unexplained []*Unexplained
}

// distinct keeps each thing once, as they came.
type distinct[T comparable] struct {
	list []T
	has  map[T]bool
}

func (d *distinct[T]) add(x T) {
	if d.has[x] {
		return
	}
	if d.has == nil {
		d.has = map[T]bool{}
	}
	d.has[x] = true
	d.list = append(d.list, x)
}

// Objects are where the cause lies: one, or that of each part.
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
