package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/userfile"
)

// A small file that unpacks to more than the limit is refused, and so is a plain one.
func TestSnapshotsAreBoundedAfterUnpacking(t *testing.T) {
	snapshots = userfile.Kind{Name: "a snapshot", Limit: 1 << 20, Try: "save parts"}
	t.Cleanup(func() { snapshots = userfile.Snapshot })
	large := append([]byte(`{"schema":"vperf.snapshot/v1"}`), bytes.Repeat([]byte(" "), 2<<20)...)
	var zip bytes.Buffer
	z := gzip.NewWriter(&zip)
	_, err := z.Write(large)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.Less(t, zip.Len(), 1<<14)
	for name, text := range map[string][]byte{"plain": large, "gzip": zip.Bytes()} {
		_, err := Load(t.Context(), bytes.NewReader(text))
		_, tooLarge := errors.AsType[*userfile.SizeError](err)
		require.True(t, tooLarge, "%s: %v", name, err)
		require.ErrorContains(t, err, "it is larger than 1 MiB, the limit of a snapshot: save parts", name)
		_, err = Load(t.Context(), bytes.NewReader(large[:1000]))
		require.NoError(t, err)
	}
}
