package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
)

// hostileName is a name with what is special in terminals, HTML, spreadsheets, Markdown, labels, shells and PowerShell.
const hostileName = "=cmd|' /C calc'!A0\x1b[2J\x1b]0;owned\x07\u202egnp\n<script>alert(1)</script>\"'`touch owned`$(touch owned);touch owned\r\n\\\" # ${x} \u2019; New-Item owned @alice #987 www.evil.example https://evil.example $x$ |a| \u200b"

// hostileFleet has hostile names everywhere.
func hostileFleet(t *testing.T) {
	t.Helper()
	vpx := simulator.VPX()
	require.NoError(t, vpx.Create())
	for _, o := range vpx.Map().All("HostSystem") {
		h := o.(*simulator.HostSystem)
		h.Name = hostileName + h.Self.Value
		h.Summary.Config.Name = h.Name
	}
	for _, o := range vpx.Map().All("VirtualMachine") {
		vm := o.(*simulator.VirtualMachine)
		vm.Name = hostileName + vm.Self.Value
		vm.Config.Name, vm.Summary.Config.Name = vm.Name, vm.Name
	}
	for _, o := range vpx.Map().All("ClusterComputeResource") {
		o.(*simulator.ClusterComputeResource).Name = hostileName
	}
	serve(t, vpx)
}

// TestProveNamesAreOnlyText: whatever the format, a name is text: no terminal, browser, spreadsheet, shell or parser takes it for more.
func TestProveNamesAreOnlyText(t *testing.T) {
	hostileFleet(t)
	seen := 0
	for _, c := range inforce.Settable(newRoot(NewFactory(&iostreams.IO{}))) {
		name := inforce.CommandName(c)
		if args := argumentsOf[name]; name == "audit" || name == "advise" || name == "plan" {
			for _, format := range proof.Sample(t, 8, formatsOf(t, c)) {
				seen++
				t.Run(name+" "+format, func(t *testing.T) {
					code, stdout, stderr := vperf(t, append(append([]string{name}, args...), "-o", format)...)
					require.Zero(t, code, stderr)
					onlyText(t, stderr)
					harmless(t, format, stdout)
				})
			}
		}
	}
	require.GreaterOrEqual(t, seen, 15)
	out := filepath.Join(t.TempDir(), "report.html")
	code, _, stderr := vperf(t, "report", "--for", "0s", "--out", out)
	require.Zero(t, code, stderr)
	require.NotContains(t, readText(t, out), "<script>alert")
	code, stdout, stderr := vperf(t, "snapshot", "--out", "-")
	require.Zero(t, code, stderr)
	require.True(t, json.Valid([]byte(stdout)))
}

// onlyText refuses what a terminal obeys.
func onlyText(t *testing.T, text string) {
	t.Helper()
	for _, raw := range []string{"\x1b", "\x07", "\u202e", "\r"} {
		require.NotContains(t, text, raw)
	}
}

// harmless reads an output as its readers do.
func harmless(t *testing.T, format, text string) {
	t.Helper()
	onlyText(t, text)
	switch format {
	case "json", "sarif":
		require.True(t, json.Valid([]byte(text)))
	case "yaml":
		require.NoError(t, yaml.Unmarshal([]byte(text), new(any)))
	case "csv":
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		require.NoError(t, err)
		for _, row := range rows {
			for _, cell := range row {
				require.False(t, cell != "" && strings.IndexByte("=+-@\t", cell[0]) >= 0, "%q is a formula", cell)
			}
		}
	case "junit":
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				require.NoError(t, err)
			}
		}
	case "prometheus":
		parser := expfmt.NewTextParser(model.UTF8Validation)
		_, err := parser.TextToMetricFamilies(strings.NewReader(text))
		require.NoError(t, err)
	case "md":
		own := regexp.MustCompile(`\]\(https://github.com/vperf/[^)]*\)`).ReplaceAllString(text, "")
		require.NotRegexp(t, `<script>|@alice|#987|www\.evil|://|[^\\]\$x|\|a|\x{200b}`, own)
	case "govc", "esxcli":
		executed(t, text)
	case "powercli":
		for line := range strings.Lines(text) {
			require.False(t, strings.HasPrefix(strings.TrimSpace(line), "New-Item"), line)
		}
	}
}

// executed runs a script with tools that do nothing, and looks for what the name would have made.
func executed(t *testing.T, script string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	dir, tools := t.TempDir(), t.TempDir()
	for _, tool := range []string{"govc", "esxcli", "vim-cmd", "ssh", "jq"} {
		require.NoError(t, os.WriteFile(filepath.Join(tools, tool), []byte("#!/bin/sh\necho 0\n"), 0o700))
	}
	file := filepath.Join(tools, "script.sh")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
	for _, args := range [][]string{{"-n", file}, {file}, {file, "--rollback"}, {file, "rollback"}, {file, "undo"}} {
		cmd := exec.CommandContext(t.Context(), shell, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=" + tools + ":" + os.Getenv("PATH"), "HOME=" + dir}, new(bytes.Buffer)
		output, err := cmd.CombinedOutput()
		if args[0] == "-n" {
			require.NoError(t, err, "%s", output)
		}
		require.NotContains(t, string(output), "syntax error")
	}
	_, err = os.Stat(filepath.Join(dir, "owned"))
	require.ErrorIs(t, err, os.ErrNotExist, "a name was executed")
}
