// Package audit is the one path from facts to findings: what the rules need is read, then the rules are held against
// it. Whatever wants findings goes this way, so that all of them see the same.
package audit

import (
	"context"
	"fmt"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Source is where facts come from: servers, or a saved snapshot.
type Source interface {
	// Read gets the facts needed, of the hosts that targets name and of their VMs; no targets means everything.
	Read(ctx context.Context, targets []string, needs inventory.Needs) (*inventory.Snapshot, error)
}

// Request says what to audit.
type Request struct {
	Targets []string // hosts as people type them; none: everything
	Rules   *advice.Ruleset
	Options advice.Options
}

// Audit is what was read and what the rules say of it.
type Audit struct {
	Snapshot *inventory.Snapshot
	Result   *advice.Result
}

// Run reads what the rules need and evaluates them.
func Run(ctx context.Context, from Source, r Request) (*Audit, error) {
	s, err := from.Read(ctx, r.Targets, r.Rules.Needs())
	if err != nil {
		return nil, err
	}
	result, err := advice.Evaluate(ctx, s, r.Rules, r.Options)
	if err != nil {
		return nil, fmt.Errorf("evaluating rules: %w", err)
	}
	return &Audit{s, result}, nil
}
