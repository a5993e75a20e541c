package advice

import (
	"errors"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
)

// decide evaluates a condition. When it has no answer the finding's outcome says why, and decided is false.
func (f *Finding) decide(p cel.Program, a *activation) (yes, decided bool) {
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
		// Something was measured, or nobody would ask: the cause may be there, and could not be seen.
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
	f.Reason = "not everything it takes was read"
}

// run evaluates an expression. One that has an answer has it whatever else is not known; where an answer takes a call to the
// host the finding is left open.
func run(p cel.Program, a *activation) (ref.Val, error) {
	v, _, err := p.Eval(a)
	if u, ok := v.(*types.Unknown); ok && expr.TakesACall(u) {
		a.open = true
	}
	return v, err
}

// isTrue takes an unknown for no: what is not sure is not said.
func isTrue(p cel.Program, a *activation) bool {
	v, err := run(p, a)
	return err == nil && v == types.True
}

// perHost are the gaps that a call to the host would fill.
func perHost(gaps []Gap) []Gap {
	return slices.DeleteFunc(gaps, func(g Gap) bool { return g.Reason != inventory.PerHost })
}
