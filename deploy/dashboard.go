package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Dashboard is a dashboard as Grafana 9 and newer imports it.
type Dashboard struct {
	UID, File, Title, About string
	vars                    []variable
	panels                  []panel
}

// variable is what can be chosen above the panels.
type variable struct {
	name, label, query string
	one                bool // exactly one can be chosen
}

// panel is a panel. One without a query is a heading.
type panel struct {
	title, about string
	kind         string // Grafana's: timeseries, stat, bargauge, table
	unit         string
	queries      []query
	width        int
	limits       []float64 // from where on it is yellow, and red
	below        bool      // trouble is below the limits
	max          float64   // of the axis; 0: as it comes
}

type query struct {
	expr, legend string
	instant      bool
}

// Selectors. Series of targets come from the job of /probe, what the exporter says of itself from its own.
const (
	sel   = `job=~"$job",instance=~"$instance"`
	ofVM  = sel + `,vm=~"$vm"`
	ofEsx = sel + `,host=~"$host"`
	own   = `job=~"$exporter_job",target=~"$instance"`
)

// base are the variables of all dashboards.
func base() []variable {
	return []variable{
		{name: "job", label: "Job", query: "label_values(vperf_up, job)"},
		{name: "instance", label: "Target", query: `label_values(vperf_up{job=~"$job"}, instance)`},
	}
}

func heading(title string) panel { return panel{title: title} }

// over is a panel of time.
func over(title string, width int, about string, m Metric, queries ...query) panel {
	p := panel{title: title, about: about, kind: "timeseries", unit: m.unit(), queries: queries, width: width}
	if about == "" {
		p.about = m.About
	}
	if m.threshold != nil {
		p.limits, p.below = append(p.limits, m.warn()), m.threshold.Below
		if m.threshold.Critical != 0 {
			p.limits = append(p.limits, m.critical())
		}
	}
	return p
}

// each is a panel of one metric of the catalogue with a line for each series. Of a counter it shows the rate.
func each(title string, width int, id string, o esxtop.Object, selector, legend string) panel {
	m := measured(id, o)
	return over(title, width, "", m, query{expr: m.shown(selector), legend: legend})
}

// shown is a metric in a panel.
func (m Metric) shown(selector string) string {
	expr := m.Name + "{" + selector + "}"
	if m.Counter {
		return "rate(" + expr + "[$__rate_interval])"
	}
	return expr
}

// stacked are several metrics of one unit in a panel.
func stacked(title string, width int, about string, o esxtop.Object, selector string, legends map[string]string, ids ...string) panel {
	p := over(title, width, about, Metric{Name: measured(ids[0], o).Name, Counter: measured(ids[0], o).Counter, About: about})
	for _, id := range ids {
		p.queries = append(p.queries, query{expr: measured(id, o).shown(selector), legend: legends[id]})
	}
	return p
}

// top are the ten with the most, now.
func top(title string, width int, about, unit, expr, legend string) panel {
	return panel{title: title, about: about, kind: "bargauge", unit: unit, width: width, queries: []query{{expr: "topk(10, " + expr + ")", legend: legend, instant: true}}}
}

// now is one number.
func now(title, about, unit, expr string) panel {
	return panel{title: title, about: about, kind: "stat", unit: unit, width: 4, queries: []query{{expr: expr, instant: true}}}
}

func (p panel) limit(limits ...float64) panel {
	p.limits = limits
	return p
}

func (p panel) upTo(v float64) panel {
	p.max = v
	return p
}

// JSON is the dashboard as Grafana keeps it.
func (d Dashboard) JSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(grafana{
		UID: d.UID, Title: d.Title, Description: d.About + " Made by: go test ./deploy -update.", Tags: []string{"vperf", "vsphere"},
		SchemaVersion: 37, Refresh: "30s", Time: map[string]string{"from": "now-3h", "to": "now"},
		Links:      []any{map[string]any{"asDropdown": true, "includeVars": true, "keepTime": true, "tags": []string{"vperf"}, "title": "vperf", "type": "dashboards"}},
		Templating: map[string][]any{"list": d.templates()}, Panels: d.placed(),
	})
	return b.Bytes(), err
}

// The words of Grafana's files. Editable false: changes belong in the generator, or in a copy.
type grafana struct {
	UID           string            `json:"uid"`
	Title         string            `json:"title"`
	Description   string            `json:"description"`
	Tags          []string          `json:"tags"`
	Editable      bool              `json:"editable"`
	SchemaVersion int               `json:"schemaVersion"`
	Refresh       string            `json:"refresh"`
	Time          map[string]string `json:"time"`
	Links         []any             `json:"links"`
	Templating    map[string][]any  `json:"templating"`
	Panels        []placed          `json:"panels"`
}

type placed struct {
	ID          int             `json:"id"`
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description,omitempty"`
	GridPos     map[string]int  `json:"gridPos"`
	Datasource  *datasource     `json:"datasource,omitempty"`
	Targets     []target        `json:"targets,omitempty"`
	FieldConfig *fieldConfig    `json:"fieldConfig,omitempty"`
	Options     map[string]any  `json:"options,omitempty"`
	Transform   []any           `json:"transformations,omitempty"`
	Panels      json.RawMessage `json:"panels,omitempty"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type target struct {
	Datasource   datasource `json:"datasource"`
	Expr         string     `json:"expr"`
	Instant      bool       `json:"instant,omitempty"`
	Range        bool       `json:"range,omitempty"`
	Format       string     `json:"format,omitempty"`
	LegendFormat string     `json:"legendFormat,omitempty"`
	RefID        string     `json:"refId"`
}

type fieldConfig struct {
	Defaults  map[string]any `json:"defaults"`
	Overrides []any          `json:"overrides"`
}

var prometheus = datasource{"prometheus", "${datasource}"}

// templates are the variables. Each is asked for again when the time changes, since VMs come and go.
func (d Dashboard) templates() []any {
	list := []any{map[string]any{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "hide": 0, "refresh": 1}}
	for _, v := range append(base(), d.vars...) {
		t := map[string]any{
			"name": v.name, "label": v.label, "type": "query", "datasource": prometheus, "definition": v.query,
			"query": map[string]string{"query": v.query, "refId": "Variable-" + v.name}, "refresh": 2, "sort": 1, "hide": 0,
			"multi": !v.one, "includeAll": !v.one,
		}
		if !v.one {
			t["allValue"] = ".+"
			t["current"] = map[string]any{"text": []string{"All"}, "value": []string{"$__all"}}
		}
		list = append(list, t)
	}
	return list
}

// placed are the panels from left to right and from top to bottom; Grafana's grid is 24 wide.
func (d Dashboard) placed() []placed {
	const full = 24
	var list []placed
	x, y, high := 0, 0, 0
	for i, p := range d.panels {
		w, h := p.width, 8
		switch p.kind {
		case "":
			w, h = full, 1
		case "stat":
			h = 4
		}
		if x+w > full {
			x, y, high = 0, y+high, 0
		}
		list = append(list, p.at(i+1, map[string]int{"x": x, "y": y, "w": w, "h": h}))
		x, high = x+w, max(high, h)
	}
	return list
}

func (p panel) at(id int, grid map[string]int) placed {
	it := placed{ID: id, Type: p.kind, Title: p.title, Description: p.about, GridPos: grid}
	if p.kind == "" {
		it.Type, it.Panels = "row", json.RawMessage("[]")
		return it
	}
	it.Datasource, it.FieldConfig, it.Options = &prometheus, p.fields(), p.options()
	for i, q := range p.queries {
		t := target{Datasource: prometheus, Expr: q.expr, Instant: q.instant, Range: !q.instant, LegendFormat: q.legend, RefID: string(rune('A' + i))}
		if p.kind == "table" {
			t.Format = "table"
			it.Transform = []any{map[string]any{"id": "organize", "options": map[string]any{"excludeByName": map[string]bool{"Time": true, "__name__": true, "job": true}}}}
		}
		it.Targets = append(it.Targets, t)
	}
	return it
}

func (p panel) fields() *fieldConfig {
	defaults := map[string]any{"unit": p.unit, "thresholds": map[string]any{"mode": "absolute", "steps": p.steps()}}
	switch p.kind {
	case "timeseries":
		custom := map[string]any{"lineWidth": 1, "fillOpacity": 10, "showPoints": "never"}
		if len(p.limits) > 0 {
			custom["thresholdsStyle"] = map[string]string{"mode": "dashed"}
		}
		defaults["custom"] = custom
		defaults["min"] = 0
	case "bargauge":
		defaults["min"] = 0
	}
	if p.max != 0 {
		defaults["max"] = p.max
	}
	return &fieldConfig{Defaults: defaults, Overrides: []any{}}
}

// steps are the colours from the lowest value up.
func (p panel) steps() []any {
	colours := []string{"green", "yellow", "red"}
	limits := p.limits
	if p.below && len(limits) > 0 {
		colours = []string{"red", "yellow", "green"}
		if len(limits) == 1 {
			colours = []string{"yellow", "green"}
		}
		limits = reversed(limits)
	}
	steps := []any{map[string]any{"color": colours[0], "value": nil}}
	for i, l := range limits {
		steps = append(steps, map[string]any{"color": colours[i+1], "value": json.Number(number(l))})
	}
	return steps
}

func reversed(list []float64) []float64 {
	var out []float64
	for _, v := range list {
		out = append([]float64{v}, out...)
	}
	return out
}

func (p panel) options() map[string]any {
	switch p.kind {
	case "timeseries":
		return map[string]any{"legend": map[string]any{"displayMode": "table", "placement": "bottom", "calcs": []string{"lastNotNull", "max"}}, "tooltip": map[string]any{"mode": "multi", "sort": "desc"}}
	case "bargauge":
		return map[string]any{"orientation": "horizontal", "displayMode": "gradient", "reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}}}
	case "stat":
		return map[string]any{"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}}, "graphMode": "none", "colorMode": "value"}
	}
	return map[string]any{"showHeader": true}
}

// Queries are all that the dashboard asks, with where.
func (d Dashboard) Queries() map[string]string {
	all := map[string]string{}
	for _, p := range d.panels {
		for i, q := range p.queries {
			all[fmt.Sprintf("%s: %s (%c)", d.File, p.title, 'A'+i)] = q.expr
		}
	}
	return all
}

// lines puts a query on one line.
func lines(parts ...string) string { return strings.Join(parts, " ") }
