package deploy

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// families maps metric names to the labels that their series can have.
type families map[string]map[string]bool

func (f families) add(name string, labels ...string) {
	if f[name] == nil {
		f[name] = map[string]bool{"job": true, "instance": true, "shard": true} // every scrape adds the first two, that of shards the third
	}
	for _, l := range labels {
		f[name][l] = true
	}
}

// foreign lists metrics of a scrape that vperf does not write itself.
var foreign = strings.Fields("up scrape_duration_seconds process_cpu_seconds_total process_resident_memory_bytes go_goroutines")

// unpaged lists the labels of objects that the exporter's golden pages do not contain.
var unpaged = map[esxtop.Object][]string{
	esxtop.PCPU: {"host", "moid", "cpu"}, esxtop.World: {"vm", "moid", "vcpu"}, esxtop.Node: {"host", "moid", "node"},
}

var series = regexp.MustCompile(`(?m)^([a-z_][a-z0-9_]*)(\{.*\})? \S+$`)

// paged returns the families in the golden pages of the exporter.
func paged(t *testing.T) families {
	t.Helper()
	pages, err := filepath.Glob("../internal/exporter/testdata/*.prom")
	require.NoError(t, err)
	modules, err := filepath.Glob("../internal/exporter/module/testdata/*.prom")
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	pages = append(pages, modules...)
	f := families{}
	for _, page := range append(pages, "../internal/exporter/testdata/selfmetrics.txt") {
		f.page(t, page)
	}
	return f
}

// page adds the families of a page.
func (f families) page(t *testing.T, page string) {
	t.Helper()
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, m := range series.FindAllStringSubmatch(string(b), -1) {
		f.add(m[1])
		for _, label := range matched.FindAllStringSubmatch(m[2], -1) {
			f.add(m[1], label[1])
		}
	}
}

// exported returns all families that the exporter can provide: those of its golden pages and those of the catalogue.
func exported(t *testing.T) families {
	t.Helper()
	f := paged(t)
	ofObject := map[esxtop.Object]map[string]bool{}
	catalogue := measured()
	for name, m := range catalogue {
		if labels := f[name]; labels != nil {
			ofObject[m.object] = labels
		}
	}
	for name, m := range catalogue {
		f.add(name, slices.Concat(unpaged[m.object], slices.Collect(maps.Keys(ofObject[m.object])))...)
	}
	for _, name := range foreign {
		f.add(name)
	}
	for _, page := range kubePages {
		f.page(t, page)
	}
	for name := range f {
		if strings.HasPrefix(name, "kube_") {
			f.add(name, "cluster") // the scrape job adds it
		}
	}
	return f
}

// exporterMetrics returns the families of the exporter that are not in the catalogue, and those of every scrape.
func exporterMetrics(t *testing.T) []string {
	t.Helper()
	catalogue := measured()
	names := slices.Concat(foreign, slices.Collect(maps.Keys(paged(t))))
	return slices.DeleteFunc(names, func(name string) bool { return catalogue[name].Metric != nil })
}

// recorded returns the exported families and the recorded series. A recorded series has the labels of its inputs.
func recorded(t *testing.T) families {
	t.Helper()
	f := exported(t)
	for _, file := range ruleFiles {
		for _, r := range rulesOf(t, file) {
			if r.Record != "" {
				require.NotContains(t, f, r.Record, "%s: it is there already", place(file, r.Expr.line))
				f.add(r.Record, f.of(r.Expr.s)...)
			}
		}
	}
	return f
}

// of returns the labels that the result of an expression can have.
func (f families) of(expr string) []string {
	_, labels := labelsIn(expr)
	for _, name := range metricsIn(expr) {
		labels = slices.AppendSeq(labels, maps.Keys(f[name]))
	}
	return labels
}

// metric is a metric of the catalogue for one kind of object.
type metric struct {
	*esxtop.Metric

	object esxtop.Object
}

// measured returns the catalogue by exported metric name.
func measured() map[string]metric {
	all := map[string]metric{}
	for _, m := range esxtop.Catalogue() {
		for _, o := range m.Objects {
			if name := m.PrometheusName(o); name != "" {
				all[name] = metric{m, o}
			}
		}
	}
	return all
}
