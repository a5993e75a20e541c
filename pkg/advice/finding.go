package advice

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Finding is what one rule says of one object.
type Finding struct {
	Rule       *Rule
	Object     inventory.Ref
	Host       inventory.Ref // the host that the object is or is on; zero where there is none or it was not read
	Outcome    Outcome
	Severity   Severity // for the profile, or by a case of the rule
	Profile    Profile
	ProfileWhy string
	Reason     string // why not applicable or unknown, in words
	Gaps       []Gap  // of an unknown: the facts it lacks
	Evidence   []Measured
	Remedies   []Change
	Notes      []string
	// Lost is, of a symptom, how many seconds VMs lose in a second; absent where nobody can say.
	Lost inventory.Fact[float64]
	// Benefits are those of the rule, and whether they were measured somewhere like here.
	Benefits []Expected

	// Covers are the findings that this one stands for: of rules that look at the same cause, or, of a check that a person makes
	// once, of the same rule on other objects.
	Covers []Covered

	once       string           // of a check: what objects have in common that need one
	around     inventory.Object // and their cluster or host; nil: each object needs its own
	wanting    []Gap            // evidence that only a call to the host would give
	open       bool             // such a call may change something of it
	Waiver     *Waiver          // of a waived one
	InBaseline bool             // it failed when the baseline was written
	// Pending says what has to happen before what was written against it takes effect, and when that was; "" is nothing.
	// Such a finding stays a fail until a later look proves it gone.
	Pending string

	object inventory.Object
}

// Known reports a fail that the baseline has: nobody is told of it as of something new.
func (f *Finding) Known() bool { return f.Outcome == Fail && f.InBaseline }

// Measured is one piece of evidence: a value, or that it is absent or unread.
type Measured struct {
	Name  string
	Value inventory.Fact[any]
}

// Change is a remedy worked out for one object.
type Change struct {
	Object     inventory.Ref
	Setting    inventory.Setting
	From, To   inventory.Fact[inventory.Value]
	Activation inventory.Activation
	Consent    Consent
	// Restores says which documented default the change restores; "" where it restores none.
	Restores string
	// Params are the rule's parameters that To is made of; Given says that the user set one of them.
	Params []string
	Given  bool
}

// RuleCount is how one rule fared over all its objects.
type RuleCount struct {
	Checked int // objects it was held against
	Unknown int
	Skipped int // not applicable
}

// Result is what a ruleset says of a snapshot.
type Result struct {
	Hosts, VMs int
	// Off and Templates count the VMs that do not run and were judged only by the rules that matter for them.
	Off, Templates int
	Checks         int
	Counts         map[Outcome]int
	Rules          map[string]*RuleCount
	// Findings are worst first. Passes and not-applicables are counted and, unless asked for, not kept.
	Findings []Finding
	// Diagnoses are what rules that explain say of objects with symptoms, proven ones first. They are in no count: a cause
	// is no second fault.
	Diagnoses []*Diagnosis
	// Unread are the facts that unknown outcomes lack, each once.
	Unread []Gap
	// Wanting are the facts that the evidence of findings lacks and a call to the host would give, each once.
	Wanting []Gap
	// Blind are the objects of which nothing could be read.
	Blind []Gap
	// Warnings say what people wrote about objects and findings that does not work, or works no more, and which releases are
	// newer than vperf's tables.
	Warnings []string
	// Baseline is how the findings compare with a baseline; nil where none was given.
	Baseline *BaselineCount

	include   []VMState           // VMs that do not run and were judged by every rule
	aside     map[place]bool      // checks that were set aside: another finding covers them, or their objects were not asked for
	explained map[string]bool     // symptoms that some rule explains
	worst     map[string]Severity // that a finding can have, by rule
	watched   map[*Rule]bool      // rules that say how it goes, not how it is set
	only      map[*Rule][]string  // the diagnoses that alone call for what a rule finds
}

// sort puts findings and diagnoses in their order. Diagnoses point at findings, which sorting moves.
func (r *Result) sort() {
	now := map[place]*Finding{}
	lists := make([][]place, 0, pointed*len(r.Diagnoses))
	for _, d := range r.Diagnoses {
		for _, list := range d.points() {
			places := make([]place, len(list))
			for i, f := range list {
				places[i] = place{f.Rule, f.object}
				now[places[i]] = nil
			}
			lists = append(lists, places)
		}
	}
	sortFindings(r.Findings)
	for i := range r.Findings {
		at := place{r.Findings[i].Rule, r.Findings[i].object}
		if _, wanted := now[at]; wanted {
			now[at] = &r.Findings[i]
		}
	}
	for i, d := range r.Diagnoses {
		for k, list := range d.points() {
			for j, at := range lists[pointed*i+k] {
				list[j] = now[at]
			}
		}
	}
	slices.SortStableFunc(r.Diagnoses, compareDiagnoses)
}

// pointed is how many lists of findings a diagnosis points at.
const pointed = 4

func (d *Diagnosis) points() [pointed][]*Finding {
	return [pointed][]*Finding{d.Symptoms, d.Waived, d.Fixes, d.named}
}

// Incomplete says, in words, what was not seen well enough for a gate of the severity to rely on: objects wholly unread, and
// rules unknown on over a tenth of the objects they apply to. Rules whose findings are never so severe say nothing to it.
func (r *Result) Incomplete(gate Severity) []string {
	var why []string
	for _, g := range r.Blind {
		why = append(why, string(g.Object.Kind)+" "+g.Object.Name+" was not read: "+g.Reason)
	}
	for _, id := range slices.Sorted(maps.Keys(r.Rules)) {
		c := r.Rules[id]
		if c.Unknown*10 > c.Checked-c.Skipped && r.worst[id].AtLeast(gate) {
			why = append(why, "rule "+id+" is unknown on over a tenth of its objects")
		}
	}
	return why
}

// Worst reports whether a fail of the severity or worse is among the findings, and not in the baseline.
func (r *Result) Worst(s Severity) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Outcome == Fail && !f.Known() && f.Severity.AtLeast(s)
	})
}

// sortFindings moves each finding once: there may be tens of thousands, and they are large.
func sortFindings(all []Finding) {
	order := make([]*Finding, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	if slices.IsSortedFunc(order, compareFindings) {
		return
	}
	slices.SortStableFunc(order, compareFindings)
	sorted := make([]Finding, len(all))
	for i, f := range order {
		sorted[i] = *f
	}
	copy(all, sorted)
}

// compareFindings puts fails first, then the worst severity, then rule and object.
func compareFindings(a, b *Finding) int {
	return cmp.Or(
		cmp.Compare(slices.Index(Outcomes(), a.Outcome), slices.Index(Outcomes(), b.Outcome)),
		cmp.Compare(slices.Index(Severities(), a.Severity), slices.Index(Severities(), b.Severity)),
		strings.Compare(a.Rule.ID, b.Rule.ID),
		a.Object.Compare(b.Object),
	)
}

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

// Expected is a benefit that was measured somewhere, and whether it was somewhere like here.
type Expected struct {
	Benefit

	Holds inventory.Fact[bool] // absent where nobody can tell
}

// Against is a condition of a diagnosis that does not hold: it rules the cause out.
type Against struct {
	Condition string     // the part of because that is false
	Rules     []string   // whose findings the condition asks for
	Evidence  []Measured // the evidence of the diagnosis that the condition reads
}

// BaselineCount is how the findings of an audit compare with a baseline.
type BaselineCount struct {
	Known  int // fails that are in the baseline
	Fixed  int // of the baseline, looked at again and failing no more
	Unseen int // of the baseline, and no part of this audit: the rule was not selected or skipped the object, or the object is not there
}

// Covered is a finding that another one stands for.
type Covered struct {
	Rule   string // the rule's id
	Object inventory.Ref
}

// firstOf is the cause to name first of those that are proven for a symptom; nil where there is none.
func firstOf(all []*Diagnosis, symptom *Finding) *Diagnosis {
	var first *Diagnosis
	for _, d := range all {
		if d.Finding.Outcome != Fail && d.Finding.Outcome != Waived || !slices.Contains(d.Symptoms, symptom) {
			continue
		}
		if first == nil || compareCauses(d, first) < 0 {
			first = d
		}
	}
	return first
}

func compareDiagnoses(a, b *Diagnosis) int { return compareFindings(a.Finding, b.Finding) }

// compareCauses puts the cause that is to be named first before others: one that is proven before one that is only possible.
func compareCauses(a, b *Diagnosis) int {
	return cmp.Or(compareBools(a.Finding.Rule.Possible, b.Finding.Rule.Possible), cmp.Compare(a.Finding.Rule.Order, b.Finding.Rule.Order), strings.Compare(a.Finding.Rule.ID, b.Finding.Rule.ID))
}

// Fingerprint tells a finding from all others. It stays when the name of its object, its severity, its outcome or what
// was measured change: baselines match by it, ours and those of other tools.
func (f *Finding) Fingerprint() string { return fingerprint(f.Rule.ID, f.Object) }

func fingerprint(rule string, o inventory.Ref) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{rule, o.VCenter, string(o.Kind), o.ID}, "\x00")))
	return hex.EncodeToString(sum[:])
}

func (r *Result) isSymptom(rule *Rule) bool {
	return r.explained[rule.ID] || r.watched[rule]
}

// place is where a finding stands: one rule and one object.
type place struct {
	rule   *Rule
	object inventory.Object
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
