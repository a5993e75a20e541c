package userfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

var ten = Kind{"a list", 10, "make it shorter"}

func TestBoundTellsTheLimitFromMore(t *testing.T) {
	for size, fits := range map[int]bool{0: true, 9: true, 10: true, 11: false, 100: false} {
		text, err := io.ReadAll(ten.Bound(strings.NewReader(strings.Repeat("x", size))))
		if fits {
			require.NoError(t, err)
			require.Len(t, text, size)
			continue
		}
		_, ok := errors.AsType[*SizeError](err)
		require.True(t, ok, err)
		require.Len(t, text, 10)
	}
	require.EqualError(t, &SizeError{Snapshot}, "it is larger than 1 GiB, the limit of a snapshot: save parts of the fleet, with --cluster NAME")
}

// A file that is too large is not read: its size is known.
func TestLargeFilesAreNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, 1<<40)) // a sparse file
	_, err := ten.Read(path)
	require.EqualError(t, err, "read "+path+": it is larger than 0 KiB, the limit of a list: make it shorter")
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	n, err := ten.Bound(f).Read(make([]byte, 1))
	require.Error(t, err)
	require.Zero(t, n)
}

func TestTreesHaveALimitForEachFile(t *testing.T) {
	tree := ten.FS(fstest.MapFS{"a/small": {Data: []byte("x")}, "a/large": {Data: bytes.Repeat([]byte("x"), 11)}})
	text, err := fs.ReadFile(tree, "a/small")
	require.NoError(t, err)
	require.Equal(t, "x", string(text))
	_, err = fs.ReadFile(tree, "a/large")
	require.ErrorContains(t, err, "a/large: it is larger than")
	names, err := fs.Glob(tree, "a/*")
	require.NoError(t, err)
	require.Len(t, names, 2)
}

func TestKindsAreDescribed(t *testing.T) {
	for _, k := range Kinds() {
		require.NotEmpty(t, k.Name)
		require.NotEmpty(t, k.Try)
		require.Positive(t, k.Limit)
	}
}
