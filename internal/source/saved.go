package source

import (
	"context"
	"io"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Saved is a snapshot from a file. It has the facts it has, whatever is needed.
type Saved struct{ snapshot *inventory.Snapshot }

// Load reads a saved snapshot.
func Load(from io.Reader) (Saved, error) {
	s, err := inventory.Load(from)
	return Saved{s}, err
}

// Read narrows the snapshot to the targets.
func (s Saved) Read(_ context.Context, t inventory.Targets, _ inventory.Needs) (*inventory.Snapshot, error) {
	return s.snapshot.Narrow(t)
}

// Watch does nothing: a file has no counters to watch.
func (Saved) Watch(Watch) {}

// Servers returns nil: waiting changes on a server are not saved in a file.
func (Saved) Servers(context.Context) []tuning.Server { return nil }

// Close does nothing.
func (Saved) Close() {}
