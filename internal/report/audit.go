package report

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/advice"
)

// AuditSchema is the version of the JSON form of an audit.
const AuditSchema = "vperf.audit/v2"

// Audit holds the input of all audit formats.
type Audit struct {
	Source  string    // where the facts came from, without credentials
	TakenAt time.Time // the server's clock
	Profile advice.Profile
	Result  *advice.Result
	// Whole makes the table list every object of a rule, however many there are.
	Whole bool
	// Rest are the passed and not applicable results, by rule; nil: they are not shown.
	Rest iter.Seq[[]*advice.Finding]
}

// rest returns the passed and not applicable results to show.
func (a Audit) rest() iter.Seq[[]*advice.Finding] {
	if a.Rest == nil {
		return func(func([]*advice.Finding) bool) {}
	}
	return a.Rest
}

// Complete returns the audit with the rest among its findings, for formats that need all of them at once.
func (a Audit) Complete() Audit {
	if a.Rest == nil {
		return a
	}
	r := *a.Result
	r.Findings = slices.Clone(r.Findings)
	for rest := range a.Rest {
		r.Findings = append(r.Findings, rest...)
	}
	slices.SortStableFunc(r.Findings, func(x, y *advice.Finding) int {
		return cmp.Compare(slices.Index(advice.Outcomes(), x.Outcome), slices.Index(advice.Outcomes(), y.Outcome))
	})
	a.Result, a.Rest = &r, nil
	return a
}

// AtLeast returns the audit without findings below a severity. Counts stay.
func (a Audit) AtLeast(s advice.Severity) Audit {
	return a.without(func(f *advice.Finding) bool { return !f.Severity.AtLeast(s) })
}

// Actionable returns the audit without passed and not-applicable results, for formats that only list work to do. Their counts
// stay.
func (a Audit) Actionable() Audit {
	return a.without(func(f *advice.Finding) bool { return f.Outcome == advice.Pass || f.Outcome == advice.NotApplicable })
}

// New returns the audit without failures that are in the baseline. Counts stay.
func (a Audit) New() Audit {
	return a.without(func(f *advice.Finding) bool { return f.Known() })
}

func (a Audit) without(drop func(*advice.Finding) bool) Audit {
	if all := a.Rest; all != nil {
		a.Rest = func(yield func([]*advice.Finding) bool) {
			all(func(some []*advice.Finding) bool { return yield(slices.DeleteFunc(some, drop)) })
		}
	}
	if !slices.ContainsFunc(a.Result.Findings, drop) {
		return a
	}
	r := *a.Result
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), drop)
	a.Result = &r
	return a
}

// profile returns the requested profile, or auto.
func (a Audit) profile() string {
	return cmp.Or(string(a.Profile), "auto")
}

// baseline describes how the audit compares with the baseline; it returns "" if there is no baseline.
func baseline(r *advice.Result) string {
	b := r.Baseline
	if b == nil {
		return ""
	}
	parts := []string{plural.Are(b.Known, "known finding") + " in the baseline"}
	if b.Fixed > 0 {
		parts = append(parts, plural.Are(b.Fixed, "")+" fixed")
	}
	if b.Unseen > 0 {
		parts = append(parts, plural.Are(b.Unseen, "")+" no part of this audit")
	}
	return strings.Join(parts, ", ")
}

// skippedVMs names the VMs that most rules skip; it returns "" if there are none.
func skippedVMs(r *advice.Result) string {
	var parts, states []string
	if r.Off > 0 {
		parts, states = append(parts, plural.Count(r.Off, "powered-off VM")), append(states, string(advice.VMOff))
	}
	if r.Templates > 0 {
		parts, states = append(parts, plural.Count(r.Templates, "template")), append(states, string(advice.VMTemplate))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: judged only by the rules that matter for them (--include-vms %s judges them by all)",
		strings.Join(parts, " and "), strings.Join(states, ","))
}
