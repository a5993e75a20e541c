package deploy

import (
	"maps"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// docsURL is where the pages of docs/ are that alerts lead to. Whoever keeps a copy of them elsewhere changes it in the rules.
const docsURL = "https://github.com/vperf/vperf/blob/main/docs/"

const alertAbout = `
Alerts. Where the catalogue of metrics knows a threshold it is that one (docs/metrics.md says whose it is); severity warning is its
first limit, critical its second. Each leads to the page that says why it matters and what to do. They need the recording rules.`

// Alerts are the alerting rules.
func Alerts() ([]byte, error) {
	var groups []group
	for _, g := range alerts() {
		made := group{Name: g.name}
		for _, a := range g.alerts {
			made.Rules = append(made.Rules, a.rules()...)
		}
		groups = append(groups, made)
	}
	return ruleFile(alertAbout, groups)
}

type alertGroup struct {
	name   string
	alerts []alert
}

func alerts() []alertGroup {
	return []alertGroup{
		{"vperf-vm-alerts", vmAlerts()},
		{"vperf-host-alerts", hostAlerts()},
		{"vperf-storage-alerts", slices.Concat(deviceAlerts(), datastoreAlerts())},
		{"vperf-audit-alerts", auditAlerts()},
		{"vperf-exporter-alerts", exporterAlerts()},
	}
}

// alert is an alert, with one severity or two, and what proves it.
type alert struct {
	name    string
	value   string            // what is held against the threshold of what it is of
	of      Metric            // has the threshold
	plain   map[string]string // instead of value: by severity, an expression that gives something only where there is trouble
	after   string            // how long it has to last
	page    string            // that says what to do: a page of docs/ and its heading
	summary string
	text    string // of one alert, with its labels and value
	checks  []check
}

// judged is an alert on the threshold of a metric.
func judged(name, id string, o esxtop.Object, value string) alert {
	return alert{name: name, value: value, of: measured(id, o), after: "10m"}
}

// rules are the alert's, one a severity.
func (a alert) rules() []rule {
	exprs := a.plain
	if a.value != "" {
		exprs = a.limits()
	}
	var list []rule
	for _, severity := range slices.Sorted(maps.Keys(exprs)) {
		list = append(list, rule{
			Alert: a.name, Expr: exprs[severity], For: a.after, Labels: map[string]string{"severity": severity},
			Annotations: map[string]string{"summary": a.summary, "description": a.text, "runbook_url": docsURL + a.page},
		})
	}
	return list
}

func (a alert) limits() map[string]string {
	t := a.of.threshold
	than := " > "
	if t.Below {
		than = " < "
	}
	limit := func(v float64) string {
		expr := a.value + than + number(v)
		if a.of.needs != "" && !strings.Contains(a.value, a.of.needs) {
			needed := esxtop.Lookup(t.Needs).Prometheus
			expr += "\nand " + by(a.of.needs, needed.Counter) + " >= " + number(t.AtLeast*needed.Scale)
		}
		return expr
	}
	limits := map[string]string{"warning": limit(a.of.warn())}
	if t.Critical != 0 {
		limits["critical"] = limit(a.of.critical())
	}
	return limits
}

func by(name string, counter bool) string {
	if counter {
		return "rate(" + name + "[5m])"
	}
	return name
}
