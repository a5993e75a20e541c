package tuning

import (
	"context"
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// NewPlan computes the changes that the proposals need, from the live values. It skips changes that cannot, must not or
// need not be made, and lists them with the reason in Plan.Skipped, after the changes in skipped, which the caller has
// skipped already. If two rules want different values for one setting, it returns a [ConflictError].
func NewPlan(ctx context.Context, s Settings, server Server, proposals []Proposal, now time.Time, skipped ...Skipped) (*Plan, error) {
	drafts, torn, err := merge(proposals)
	if err != nil {
		return nil, err
	}
	p := &Plan{Schema: PlanSchema, Made: now.UTC().Round(0), Server: server.identity(), Steps: []Step{}}
	p.Skipped = append(append(p.Skipped, skipped...), torn...)
	conditions, err := surveyAll(ctx, s, drafts)
	if err != nil {
		return nil, err
	}
	for i, c := range conditions {
		drafts[i].condition = c
	}
	if err := previewAll(ctx, s, drafts); err != nil {
		return nil, err
	}
	for _, w := range drafts {
		p.Steps = append(p.Steps, w.steps()...)
		p.Skipped = append(p.Skipped, w.skipped()...)
	}
	sortSteps(p.Steps)
	if p.Digest, err = p.digest(); err != nil {
		return nil, err
	}
	return p, nil
}

// Empty reports a plan that changes nothing.
func (p *Plan) Empty() bool { return len(p.Steps) == 0 }

// ObjectCounts counts the objects that the plan changes. All objects other than VMs count as hosts: a switch or a cluster
// affects more than one host.
func (p *Plan) ObjectCounts() (hosts, vms int) {
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

func surveyAll(ctx context.Context, s Settings, drafts []*draft) ([]Condition, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	targets := make([]Target, len(drafts))
	for i, w := range drafts {
		targets[i] = w.target
	}
	conditions, err := s.Survey(ctx, targets)
	if err != nil {
		return nil, fmt.Errorf("reading the state of the targets: %w", err)
	}
	if len(conditions) != len(targets) {
		return nil, fmt.Errorf("reading the state of the targets: asked for %d objects, got %d", len(targets), len(conditions))
	}
	return conditions, nil
}
