package advice

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// Evaluated is an object that rules were evaluated against, and its profile. All findings of the object share it.
type Evaluated struct {
	Object     inventory.Ref
	Host       inventory.Ref // the host that the object is or is on; zero if there is none or it was not read
	Profile    Profile
	ProfileWhy string

	object   inventory.Object
	possible []Profile // of an unknown profile
	unread   []Gap     // the facts that decide it
}

// Finding is the result of one rule for one object.
type Finding struct {
	*Evaluated

	Rule     *Rule
	Outcome  Outcome
	Severity Severity   // for the profile, or of a case of the rule
	Reason   string     // why not applicable or unknown
	Gaps     []Gap      // of an unknown finding: the unread facts
	Evidence []Measured // empty with Options.OutcomesOnly
	Remedies []Change
	Notes    []string
	// Lost is, for a symptom, the seconds that VMs lose per second; absent if unknown.
	Lost inventory.Fact[float64]
	// Benefits are those of the rule, and whether they were measured under similar conditions.
	Benefits []Expected

	// Covers are the findings that this one covers: findings of rules with the same cause, or manual checks of the same
	// rule that need to be made only once.
	Covers []Covered

	Waiver     *Waiver // of a waived finding
	InBaseline bool    // it failed when the baseline was written
	open       bool    // a call to the host may change the finding
	unchecked  Gap     // the unread fact that may hold a waiver; zero: none
	unsettled  bool    // the remedies depend on the profile, which is unknown, so that there are none
	// Pending says what brings a written change for this finding into force, and when it was written; "" if there is
	// none. The finding stays a fail until a later read shows that the fault is gone.
	Pending string

	once           *checkGroup // of a manual check: the objects that need only one; nil: each object needs its own check
	unreadEvidence []Gap       // unread evidence that a call to the host would give
}

// checkGroup identifies objects that need only one manual check.
type checkGroup struct {
	around inventory.Object // their cluster or host
	key    string           // their common property
}

// Known reports whether the baseline contains this failed finding, so that it is not new.
func (f *Finding) Known() bool { return f.Outcome == Fail && f.InBaseline }

// Measured is one item of evidence: a value, or absent or unread.
type Measured struct {
	Name  string
	Value inventory.Fact[any]
}

// Change is a remedy computed for one object.
type Change struct {
	Object     inventory.Ref
	Setting    inventory.Setting
	From, To   inventory.Fact[inventory.Value]
	Activation inventory.Activation
	Consent    Consent
	// Restores is the documented default that the change restores; "" if it restores none.
	Restores string
	// Params are the rule's parameters that To uses; Given is true if the user set one of them.
	Params []string
	Given  bool
}

// ProfileGap returns the unread fact without which the profile of the object is unknown, if the outcome of an unknown finding or the
// remedies of a failed one depend on it.
func (f *Finding) ProfileGap() (g Gap, depends bool) {
	i := slices.IndexFunc(f.unread, func(g Gap) bool { return f.unsettled || slices.Contains(f.Gaps, g) })
	if i < 0 {
		return Gap{}, false
	}
	return f.unread[i], true
}

// WaiverGap returns the unread fact without which it is not known whether a waiver accepts a failed finding.
func (f *Finding) WaiverGap() (g Gap, unchecked bool) {
	return f.unchecked, f.Outcome == Fail && f.unchecked.Fact != ""
}

// worst returns the worst severity that a failed finding may have: its own unless the profile is unknown.
func (f *Finding) worst() Severity {
	w := f.Severity
	for _, p := range f.possible {
		if s := f.Rule.severity(p); s.AtLeast(w) {
			w = s
		}
	}
	return w
}

// RuleCount counts the results of one rule over all its objects.
type RuleCount struct {
	Rule    *Rule `json:"-"`
	Checked int   `json:"checked"` // evaluated objects
	Pass    int   `json:"pass"`
	Unknown int   `json:"unknown"`
	Skipped int   `json:"notApplicable"`
	Planned int   `json:"planned,omitempty"` // of the unknown ones: only because of planned absences
}

// Result is the result of evaluating a ruleset against a snapshot.
type Result struct {
	Hosts, VMs int
	// Off and Templates count the VMs that are not running and that only some rules evaluated.
	Off, Templates int
	Checks         int
	Counts         map[Outcome]int
	Rules          map[string]*RuleCount
	// Findings are sorted, worst first. Passed and not applicable findings are counted, but kept only with Options.All; Rest evaluates
	// them again.
	Findings []*Finding
	// Diagnoses are the proven and undecided diagnoses of objects with symptoms, proven ones first. They are not counted,
	// because a cause is not a second fault. RuledOut returns the others.
	Diagnoses []*Diagnosis
	// Unread are the unread facts that caused unknown outcomes, each once.
	Unread []Gap
	// UnreadEvidence are the unread facts of evidence that a call to the host would give, each once.
	UnreadEvidence []Gap
	// UnreadObjects are the objects that could not be read at all.
	UnreadObjects []Gap
	// Warnings list tags, attributes and waivers of users that are invalid or have no effect any more, and releases
	// newer than vperf's tables.
	Warnings []string
	// Baseline compares the findings with a baseline; nil if there is none.
	Baseline *BaselineCount

	include   []VMState           // states of VMs that every rule evaluated
	setAside  map[place]string    // checks that were set aside, and why: another finding covers them, or their objects were not selected
	gone      map[string]string   // fingerprints of a baseline that are not among the findings, with their rules
	rest      *evaluation         // evaluates passes and not-applicables; nil without Options.Rest
	shown     []*shown            // objects with symptoms
	explained map[string]bool     // symptoms that some diagnosis explains
	worst     map[string]Severity // the worst severity of its findings, by rule
	watched   map[*Rule]bool      // rules about performance, not configuration
	only      map[*Rule][]string  // the diagnoses that alone call for the findings of a rule

	complaints [2]*mark.Complaints // the warnings about marks of profiles, and about new releases
}

func (r *Result) sort() {
	sortStable(r.Findings, compareFindings)
	sortStable(r.Diagnoses, compareDiagnoses)
}

// Incomplete returns the reasons why a gate of the severity cannot rely on the result: wholly unread objects, and rules
// that are unknown for over a tenth of the objects they apply to. It ignores rules whose findings are never that
// severe, and planned absences.
func (r *Result) Incomplete(gate Severity) []string {
	var why []string
	for _, g := range r.UnreadObjects {
		if _, planned := inventory.PlannedAbsence(g.Reason); planned {
			continue
		}
		why = append(why, string(g.Object.Kind)+" "+g.Object.Name+" was not read: "+g.Reason)
	}
	unknown := map[string]bool{}
	for _, f := range r.Findings {
		g, depends := f.ProfileGap()
		if f.Outcome == Fail && !f.Known() && f.worst().AtLeast(gate) && !f.Severity.AtLeast(gate) {
			g, depends = f.unread[0], true
		}
		if depends && isMark(g) && r.worst[f.Rule.ID].AtLeast(gate) {
			unknown[g.Fact+" was not read ("+g.Reason+"), so that profiles are unknown"] = true
		}
	}
	why = append(why, slices.Sorted(maps.Keys(unknown))...)
	for _, id := range slices.Sorted(maps.Keys(r.Rules)) {
		c := r.Rules[id]
		if (c.Unknown-c.Planned)*10 > c.Checked-c.Skipped-c.Planned && r.worst[id].AtLeast(gate) {
			why = append(why, "rule "+id+" is unknown on over a tenth of its objects")
		}
	}
	return why
}

// Planned returns the number of unknown outcomes that are unknown only because of planned absences: they do not make the result
// incomplete.
func (r *Result) Planned() (n int) {
	for _, c := range r.Rules {
		n += c.Planned
	}
	return n
}

// planned reports whether a finding is unknown only because of planned absences.
func (f *Finding) planned() bool {
	some := false
	for _, g := range f.Gaps {
		_, planned := inventory.PlannedAbsence(g.Reason)
		if !planned && !inventory.NotInScope(g.Reason) {
			return false
		}
		some = some || planned
	}
	return some
}

// Worst reports whether a failed finding outside the baseline has the severity or a worse one.
func (r *Result) Worst(s Severity) bool {
	return slices.ContainsFunc(r.Findings, func(f *Finding) bool {
		return f.Outcome == Fail && !f.Known() && f.Severity.AtLeast(s)
	})
}

// sortStable sorts a list as slices.SortStableFunc does. It needs memory for that, and half as many comparisons.
func sortStable[T any](list []T, compare func(a, b T) int) {
	type placed struct {
		of T
		at int
	}
	all := make([]placed, len(list))
	for i, x := range list {
		all[i] = placed{x, i}
	}
	slices.SortFunc(all, func(a, b placed) int {
		if c := compare(a.of, b.of); c != 0 {
			return c
		}
		return a.at - b.at
	})
	for i, x := range all {
		list[i] = x.of
	}
}

// compareFindings orders fails first, then by severity, rule and object. Most findings differ in the first of these, so that the
// others are read only if they count.
func compareFindings(a, b *Finding) int {
	if a.Outcome != b.Outcome {
		return cmp.Compare(slices.Index(Outcomes(), a.Outcome), slices.Index(Outcomes(), b.Outcome))
	}
	if a.Severity != b.Severity {
		return cmp.Compare(slices.Index(Severities(), a.Severity), slices.Index(Severities(), b.Severity))
	}
	if a.Rule != b.Rule {
		if c := strings.Compare(a.Rule.ID, b.Rule.ID); c != 0 {
			return c
		}
	}
	return a.Object.Compare(b.Object)
}

// Diagnosis is the result of a diagnosis for one object with symptoms.
type Diagnosis struct {
	// Finding is the diagnosis's own result: fail means proven, unknown means undecided, and pass means ruled out.
	Finding *Finding
	// Symptoms are the object's findings that it explains. Waived are those that a waiver accepts; they do not count.
	Symptoms, Waived []*Finding
	// Cause is the object where the cause is.
	Cause inventory.Ref
	// First is true if it is the first one to name of all proven causes, for at least one of the symptoms.
	First bool
	// Fixes are failed findings whose remedies remove the cause.
	Fixes []*Finding
	// Against are the false conditions of a cause that is ruled out.
	Against []Against

	at    inventory.Object // the object of Cause
	named []*Finding       // failed findings of the rules it refers to, including fixes: its part of the chain
}

// Expected is a published benefit, and whether it was measured under similar conditions.
type Expected struct {
	Benefit

	Holds inventory.Fact[bool] // absent if unknown
}

// Against is a false condition of a diagnosis, which rules the cause out.
type Against struct {
	Condition string     // the part of because that is false
	Rules     []string   // the rules whose findings the condition reads
	Evidence  []Measured // the evidence of the diagnosis that the condition reads
}

// BaselineCount compares the findings of an audit with a baseline.
type BaselineCount struct {
	Known  int `json:"known"`  // failed findings that are in the baseline
	Fixed  int `json:"fixed"`  // findings of the baseline that do not fail any more
	Unseen int `json:"unseen"` // findings of the baseline outside this audit: the rule was not selected or skipped the object, or the object does not exist
}

// Covered is a finding that another one covers.
type Covered struct {
	Rule   string        `json:"rule"` // the rule's id
	Object inventory.Ref `json:"object"`
}

// firstOf returns the proven cause to name first for a symptom; nil if there is none.
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

// compareCauses orders causes by which one is named first: proven causes come before possible ones.
func compareCauses(a, b *Diagnosis) int { return compareCauseRules(a.Finding.Rule, b.Finding.Rule) }

func compareCauseRules(a, b *Rule) int {
	return cmp.Or(compareBools(a.Possible, b.Possible), cmp.Compare(a.Order, b.Order), strings.Compare(a.ID, b.ID))
}

// Fingerprint identifies a finding. It does not depend on the name of its object, its severity, its outcome or measured
// values. Baselines match findings by it.
func (f *Finding) Fingerprint() string { return fingerprint(f.Rule.ID, f.Object) }

func fingerprint(rule string, o inventory.Ref) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{rule, o.VCenter, string(o.Kind), o.ID}, "\x00")))
	return hex.EncodeToString(sum[:])
}

func (r *Result) isSymptom(rule *Rule) bool {
	return r.explained[rule.ID] || r.watched[rule]
}

// place identifies a finding: one rule and one object.
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
