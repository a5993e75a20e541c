package audit

import (
	"context"
	"fmt"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Several is a source of several servers that can be read one after the other.
type Several interface {
	Source
	// ReadEach calls visit with the facts of each server, and where the server is in the order of servers. It keeps no
	// facts. It returns a snapshot that has the servers and none of their objects. from is nil for a server that failed.
	ReadEach(ctx context.Context, t inventory.Targets, needs inventory.Needs, visit func(at int, s *inventory.Snapshot, from Filler) error) (*inventory.Snapshot, error)
}

// separable reports whether servers can be evaluated separately: if one of several servers is to have a named VM, or if all of them are
// measured at the same time, their facts are needed together. To evaluate the rest of a result, they are needed later.
func (r Request) separable() bool {
	return r.ResultOnly && r.For == 0 && !r.Everything && !r.Options.Rest && len(r.Targets.VMs) == 0
}

// runParts is Run for several servers. Each is evaluated as soon as it is read, so that the facts of all of them never are in memory
// together.
func runParts(ctx context.Context, from Several, r Request) (*Audit, error) {
	parts := advice.NewParts(r.Rules, r.Options, r.Waivers, r.Baseline)
	s, err := from.ReadEach(ctx, r.Targets, r.needs(), func(at int, s *inventory.Snapshot, from Filler) error {
		if err := parts.Add(ctx, at, s, fill(from, s)); err != nil {
			return fmt.Errorf("evaluating rules: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	result, err := parts.Result(ctx)
	if err != nil {
		return nil, fmt.Errorf("evaluating rules: %w", err)
	}
	return &Audit{s, result}, nil
}
