package remedy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Request is the user's request.
type Request struct {
	Rules    []string        // the rules named by the user
	Severity advice.Severity // findings below it are skipped; "" skips none
}

func (a Request) named(f *advice.Finding) bool { return slices.Contains(a.Rules, f.Rule.ID) }

func (a Request) skips(f *advice.Finding) bool {
	return a.Severity != "" && !f.Severity.AtLeast(a.Severity)
}

// Propose converts the failed findings of a result to proposed changes, and returns the skipped ones with the reason.
// The result and the snapshot are of one server. Skipped changes of a rule that the user named count as refused.
//
// It proposes nothing for waived findings, manual checks and pending changes. Unknown findings are returned as skipped,
// so that they are not mistaken for passes.
func Propose(result *advice.Result, snapshot *inventory.Snapshot, request Request) (proposals []tuning.Proposal, skipped []tuning.Skipped) {
	e := newEstate(snapshot)
	unjudgedFindings, unreadObjects := unjudgedList{at: map[skipKey]int{}}, map[inventory.Ref]bool{}
	for _, g := range result.UnreadObjects {
		unreadObjects[g.Object] = true
	}
	for _, f := range result.Findings {
		if f.Outcome == advice.Unknown && writes(f.Rule) {
			unjudgedFindings.add(tuning.Skipped{Target: targetOf(f.Object), Rules: []string{f.Rule.ID}, Why: unjudged(f, unreadObjects), Refused: request.named(f)})
		}
		if f.Outcome != advice.Fail || f.Pending != "" {
			continue
		}
		changes := e.requestedChanges(f, request.named(f))
		if request.skips(f) {
			if len(changes) > 0 {
				skipped = append(skipped, tuning.Skipped{Target: changes[0].target, Rules: []string{f.Rule.ID}, Why: belowSeverity(f, request.Severity, request.named(f))})
			}
			continue
		}
		if why := profileUnknown(f); why != "" {
			skipped = append(skipped, tuning.Skipped{Target: targetOf(f.Object), Rules: []string{f.Rule.ID}, Why: why, Refused: request.named(f)})
			continue
		}
		if len(f.Remedies) == 0 && request.named(f) {
			skipped = append(skipped, tuning.Skipped{Target: targetOf(f.Object), Rules: []string{f.Rule.ID}, Why: nothingToWrite(f.Rule), Refused: true})
		}
		for _, w := range skipTogether(changes) {
			if w.why = cmp.Or(w.why, waiverUnknown(f)); w.why != "" {
				skipped = append(skipped, w.skipped())
				continue
			}
			proposals = append(proposals, w.proposal())
		}
	}
	return proposals, append(distinct(skipped), unjudgedFindings.all...)
}

// unjudgedList collects findings that could not be evaluated. A wholly unread object is listed once with all its rules, of
// which there may be a hundred.
type unjudgedList struct {
	all []tuning.Skipped
	at  map[skipKey]int
}

func (d *unjudgedList) add(l tuning.Skipped) {
	key := skipKey{target: l.Target, why: l.Why, refused: l.Refused}
	if i, seen := d.at[key]; seen {
		d.all[i].Rules = append(d.all[i].Rules, l.Rules...)
		return
	}
	d.at[key] = len(d.all)
	d.all = append(d.all, l)
}

// requestedChange is one change that a finding asks for.
type requestedChange struct {
	finding    *advice.Finding
	change     advice.Change
	named      bool // the user named the rule
	target     tuning.Target
	assignment tuning.Assignment
	why        string // why it is skipped; "" if it is not
	grade      bool   // it is skipped because it is manual or not approved
}

// requestedChanges returns the changes that a finding asks for, except those whose value is set already.
func (e *estate) requestedChanges(f *advice.Finding, named bool) []requestedChange {
	var all []requestedChange
	for _, c := range f.Remedies {
		if isNoOp(c) {
			continue
		}
		w := requestedChange{finding: f, change: c, named: named}
		var problem string
		w.target, w.assignment.Address, problem = e.place(c)
		w.assignment.Value = valueOf(c)
		w.why = cmp.Or(manualReason(f.Rule, c), missingApproval(f.Rule, c, named))
		w.grade = w.why != ""
		if w.why == "" {
			w.why = cmp.Or(problem, noValue(f.Rule, c))
		}
		if w.why == "" {
			w.why = e.wrongSlots(f.Rule, c)
		}
		all = append(all, w)
	}
	return all
}

// isNoOp reports whether a change would change nothing. A value that the user still has to give is unknown, although its
// placeholder in the rule, such as an empty text, may be equal.
func isNoOp(c advice.Change) bool {
	if v, _ := c.To.Value(); c.Consent == advice.ConsentValue && (!c.Given || v.Text == "") {
		return false
	}
	return tuning.Same(tuning.Address{Setting: c.Setting.String()}, c.From, c.To)
}

// skipTogether skips a rule's other changes of a VM if one of them cannot be proposed: latency sensitivity without the
// reservations it depends on can keep a VM from powering on, so the changes of a rule on one VM are made together.
//
// Changes with different kinds of approval are independent: an author who gives one remedy an easier approval than
// another declares that it can be made alone, like a memory lock without the CPU reservation. A manual change is not
// part of vperf's call either. So a change skipped for missing approval, or because it is manual, does not stop others,
// and any other skipped change stops only those with the same kind of approval.
func skipTogether(all []requestedChange) []requestedChange {
	for _, bad := range slices.Clone(all) {
		if bad.why == "" || bad.grade || bad.target.Kind != inventory.ScopeVM {
			continue
		}
		for i := range all {
			if w := &all[i]; w.why == "" && w.target.Key() == bad.target.Key() && w.change.Consent == bad.change.Consent {
				w.why = "goes together with " + bad.assignment.Setting + ", which is skipped: " + bad.why
			}
		}
	}
	return all
}

// noValue says why there is no value to write.
func noValue(r *advice.Rule, c advice.Change) string {
	v, state, reason := c.To.Get()
	switch {
	case state == inventory.StateAbsent:
		return "the value that the rule asks for does not exist on this release or device"
	case state == inventory.StateUnread:
		return "the value that the rule asks for could not be computed: " + cmp.Or(reason, "required facts are unread")
	case c.Consent == advice.ConsentValue && strings.TrimSpace(v.Text) == "":
		return "the value is empty: " + paramHint(r, c)
	}
	return ""
}

// valueOf returns the value to write: an empty value removes some settings.
func valueOf(c advice.Change) inventory.Fact[inventory.Value] {
	v, known := c.To.Value()
	if known && v.Text == "" && c.Setting.Kind.Removable() {
		return inventory.Absent[inventory.Value]()
	}
	return c.To
}

func (w *requestedChange) proposal() tuning.Proposal {
	return tuning.Proposal{Target: w.target, Want: w.assignment, Activation: w.change.Activation, Cause: w.cause()}
}

func (w *requestedChange) cause() tuning.Cause {
	r := w.finding.Rule
	c := tuning.Cause{Rule: r.ID, Title: r.Title, Severity: string(w.finding.Severity), Risk: oneLine(r.Tradeoff), Restores: w.change.Restores}
	if w.finding.Object.Path != w.target.Path || w.finding.Object.Kind != w.target.Kind {
		c.Object = w.finding.Object.Path
	}
	for _, b := range r.Benefit {
		text := oneLine(b.Text)
		if b.When != "" {
			text += " (" + oneLine(b.When) + ")"
		}
		if own := b.Own(); own != "" { // the figure beside it is context: vperf explain has it
			text = own
		}
		if !slices.Contains(c.Benefit, text) {
			c.Benefit = append(c.Benefit, text)
		}
	}
	return c
}

func (w *requestedChange) skipped() tuning.Skipped {
	return tuning.Skipped{Target: w.target, Address: w.assignment.Address, Rules: []string{w.finding.Rule.ID}, Why: w.why, Refused: w.named}
}

// distinct removes duplicates: the ports of a driver share its options.
func distinct(all []tuning.Skipped) []tuning.Skipped {
	var once []tuning.Skipped
	seen := map[skipKey]bool{}
	for _, l := range all {
		if k := (skipKey{l.Target, l.Address, l.Why, strings.Join(l.Rules, " "), l.Refused}); !seen[k] {
			seen[k] = true
			once = append(once, l)
		}
	}
	return once
}

// skipKey is the key of a skipped change.
type skipKey struct {
	target  tuning.Target
	address tuning.Address
	why     string
	rules   string
	refused bool
}
