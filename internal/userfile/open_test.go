package userfile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestTextIsUTF8WithoutAMark(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "a", "\ufeffpass": "pass", "\ufeff": "", "ünï 図書館\n": "ünï 図書館\n", "\ufeff\ufeff": "\ufeff",
	} {
		for name, slow := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "one byte": iotest.OneByteReader, "end with data": iotest.DataErrReader} {
			text, err := io.ReadAll(Text(slow(strings.NewReader(in))))
			require.NoError(t, err, "%q, %s", in, name)
			require.Equal(t, want, string(text), name)
		}
	}
	for in, want := range map[string]string{
		"\xff\xfea\x00": "byte 1 begins UTF-16", "\xfe\xff\x00a": "byte 1 begins UTF-16", "geheim\xfc": "byte 7 is not UTF-8", "a\xe4b": "byte 2 is not UTF-8",
		"\ufeff\xe4": "byte 4 is not UTF-8", "ü\xc3": "byte 3 is not UTF-8", "\xef\xbb": "byte 1 is not UTF-8", "\xed\xa0\x80": "byte 1 is not UTF-8",
	} {
		for name, slow := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "one byte": iotest.OneByteReader} {
			_, err := io.ReadAll(Text(slow(strings.NewReader(in))))
			require.ErrorContains(t, err, want, "%q, %s", in, name)
			require.NotContains(t, err.Error(), "geheim")
		}
	}
}

// A terminal gives no more than the typed line.
func TestTextDoesNotWaitForMoreThanALine(t *testing.T) {
	in, feed := io.Pipe()
	go func() { _, _ = io.WriteString(feed, "a\n") }() // no second write, no end
	line := make([]byte, 2)
	_, err := io.ReadFull(Text(in), line)
	require.NoError(t, err)
	require.Equal(t, "a\n", string(line))
}

func TestStreamsEndWithTheContext(t *testing.T) {
	in, _ := io.Pipe() // nothing is ever written
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{})
	r := Stream(ctx, io.MultiReader(signalling{started}, in))
	go func() { <-started; cancel() }()
	_, err := io.ReadAll(r)
	require.ErrorIs(t, err, context.Canceled)
}

// signalling is an empty reader that reports its use.
type signalling struct{ used chan struct{} }

func (s signalling) Read([]byte) (int, error) { close(s.used); return 0, io.EOF }

func TestWatchedReadersEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	r := Watched(ctx, readFunc(func(p []byte) (int, error) {
		if reads++; reads == 5 {
			cancel()
		}
		return len(p), nil
	}))
	_, err := io.Copy(io.Discard, r)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 5, reads, "no read after the end")
}

// A list of empty objects takes hundreds of times its own size.
func TestWatchedReadersHaveALimitOfMemory(t *testing.T) {
	var kept [][]byte
	endless := readFunc(func(p []byte) (int, error) {
		kept = append(kept, make([]byte, 1<<20)) // as a decoder would
		return len(p), nil
	})
	_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, Watched(t.Context(), endless), make([]byte, 4096))
	require.ErrorContains(t, err, "of memory, which no file that vperf or RVTools wrote does")
	require.Less(t, len(kept), 700, "MiB")
}

func TestOwnFolders(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, OwnFolders(filepath.Join(dir, "missing"), "runs"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "runs"), 0o700))
	require.NoError(t, OwnFolders(dir, "runs"))
	require.NoError(t, os.Chmod(filepath.Join(dir, "runs"), 0o777))
	require.ErrorContains(t, OwnFolders(dir, "runs"), "can be written by other users (mode 0777): check its content, then run chmod go-w "+dir)
	elsewhere := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(filepath.Join(dir, "runs"), elsewhere))
	require.Error(t, OwnFolders(elsewhere), "a link is what it leads to")
	if os.Geteuid() != 0 {
		t.Skip("only root makes files of others")
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "runs"), 0o700))
	require.NoError(t, os.Chown(filepath.Join(dir, "runs"), 12345, 12345))
	require.ErrorContains(t, OwnFolders(dir, "runs"), "belongs to another user (uid 12345): check its content, then run chown -R 0 ")
}

// TestOnlyThisPackageOpensFiles: os.Open waits for the writer of a pipe, and no signal ends that.
func TestOnlyThisPackageOpensFiles(t *testing.T) {
	allowed := map[string]string{
		"internal/config/passwordfile.go":           "a password may come from a pipe; Await ends the wait",
		"internal/simfleet/process/service.go":      "a log that vperf writes itself",
		"internal/simfleet/process/background.go":   "a record that vperf writes itself",
		"internal/source/captures.go":               "a temporary file",
		"internal/iostreams/destination.go":         "files to write",
		"internal/cli/rules.go":                     "files to write",
		"internal/userfile/open.go":                 "the opener",
		"internal/userfile/userfile.go":             "the opener",
		"internal/golden/golden.go":                 "for tests",
		"internal/vsphere/vspheretest/recording.go": "for tests",
	}
	root := os.DirFS(filepath.Join("..", ".."))
	for _, top := range []string{"internal", "cmd"} {
		require.NoError(t, fs.WalkDir(root, top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || allowed[path] != "" {
				return err
			}
			text, err := fs.ReadFile(root, path)
			for _, call := range []string{"os.Open(", "os.ReadFile(", "os.OpenFile("} {
				require.NotContains(t, string(text), call, "%s: use userfile.Open", path)
			}
			return errors.Join(err)
		}))
	}
}
