package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Outcome is the result of one rule for one object.
type Outcome string

// The outcomes. Manual is a check that cannot be automated; waived is a fail that a user has temporarily accepted.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	NotApplicable Outcome = "not-applicable"
	Unknown       Outcome = "unknown"
	Manual        Outcome = "manual"
	Waived        Outcome = "waived"
)

// Outcomes lists all outcomes.
func Outcomes() []Outcome { return []Outcome{Fail, Unknown, Manual, Waived, Pass, NotApplicable} }

// Severity says how much a finding matters for the profile of its object.
type Severity string

// The severities. Critical is an outage of a data path; high is a measured effect of 10 % or more, the risk of an
// outage, or a VM that does not start; medium is noticeable for the profile; low is hygiene; info does not count.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
	Info     Severity = "info"
)

// Severities lists all severities, worst first.
func Severities() []Severity { return []Severity{Critical, High, Medium, Low, Info} }

// HighReasonKind is the reason why a finding is high.
type HighReasonKind string

// The reasons.
const (
	HighBenchmark HighReasonKind = "benchmark" // a published measurement: a benefit of the rule has a change of 10 % or more
	HighCounter   HighReasonKind = "counter"   // the rule measures an effect of 10 % or more on the object itself
	HighOutage    HighReasonKind = "outage"    // a data path is lost, or the next fault interrupts it
	HighNoStart   HighReasonKind = "no-start"  // the VM does not power on
)

// highReasonKinds lists all reasons.
func highReasonKinds() []HighReasonKind {
	return []HighReasonKind{HighBenchmark, HighCounter, HighOutage, HighNoStart}
}

// AtLeast reports whether s is as severe as o or more.
func (s Severity) AtLeast(o Severity) bool {
	all := Severities()
	return slices.Index(all, s) <= slices.Index(all, o)
}

// ParseSeverity parses a severity.
func ParseSeverity(s string) (Severity, error) { return parseWord("severity", s, Severities()) }

// Profile is the purpose that an object is tuned for; it determines the severity of findings.
type Profile string

// The profiles.
const (
	ProfileGeneral     Profile = "general"
	ProfileLatency     Profile = "latency"
	ProfileNetwork     Profile = "network"
	ProfileDatabase    Profile = "database"
	ProfileVDI         Profile = "vdi"
	ProfileAnalytics   Profile = "analytics"
	ProfileHPC         Profile = "hpc"
	ProfileMonster     Profile = "monster"
	ProfileVSAN        Profile = "vsan"
	ProfilePowerSaving Profile = "power-saving"
)

// ProfileUnknown is the profile of an object if unread facts decide which one it has. Users cannot set it. A rule whose result
// depends on the profile is then unknown; severities are those of general, or of vsan if vSAN is on.
const ProfileUnknown Profile = "unknown"

// Profiles lists all profiles.
func Profiles() []Profile {
	return []Profile{
		ProfileGeneral, ProfileLatency, ProfileNetwork, ProfileDatabase, ProfileVDI, ProfileAnalytics,
		ProfileHPC, ProfileMonster, ProfileVSAN, ProfilePowerSaving,
	}
}

// ParseProfile parses a profile.
func ParseProfile(s string) (Profile, error) { return parseWord("profile", s, Profiles()) }

// ParseCategory parses a category.
func ParseCategory(s string) (Category, error) { return parseWord("category", s, Categories()) }

// ParseScope parses the scope of a rule.
func ParseScope(s string) (inventory.Scope, error) { return parseWord("scope", s, Scopes()) }

// Category is a chapter of the library; its rules are in a folder with its name.
type Category string

// CategoryDiagnosis is the category of rules that connect symptoms to causes.
const CategoryDiagnosis Category = "diagnosis"

// categoryMonitoring is the category of rules about counters to watch.
const categoryMonitoring Category = "monitoring"

// Categories lists all categories in the order of the guide.
func Categories() []Category {
	return []Category{
		"power", "cpu", "numa", "memory", "network", "storage", "vm", "guest", "cluster", "vmotion", "vsan", "vdi",
		"scale-out", categoryMonitoring, CategoryDiagnosis,
	}
}

// allVerdicts lists all verdicts.
func allVerdicts() []Verdict { return []Verdict{VerdictFault, VerdictHarmless} }

// allEfforts lists all efforts, the least first.
func allEfforts() []Effort { return []Effort{EffortLow, EffortMedium, EffortHigh} }

// Consent is how a user approves a change; each kind of setting declares a minimum, and a remedy may raise it.
type Consent = inventory.Consent

// The consents, as defined in package inventory.
const (
	ConsentFree  = inventory.ConsentFree
	ConsentNamed = inventory.ConsentNamed
	ConsentValue = inventory.ConsentValue
	ConsentNever = inventory.ConsentNever
)

// Gap is one unread fact that an outcome needs.
type Gap = inventory.Gap

func parseWord[T ~string](kind, s string, all []T) (T, error) {
	if slices.Contains(all, T(s)) {
		return T(s), nil
	}
	return "", fmt.Errorf("no %s %q%s; there are %s", kind, s, inventory.DidYouMean(s, all), joinWords(all))
}

func joinWords[T ~string](all []T) string { return strings.Join(plainWords(all), ", ") }

func plainWords[T ~string](all []T) []string {
	words := make([]string, len(all))
	for i, w := range all {
		words[i] = string(w)
	}
	return words
}

// Scopes lists the scopes a rule can have.
func Scopes() []inventory.Scope {
	return []inventory.Scope{
		inventory.ScopeVCenter, inventory.ScopeCluster, inventory.ScopePool, inventory.ScopeHost, inventory.ScopePNIC,
		inventory.ScopeVMKNIC, inventory.ScopeHBA, inventory.ScopeSwitch, inventory.ScopeLUN, inventory.ScopeDatastore,
		inventory.ScopeVM, inventory.ScopeVNIC, inventory.ScopeVDisk,
	}
}

// Verdict is the assessment of an explained symptom by a diagnosis.
type Verdict string

// The verdicts.
const (
	VerdictFault    Verdict = "fault"    // a change is needed
	VerdictHarmless Verdict = "harmless" // the symptom is explained and needs no change
)

// Effort is the work and disruption of a change.
type Effort string

// The efforts.
const (
	EffortLow    Effort = "low"    // in force at once, or with the next task of the running VM
	EffortMedium Effort = "medium" // a VM must be powered off or moved
	EffortHigh   Effort = "high"   // a host must be restarted, or hardware changed
)

// VMState is a kind of VM that rules skip by default.
type VMState string

// The states. Every template is powered off, but counts only as a template.
const (
	VMOff      VMState = "off"       // powered off or suspended
	VMTemplate VMState = "templates" // a template
)

// VMStates lists all states that rules skip by default.
func VMStates() []VMState { return []VMState{VMOff, VMTemplate} }

// ParseVMState parses a state.
func ParseVMState(s string) (VMState, error) { return parseWord("state of VMs", s, VMStates()) }
