package expr

import (
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/vperf/vperf/pkg/inventory"
)

// NewCostTracker returns a counter of the cost of expressions. An evaluation that takes the total above limit ends with
// an error, and so does every later evaluation with the same tracker.
func NewCostTracker(limit uint64) (*cost.Tracker, error) {
	base, err := costTracker()
	if err != nil {
		return nil, err
	}
	t, err := base.Clone()
	if err != nil {
		return nil, err
	}
	t.Limit = &limit
	return t, nil
}

// costTracker returns a tracker with the cost models of the language. Only an evaluation makes one with the models of the
// libraries, so this evaluates an expression.
var costTracker = sync.OnceValues(func() (*cost.Tracker, error) {
	env, err := baseEnv()
	if err != nil {
		return nil, err
	}
	tree, issues := env.Compile("true")
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	p, err := env.Program(tree, cel.CostTracking(functionCosts{}))
	if err != nil {
		return nil, err
	}
	frame, err := interpreter.NewExecutionFrame(map[string]any{})
	if err != nil {
		return nil, err
	}
	defer frame.Close()
	if _, _, err = p.Eval(frame); err != nil {
		return nil, err
	}
	return frame.CostTracker(), nil
})

// functionCosts has the costs of functions of ours that walk lists. CEL takes every function that it does not know for
// one step.
type functionCosts struct{}

// CallCost implements cost.ActualCostEstimator.
func (functionCosts) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	n := uint64(0)
	switch function {
	case fnDrift, fnMixedPaths, fnMixedMTUs:
		n = devicesOf(args[0])
	case fnVMXKeys:
		if vm, ok := args[0].Value().(*inventory.VM); ok {
			all, _ := vm.VMX.Value()
			n = uint64(len(all))
		}
	case fnSum, fnOptionTexts, fnAway:
		if list, ok := args[len(args)-1].(traits.Lister); ok {
			n = cost.ActualSize(list)
		}
	default:
		return nil
	}
	n++
	return &n
}

// devicesOf returns the number of hosts, devices and changed options in a cluster.
func devicesOf(of ref.Val) (n uint64) {
	c, ok := of.Value().(*inventory.Cluster)
	if !ok {
		return 0
	}
	hosts, _ := c.Hosts.Value()
	for _, h := range hosts {
		luns, _ := h.LUNs.Value()
		nics, _ := h.VMKNICs.Value()
		options, _ := h.OffDefault.Value()
		n += uint64(1 + len(luns) + len(nics) + len(options))
	}
	return n
}
