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

// docsURL is where the pages of docs/ are that alerts lead to.
const docsURL = "https://github.com/vperf/vperf/blob/main/docs/"

// Each alert has a page that is there, words, a severity, and a check that it fires and one that it does not.
func TestAlertsAreWhole(t *testing.T) {
	var f struct {
		Order []string `yaml:"group_eval_order"`
		Tests []struct {
			Alerts []struct {
				Alertname string
				Want      []struct{} `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	read(t, "prometheus/rules/vperf.test.yml", &f)
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, test := range f.Tests {
		for _, a := range test.Alerts {
			fires[a.Alertname] = fires[a.Alertname] || len(a.Want) > 0
			quiet[a.Alertname] = quiet[a.Alertname] || len(a.Want) == 0
		}
	}
	for _, r := range rulesOf(t, alertsFile) {
		at := place(alertsFile, r.Expr.line) + ": " + r.Alert
		require.True(t, fires[r.Alert], "%s: nothing proves that it fires", at)
		require.True(t, quiet[r.Alert], "%s: nothing proves that it is quiet", at)
		require.Contains(t, []string{"info", "warning", "critical"}, r.Labels["severity"], at)
		require.NotEmpty(t, r.For, at)
		require.NotEmpty(t, r.Annotations["summary"].s, at)
		require.NotEmpty(t, r.Annotations["description"].s, at)
		runbook, ours := strings.CutPrefix(r.Annotations["runbook_url"].s, docsURL)
		require.True(t, ours, at)
		page, anchor, _ := strings.Cut(runbook, "#")
		require.True(t, page == "best-practices.md" && anchor == "" || slices.Contains(anchors(t, page), anchor), "%s: no heading %s in docs/%s", at, anchor, page)
	}

	// promtool has no order of its own: what alerts use is recorded first.
	var order []string
	for _, g := range slices.Concat(groups(t, recordingFile), groups(t, alertsFile)) {
		order = append(order, g.Name)
	}
	require.Equal(t, order, f.Order, "group_eval_order of vperf.test.yml")
}

// anchors are the headings of a page of docs/ as links name them.
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
