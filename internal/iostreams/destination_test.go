package iostreams

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func saveText(t *testing.T, path, text string) {
	t.Helper()
	d, err := OpenDestination(path, nil)
	require.NoError(t, err)
	require.NoError(t, d.Save(func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
	d.Discard() // does no harm now
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestAnOldFileSurvivesAFailure(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	saveText(t, path, "old")
	d, err := OpenDestination(path, nil)
	require.NoError(t, err)
	err = d.Save(func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the n")
		return errDisk
	})
	d.Discard()
	require.ErrorIs(t, err, errDisk)
	require.Equal(t, "old", textOf(t, path))
	require.Equal(t, []string{"a"}, filesIn(t, dir))
	saveText(t, path, "new")
	require.Equal(t, "new", textOf(t, path))
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	saveText(t, path, "new")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
}

// Writing through a link, or to a device, must not replace it.
func TestLinksAndDevicesStayWhatTheyAre(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take a privilege there")
	}
	dir := t.TempDir()
	target, link, device := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "null")
	saveText(t, target, "old")
	require.NoError(t, os.Symlink(target, link))
	require.NoError(t, os.Symlink(os.DevNull, device))
	saveText(t, link, "new")
	saveText(t, device, "nobody reads this")
	require.Equal(t, "new", textOf(t, target))
	for _, path := range []string{link, device} {
		info, err := os.Lstat(path)
		require.NoError(t, err)
		require.Equal(t, os.ModeSymlink, info.Mode().Type(), path)
	}
}

var errDisk = errors.New("the disk is full")

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}
