package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Findings compares the failed findings of two sides.
type Findings struct {
	New, Gone, Still []Finding
	// Unclear are findings of one side that the other could not decide or did not check.
	Unclear []Finding
}

// Finding is a failed finding of one side, with its outcome on both.
type Finding struct {
	Rule     string          `json:"rule"`
	Title    string          `json:"title"`
	Severity advice.Severity `json:"severity"`
	Object   inventory.Ref   `json:"object"`
	Was      string          `json:"was"` // an outcome, or one of the words below
	Is       string          `json:"is"`
	Reason   string          `json:"reason,omitempty"` // why it is unclear
}

// Outcomes that a side does not list.
const (
	NotFailing = "not failing" // it passed, or the rule does not apply
	NotThere   = "no object"   // the object did not exist
	NotListed  = "not listed"  // an audit result does not tell why
	NotChecked = "not checked"
)

// Worst reports whether a new finding has the severity or a worse one.
func (f *Findings) Worst(s advice.Severity) bool {
	return slices.ContainsFunc(f.New, func(n Finding) bool { return n.Severity.AtLeast(s) })
}

// Judgement is the findings of one side.
type Judgement struct {
	Listed  []Finding // all outcomes that the side lists; Is is the outcome
	Servers []string

	result   *advice.Result // nil for an audit result from a file
	snapshot *inventory.Snapshot
	rules    *advice.Ruleset
	counters map[string]bool // rules over counters
	whole    bool            // an audit result that lists passed checks, too
}

// Judge returns the findings of a snapshot.
func Judge(r *advice.Result, s *inventory.Snapshot, rules *advice.Ruleset) *Judgement {
	j := &Judgement{result: r, snapshot: s, rules: rules, counters: map[string]bool{}}
	for _, f := range r.Findings {
		j.Listed = append(j.Listed, Finding{Rule: f.Rule.ID, Title: f.Rule.Title, Severity: f.Severity, Object: f.Object, Is: string(f.Outcome), Reason: f.Reason})
	}
	for _, v := range s.VCenters {
		j.Servers = append(j.Servers, v.Name)
	}
	for _, rule := range rules.Rules() {
		if len(rule.Live()) > 0 {
			j.counters[rule.ID] = true
		}
	}
	return j
}

// AuditSchema is the schema of the audit results that LoadAudit reads.
const AuditSchema = "vperf.audit/v2"

// LoadAudit reads the output of vperf audit -o json.
func LoadAudit(r io.Reader) (*Judgement, Side, error) {
	var doc struct {
		Schema   string    `json:"schema"`
		Source   string    `json:"source"`
		TakenAt  time.Time `json:"takenAt"`
		Findings []struct {
			Rule     string          `json:"rule"`
			Title    string          `json:"title"`
			Severity advice.Severity `json:"severity"`
			Outcome  string          `json:"outcome"`
			Reason   string          `json:"reason"` // of all objects
			Objects  []struct {
				Object inventory.Ref `json:"object"`
				Reason string        `json:"reason"`
			} `json:"objects"`
		} `json:"findings"`
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, Side{}, fmt.Errorf("reading an audit result: %w", err)
	}
	j := &Judgement{Servers: strings.Split(doc.Source, ", ")}
	for i, f := range doc.Findings {
		if _, err := advice.ParseSeverity(string(f.Severity)); err != nil || f.Rule == "" || len(f.Objects) == 0 {
			return nil, Side{}, fmt.Errorf("reading an audit result: finding %d has no rule, no objects, or no severity", i+1)
		}
		j.whole = j.whole || f.Outcome == string(advice.Pass)
		for _, row := range f.Objects {
			o := row.Object
			if o.ID == "" && o.Kind != inventory.ScopeVCenter {
				return nil, Side{}, fmt.Errorf("reading an audit result: finding %d has a row without an object", i+1)
			}
			j.Listed = append(j.Listed, Finding{Rule: f.Rule, Title: f.Title, Severity: f.Severity, Object: o, Is: f.Outcome, Reason: cmp.Or(row.Reason, f.Reason)})
			if !slices.Contains(j.Servers, o.VCenter) {
				j.Servers = append(j.Servers, o.VCenter)
			}
		}
	}
	return j, Side{Source: doc.Source, TakenAt: doc.TakenAt, Kind: "audit result"}, nil
}

// Judgements compares only the findings of two sides, of which one at least is an audit result.
func Judgements(from, to *Judgement) (*Diff, error) {
	if !slices.ContainsFunc(from.Servers, func(s string) bool { return slices.Contains(to.Servers, s) }) {
		return nil, fmt.Errorf("%w: the old side is %s, the new one %s", ErrOtherServer, strings.Join(from.Servers, ", "), strings.Join(to.Servers, ", "))
	}
	d := &Diff{FindingsOnly: true}
	d.Compare(from, to)
	return d, nil
}

// Compare compares the findings of the two sides.
func (d *Diff) Compare(from, to *Judgement) {
	c := &findingComparison{from: from, to: to, renamed: map[string]string{}, out: &d.Findings}
	for _, r := range d.Renamed {
		if r.Object.Kind == inventory.ScopeVCenter {
			c.renamed[r.From] = r.To
		}
	}
	c.compare()
	for _, list := range [][]Finding{d.Findings.New, d.Findings.Gone, d.Findings.Still, d.Findings.Unclear} {
		slices.SortStableFunc(list, func(a, b Finding) int {
			return cmp.Or(severityRank(a.Severity)-severityRank(b.Severity), strings.Compare(a.Rule, b.Rule), a.Object.Compare(b.Object))
		})
	}
}

func severityRank(s advice.Severity) int { return slices.Index(advice.Severities(), s) }

type findingComparison struct {
	from, to *Judgement
	renamed  map[string]string // old name of an endpoint → new name
	out      *Findings
}

type findingKey struct{ rule, vcenter, kind, id string }

func keyOf(f *Finding) findingKey {
	return findingKey{f.Rule, f.Object.VCenter, string(f.Object.Kind), f.Object.ID}
}

func (c *findingComparison) compare() {
	old := map[findingKey]*Finding{}
	for _, f := range c.from.Listed {
		if name, ok := c.renamed[f.Object.VCenter]; ok {
			f.Object.VCenter = name
		}
		old[keyOf(&f)] = &f
	}
	now := map[findingKey]*Finding{}
	objects := c.from.objects(c.renamed)
	for i := range c.to.Listed {
		f := &c.to.Listed[i]
		now[keyOf(f)] = f
		if f.Is == string(advice.Fail) {
			c.failing(*f, old[keyOf(f)], objects)
		}
	}
	var missing []*Finding
	for key, f := range old {
		switch is := now[key]; {
		case f.Is != string(advice.Fail):
		case is == nil:
			missing = append(missing, f)
		case is.Is != string(advice.Fail):
			c.notFailing(*f, is)
		}
	}
	c.missing(missing)
}

// failing enters a finding of the new side.
func (c *findingComparison) failing(f Finding, was *Finding, objects map[inventory.Ref]bool) {
	f.Was = NotFailing
	switch {
	case was != nil:
		f.Was = was.Is
	case c.from.result == nil && !c.from.whole:
		f.Was = NotListed
	case c.from.result == nil:
		f.Was = NotChecked
	case !objects[identity(f.Object)]:
		f.Was = NotThere
	}
	switch {
	case f.Was == string(advice.Fail):
		c.out.Still = append(c.out.Still, f)
	case was == nil && !c.from.inScope(f.Object, objects, c.renamed):
		f.Was, f.Reason = NotChecked, "not in the scope of the old side"
		c.out.Unclear = append(c.out.Unclear, f)
	case c.onlyOneMeasured(f.Rule):
		f.Reason = "only one side has counters"
		c.out.Unclear = append(c.out.Unclear, f)
	default:
		c.out.New = append(c.out.New, f)
	}
}

// notFailing enters a finding of the old side with another outcome on the new side.
func (c *findingComparison) notFailing(f Finding, is *Finding) {
	f.Was, f.Is, f.Reason = string(advice.Fail), is.Is, is.Reason
	if is.Is == string(advice.Unknown) {
		c.out.Unclear = append(c.out.Unclear, f)
		return
	}
	c.out.Gone = append(c.out.Gone, f)
}

// missing enters findings of the old side that the new side does not list.
func (c *findingComparison) missing(all []*Finding) {
	prints := map[string]string{}
	for _, f := range all {
		prints[fingerprint(f)] = f.Rule
	}
	var checked map[string]bool
	if c.to.result != nil {
		checked = c.to.result.Evaluated(c.to.snapshot, c.to.rules, prints)
	}
	there := c.to.objects(nil)
	for _, f := range all {
		f.Was = string(advice.Fail)
		switch {
		case c.onlyOneMeasured(f.Rule):
			f.Is, f.Reason = NotChecked, "only one side has counters"
		case c.to.result == nil && !c.to.whole:
			f.Is = NotListed
		case c.to.result == nil:
			f.Is, f.Reason = NotChecked, "the new audit did not check it"
		case !c.to.inScope(f.Object, there, nil):
			f.Is, f.Reason = NotChecked, "not in the scope of the new side"
		case checked[fingerprint(f)]:
			f.Is = NotFailing
		case !there[identity(f.Object)] && c.to.sawAll(f.Object.VCenter):
			f.Is = NotThere
		default:
			f.Is, f.Reason = NotChecked, "the new side did not check it: the rule or the object was not selected, or the VM does not run"
		}
		if f.Is == NotChecked {
			c.out.Unclear = append(c.out.Unclear, *f)
		} else {
			c.out.Gone = append(c.out.Gone, *f)
		}
	}
}

// sawAll reports whether a side has all objects of a server.
func (j *Judgement) sawAll(server string) bool {
	v := j.server(server, nil)
	return v != nil && v.Whole && v.Unread == "" && !v.ChosenVMs
}

// server finds an endpoint by its name, or by its new name.
func (j *Judgement) server(name string, renamed map[string]string) *inventory.VCenter {
	for _, v := range j.snapshot.VCenters {
		if cmp.Or(renamed[v.Name], v.Name) == name {
			return v
		}
	}
	return nil
}

// inScope reports whether a side could decide about an object that it does not list a finding of. If it has only a part of a
// server, an object that it does not have may exist, and rules that compare the members of a group did not apply. An audit result
// does not tell its scope.
func (j *Judgement) inScope(o inventory.Ref, objects map[inventory.Ref]bool, renamed map[string]string) bool {
	if j.snapshot == nil {
		return true
	}
	v := j.server(o.VCenter, renamed)
	if v == nil {
		return false
	}
	if v.Whole && v.Unread == "" && !v.ChosenVMs {
		return true
	}
	switch identity(o).Kind {
	case inventory.ScopeVM:
	case inventory.ScopeHost:
		if v.ChosenVMs {
			return false
		}
	default:
		return false
	}
	return objects[identity(o)]
}

// onlyOneMeasured reports whether a rule reads counters that only one of two snapshots has.
func (c *findingComparison) onlyOneMeasured(rule string) bool {
	if c.from.result == nil || c.to.result == nil || !c.from.counters[rule] && !c.to.counters[rule] {
		return false
	}
	return sideOf(c.from.snapshot).LiveFrom.IsZero() != sideOf(c.to.snapshot).LiveFrom.IsZero()
}

func fingerprint(f *Finding) string {
	return (&advice.Finding{Evaluated: &advice.Evaluated{Object: f.Object}, Rule: &advice.Rule{ID: f.Rule}}).Fingerprint()
}

// identity is a reference without what can change.
func identity(r inventory.Ref) inventory.Ref {
	return inventory.Ref{Kind: ownerKind(r.Kind, r.ID), ID: ownerID(r.ID), VCenter: r.VCenter}
}

// ownerKind returns the kind of the managed object that has a device, or the kind itself.
func ownerKind(k inventory.Scope, id string) inventory.Scope {
	switch k {
	case inventory.ScopePNIC, inventory.ScopeVMKNIC, inventory.ScopeHBA, inventory.ScopeLUN:
		return inventory.ScopeHost
	case inventory.ScopeVNIC, inventory.ScopeVDisk:
		return inventory.ScopeVM
	case inventory.ScopeSwitch:
		if strings.Contains(id, "/") {
			return inventory.ScopeHost
		}
	}
	return k
}

func ownerID(id string) string {
	owner, _, _ := strings.Cut(id, "/")
	return owner
}

// objects returns the managed objects of a side; nil for an audit result.
func (j *Judgement) objects(renamed map[string]string) map[inventory.Ref]bool {
	if j.snapshot == nil {
		return nil
	}
	all := map[inventory.Ref]bool{}
	for _, v := range j.snapshot.VCenters {
		add := func(o inventory.Object) {
			r := o.Ref()
			r.VCenter = cmp.Or(renamed[r.VCenter], r.VCenter)
			all[identity(r)] = true
		}
		add(v)
		addAll(v.Clusters, add)
		addAll(v.Pools, add)
		addAll(v.Hosts, add)
		addAll(v.VMs, add)
		addAll(v.Switches, add)
		addAll(v.Datastores, add)
	}
	return all
}

func addAll[T inventory.Object](all []T, add func(inventory.Object)) {
	for _, o := range all {
		add(o)
	}
}
