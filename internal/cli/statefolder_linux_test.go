package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

// smallDisk mounts a file system of a few kibibytes, as the folder of vperf's state.
func smallDisk(t *testing.T, dir string, kibibytes int) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+strconv.Itoa(kibibytes)+"k"); err != nil {
		t.Skip("no file system can be mounted here: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
}

// fill leaves so many kibibytes free.
func fill(t *testing.T, dir string, free int) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "other"))
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4<<10))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	size, err := f.Seek(0, io.SeekEnd)
	require.NoError(t, errors.Join(err, f.Truncate(size-int64(free)<<10), f.Close()))
}

// stateStage is a fleet and a state folder with a run and a kept snapshot in it, on a disk of its own.
func stateStage(t *testing.T) (s *trialStage, dir string) {
	t.Helper()
	s = newTrialStage(t, simfleet.Config{})
	dir = filepath.Join(s.state, "vperf")
	smallDisk(t, dir, 4<<10)
	s.must(t, exitClean, "audit", "--keep")
	s.must(t, exitClean, "apply", "host01", "--rule", "numa-io", "--yes")
	return s, dir
}

// refusesToChange types the commands that write a journal or another file. No command changes the fleet, and the earlier runs are still listed.
func refusesToChange(t *testing.T, s *trialStage, why string) {
	t.Helper()
	someone := s.somebody(t)
	require.EqualValues(t, 60, pinThreshold(t, someone))
	listed, kept := s.must(t, exitClean, "history", "list"), s.must(t, exitClean, "diff", "--list")
	for _, args := range [][]string{
		{"apply", "host11", "--rule", "power-policy", "--yes"},
		{"rollback", "--last", "--yes"},
		{"audit", "--keep"},
		shortTrial(),
	} {
		if args[0] == "trial" {
			setPinThreshold(t, someone, 0) // so that there is something to try
		}
		code, text := s.run(args...)
		require.Equal(t, exitFailed, code, "%v\n%s", args, text)
		require.Contains(t, text, why, args)
		require.NotContains(t, text, "goroutine")
		if args[0] != "trial" {
			require.EqualValues(t, 60, pinThreshold(t, someone), args)
		}
	}
	require.EqualValues(t, 0, pinThreshold(t, someone))
	setPinThreshold(t, someone, 60)
	require.Equal(t, listed, s.must(t, exitClean, "history", "list"))
	require.Equal(t, kept, s.must(t, exitClean, "diff", "--list"))
	s.must(t, exitClean, "history", "show")
	if code, text := s.run("history", "verify"); code != exitClean {
		require.Contains(t, text, why, "it completes journals, so it takes locks")
	}
	require.Contains(t, s.must(t, exitClean, "audit", "host01", "--rule", "numa-io"), "1 pass", "what only looks needs no state")
}

// TestFullStateFolder: commands that change something refuse before the first change, with the reason.
func TestFullStateFolder(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s, dir := stateStage(t)
	fill(t, dir, 0)
	refusesToChange(t, s, "no space left on device")
	for _, free := range []int{4, 8, 16} { // some of the files can be written
		require.NoError(t, os.Remove(filepath.Join(dir, "other")))
		fill(t, dir, free)
		code, text := s.run("apply", "host11", "--rule", "power-policy", "--yes")
		require.Equal(t, exitFailed, code, text)
		require.Contains(t, text, "no space left on device")
		require.NotContains(t, text, "changing power-policy")
	}
	require.NotContains(t, s.must(t, exitClean, "history", "list"), "interrupted")
	require.NoError(t, os.Remove(filepath.Join(dir, "other")))
	s.must(t, exitClean, "rollback", "--last", "--yes")
	require.EqualValues(t, 0, pinThreshold(t, s.somebody(t)))
}

// TestReadOnlyStateFolder: the same for a folder that cannot be written.
func TestReadOnlyStateFolder(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s, dir := stateStage(t)
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	refusesToChange(t, s, "read-only file system")
}
