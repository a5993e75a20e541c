package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// tool returns the path of a Prometheus program. If it is missing, the test is skipped, except in CI.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("skipped: %s is missing (Debian's package prometheus has it)", name)
	}
	require.NoError(t, err)
	return path
}

// promtool runs promtool in a folder of deploy.
func promtool(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), tool(t, "promtool"), args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, "promtool %v:\n%s", args, out)
}

func TestPromtool(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, dir string
		args      []string
	}{
		{"config", "prometheus", []string{"check", "config", "prometheus.yml", "prometheus-sharded.yml"}},
		{"agent", "prometheus", []string{"check", "config", "--agent", "prometheus-agent.yml"}},
		{"demo", "compose", []string{"check", "config", "prometheus.yml"}},
		{"rules", ".", append([]string{"check", "rules", "--lint-fatal"}, ruleFiles...)},
		{"alerts", "prometheus/rules", []string{"test", "rules", "vperf.test.yml"}},
		{"kubernetes", "prometheus/rules", []string{"test", "rules", "vperf.kubernetes.test.yml"}},
		{"vmware_exporter", "compat", []string{"test", "rules", "vmware_exporter.test.yml"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			promtool(t, tc.dir, tc.args...)
		})
	}
}

// TestPanelsParse checks that Prometheus accepts every query of a panel.
func TestPanelsParse(t *testing.T) {
	type panelRule struct{ Record, Expr string }
	var list []panelRule
	for _, q := range panelQueries(t) {
		list = append(list, panelRule{"panel:x", chosen(q.expr.s)})
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "panels", "rules": list}}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "panels.yml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	promtool(t, ".", "check", "rules", "--lint=none", path)
}
