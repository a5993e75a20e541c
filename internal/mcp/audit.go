package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

const (
	usualFindings = 10
	mostFindings  = 25
	mostRules     = 10 // in the counts by rule
	mostEvidence  = 3  // in the row of a finding
	mostTexts     = 3  // in lists of warnings and unread objects
	idLength      = 12 // of a finding's id
)

type auditArguments struct {
	Finding  string `json:"finding,omitempty" jsonschema:"id of one finding, to see all of it; other arguments are ignored"`
	Host     string `json:"host,omitempty" jsonschema:"only findings of this host and its VMs: name, short name, id, or a shell pattern"`
	Object   string `json:"object,omitempty" jsonschema:"only findings of this object, such as a VM: name, id, or a shell pattern"`
	Rule     string `json:"rule,omitempty" jsonschema:"only findings of this rule: an id, or a shell pattern such as numa-*"`
	Severity string `json:"severity,omitempty" jsonschema:"only findings of this severity or worse: info, low, medium, high or critical"`
	Outcome  string `json:"outcome,omitempty" jsonschema:"fail (default), unknown (something was not read), manual (a person has to look) or waived"`
	Offset   int    `json:"offset,omitempty" jsonschema:"skip so many findings: the answer's next"`
	Limit    int    `json:"limit,omitempty" jsonschema:"number of findings, at most 25 (default 10)"`
}

type auditAnswer struct {
	Notice     string         `json:"notice"`
	Source     string         `json:"source"`
	TakenAt    time.Time      `json:"takenAt"`
	Hosts      int            `json:"hosts"`
	VMs        int            `json:"vms"`
	Outcomes   map[string]int `json:"outcomes"` // of all checks
	Matching   int            `json:"matching"` // findings that match the filters
	Severities map[string]int `json:"severities"`
	Rules      []ruleCount    `json:"rules"` // of the matching findings, worst first
	MoreRules  int            `json:"moreRules,omitempty"`
	Findings   []findingRow   `json:"findings"`
	page

	UnreadObjects []string `json:"unreadObjects,omitempty"`
	Warnings      []string `json:"warnings,omitempty"`
}

type ruleCount struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // the worst
	Findings int    `json:"findings"`
}

type findingRow struct {
	ID       string   `json:"id"`
	Severity string   `json:"severity"`
	Rule     string   `json:"rule"`
	Title    string   `json:"title"`
	Object   object   `json:"object"`
	Host     string   `json:"host,omitempty"`
	Evidence []string `json:"evidence,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Pending  string   `json:"pending,omitempty"`
}

func (a *auditAnswer) shorten() bool {
	if len(a.Rules) > mostTexts {
		a.MoreRules += len(a.Rules) - mostTexts
		a.Rules = a.Rules[:mostTexts]
		return true
	}
	return halve(&a.Findings, &a.page)
}

func (s *server) auditTool(ctx context.Context, in auditArguments) (answer, error) {
	pick, err := in.picks()
	if err != nil {
		return nil, err
	}
	a, err := s.audit(ctx)
	if err != nil {
		return nil, err
	}
	if in.Finding != "" {
		return oneFinding(a.Result, in.Finding)
	}
	if err := knownHost(in.Host, a.Snapshot); err != nil {
		return nil, err
	}
	var all []*advice.Finding
	for _, f := range a.Result.Findings {
		if pick(f) {
			all = append(all, f)
		}
	}
	part, p, err := paged(all, in.Offset, in.Limit, usualFindings, mostFindings)
	if err != nil {
		return nil, err
	}
	out := &auditAnswer{
		Notice: notice, Source: a.Snapshot.Source, TakenAt: a.Snapshot.TakenAt().UTC(), Hosts: a.Result.Hosts, VMs: a.Result.VMs,
		Outcomes: map[string]int{}, Matching: len(all), Severities: map[string]int{}, Findings: make([]findingRow, len(part)), page: p,
		Warnings: some(a.Result.Warnings, mostTexts),
	}
	for o, n := range a.Result.Counts {
		out.Outcomes[string(o)] = n
	}
	out.count(all)
	for i, f := range part {
		out.Findings[i] = rowOf(f)
	}
	var unread []string
	for _, g := range a.Result.UnreadObjects {
		unread = append(unread, wording.Object(g.Object)+": "+g.Reason)
	}
	out.UnreadObjects = some(unread, mostTexts)
	return out, nil
}

// count counts the matching findings by severity, and by rule.
func (a *auditAnswer) count(all []*advice.Finding) {
	a.Rules = []ruleCount{}
	place := map[string]int{}
	for _, f := range all {
		a.Severities[string(f.Severity)]++
		i, seen := place[f.Rule.ID]
		if !seen {
			i = len(a.Rules)
			place[f.Rule.ID] = i
			a.Rules = append(a.Rules, ruleCount{Rule: f.Rule.ID, Severity: string(f.Severity)})
		}
		a.Rules[i].Findings++
	}
	if n := len(a.Rules) - mostRules; n > 0 {
		a.Rules, a.MoreRules = a.Rules[:mostRules], n
	}
}

func rowOf(f *advice.Finding) findingRow {
	r := findingRow{
		ID: f.Fingerprint()[:idLength], Severity: string(f.Severity), Rule: f.Rule.ID, Title: f.Rule.Title, Object: objectOf(f.Object),
		Host: clean(f.Host.Name, longestName), Reason: f.Reason, Pending: f.Pending, Evidence: evidenceOf(f, mostEvidence),
	}
	if f.Host == f.Object {
		r.Host = ""
	}
	return r
}

func evidenceOf(f *advice.Finding, most int) []string {
	var all []string
	for _, l := range view.Evidence(f) {
		name, value := l.NameAndValue()
		all = append(all, clean(strings.TrimSpace(name+" "+value), longestName))
	}
	return some(all, most)
}

// picks returns the filter of the arguments.
func (in auditArguments) picks() (func(*advice.Finding) bool, error) {
	least, outcome := advice.Severity(in.Severity), advice.Outcome(in.Outcome)
	if in.Severity != "" {
		if _, err := advice.ParseSeverity(in.Severity); err != nil {
			return nil, err
		}
	}
	listed := []advice.Outcome{advice.Fail, advice.Unknown, advice.Manual, advice.Waived}
	switch {
	case outcome == "":
		outcome = advice.Fail
	case !slices.Contains(listed, outcome):
		return nil, fmt.Errorf("outcome is fail, unknown, manual or waived, not %q", in.Outcome)
	}
	for _, pattern := range []string{in.Host, in.Object, in.Rule} {
		if _, err := inventory.MatchPattern(pattern, ""); err != nil {
			return nil, fmt.Errorf("the pattern %q is not complete: %w", pattern, err)
		}
	}
	return func(f *advice.Finding) bool {
		return f.Outcome == outcome && (least == "" || f.Severity.AtLeast(least)) && (in.Rule == "" || matches(in.Rule, f.Rule.ID)) &&
			(in.Object == "" || matchesObject(in.Object, f.Object)) &&
			(in.Host == "" || matchesObject(in.Host, f.Host) || f.Object.Kind == inventory.ScopeHost && matchesObject(in.Host, f.Object))
	}, nil
}

// matches compares a name with a name or a pattern, ignoring case.
func matches(want, name string) bool {
	if strings.EqualFold(want, name) {
		return true
	}
	ok, _ := inventory.MatchPattern(flat(want), flat(name)) // the pattern was checked
	return ok
}

// flat lets * match a slash: these are names, not paths.
func flat(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// matchesObject compares an object with a name, the name as answers show it, a short name, an id or a pattern.
func matchesObject(want string, r inventory.Ref) bool {
	if r.Name == "" && r.ID == "" {
		return false
	}
	short, _, _ := strings.Cut(r.Name, ".")
	return matches(want, r.Name) || strings.EqualFold(want, clean(r.Name, longestName)) || strings.EqualFold(want, short) || want == r.ID
}

// knownHost refuses a host that the inventory does not have: no findings would look like no faults.
func knownHost(want string, s *inventory.Snapshot) error {
	if want == "" {
		return nil
	}
	var names []string
	for _, v := range s.VCenters {
		for _, h := range v.Hosts {
			if matchesObject(want, h.Ref()) {
				return nil
			}
			names = append(names, h.Name)
		}
	}
	return unknownHost(want, names)
}

func unknownHost(want string, names []string) error {
	near := inventory.Near(want, names)
	if len(near) == 0 {
		near = some(names, mostTexts)
	}
	return fmt.Errorf("there is no host %q; hosts are %s", clean(want, longestName), clean(strings.Join(near, ", "), longestString))
}

type findingAnswer struct {
	Notice string `json:"notice"`
	findingRow

	Outcome    string   `json:"outcome"`
	Profile    string   `json:"profile"`
	ProfileWhy string   `json:"profileWhy,omitempty"`
	Path       string   `json:"path"`
	All        []string `json:"allEvidence,omitempty"`
	Unread     []string `json:"unread,omitempty"` // facts that an unknown finding needs
	Fixes      []string `json:"fixes,omitempty"`
	Notes      []string `json:"notes,omitempty"`
	Covers     []string `json:"covers,omitempty"`
	Waiver     string   `json:"waiver,omitempty"`
	Hint       string   `json:"hint"`
}

func (a *findingAnswer) shorten() bool {
	for _, list := range []*[]string{&a.Covers, &a.All, &a.Unread, &a.Fixes, &a.Notes} {
		if len(*list) > mostTexts {
			*list = some(*list, mostTexts)
			return true
		}
	}
	return false
}

func oneFinding(r *advice.Result, id string) (answer, error) {
	i := slices.IndexFunc(r.Findings, func(f *advice.Finding) bool { return len(id) >= idLength && strings.HasPrefix(f.Fingerprint(), id) })
	if i < 0 {
		return nil, fmt.Errorf("there is no finding %q now: audit without finding lists the ids", clean(id, longestName))
	}
	f := r.Findings[i]
	a := &findingAnswer{
		Notice: notice, findingRow: rowOf(f), Outcome: string(f.Outcome), Profile: string(f.Profile), ProfileWhy: f.ProfileWhy, Path: f.Object.Path,
		All: evidenceOf(f, mostListed), Notes: some(f.Notes, mostListed), Hint: "explain " + f.Rule.ID + " has the reasons and the trade-off",
	}
	a.Evidence = nil
	for _, g := range f.Gaps {
		a.Unread = append(a.Unread, g.Fact+" of "+g.Object.Name+": "+g.Reason)
	}
	for _, c := range f.Remedies {
		a.Fixes = append(a.Fixes, wording.Remedy(f, c))
	}
	for _, c := range f.Covers {
		a.Covers = append(a.Covers, c.Rule+" on "+c.Object.Name)
	}
	a.Unread, a.Fixes, a.Covers = some(a.Unread, mostListed), some(a.Fixes, mostListed), some(a.Covers, mostListed)
	if w := f.Waiver; w != nil {
		a.Waiver = fmt.Sprintf("until %s: %s", w.Until, w.Reason)
	}
	return a, nil
}

// mostListed is the longest list in the answer about one finding, recommendation or run.
const mostListed = 20
