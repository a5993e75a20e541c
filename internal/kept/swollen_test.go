package kept

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/userfile"
)

func TestSwollenSnapshotsAreNotOpened(t *testing.T) {
	snapshots = userfile.Kind{Name: "a snapshot", Limit: 1 << 20, Try: "save parts"}
	t.Cleanup(func() { snapshots = userfile.Snapshot })
	var zip bytes.Buffer
	z := gzip.NewWriter(&zip)
	_, err := z.Write(bytes.Repeat([]byte(" "), 2<<20))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), "a.json.gz")
	require.NoError(t, os.WriteFile(path, zip.Bytes(), 0o600))
	_, err = Open(t.Context(), path)
	require.ErrorContains(t, err, path+": reading snapshot: it is larger than 1 MiB, the limit of a snapshot: save parts")
}
