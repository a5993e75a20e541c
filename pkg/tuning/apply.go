package tuning

import (
	"context"
	"errors"
)

var errNotYet = errors.New("not built yet")

// Apply makes the changes of a plan.
func Apply(ctx context.Context, e Estate, runs *Runs, p *Plan, t Terms) (*Outcome, error) {
	return nil, errNotYet
}

// Recover settles the runs on the server that were cut short.
func Recover(ctx context.Context, e Estate, runs *Runs, t Terms) ([]*Outcome, error) {
	return nil, errNotYet
}

// Rollback takes a run back.
func Rollback(ctx context.Context, e Estate, runs *Runs, id string, t Terms) (*Outcome, error) {
	return nil, errNotYet
}

// Verify looks at everything that a run changed.
func Verify(ctx context.Context, e Estate, runs *Runs, id string) (*Outcome, error) {
	return nil, errNotYet
}
