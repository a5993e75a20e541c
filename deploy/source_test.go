// Package deploy contains only tests. They compare the files of this folder with the catalogue of metrics and the exporter, and run them
// with Prometheus and promtool.
package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// text is a scalar of a YAML or JSON file with the number of its first line.
type text struct {
	line int
	s    string
}

// UnmarshalYAML stores the line. The text of a block starts below its indicator.
func (t *text) UnmarshalYAML(n *yaml.Node) error {
	t.line, t.s = n.Line, n.Value
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		t.line++
	}
	return nil
}

// query is a PromQL expression in a file of this folder.
type query struct {
	file, where string
	expr        text
	shows       []text // legends and annotations: they name labels of the result
}

// at returns the file and line of a byte of the expression.
func (q query) at(offset int) string {
	return place(q.file, q.expr.line+strings.Count(q.expr.s[:offset], "\n"))
}

func place(file string, line int) string { return fmt.Sprintf("deploy/%s:%d", file, line) }

// read decodes a file. JSON files are decoded as YAML, which keeps line numbers.
func read(t *testing.T, file string, into any) {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	if filepath.Ext(file) == ".json" {
		require.True(t, json.Valid(b), file)
	}
	require.NoError(t, yaml.Unmarshal(b, into), file)
}

// group is a group of rules. A rule can use the series of the rules before it.
type group struct {
	Name  string
	Rules []rule
}

// rule is a recording or alerting rule.
type rule struct {
	Record, Alert string
	Expr          text
	For           string
	Labels        map[string]string
	Annotations   map[string]text
}

const (
	recordingFile  = "prometheus/rules/vperf.recording.yml"
	alertsFile     = "prometheus/rules/vperf.alerts.yml"
	kubernetesFile = "prometheus/rules/vperf.kubernetes.yml"
	compatFile     = "compat/vmware_exporter.rules.yml"
)

var ruleFiles = []string{recordingFile, alertsFile, kubernetesFile, compatFile}

// alertFiles maps files with alerts to their promtool tests.
var alertFiles = map[string]string{
	alertsFile:     "prometheus/rules/vperf.test.yml",
	kubernetesFile: "prometheus/rules/vperf.kubernetes.test.yml",
}

// alertsOf returns the alerts of a file.
func alertsOf(t *testing.T, file string) []rule {
	t.Helper()
	return slices.DeleteFunc(rulesOf(t, file), func(r rule) bool { return r.Alert == "" })
}

func groups(t *testing.T, file string) []group {
	t.Helper()
	var f struct{ Groups []group }
	read(t, file, &f)
	require.NotEmpty(t, f.Groups, file)
	return f.Groups
}

// rulesOf returns all rules of a file, in order.
func rulesOf(t *testing.T, file string) (list []rule) {
	t.Helper()
	for _, g := range groups(t, file) {
		list = append(list, g.Rules...)
	}
	return list
}

func (r rule) query(file string) query {
	q := query{file: file, where: strings.TrimSpace(r.Record + r.Alert + " " + r.Labels["severity"]), expr: r.Expr}
	for _, words := range r.Annotations {
		q.shows = append(q.shows, words)
	}
	return q
}

// board is a Grafana dashboard.
type board struct {
	file                    string
	UID, Title, Description string
	Editable                bool
	Templating              struct{ List []variable }
	Panels                  []panel
}

// variable is a dashboard variable.
type variable struct {
	Name, Label, Type string
	AllValue          string `yaml:"allValue"`
	Refresh           int
	Multi             bool
	IncludeAll        bool `yaml:"includeAll"`
	Definition        text
}

type panel struct {
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int } `yaml:"gridPos"`
	Datasource               *datasource
	Targets                  []target
	FieldConfig              struct {
		Defaults struct {
			Unit       text
			Thresholds struct{ Steps []step }
		}
	} `yaml:"fieldConfig"`
}

// step is a colour and its lowest value. The first step has no value.
type step struct {
	Color string
	Value *text
}

type datasource struct{ Type, UID string }

type target struct {
	Datasource datasource
	Expr       text
	Legend     text `yaml:"legendFormat"`
}

func boards(t *testing.T) []board {
	t.Helper()
	files, err := filepath.Glob("grafana/*.json")
	require.NoError(t, err)
	require.Len(t, files, 7)
	all := make([]board, len(files))
	for i, file := range files {
		read(t, file, &all[i])
		all[i].file = file
	}
	return all
}

// queries returns the queries of a panel, named like "vm.json: CPU ready (A)".
func (b board) queries(p panel) (list []query) {
	for i, q := range p.Targets {
		where := fmt.Sprintf("%s: %s (%c)", filepath.Base(b.file), p.Title, 'A'+i)
		list = append(list, query{b.file, where, q.Expr, []text{q.Legend}})
	}
	return list
}

// panelQueries returns the queries of all dashboards.
func panelQueries(t *testing.T) (list []query) {
	t.Helper()
	for _, b := range boards(t) {
		for _, p := range b.Panels {
			list = append(list, b.queries(p)...)
		}
	}
	return list
}

// ruleQueries returns the queries of all rule files.
func ruleQueries(t *testing.T) (list []query) {
	t.Helper()
	for _, file := range ruleFiles {
		for _, r := range rulesOf(t, file) {
			list = append(list, r.query(file))
		}
	}
	return list
}
