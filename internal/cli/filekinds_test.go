//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/iostreams"
)

// written are the flags of files that are written, and of files that are read after a server was asked.
var written = []string{"out", "output", "write-baseline", "dir", "counters.dir", "password-file", "tls-ca-certs", "tls-known-hosts"}

// filesNamed are the commands whose arguments are files.
var filesNamed = [][]string{
	{"diff", "FILE", "FILE"}, {"probe", "show", "FILE"}, {"rules", "lint", "FILE"}, {"rules", "test", "FILE"}, {"rules", "tables", "import", "FILE"},
}

// readersOfFiles returns a command line for each flag of each command that names a file to read; FILE stands for the file.
func readersOfFiles(root *cobra.Command) (all [][]string) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if !c.Runnable() || c.Hidden {
			return
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || !strings.Contains(f.Usage, "`FILE`") || slices.Contains(written, f.Name) {
				return
			}
			line := append(strings.Fields(inforce.CommandName(c)), "--"+f.Name+"=FILE")
			if c.Flags().Lookup("demo") != nil && c.Name() != "apply" && !slices.Contains([]string{"from", "capture", "replay"}, f.Name) {
				line = append(line, "--demo")
			}
			switch c.Name() {
			case "explain":
				line = append(line, "numa-io")
			case "apply":
				line = append(line, "--yes")
			case "diff":
				line = append(line, "--since=1h")
			case "snapshot", "report":
				line = append(line, "--out=-")
			}
			if c.Parent().Name() == "trial" {
				line = append(line, "--rule=numa-io", "host01")
			}
			switch f.Name {
			case "otlp.config.file":
				line = append(line, "--otlp=https://127.0.0.1:1/")
			case "remote-write.config.file":
				line = append(line, "--remote-write=https://127.0.0.1:1/")
			}
			all = append(all, line)
		})
	}
	walk(root)
	return all
}

// TestNoFileHangs names files that are no regular files, or have nothing of what is wanted, in all places where a command reads a file.
func TestNoFileHangs(t *testing.T) {
	ownHome(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for name, value := range map[string]string{"GOVC_URL": "https://127.0.0.1:1", "GOVC_USERNAME": "me", "GOVC_PASSWORD": "pa55"} {
		t.Setenv(name, value)
	}
	bad := map[string]string{"pipe.yaml": "only regular files", "folder.yaml": "", "missing.yaml": "", "zero.yaml": "only regular files"}
	others := []string{"folder.yaml", "missing.yaml", "zero.yaml"}
	require.NoError(t, syscall.Mkfifo("pipe.yaml", 0o600))
	require.NoError(t, os.Mkdir("folder.yaml", 0o700))
	require.NoError(t, os.Symlink("/dev/zero", "zero.yaml"))
	streams, _, _ := iostreams.Test()
	lines := readersOfFiles(newRoot(NewFactory(streams)))
	require.Greater(t, len(lines), 20)
	for n, line := range append(lines, filesNamed...) {
		for _, file := range []string{"pipe.yaml", others[n%len(others)]} { // in turns, because many commands load all rules first
			want := bad[file]
			if file == "folder.yaml" && (slices.Contains(line, "--rules=FILE") || slices.Contains(line, "lint") || slices.Contains(line, "test")) {
				continue // a folder of rules
			}
			args := slices.Clone(line)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "FILE", file)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			streams, _, stderr := iostreams.Test()
			code := run(ctx, NewFactory(streams), args)
			require.NoError(t, ctx.Err(), "%v hangs", args)
			cancel()
			assert.Contains(t, []int{exitFailed, exitUsage}, code, "%v: %s", args, stderr)
			assert.Contains(t, stderr.String(), strings.TrimSuffix(file, filepath.Ext(file)), "%v", args)
			assert.Contains(t, stderr.String(), want, "%v", args)
		}
	}
}

// TestNoCredentialFileHangs names the same files as those with a password and with certificates. Only a password may come from a pipe;
// TestSignalsEndReading is about that.
func TestNoCredentialFileHangs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, syscall.Mkfifo("pipe.yaml", 0o600))
	require.NoError(t, os.Mkdir("folder.yaml", 0o700))
	require.NoError(t, os.Symlink("/dev/zero", "zero.yaml"))
	for _, file := range []string{"pipe.yaml", "folder.yaml", "missing.yaml", "zero.yaml"} {
		for _, of := range []string{"--password-file", "GOVC_TLS_CA_CERTS", "GOVC_TLS_KNOWN_HOSTS"} {
			if of == "GOVC_TLS_KNOWN_HOSTS" && file == "missing.yaml" || of == "--password-file" && file == "pipe.yaml" {
				continue // there may be no known host yet
			}
			t.Run(of+" "+file, func(t *testing.T) {
				ownHome(t)
				args := []string{"audit", "-u", "https://127.0.0.1:1", "--username", "me"}
				if of == "--password-file" {
					args = append(args, of, file)
				} else {
					t.Setenv("GOVC_PASSWORD", "pa55")
					t.Setenv(of, file)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				streams, _, stderr := iostreams.Test()
				code := run(ctx, NewFactory(streams), args)
				require.NoError(t, ctx.Err(), "it hangs")
				require.Contains(t, []int{exitFailed, exitUsage}, code, stderr)
				require.Contains(t, stderr.String(), strings.TrimSuffix(file, filepath.Ext(file)))
			})
		}
	}
}

// TestSignalsEndReading ends programs that wait for a password from a pipe, or for more of a plan, with SIGTERM.
func TestSignalsEndReading(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		wait func(t *testing.T, pipe string, stdin *os.File) // until the program reads
	}{
		"password": {[]string{"audit", "-u", "https://127.0.0.1:1", "--username", "me", "--password-file", "PIPE"}, func(t *testing.T, pipe string, _ *os.File) {
			t.Helper()
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for a reader
			require.NoError(t, err)
			t.Cleanup(func() { _ = w.Close() })
		}},
		"plan": {[]string{"apply", "-u", "https://127.0.0.1:1", "--username", "me", "--plan", "-", "--yes"}, func(t *testing.T, _ string, stdin *os.File) {
			t.Helper()
			_, err := stdin.Write(bytes.Repeat([]byte(" "), 256<<10)) // more than a pipe holds
			require.NoError(t, err)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pipe := filepath.Join(dir, "pipe")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			in, stdin, err := os.Pipe()
			require.NoError(t, err)
			t.Cleanup(func() { _ = stdin.Close() })
			v := &program{env: append(os.Environ(), "HOME="+dir, "GOVC_PASSWORD=pa55"), state: dir}
			for i := range c.args {
				c.args[i] = strings.ReplaceAll(c.args[i], "PIPE", pipe)
			}
			cmd := v.command(c.args...)
			cmd.Stdin = in
			require.NoError(t, cmd.Start())
			_ = in.Close()
			c.wait(t, pipe, stdin)
			sent := time.Now()
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			hangs := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			_ = cmd.Wait()
			require.True(t, hangs.Stop(), "it ignores the signal")
			require.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
			t.Logf("it ended after %s", time.Since(sent).Round(time.Millisecond))
		})
	}
}
