package memo

import (
	"fmt"

	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
)

// Budget limits the cost of all expressions of one rule, over all objects of an evaluation. A case that several objects
// share costs once.
type Budget struct{ _ byte } // not empty, so that each has its own address

// stepsPerObject is the cost limit of a rule for each object of the snapshot. On 40,000 VMs the most expensive rule of the
// library takes a 24th of its limit. A rule that reads names of VMs took 13 seconds of CPU for 80 million steps.
const stepsPerObject = 1_500

// leastSteps is the limit for small snapshots, and of single expressions without a memo.
const leastSteps = 1_000_000

// LimitError is the result of the expressions of a rule whose budget is spent.
type LimitError struct{ Steps uint64 }

func (e LimitError) Error() string {
	return fmt.Sprintf("its expressions exceed the cost limit of %d steps for this inventory; rewrite them so that they do not walk all objects"+
		" for each object, or select fewer hosts", e.Steps)
}

// Limit returns the limit of each budget.
func (m *Memo) Limit() uint64 {
	if m == nil {
		return leastSteps
	}
	return max(leastSteps, uint64(m.objects)*stepsPerObject)
}

// Cost returns the number of steps that a rule has taken of its budget.
func (m *Memo) Cost(b *Budget) uint64 {
	if m == nil || m.trackers[b] == nil {
		return 0
	}
	return m.trackers[b].ActualCost()
}

// Spent reports whether the evaluation of a rule took all of its budget.
func (m *Memo) Spent(b *Budget) bool { return m.Cost(b) > m.Limit() }

// Refill makes the budget whole again, for a second evaluation of the rule.
func (m *Memo) Refill(b *Budget) {
	if m != nil {
		delete(m.trackers, b)
	}
}

// eval evaluates an expression, and charges its budget if it has one.
func (m *Memo) eval(p *Program, s Subject) (ref.Val, error) {
	if p.budget == nil {
		v, _, err := p.Eval(s)
		return v, err
	}
	t, err := m.tracker(p.budget)
	if err != nil {
		return nil, err
	}
	frame, err := interpreter.NewExecutionFrame(s)
	if err != nil {
		return nil, err
	}
	defer frame.Close()
	frame.SetCostTracker(t)
	v, _, err := p.Eval(frame)
	if t.ActualCost() > *t.Limit {
		return nil, LimitError{*t.Limit}
	}
	return v, err
}

// tracker returns the tracker of a budget. Without a memo, each expression has its own.
func (m *Memo) tracker(b *Budget) (*cost.Tracker, error) {
	if m == nil {
		return expr.NewCostTracker(m.Limit())
	}
	if t := m.trackers[b]; t != nil {
		return t, nil
	}
	t, err := expr.NewCostTracker(m.Limit())
	if err == nil {
		m.trackers[b] = t
	}
	return t, err
}
