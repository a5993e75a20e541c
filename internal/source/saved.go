package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"

	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Saved is a snapshot from a file. It has the facts it has, whatever is needed.
type Saved struct{ snapshot *inventory.Snapshot }

// Load reads a saved snapshot, which may be compressed with gzip.
func Load(ctx context.Context, from io.Reader) (Saved, error) {
	text, err := Unzipped(ctx, from)
	if err != nil {
		return Saved{}, err
	}
	s, err := inventory.Load(text)
	return Saved{s}, err
}

// SavedOf is a source of a snapshot that was loaded before.
func SavedOf(s *inventory.Snapshot) Saved { return Saved{s} }

// snapshots is a variable for tests, which do not unpack a gibibyte.
var snapshots = userfile.Snapshot

// Unzipped returns the text of a file that may be compressed with gzip, up to the limit of snapshots, until ctx ends.
func Unzipped(ctx context.Context, from io.Reader) (io.Reader, error) {
	b := bufio.NewReader(snapshots.Bound(from))
	if head, _ := b.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return userfile.Watched(ctx, userfile.Text(b)), nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	return userfile.Watched(ctx, userfile.Text(snapshots.Bound(z))), nil
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
