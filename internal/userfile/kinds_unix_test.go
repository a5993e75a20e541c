//go:build unix

package userfile

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	require.NoError(t, os.Symlink(pipe, filepath.Join(dir, "link")))
	t.Chdir(dir) // the path of a socket has a limit
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", "socket")
	require.NoError(t, err)
	defer func() { _ = socket.Close() }()
	for path, want := range map[string]string{
		pipe: "open " + pipe + ": it is a pipe, and vperf reads only regular files", filepath.Join(dir, "link"): "it is a pipe", filepath.Join(dir, "socket"): "it is a socket",
		"/dev/zero": "it is a device", dir: "it is a folder, not a file", filepath.Join(dir, "missing"): "no such file",
	} {
		_, err := Open(path)
		require.ErrorContains(t, err, want, path)
	}
	for _, path := range []string{file, os.DevNull} {
		f, err := Open(path)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	_, err = Rule.Folder(dir).Open("pipe")
	require.ErrorContains(t, err, "it is a pipe")
}
