package advice

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// BaselineSchema is the version of the format of baselines.
const BaselineSchema = "vperf.baseline/v1"

// ErrNotBaseline is returned by LoadBaseline for input that is not a baseline of this version.
var ErrNotBaseline = errors.New("not a vperf baseline")

// Baseline is a list of known failed findings, so that only new ones need attention.
type Baseline struct {
	Schema   string          `json:"schema"`
	Findings []BaselineEntry `json:"findings"`
}

// BaselineEntry is one finding of a baseline. Fingerprint identifies it; the other fields are for display.
type BaselineEntry struct {
	Rule        string          `json:"rule"`
	Kind        inventory.Scope `json:"kind"`
	Name        string          `json:"name"`
	Fingerprint string          `json:"fingerprint"`
}

// NewBaseline returns a baseline of the present failed findings, without waived ones.
func NewBaseline(r *Result) *Baseline {
	b := &Baseline{Schema: BaselineSchema, Findings: []BaselineEntry{}}
	for _, f := range r.Findings {
		if f.Outcome == Fail {
			b.Findings = append(b.Findings, BaselineEntry{f.Rule.ID, f.Object.Kind, f.Object.Name, f.Fingerprint()})
		}
	}
	slices.SortStableFunc(b.Findings, func(x, y BaselineEntry) int {
		return cmp.Or(strings.Compare(x.Rule, y.Rule), cmp.Compare(x.Kind, y.Kind), strings.Compare(x.Name, y.Name),
			strings.Compare(x.Fingerprint, y.Fingerprint))
	})
	return b
}

// Save writes the baseline as JSON. The same findings give the same bytes.
func (b *Baseline) Save(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	if err := e.Encode(b); err != nil {
		return fmt.Errorf("writing baseline: %w", err)
	}
	return nil
}

// LoadBaseline reads a baseline that Save wrote. It refuses any other input, because a wrong baseline would let a gate
// pass.
func LoadBaseline(r io.Reader) (*Baseline, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading baseline: %w", err)
	}
	b := new(Baseline)
	err = json.Unmarshal(text, b)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(text)):
		return nil, fmt.Errorf("%w: the file ends in the middle (after %d bytes); write it again", ErrNotBaseline, len(text))
	case b.Schema == BaselineSchema && err == nil:
		return b, b.complete()
	case strings.HasPrefix(b.Schema, "vperf.baseline/") && b.Schema != BaselineSchema:
		return nil, fmt.Errorf("%w of this version: it is %s, this vperf reads %s; use the vperf that wrote it, or a newer one", ErrNotBaseline, b.Schema, BaselineSchema)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNotBaseline, err)
	}
	return nil, &inventory.SchemaError{Not: ErrNotBaseline, Have: b.Schema, Want: BaselineSchema}
}

// complete checks the required fields of a baseline.
func (b *Baseline) complete() error {
	if b.Findings == nil {
		return fmt.Errorf("%w: it has no list of findings", ErrNotBaseline)
	}
	for i, e := range b.Findings {
		if e.Fingerprint == "" || e.Rule == "" {
			return fmt.Errorf("%w: finding %d of its list has no rule or no fingerprint", ErrNotBaseline, i+1)
		}
	}
	return nil
}

// Apply marks the findings that are in the baseline, counts them, and counts the baseline's findings that are fixed.
func (b *Baseline) Apply(r *Result, s *inventory.Snapshot, rules *Ruleset) {
	r.Baseline = b.count([]*compared{b.mark(r, s, rules)})
}

// compared is the comparison of a baseline with the result of one snapshot.
type compared struct {
	known int
	there map[string]bool // fingerprints that were found again
	seen  map[string]bool // fingerprints that were evaluated and are not among the findings
}

// mark is Apply for one of several snapshots, without the counts.
func (b *Baseline) mark(r *Result, s *inventory.Snapshot, rules *Ruleset) *compared {
	left := make(map[string]string, len(b.Findings)) // fingerprint → rule, of entries that have not been found again
	for _, e := range b.Findings {
		left[e.Fingerprint] = e.Rule
	}
	c := &compared{there: map[string]bool{}}
	for _, f := range r.Findings {
		id := f.Fingerprint()
		_, f.InBaseline = left[id]
		if f.Known() {
			c.known++
		}
		if f.InBaseline && f.Outcome != Pass && f.Outcome != NotApplicable {
			c.there[id] = true
		}
	}
	maps.DeleteFunc(left, func(id, _ string) bool { return c.there[id] })
	r.gone = left
	c.seen = r.Evaluated(s, rules, left)
	return c
}

// count adds up the comparisons with all snapshots.
func (b *Baseline) count(all []*compared) *BaselineCount {
	out := new(BaselineCount)
	there, seen := map[string]bool{}, map[string]bool{}
	for _, c := range all {
		out.Known += c.known
		maps.Copy(there, c.there)
		maps.Copy(seen, c.seen)
	}
	left := map[string]bool{}
	for _, e := range b.Findings {
		if !there[e.Fingerprint] {
			left[e.Fingerprint] = seen[e.Fingerprint]
		}
	}
	for _, fixed := range left {
		if fixed {
			out.Fixed++
		}
	}
	out.Unseen = len(left) - out.Fixed
	return out
}

// Evaluated returns those fingerprints, given with the ids of their rules, whose rule was evaluated against their object: a
// finding that is not among the findings then passed or did not apply. Others were not seen, because the rule was not selected
// or skipped the object, or the object does not exist.
func (r *Result) Evaluated(on *inventory.Snapshot, rules *Ruleset, prints map[string]string) map[string]bool {
	wanted := map[string]bool{}
	for _, rule := range prints {
		wanted[rule] = true
	}
	seen := map[string]bool{}
	for _, c := range rules.rules {
		if !wanted[c.ID] {
			continue
		}
		for _, v := range on.VCenters {
			for o := range objectsOf(v, c.Scope) {
				id := fingerprint(c.ID, o.Ref())
				if _, ok := prints[id]; ok && r.judged(c, o) {
					seen[id] = true
				}
			}
		}
	}
	return seen
}
