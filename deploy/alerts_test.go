package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docsURL is the address of docs/ that runbook URLs start with.
const docsURL = "https://github.com/vperf/vperf/blob/main/docs/"

// TestAlertsAreWhole checks that each alert has an existing runbook page, texts, a severity, and tests for firing and for not firing.
func TestAlertsAreWhole(t *testing.T) {
	for file, tests := range alertFiles {
		t.Run(file, func(t *testing.T) { alertsAreWhole(t, file, tests) })
	}
}

func alertsAreWhole(t *testing.T, file, tests string) {
	t.Helper()
	var f struct {
		Order []string `yaml:"group_eval_order"`
		Tests []struct {
			Alerts []struct {
				Alertname string
				Want      []struct{} `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	read(t, tests, &f)
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, test := range f.Tests {
		for _, a := range test.Alerts {
			fires[a.Alertname] = fires[a.Alertname] || len(a.Want) > 0
			quiet[a.Alertname] = quiet[a.Alertname] || len(a.Want) == 0
		}
	}
	for _, r := range alertsOf(t, file) {
		at := place(file, r.Expr.line) + ": " + r.Alert
		require.True(t, fires[r.Alert], "%s: no test for firing", at)
		require.True(t, quiet[r.Alert], "%s: no test for not firing", at)
		require.Contains(t, []string{"info", "warning", "critical"}, r.Labels["severity"], at)
		require.NotEmpty(t, r.For, at)
		require.NotEmpty(t, r.Annotations["summary"].s, at)
		require.NotEmpty(t, r.Annotations["description"].s, at)
		runbook, ours := strings.CutPrefix(r.Annotations["runbook_url"].s, docsURL)
		require.True(t, ours, at)
		page, anchor, _ := strings.Cut(runbook, "#")
		require.True(t, page == "best-practices.md" && anchor == "" || slices.Contains(anchors(t, page), anchor), "%s: no heading %s in docs/%s", at, anchor, page)
	}

	// promtool evaluates groups in the order of the test file: recording rules must come first.
	var order []string
	for _, g := range slices.Concat(groups(t, recordingFile), groups(t, file)) {
		order = append(order, g.Name)
	}
	require.Equal(t, order, f.Order, "group_eval_order of "+tests)
}

// anchors returns the link anchors of all headings of a page of docs/.
func anchors(t *testing.T, page string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "docs", page))
	require.NoError(t, err)
	var list []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(b), -1) {
		name := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, strings.ReplaceAll(name, " ", "-"))
	}
	return list
}
