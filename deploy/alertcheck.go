package deploy

import (
	"maps"
	"slices"
	"strings"
)

// check is one case of an alert for promtool: what is measured and what is then said, 40 minutes in unless it says otherwise.
type check struct {
	name   string
	series []row
	want   expect // nothing: the alert is quiet
	at     string
}

// row is a series and its values, one a minute, as promtool writes them: 0+2x60 grows by two.
type row struct{ series, values string }

// expect are the alerts that fire.
type expect []firing

type firing struct {
	severity string
	labels   labels // beside job, instance, severity
	text     string // the description, with labels and value in it
}

type labels map[string]string

// with are the labels and one more.
func (l labels) with(name, value string) labels {
	l = maps.Clone(l)
	l[name] = value
	return l
}

// rows are series and their values in turn.
func rows(pairs ...string) []row {
	var list []row
	for pair := range slices.Chunk(pairs, 2) {
		list = append(list, row{pair[0], pair[1]})
	}
	return list
}

// The words of promtool's test files.
type (
	testFile struct {
		RuleFiles          []string    `yaml:"rule_files"`
		EvaluationInterval string      `yaml:"evaluation_interval"`
		GroupEvalOrder     []string    `yaml:"group_eval_order"`
		Tests              []testGroup `yaml:"tests"`
	}
	testGroup struct {
		Name          string       `yaml:"name"`
		Interval      string       `yaml:"interval"`
		InputSeries   []testSeries `yaml:"input_series"`
		AlertRuleTest []testAlert  `yaml:"alert_rule_test"`
	}
	testSeries struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	}
	testAlert struct {
		EvalTime  string      `yaml:"eval_time"`
		Alertname string      `yaml:"alertname"`
		ExpAlerts []testFired `yaml:"exp_alerts"`
	}
	testFired struct {
		Labels      map[string]string `yaml:"exp_labels"`
		Annotations map[string]string `yaml:"exp_annotations"`
	}
)

const checkAbout = `
What proves the alerts: promtool test rules vperf.test.yml. Each fires where it should, with these words, and is quiet where it should be.`

// AlertTests are the tests of the alerts for promtool.
func AlertTests() ([]byte, error) {
	f := testFile{RuleFiles: []string{"vperf.recording.yml", "vperf.alerts.yml"}, EvaluationInterval: "5m"}
	// What alerts use is recorded first: promtool has no order of its own.
	for _, g := range records() {
		f.GroupEvalOrder = append(f.GroupEvalOrder, g.Name)
	}
	for _, g := range alerts() {
		f.GroupEvalOrder = append(f.GroupEvalOrder, g.name)
		for _, a := range g.alerts {
			for _, c := range a.checks {
				f.Tests = append(f.Tests, a.test(c))
			}
		}
	}
	return yamlFile(checkAbout, f)
}

func (a alert) test(c check) testGroup {
	g := testGroup{Name: a.name + ": " + c.name, Interval: "1m"}
	for _, r := range c.series {
		g.InputSeries = append(g.InputSeries, testSeries{here(r.series), r.values})
	}
	t := testAlert{EvalTime: c.at, Alertname: a.name, ExpAlerts: []testFired{}}
	if t.EvalTime == "" {
		t.EvalTime = "40m"
	}
	for _, w := range c.want {
		t.ExpAlerts = append(t.ExpAlerts, testFired{
			Labels:      w.labels.with("severity", w.severity).with("job", "vperf").with("instance", "vc01"),
			Annotations: map[string]string{"summary": a.summary, "description": w.text, "runbook_url": docsURL + a.page},
		})
	}
	g.AlertRuleTest = []testAlert{t}
	return g
}

// here gives a series the labels that all have which Prometheus scrapes.
func here(series string) string {
	name, rest, ok := strings.Cut(series, "{")
	if !ok {
		rest = "}"
	} else {
		rest = "," + rest
	}
	return name + `{job="vperf",instance="vc01"` + rest
}
