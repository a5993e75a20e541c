package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
)

const (
	usualChanges  = 10
	mostChanges   = 25
	mostSnapshots = 25
	mostObjects   = 5 // that came or went
)

type diffArguments struct {
	From   string `json:"from,omitempty" jsonschema:"id of the old snapshot; without it, the answer lists the snapshots"`
	To     string `json:"to,omitempty" jsonschema:"id of the new snapshot (default: the current state)"`
	Object string `json:"object,omitempty" jsonschema:"only changes and findings of this object: name, id, or a shell pattern"`
	Offset int    `json:"offset,omitempty" jsonschema:"skip so many changes: the answer's next"`
	Limit  int    `json:"limit,omitempty" jsonschema:"number of changes, and of findings, at most 25 (default 10)"`
}

type snapshotsAnswer struct {
	Notice    string     `json:"notice"`
	Snapshots []Snapshot `json:"snapshots"` // newest first
	More      int        `json:"more,omitempty"`
	Hint      string     `json:"hint"`
}

func (a *snapshotsAnswer) shorten() bool {
	n := len(a.Snapshots) / 2
	a.More += len(a.Snapshots) - n
	a.Snapshots = a.Snapshots[:n]
	return n > 0
}

type diffAnswer struct {
	Notice      string         `json:"notice"`
	Old         diffSide       `json:"old"`
	New         diffSide       `json:"new"`
	Counts      map[string]int `json:"counts"`
	NewFindings []diffFinding  `json:"newFindings"`
	Gone        []diffFinding  `json:"goneFindings"`
	Changes     []change       `json:"changes"` // settings first
	page

	Came    []object `json:"came,omitempty"`
	Went    []object `json:"went,omitempty"`
	Renamed []string `json:"renamed,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

type diffSide struct {
	Source  string    `json:"source"`
	Kind    string    `json:"kind"`
	TakenAt time.Time `json:"takenAt"`
}

type diffFinding struct {
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Title    string `json:"title"`
	Object   object `json:"object"`
	Was      string `json:"was"`
	Is       string `json:"is"`
}

type change struct {
	Object object   `json:"object"`
	Role   string   `json:"role"`
	Kind   string   `json:"kind"`
	Fact   string   `json:"fact"` // with its part and key
	From   string   `json:"from"`
	To     string   `json:"to"`
	Run    string   `json:"run,omitempty"`    // of vperf, that made it
	Events []string `json:"events,omitempty"` // of the server about the object: not a proof
}

func (a *diffAnswer) shorten() bool {
	var none page
	switch longest := max(len(a.Changes), len(a.NewFindings), len(a.Gone)); {
	case longest <= 1:
		return false
	case len(a.Gone) == longest:
		return halve(&a.Gone, &none)
	case len(a.NewFindings) == longest:
		return halve(&a.NewFindings, &none)
	}
	return halve(&a.Changes, &a.page)
}

func (s *server) diffTool(ctx context.Context, in diffArguments) (answer, error) {
	if err := checkNames([]string{in.From, in.To, in.Object}); err != nil {
		return nil, err
	}
	if in.From == "" && in.To != "" {
		return nil, errors.New("from is missing: name the old snapshot; diff without arguments lists them")
	}
	if _, err := inventory.MatchPattern(in.Object, ""); err != nil {
		return nil, fmt.Errorf("the pattern %q is not complete: %w", in.Object, err)
	}
	if _, _, err := paged([]int{}, in.Offset, in.Limit, usualChanges, mostChanges); err != nil {
		return nil, err
	}
	if in.From == "" {
		return s.snapshots(ctx)
	}
	d, err := asking(ctx, s, func(ctx context.Context) (*diff.Diff, error) { return s.Diff(ctx, in.From, in.To) })
	if err != nil {
		return nil, err
	}
	return diffOf(d, in)
}

func (s *server) snapshots(ctx context.Context) (answer, error) {
	all, err := s.Snapshots(ctx)
	if err != nil {
		return nil, err
	}
	a := &snapshotsAnswer{Notice: notice, Snapshots: append([]Snapshot{}, all...), Hint: "call diff with from=ID, and to=ID or the current state"}
	if len(all) == 0 {
		a.Hint = "there are no snapshots yet: a person stores one with " + typed.Of(ctx).Command("audit", "--keep") + ", or starts vperf mcp with --snapshot FILE"
	}
	if n := len(all) - mostSnapshots; n > 0 {
		a.Snapshots, a.More = a.Snapshots[:mostSnapshots], n
	}
	return a, nil
}

func diffOf(d *diff.Diff, in diffArguments) (answer, error) {
	of := func(r inventory.Ref) bool { return in.Object == "" || matchesObject(in.Object, r) }
	var changes []*diff.Change
	counts := map[string]int{}
	for i := range d.Changes {
		if c := &d.Changes[i]; of(c.Object) || of(c.Owner()) {
			changes = append(changes, c)
			counts[string(c.Role)]++
		}
	}
	part, p, err := paged(changes, in.Offset, in.Limit, usualChanges, mostChanges)
	if err != nil {
		return nil, err
	}
	a := &diffAnswer{Notice: notice, Old: sideOf(d.Old), New: sideOf(d.New), Counts: counts, Changes: make([]change, len(part)), page: p, Notes: some(d.Notes, mostTexts)}
	for i, c := range part {
		a.Changes[i] = changeOf(c)
	}
	most := in.Limit
	if most == 0 {
		most = usualChanges
	}
	a.NewFindings, counts["newFindings"] = findingsOf(d.Findings.New, of, most)
	a.Gone, counts["goneFindings"] = findingsOf(d.Findings.Gone, of, most)
	a.Came, counts["came"] = objectsOf(d.Came, of)
	a.Went, counts["went"] = objectsOf(d.Went, of)
	for _, r := range d.Renamed {
		if of(r.Object) {
			counts["renamed"]++
			a.Renamed = append(a.Renamed, fmt.Sprintf("%s: %q to %q", r.Object.Kind, clean(r.From, longestName), clean(r.To, longestName)))
		}
	}
	a.Renamed = some(a.Renamed, mostObjects)
	for _, u := range d.Uncompared {
		if of(u.Object) {
			counts["notCompared"]++
		}
	}
	return a, nil
}

func sideOf(s diff.Side) diffSide { return diffSide{s.Source, s.Kind, s.TakenAt.UTC()} }

func changeOf(c *diff.Change) change {
	fact := strings.Join(strings.Fields(c.Fact+" "+clean(c.Part, longestName)+" "+clean(c.Key, longestName)), " ")
	out := change{
		Object: objectOf(c.Object), Role: string(c.Role), Kind: string(c.Kind), Fact: fact,
		From: valueOf(c.From, c.FromNames), To: valueOf(c.To, c.ToNames),
	}
	if r := c.Run; r != nil {
		out.Run = r.ID
	}
	for _, e := range c.Events {
		out.Events = append(out.Events, clean(e.When.UTC().Format(time.RFC3339)+" "+e.User+": "+e.Text, longestName*2))
	}
	out.Events = some(out.Events, mostTexts)
	return out
}

func valueOf(f inventory.Fact[any], names []string) string {
	if len(names) > 0 {
		return clean(wording.SomeNames(names), longestName)
	}
	return clean(wording.FactText(f, wording.Plain), longestName)
}

func findingsOf(all []diff.Finding, of func(inventory.Ref) bool, most int) (part []diffFinding, count int) {
	part = []diffFinding{}
	for _, f := range all {
		if !of(f.Object) {
			continue
		}
		if count++; len(part) < most {
			part = append(part, diffFinding{string(f.Severity), f.Rule, f.Title, objectOf(f.Object), f.Was, f.Is})
		}
	}
	return part, count
}

func objectsOf(all []diff.Object, of func(inventory.Ref) bool) (part []object, count int) {
	for _, o := range all {
		if !of(o.Ref) {
			continue
		}
		if count++; len(part) < mostObjects {
			part = append(part, objectOf(o.Ref))
		}
	}
	return part, count
}
