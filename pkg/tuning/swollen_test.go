package tuning

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file of a run that is larger than any that vperf writes is not read, and the run is broken, so that nothing is undone by a guess.
func TestSwollenFilesOfARunAreNotRead(t *testing.T) {
	for _, name := range []string{journalFile, planFile} {
		dir := t.TempDir()
		runs, err := OpenRuns(dir)
		require.NoError(t, err)
		folders := []string{filepath.Join(dir, "20261120-120000.000-abcd")}
		require.NoError(t, os.Mkdir(folders[0], 0o700))
		file := filepath.Join(folders[0], name)
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		require.NoError(t, os.Truncate(file, largestJournal+1)) // a sparse file
		all, err := runs.List()
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.True(t, strings.Contains(all[0].Broken, "larger than 1024 MiB") || name == planFile && all[0].Broken != "", all[0].Broken)
	}
}

func TestHolderOfALockIsShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.by")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x", 10_000)), 0o600))
	holder, err := readHolder(path)
	require.NoError(t, err)
	require.Len(t, holder, longestHolder)
}
