package tui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Settings are saved into a new file that takes the name of the old one, so that a full disk leaves the old settings.
func TestSettingsAreReplacedAtOnce(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "toprc")
	require.NoError(t, Settings{Delay: 5 * time.Second}.Save(path))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	kept := filepath.Join(t.TempDir(), "kept")
	require.NoError(t, os.Link(path, kept))

	require.NoError(t, Settings{Delay: 7 * time.Second}.Save(path))
	s, mistakes, err := LoadSettings(path)
	require.NoError(t, err)
	require.NoError(t, mistakes)
	require.Equal(t, 7*time.Second, s.Delay)
	old, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, before, old, "the old file was not written to")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 1, "no unfinished file is left")

	require.Error(t, Settings{}.Save(filepath.Join(path, "below", "a", "file")))
	t.Chdir(t.TempDir())
	require.NoError(t, Settings{}.Save("-"))
	require.FileExists(t, "-")
}
