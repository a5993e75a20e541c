package advice

import (
	"errors"
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/inventory"
)

// decide evaluates a condition. If it has no answer, decide stores the reason in the finding and returns decided =
// false.
func (f *Finding) decide(p *memo.Program, a *activation) (yes, decided bool) {
	v, err := run(p, a)
	switch x := v.(type) {
	case types.Bool:
		if err == nil {
			return bool(x), true
		}
	case *types.Unknown:
		f.unknown(x)
		return false, false
	}
	if not, ok := errors.AsType[expr.NoLiveCountersError](err); ok && len(f.Rule.Explains) > 0 {
		// Something was measured, since the symptom exists: the cause may be present although it could not be seen.
		f.unknown(expr.Unread(not.Of, "live counters", inventory.NoLiveCounters))
		return false, false
	}
	if errors.Is(err, expr.ErrAbsent) {
		f.Outcome, f.Reason = NotApplicable, err.Error()
		return false, false
	}
	f.Outcome, f.Reason = Unknown, "the rule cannot be evaluated"
	if err != nil {
		f.Reason += ": " + err.Error()
	}
	return false, false
}

func (f *Finding) unknown(u *types.Unknown) {
	f.Outcome, f.Gaps = Unknown, expr.GapsOf(u)
	f.Reason = "required facts are unread"
}

// run evaluates an expression. If the expression has an answer, other unknown facts do not matter. If the answer needs
// a call to the host, run marks the finding as open.
func run(p *memo.Program, a *activation) (ref.Val, error) {
	v, err := a.evaluate(p)
	if u, ok := v.(*types.Unknown); ok && expr.TakesACall(u) {
		a.open = true
	}
	return v, err
}

func (a *activation) evaluate(p *memo.Program) (ref.Val, error) {
	if len(a.possible) > 0 && p.ReadsProfile() {
		return eachProfile(p, a)
	}
	return a.memo.Run(p, a)
}

// eachProfile evaluates an expression for every profile that the object may have. If the results differ, the result is unknown.
func eachProfile(p *memo.Program, a *activation) (ref.Val, error) {
	defer func(unknown Profile) { a.profile = unknown }(a.profile)
	var all results
	for _, a.profile = range a.possible {
		all.add(a.memo.Run(p, a))
	}
	switch {
	case all.differ:
		return expr.UnknownOf(append(all.gaps, a.unread...)...), nil
	case len(all.gaps) > 0:
		return expr.UnknownOf(all.gaps...), nil
	}
	return all.first, all.err
}

// results are those of one expression for several profiles.
type results struct {
	some   bool
	first  ref.Val
	err    error
	differ bool
	gaps   []inventory.Gap // of the results that are unknown
}

func (r *results) add(v ref.Val, err error) {
	u, unknown := v.(*types.Unknown)
	if unknown {
		r.gaps = append(r.gaps, expr.GapsOf(u)...)
	}
	if !r.some {
		r.some, r.first, r.err = true, v, err
		return
	}
	_, were := r.first.(*types.Unknown)
	r.differ = r.differ || were != unknown || !unknown && !same(r.first, r.err, v, err)
}

// same reports whether two results of an expression are equal.
func same(v ref.Val, err error, w ref.Val, otherErr error) bool {
	if err != nil || otherErr != nil {
		return err != nil && otherErr != nil && err.Error() == otherErr.Error()
	}
	return v.Equal(w) == types.True
}

// isTrue treats an unknown result as false.
func isTrue(p *memo.Program, a *activation) bool {
	v, err := run(p, a)
	return err == nil && v == types.True
}

// perHost returns the gaps that a call to the host would fill.
func perHost(gaps []Gap) []Gap {
	return slices.DeleteFunc(gaps, func(g Gap) bool { return g.Reason != inventory.PerHost })
}
