package tuning

import (
	"context"
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// NewPlan works out, from what is there now, what the proposals would change. What cannot, must not or need not be changed
// is left, with the reason; left is what was left before anybody looked, and stands first. Two rules that want different
// values for one setting are a [ConflictError].
func NewPlan(ctx context.Context, s Settings, server Server, proposals []Proposal, now time.Time, left ...Left) (*Plan, error) {
	works, torn, err := merge(proposals)
	if err != nil {
		return nil, err
	}
	p := &Plan{Schema: PlanSchema, Made: now.UTC().Round(0), Server: server.identity(), Steps: []Step{}}
	p.Left = append(append(p.Left, left...), torn...)
	conditions, err := surveyAll(ctx, s, works)
	if err != nil {
		return nil, err
	}
	for i, c := range conditions {
		works[i].condition = c
	}
	if err := lookAtAll(ctx, s, works); err != nil {
		return nil, err
	}
	for _, w := range works {
		p.Steps = append(p.Steps, w.steps()...)
		p.Left = append(p.Left, w.left()...)
	}
	inOrder(p.Steps)
	if p.Digest, err = p.digest(); err != nil {
		return nil, err
	}
	return p, nil
}

// Empty reports a plan that changes nothing.
func (p *Plan) Empty() bool { return len(p.Steps) == 0 }

// Radius counts the objects that the plan changes. What is no VM counts as a host: a switch or a cluster reaches further
// than one.
func (p *Plan) Radius() (hosts, vms int) {
	seen := map[string]bool{}
	for _, s := range p.Steps {
		switch {
		case seen[s.Target.Key()]:
		case s.Target.Kind == inventory.ScopeVM:
			vms++
		default:
			hosts++
		}
		seen[s.Target.Key()] = true
	}
	return hosts, vms
}

func surveyAll(ctx context.Context, s Settings, works []*draft) ([]Condition, error) {
	if len(works) == 0 {
		return nil, nil
	}
	targets := make([]Target, len(works))
	for i, w := range works {
		targets[i] = w.target
	}
	conditions, err := s.Survey(ctx, targets)
	if err != nil {
		return nil, fmt.Errorf("looking at what would be changed: %w", err)
	}
	if len(conditions) != len(targets) {
		return nil, fmt.Errorf("looking at what would be changed: asked about %d objects, told of %d", len(targets), len(conditions))
	}
	return conditions, nil
}
