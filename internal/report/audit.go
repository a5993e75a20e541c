package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// AuditSchema is the version of the JSON form of an audit.
const AuditSchema = "vperf.audit/v1"

// guide is where the pages of docs/ are.
const guide = "https://github.com/vperf/vperf/blob/main/docs/"

// GuidePage is the page of docs/ where each rule of a category has a section.
func GuidePage(c advice.Category) string { return "rules/" + string(c) + ".md" }

// Audit is what all formats render.
type Audit struct {
	Source  string    // where the facts came from, without credentials
	TakenAt time.Time // the server's clock
	Profile advice.Profile
	Result  *advice.Result
	// Whole says that the table lists every object of a rule, however many they are.
	Whole bool
}

// AtLeast is the audit without the findings milder than a severity. Counts stay.
func (a Audit) AtLeast(s advice.Severity) Audit {
	return a.without(func(f advice.Finding) bool { return !f.Severity.AtLeast(s) })
}

// Actionable is the audit without its passes and not-applicables, for formats whose readers want to know what to do.
// Their counts stay.
func (a Audit) Actionable() Audit {
	return a.without(func(f advice.Finding) bool { return f.Outcome == advice.Pass || f.Outcome == advice.NotApplicable })
}

// New is the audit without the fails that the baseline has, for readers who want to know what is new. Counts stay.
func (a Audit) New() Audit {
	return a.without(func(f advice.Finding) bool { return f.Known() })
}

func (a Audit) without(drop func(advice.Finding) bool) Audit {
	r := *a.Result
	r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), drop)
	a.Result = &r
	return a
}

// profile is the profile asked for, or auto.
func (a Audit) profile() string {
	if a.Profile == "" {
		return "auto"
	}
	return string(a.Profile)
}

// baseline says in words how the audit compares with a baseline, or "" where none was given.
func baseline(r *advice.Result) string {
	b := r.Baseline
	if b == nil {
		return ""
	}
	parts := []string{are(b.Known, "known finding") + " in the baseline"}
	if b.Fixed > 0 {
		parts = append(parts, are(b.Fixed, "")+" fixed")
	}
	if b.Unseen > 0 {
		parts = append(parts, are(b.Unseen, "")+" no part of this audit")
	}
	return strings.Join(parts, ", ")
}

// skippedVMs names the VMs that most rules skip, or "" where there are none.
func skippedVMs(r *advice.Result) string {
	var parts, states []string
	if r.Off > 0 {
		parts, states = append(parts, count(r.Off, "powered-off VM")), append(states, string(advice.VMOff))
	}
	if r.Templates > 0 {
		parts, states = append(parts, count(r.Templates, "template")), append(states, string(advice.VMTemplate))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: judged only by the rules that matter for them (--include-vms %s judges them by all)",
		strings.Join(parts, " and "), strings.Join(states, ","))
}

// are is "1 thing is" or "2 things are"; without a thing, "1 is" or "2 are".
func are(n int, what string) string {
	verb := " are"
	if n == 1 {
		verb = " is"
	}
	if what == "" {
		return strconv.Itoa(n) + verb
	}
	return count(n, what) + verb
}

// docs is where to read about a rule; the guide has no section for a user's own.
func docs(r *advice.Rule) string {
	if r.FromUser() {
		return ""
	}
	return guide + GuidePage(r.Category) + "#" + r.ID
}

// display is a fact for machines: its value, or an object that says which of the two other states it has.
func display[T any](f inventory.Fact[T], value func(T) any) any {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return value(v)
	case inventory.StateAbsent:
		return map[string]bool{"absent": true}
	}
	return map[string]string{"unread": reason}
}

// text is a fact for people.
func text[T any](f inventory.Fact[T], value func(T) string) string {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return value(v)
	case inventory.StateAbsent:
		return "absent"
	}
	if reason == "" {
		return "not read"
	}
	return "not read (" + reason + ")"
}
