package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

// hostileText is what a person, a file or a server may put into any text: letters that terminals act upon, or that turn what follows.
const hostileText = "a\u202eb\u2066c\u009b31md\x7fe\u200ff\u2028g"

// onlyData requires a document of data in which nothing acts on a terminal, and that still has the text.
func onlyData(t *testing.T, format, document string) {
	t.Helper()
	for _, r := range document {
		require.False(t, iostreams.ControlsText(r), "%q in %.300q", r, document)
	}
	var v any
	if format == "yaml" {
		require.NoError(t, yaml.Unmarshal([]byte(document), &v))
	} else {
		require.NoError(t, json.Unmarshal([]byte(document), &v))
	}
}

// hostileRule writes a rule of the user's whose texts are hostile.
func hostileRule(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hostile-rule.yaml")
	text := strconv.QuoteToASCII(hostileText) // as YAML reads it, too
	rule := "id: hostile-rule\ntitle: " + text + "\ncategory: vm\nscope: vm\nseverity: low\nwant: vm.vcpus > 99\nwhy: " + text +
		"\nparams: {x: {value: " + text + ", about: " + text + "}}\nevidence: {name: vm.name}\n"
	require.NoError(t, os.WriteFile(path, []byte(rule), 0o600))
	return path
}

// TestDataIsOnlyText types every command that prints data, over hostile names, rules, contexts and reasons. Whatever the command, no letter of
// its JSON, YAML or SARIF acts on a terminal.
func TestDataIsOnlyText(t *testing.T) {
	proof.NotRaced(t)
	hostileFleet(t)
	rule := hostileRule(t)
	text := strconv.QuoteToASCII(hostileText)
	config := filepath.Join(t.TempDir(), hostileText+".yaml")
	require.NoError(t, os.WriteFile(config, []byte("contexts:\n  - {name: lab, url: https://lab.example, username: "+text+", password-file: "+text+"}\n"), 0o600))
	t.Setenv("VPERF_CONFIG", config)
	snapshot := filepath.Join(t.TempDir(), "snapshot.json")
	run := func(args ...string) (stdout string) {
		t.Helper()
		_, stdout, stderr := vperf(t, args...)
		require.NotContains(t, stderr, "goroutine")
		require.NotContains(t, stderr, "unknown flag")
		for _, r := range stderr {
			require.False(t, iostreams.ControlsText(r), "%q in %q", r, stderr)
		}
		return stdout
	}
	code, _, stderr := vperf(t, "snapshot", "--out", snapshot)
	require.Zero(t, code, stderr)
	changed := readText(t, snapshot)
	onlyData(t, "json", changed)
	changed = strings.Replace(changed, `"vcpus": 1`, `"vcpus": 2`, 1)
	require.NoError(t, os.WriteFile(snapshot, []byte(changed), 0o600))

	more := map[string][]string{ // what argumentsOf cannot have
		"audit": {"--all", "--rules", rule}, "explain": {"hostile-rule", "--rules", rule}, "rules list": {"--rules", rule}, "rules lint": {rule},
		"diff": {snapshot, snapshot},
	}
	for _, c := range inforce.Settable(newRoot(NewFactory(&iostreams.IO{}))) {
		name := inforce.CommandName(c)
		if c.Flags().Lookup("output") == nil {
			continue
		}
		args, known := argumentsOf[name]
		if more[name] != nil {
			args = more[name]
		}
		require.True(t, known, name)
		if args == nil {
			continue // TestDataOfRunsIsOnlyText
		}
		for _, format := range formatsOf(t, c) {
			if format != "json" && format != "yaml" && format != "sarif" {
				continue
			}
			t.Run(name+" "+format, func(t *testing.T) {
				onlyData(t, format, run(append(append(strings.Fields(name), args...), "-o", format)...))
			})
		}
	}
	for _, args := range [][]string{{"snapshot", "--out", "-"}, {"snapshot", "--redact", "--out", "-"}, {"probe", "--out", "-"}, {"audit", "--write-baseline", snapshot + ".baseline"}} {
		if stdout := run(args...); strings.HasPrefix(stdout, "{") {
			onlyData(t, "json", stdout)
		}
	}
	onlyData(t, "json", readText(t, snapshot+".baseline"))
}

// TestDataOfRunsIsOnlyText: the same for commands that show runs and trials, whose reasons and tickets people type.
func TestDataOfRunsIsOnlyText(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := newTrialStage(t, simfleet.Config{})
	said := []string{"--reason", hostileText, "--ticket", hostileText, "--yes"}
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		cmd := s.command(args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run() // what it printed is looked at
		onlyText(t, stderr.String())
		require.NotEmpty(t, stdout.String(), "%v: %s", args, stderr.String())
		return stdout.String()
	}
	for _, format := range []string{"json", "yaml"} {
		onlyData(t, format, run("trial", "plan", "--demo", "host01", "--rule", "numa-io", "-o", format))
	}
	onlyData(t, "json", run(append(shortTrial("-o", "json"), said...)...))
	trial, err := filepath.Glob(filepath.Join(s.state, "vperf", "simulated", "runs", "*"))
	require.NoError(t, err)
	require.Len(t, trial, 1)
	onlyData(t, "json", run(append([]string{"apply", "host01", "--rule", "numa-io", "-o", "json"}, said...)...))
	for _, format := range []string{"json", "yaml"} {
		for _, args := range [][]string{
			{"history", "list"}, {"history", "show"}, {"history", "verify"}, {"trial", "list"}, {"trial", "show", filepath.Base(trial[0])},
		} {
			document := run(append(args, "-o", format)...)
			onlyData(t, format, document)
			if args[0] == "history" && args[1] != "verify" {
				require.Contains(t, document, `\u202e`, "the reason is there")
			}
		}
	}
	onlyData(t, "json", run(append([]string{"rollback", "--last", "-o", "json"}, said...)...))
}
