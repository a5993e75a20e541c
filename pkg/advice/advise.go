package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// Verdict is what a diagnosis makes of a symptom that it explains.
type Verdict string

// The verdicts.
const (
	VerdictFault    Verdict = "fault"    // something is to be changed
	VerdictHarmless Verdict = "harmless" // it is explained, and all is well
)

// Effort is how much work a change is, and what it disturbs.
type Effort string

// The efforts.
const (
	EffortLow    Effort = "low"    // in force at once, or with the next task of the running VM
	EffortMedium Effort = "medium" // a VM has to be powered off, or moved
	EffortHigh   Effort = "high"   // a host has to be restarted, or hardware changed
)

// Diagnosis is what a rule that explains says of one object with symptoms.
type Diagnosis struct {
	// Finding is of the rule that explains: a fail is proven, an unknown could not be told, a pass is ruled out.
	Finding *Finding
	// Symptoms are the object's findings that it explains. Those that somebody accepted are Waived, and count for nothing.
	Symptoms, Waived []*Finding
	// Cause is the object that the cause lies at.
	Cause inventory.Ref
	// First says that of all proven causes it is the one to name first, for one of the symptoms at least.
	First bool
	// Fixes are findings, with their remedies, that take the cause away.
	Fixes []*Finding
	// Against are, of a cause that is ruled out, the conditions that do not hold.
	Against []Against

	at    inventory.Object // what Cause is of
	named []*Finding       // what its rule refers to, fixes among it, where that failed: its part of the chain
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

// Expected is a benefit that was measured somewhere, and whether it was somewhere like here.
type Expected struct {
	Benefit

	Holds inventory.Fact[bool] // absent where nobody can tell
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

// Advise orders what rules found by what it does now, by what a change is expected to bring, and by what it takes. Where
// nothing is wrong the advice is empty. What is waived is no reason to do anything.
func Advise(s *inventory.Snapshot, r *Result) *Advice {
	a := &adviser{result: r, fleet: fleetOf(s), by: map[cause]*reasons{}, explains: map[*Finding][]*Diagnosis{}}
	for _, d := range r.Diagnoses {
		for _, f := range d.Symptoms {
			a.explains[f] = append(a.explains[f], d)
		}
	}
	symptoms := a.symptoms()
	for _, f := range symptoms {
		if first := firstOf(a.explains[f], f); first != nil {
			a.first.add(first)
		}
	}
	for _, f := range symptoms {
		a.file(f)
	}
	return a.advice()
}

// adviser turns a result into advice.
type adviser struct {
	result      *Result
	fleet       *fleet
	explains    map[*Finding][]*Diagnosis // by symptom
	first       distinct[*Diagnosis]      // to be named first, for a symptom at least
	by          map[cause]*reasons
	causes      []*reasons // as they came
	harmless    distinct[*Diagnosis]
	unexplained []*Unexplained
}

// cause is one thing that is wrong at one object, whatever shows it.
type cause struct {
	rule *Rule
	at   inventory.Ref
}

// reasons are what speaks for taking a cause away.
type reasons struct {
	cause

	object          inventory.Object // what it lies at
	diagnoses, also distinct[*Diagnosis]
	considered      distinct[*Diagnosis] // for the same symptoms: undecided, or ruled out
	follow          []*Diagnosis         // the consequences, which have causes of their own
	symptoms        []*Finding           // for which it, or a consequence, is the one to name first
	around          map[*Finding]bool    // those of a consequence at what it is a part of: not all that is there suffers from it
	unseen          []Gap
	lead            *reasons // of which this is the consequence; nil where it stands for itself
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

// symptoms are the findings that say how it goes, not how it is set: of rules for what to watch, and what diagnoses explain.
func (a *adviser) symptoms() []*Finding {
	var all []*Finding
	for i := range a.result.Findings {
		if f := &a.result.Findings[i]; f.Outcome == Fail && a.result.isSymptom(f.Rule) {
			all = append(all, f)
		}
	}
	return all
}

func (r *Result) isSymptom(rule *Rule) bool {
	return r.explained[rule.ID] != nil || r.watched[rule]
}

// file puts a symptom under the cause to name first for it.
func (a *adviser) file(f *Finding) {
	all := a.explains[f]
	first := firstOf(all, f)
	switch {
	case first == nil:
		a.unexplained = append(a.unexplained, &Unexplained{Symptom: f, Possible: withOutcome(all, Unknown), RuledOut: withOutcome(all, Pass)})
	case first.Finding.Outcome == Waived || first.Finding.Rule.Verdict == VerdictHarmless:
		a.harmless.add(first)
	default:
		c := cause{first.Finding.Rule, first.Cause}
		if a.by[c] == nil {
			a.by[c] = &reasons{cause: c, object: first.at, around: map[*Finding]bool{}}
			a.causes = append(a.causes, a.by[c])
		}
		a.by[c].add(a, first, f)
	}
}

func (r *reasons) add(a *adviser, first *Diagnosis, symptom *Finding) {
	r.diagnoses.add(first)
	r.symptoms = append(r.symptoms, symptom)
	for _, d := range a.explains[symptom] {
		switch {
		case d.Finding.Outcome == Fail && !a.first.has[d]:
			r.also.add(d)
		case d.Finding.Outcome == Unknown:
			r.considered.add(d)
			r.unseen = append(r.unseen, d.Finding.Gaps...)
		case d.Finding.Outcome == Pass:
			r.considered.add(d)
		}
	}
}

func withOutcome(all []*Diagnosis, o Outcome) []*Diagnosis {
	some := slices.DeleteFunc(slices.Clone(all), func(d *Diagnosis) bool { return d.Finding.Outcome != o })
	slices.SortStableFunc(some, compareCauses)
	return some
}

// advice is everything in its order.
func (a *adviser) advice() *Advice {
	out := &Advice{Harmless: a.harmless.list, Unexplained: a.unexplained}
	a.fold()
	out.Recommendations = a.together()
	out.Recommendations = append(out.Recommendations, a.configuration()...)
	rank(out)
	return out
}

// fixes are what takes the cause away, of one outcome. Of what its consequences would have changed only what is at the cause,
// or at a part of it: no more is known to be in the way.
func (r *reasons) fixes(of Outcome) []*Finding {
	var fixes distinct[*Finding]
	for _, d := range r.diagnoses.list {
		for _, f := range d.Fixes {
			if f.Outcome == of {
				fixes.add(f)
			}
		}
	}
	for _, d := range r.follow {
		for _, f := range d.Fixes {
			if f.Outcome == of && r.has(f) {
				fixes.add(f)
			}
		}
	}
	slices.SortStableFunc(fixes.list, compareFindings)
	return fixes.list
}

// waived is what of the symptoms and of the way out somebody accepted.
func (r *reasons) waived() []*Finding {
	var all distinct[*Finding]
	for _, d := range slices.Concat(r.diagnoses.list, r.follow) {
		for _, f := range d.Waived {
			all.add(f)
		}
	}
	for _, f := range r.fixes(Waived) {
		all.add(f)
	}
	slices.SortStableFunc(all.list, compareFindings)
	return all.list
}

// has reports a finding of the object that the cause lies at, or of a part of that.
func (r *reasons) has(f *Finding) bool { return f.object == r.object || ownerOf(f.object) == r.object }

// byHand is the most work that a person has with one of the causes; empty where no rule says.
func byHand(causes []*Diagnosis) Effort {
	most := Effort("")
	for _, d := range causes {
		if e := d.Finding.Rule.Effort; e != "" && (most == "" || effortIndex(e) > effortIndex(most)) {
			most = e
		}
	}
	return most
}

func worst(findings []*Finding) Severity {
	w := Info
	for _, f := range findings {
		if f.Severity.AtLeast(w) {
			w = f.Severity
		}
	}
	return w
}
