package deploy

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// board is a dashboard as it is committed.
type board struct {
	UID, Title, Description string
	Editable                bool
	Templating              struct{ List []template }
	Panels                  []struct {
		Type, Title, Description string
		GridPos                  struct{ X, Y, W, H int }
		Datasource               *datasource
		Targets                  []target
		FieldConfig              struct{ Defaults struct{ Unit string } }
	}
}

type template struct {
	Name, Label, Type, AllValue string
	Refresh                     int
	Multi, IncludeAll           bool
	Query                       json.RawMessage
}

func boards(t *testing.T) map[string]board {
	t.Helper()
	all := map[string]board{}
	for _, d := range Dashboards() {
		text, err := os.ReadFile("grafana/" + d.File)
		require.NoError(t, err)
		var b board
		require.NoError(t, json.Unmarshal(text, &b))
		all[d.File] = b
	}
	return all
}

// units are those of Grafana that are used.
var units = strings.Fields("short percentunit bytes binBps s iops cps pps watt hertz celsius volt amp joule")

var (
	counter = regexp.MustCompile(`[a-z_:0-9]+_total\b`)
	wrapped = regexp.MustCompile(`(?:rate|increase)\(([a-z_:0-9]+_total)\{[^}]*\}\[\$__rate_interval\]\)`)
	braces  = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})`)
)

// The rules of grafana/dashboard-linter, as far as they are about dashboards for Prometheus.
func TestDashboardsAreLinted(t *testing.T) {
	uids := map[string]bool{}
	for file, b := range boards(t) {
		t.Run(file, func(t *testing.T) {
			require.False(t, b.Editable, "changes belong in the generator")
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
				require.Contains(t, units, p.FieldConfig.Defaults.Unit, p.Title)
				require.NotEmpty(t, p.Targets, p.Title)
				require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
				for _, q := range p.Targets {
					require.Equal(t, prometheus, q.Datasource, p.Title)
					lintQuery(t, p.Title, q.Expr)
				}
			}
			lintPlaces(t, b)
		})
	}
}

func lintTemplates(t *testing.T, b board) {
	t.Helper()
	byName := map[string]template{}
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
		require.Contains(t, string(v.Query), "label_values(vperf_up")
	}
}

// lintQuery holds a query: every metric has job and target chosen, counters are rates over the window that fits the scrapes.
func lintQuery(t *testing.T, title, expr string) {
	t.Helper()
	found := braces.FindAllStringSubmatch(expr, -1)
	require.Len(t, found, len(metricsIn(expr)), "%s: each metric has its labels: %s", title, expr)
	for _, m := range found {
		require.Regexp(t, `job=~"\$(exporter_)?job"`, m[2], title)
		require.Regexp(t, `(instance|target)=~"\$instance"`, m[2], title)
	}
	inRates := wrapped.FindAllStringSubmatch(expr, -1)
	require.Len(t, counter.FindAllString(matcher.ReplaceAllString(expr, ""), -1), len(inRates), "%s: a counter without its rate: %s", title, expr)
	require.NotRegexp(t, `\[\d`, expr, "%s: $__rate_interval fits any scrape interval", title)
}

// lintPlaces sees that no panel lies on another.
func lintPlaces(t *testing.T, b board) {
	t.Helper()
	used := map[[2]int]string{}
	for _, p := range b.Panels {
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Empty(t, used[[2]int{x, y}], "%s lies on it", p.Title)
				used[[2]int{x, y}] = p.Title
			}
		}
	}
}

// Variables that queries use are there.
func TestDashboardsKnowTheirVariables(t *testing.T) {
	for file, b := range boards(t) {
		names := []string{"__rate_interval"}
		for _, v := range b.Templating.List {
			names = append(names, v.Name)
		}
		for _, p := range b.Panels {
			for _, q := range p.Targets {
				for _, m := range regexp.MustCompile(`\$\{?(\w+)`).FindAllStringSubmatch(q.Expr, -1) {
					require.True(t, slices.Contains(names, m[1]), "%s: %s asks for $%s", file, p.Title, m[1])
				}
			}
		}
	}
}

// Thresholds are coloured the right way round.
func TestSteps(t *testing.T) {
	step := func(colour string, v any) any { return map[string]any{"color": colour, "value": v} }
	require.Equal(t, []any{step("green", nil), step("yellow", json.Number("0.05")), step("red", json.Number("0.1"))}, panel{limits: []float64{.05, .1}}.steps())
	require.Equal(t, []any{step("red", nil), step("yellow", json.Number("0.5")), step("green", json.Number("0.8"))}, panel{limits: []float64{.8, .5}, below: true}.steps())
	require.Equal(t, []any{step("yellow", nil), step("green", json.Number("0.8"))}, panel{limits: []float64{.8}, below: true}.steps())
}
