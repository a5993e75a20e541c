package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
)

// argumentsOf are the arguments of commands with several formats, except those that change something or wait for it. They run against a
// stock simulator.
var argumentsOf = map[string][]string{
	"audit": {"--all"}, "advise": {"--for", "0s"}, "plan": {}, "explain": {"numa-io"}, "rules list": {}, "rules tables list": {}, "context list": {}, "context show": {},
	"config show": {}, "doctor": {}, "history list": nil, "history show": nil, "history verify": nil, "trial list": {}, "trial plan": nil, "trial show": nil, "diff": {"--list"},
	"apply": nil, "rollback": nil, "trial run": nil, "trial resume": nil, "rules lint": {"../../rules/cpu"}, "rules tables import": nil, "version": {}, "history effect": nil, "exporter plan": nil,
}

// An answer that cannot be written is a failure, in every format of every command; one whose reader has left is none.
func TestProveAnswersThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer func() { _ = full.Close() }()
	reader, left, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	defer func() { _ = left.Close() }()
	serve(t, simulator.VPX())
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("contexts:\n  - {name: lab, url: https://lab.example}\n"), 0o600))
	t.Setenv("VPERF_CONFIG", file)
	seen := map[string]bool{}
	for _, c := range inforce.Settable(newRoot(NewFactory(&iostreams.IO{}))) {
		name := inforce.CommandName(c)
		if c.Flags().Lookup("output") == nil {
			continue
		}
		args, known := argumentsOf[name]
		require.True(t, known, "%s has formats: add it to argumentsOf", name)
		if args == nil {
			continue // it needs a run, or makes one
		}
		for _, format := range proof.Sample(t, 3, formatsOf(t, c)) {
			seen[name+" "+format] = true
			t.Run(name+" "+format, func(t *testing.T) {
				command := append(strings.Fields(name), args...)
				command = append(command, "-o", format)
				code, stderr := into(t, full, command)
				require.Equal(t, exitFailed, code, stderr)
				require.Contains(t, stderr, "no space left on device")
				require.NotContains(t, stderr, "goroutine")
				code, stderr = into(t, left, command)
				require.Contains(t, []int{exitClean, exitIncomplete}, code, stderr)
				require.NotContains(t, stderr, "vperf: writing")
				require.NotContains(t, stderr, "goroutine")
			})
		}
	}
	require.Greater(t, len(seen), 30)
}

// into runs a command whose standard output is a file.
func into(t *testing.T, stdout *os.File, args []string) (code int, stderr string) {
	t.Helper()
	before := os.Stdout
	os.Stdout = stdout
	streams := iostreams.System()
	os.Stdout = before
	var errs bytes.Buffer
	streams.In, streams.Err = &bytes.Buffer{}, &errs
	streams.SetTTY(false, false, false)
	code = run(t.Context(), NewFactory(streams), args)
	return code, errs.String()
}

// formatsOf are the formats that a command offers, as shells complete them.
func formatsOf(t *testing.T, c *cobra.Command) []string {
	t.Helper()
	complete, found := c.GetFlagCompletionFunc("output")
	require.True(t, found)
	words, _ := complete(c, nil, "")
	require.NotEmpty(t, words)
	return words
}
