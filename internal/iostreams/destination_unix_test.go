//go:build unix

package iostreams_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
)

// TestAPipeThatNobodyReads: to open it for writing would wait for ever.
func TestAPipeThatNobodyReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := iostreams.OpenDestination(path, nil)
	require.EqualError(t, err, "it is a pipe that nobody reads: start its reader first")

	got := make(chan []byte, 1)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			got <- nil
			return
		}
		defer func() { _ = f.Close() }()
		all, _ := io.ReadAll(f)
		got <- all
	}()
	to, err := iostreams.OpenDestination(path, nil)
	require.NoError(t, err)
	text := bytes.Repeat([]byte("x"), 1<<20) // more than a pipe holds
	require.NoError(t, to.Save(func(w io.Writer) error { _, err := w.Write(text); return err }))
	require.Equal(t, text, <-got)
}
