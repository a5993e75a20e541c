package deploy

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var prometheus = datasource{"prometheus", "${datasource}"}

// units lists the Grafana units in use.
var units = strings.Fields("short percentunit bytes binBps s iops cps pps watt hertz celsius volt amp joule")

var (
	counter = regexp.MustCompile(`[a-z_:0-9]+_total\b`)
	wrapped = regexp.MustCompile(`(?:rate|increase)\(([a-z_:0-9]+_total)\{[^}]*\}\[\$__rate_interval\]\)`)
)

// TestDashboardsAreLinted applies the rules of grafana/dashboard-linter for Prometheus dashboards.
func TestDashboardsAreLinted(t *testing.T) {
	uids := map[string]bool{}
	for _, b := range boards(t) {
		t.Run(b.file, func(t *testing.T) {
			require.False(t, b.Editable, "changes belong in this file")
			require.NotEmpty(t, b.Title)
			require.NotEmpty(t, b.Description)
			require.False(t, uids[b.UID])
			uids[b.UID] = true
			lintTemplates(t, b)
			for _, p := range b.Panels {
				if p.Type == "row" {
					continue
				}
				require.NotEmpty(t, p.Title)
				require.NotEmpty(t, p.Description, p.Title)
				require.Equal(t, &prometheus, p.Datasource, p.Title)
				lintUnit(t, b, p)
				require.NotEmpty(t, p.Targets, p.Title)
				require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
				for _, q := range p.Targets {
					require.Equal(t, prometheus, q.Datasource, p.Title)
					lintQuery(t, p.Title, q.Expr.s)
				}
			}
			lintPlaces(t, b)
		})
	}
}

func lintTemplates(t *testing.T, b board) {
	t.Helper()
	byName := map[string]variable{}
	for _, v := range b.Templating.List {
		byName[v.Name] = v
		if v.Type == "query" {
			require.Equal(t, 2, v.Refresh, "%s: asked for again when the time changes", v.Name)
		}
	}
	require.Equal(t, "datasource", byName["datasource"].Type)
	require.Equal(t, "Data source", byName["datasource"].Label)
	for _, name := range []string{"job", "instance"} {
		v := byName[name]
		require.True(t, v.Multi && v.IncludeAll, name)
		require.Equal(t, ".+", v.AllValue, name)
		require.Contains(t, v.Definition.s, "label_values(vperf_up")
	}
}

// lintQuery checks that every metric selects job and target, and that counters are rates over $__rate_interval.
func lintQuery(t *testing.T, title, expr string) {
	t.Helper()
	found := selector.FindAllStringSubmatch(expr, -1)
	require.Len(t, found, len(metricsIn(expr)), "%s: each metric has its labels: %s", title, expr)
	for _, m := range found {
		if m[1] == "kube_node:without_vm:info" { // such a node belongs to no target
			require.Regexp(t, `cluster=~"\$cluster"`, m[2], title)
			continue
		}
		require.Regexp(t, `job=~"\$(exporter_)?job"`, m[2], title)
		require.Regexp(t, `(instance|target)=~"\$instance"`, m[2], title)
	}
	inRates := wrapped.FindAllStringSubmatch(expr, -1)
	require.Len(t, counter.FindAllString(matchers.ReplaceAllString(expr, ""), -1), len(inRates), "%s: a counter without its rate: %s", title, expr)
	require.NotRegexp(t, `\[\d`, expr, "%s: $__rate_interval fits any scrape interval", title)
}

// shownAlone matches a query of a single metric or its rate.
var shownAlone = regexp.MustCompile(`^(rate\()?([a-z_0-9]+)\{[^}]*\}(?:\[\$__rate_interval\]\))?$`)

// lintUnit compares the unit of a panel with the unit in the name of its metric.
func lintUnit(t *testing.T, b board, p panel) {
	t.Helper()
	unit := p.FieldConfig.Defaults.Unit
	require.Contains(t, units, unit.s, "%s: %s", place(b.file, unit.line), p.Title)
	if m := shownAlone.FindStringSubmatch(p.Targets[0].Expr.s); m != nil && p.Type != "table" {
		require.Equal(t, unitOf(m[2]), unit.s, "%s: %s", place(b.file, unit.line), p.Title)
	}
}

// suffixes maps suffixes of metric names to Grafana's unit of the metric, or of the rate of a counter. The first match applies.
var suffixes = [][2]string{
	{"_seconds_total", "percentunit"}, {"_bytes_total", "binBps"}, {"_joules_total", "watt"}, {"_packets_total", "pps"},
	{"_commands_total", "iops"}, {"_reads_total", "iops"}, {"_writes_total", "iops"}, {"_total", "cps"},
	{"_bytes_per_second", "binBps"}, {"_bytes", "bytes"}, {"_ratio", "percentunit"}, {"_hertz", "hertz"}, {"_watts", "watt"},
	{"_celsius", "celsius"}, {"_volts", "volt"}, {"_amperes", "amp"}, {"_joules", "joule"}, {"_seconds", "s"}, {"", "short"},
}

func unitOf(name string) string {
	i := slices.IndexFunc(suffixes, func(s [2]string) bool { return strings.HasSuffix(name, s[0]) })
	return suffixes[i][1]
}

// lintPlaces checks that panels do not overlap.
func lintPlaces(t *testing.T, b board) {
	t.Helper()
	used := map[[2]int]string{}
	for _, p := range b.Panels {
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Empty(t, used[[2]int{x, y}], "%s overlaps", p.Title)
				used[[2]int{x, y}] = p.Title
			}
		}
	}
}

// TestDashboardsKnowTheirVariables checks that all variables in queries are defined.
func TestDashboardsKnowTheirVariables(t *testing.T) {
	for _, b := range boards(t) {
		names := []string{"__rate_interval"}
		for _, v := range b.Templating.List {
			names = append(names, v.Name)
		}
		for _, p := range b.Panels {
			for _, q := range p.Targets {
				for _, m := range regexp.MustCompile(`\$\{?(\w+)`).FindAllStringSubmatch(q.Expr.s, -1) {
					require.True(t, slices.Contains(names, m[1]), "%s: %s asks for $%s", b.file, p.Title, m[1])
				}
			}
		}
	}
}
