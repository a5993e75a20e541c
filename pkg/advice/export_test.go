package advice

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"testing"

	"cel.dev/cel-go/cel"

	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
)

// Exported for the tests in package advice_test.
var ParseDate = parseDate

// ProfileOf returns the automatic profile of an object, and the reason.
func ProfileOf(o inventory.Object) (Profile, string) {
	c := profileOf(o)
	return c.profile, c.why
}

// NothingToSwitch is the reason why a rule without a remedy has no trial.
const NothingToSwitch = nothingToSwitch

// Cite names the article as sources of rules do.
func (a *Article) Cite() string { return a.cite() }

// Vendors are the published settings that the rules ask.
func (l *Library) Vendors() *vendor.List { return &l.vendors }

// TrialUnits lists the kinds of objects that a trial changes as one.
func TrialUnits() []inventory.Scope { return slices.Clone(trialUnits) }

// EvaluateEach is Evaluate without the memo: every expression is evaluated for every object.
func EvaluateEach(ctx context.Context, s *inventory.Snapshot, rules *Ruleset, o Options) (*Result, error) {
	e := newEvaluation(s, rules, o)
	e.memo = nil
	return e.run(ctx)
}

// Costs evaluates rules under the cost limit of users' rules. It returns the cost of each, and the limit.
func Costs(ctx context.Context, s *inventory.Snapshot, l *Library, o Selection) (costs map[string]uint64, limit uint64, err error) {
	for _, r := range l.rules {
		r.user = true
	}
	set, err := l.Select(o)
	if err != nil {
		return nil, 0, err
	}
	e := newEvaluation(s, set, Options{})
	if _, err = e.run(ctx); err != nil {
		return nil, 0, err
	}
	costs = map[string]uint64{}
	for _, r := range e.rules {
		costs[r.ID] = e.memo.Cost(r.budget)
	}
	return costs, e.memo.Limit(), nil
}

// FactsOf returns all facts of a snapshot by their names, such as VM.MemoryMB.
func FactsOf(s *inventory.Snapshot) map[string][]reflect.Value {
	all := map[string][]reflect.Value{}
	for _, f := range factsOf(s) {
		all[f.name] = append(all[f.name], f.v)
	}
	return all
}

// Language returns the expressions of a rule, and what they are written in.
func (r *Rule) Language(t *testing.T) (*cel.Env, []string) {
	t.Helper()
	c, err := newCompiler(r)
	if err != nil {
		t.Fatal(err)
	}
	c.run()
	return c.env, slices.Sorted(maps.Keys(c.done))
}
