package exporter

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/esxtop"
)

func TestMetricFilter(t *testing.T) {
	f, err := newMetricFilter([]string{"esxi_vm_cpu_*", "esxi_host_info"}, []string{"*_ready_seconds_total"})
	require.NoError(t, err)
	for name, keep := range map[string]bool{
		"esxi_vm_cpu_used_seconds_total": true, "esxi_host_info": true, "esxi_vm_cpu_ready_seconds_total": false,
		"esxi_vm_memory_usage_ratio": false, "vperf_up": true, "vperf_rule_findings": true,
	} {
		require.Equal(t, keep, f.keeps(name), name)
	}
	for pattern, want := range map[string]string{
		"esxi_vm_cpu_redy*":      `include-metrics: "esxi_vm_cpu_redy*" matches no metric (did you mean esxi_vm_cpu_ready_`,
		"*_redy_seconds_total":   "did you mean esxi_",
		"esxi_vm_cpu_[":          `is not a pattern: use * for any text`,
		"vperf_up":               "always exported",
		"esxi_nothing_like_this": `matches no metric`,
		"":                       `matches no metric`,
	} {
		_, err := newMetricFilter([]string{pattern}, nil)
		require.ErrorContains(t, err, want, pattern)
	}
	_, err = newMetricFilter([]string{"esxi_vm_*"}, []string{"esxi_*"})
	require.ErrorContains(t, err, "leave no metric")
	_, err = newTarget(TargetConfig{Name: "a", Dial: (&stage{}).dial, ExcludeMetrics: []string{"esxi_x"}}, New(Options{}).log)
	require.ErrorContains(t, err, `target a: exclude-metrics: "esxi_x" matches no metric`)
}

// TestMetricNamesAreComplete: every metric that a module has ever written in a golden file can be selected.
func TestMetricNamesAreComplete(t *testing.T) {
	names := module.MetricNames()
	files, err := filepath.Glob("testdata/*.prom")
	require.NoError(t, err)
	own, err := filepath.Glob("module/testdata/*.prom")
	require.NoError(t, err)
	require.NotEmpty(t, own)
	seen := 0
	for _, file := range append(files, own...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^# TYPE (esxi_\S+)`).FindAllStringSubmatch(string(text), -1) {
			require.Contains(t, names, m[1], file)
			seen++
		}
	}
	require.Greater(t, seen, 200)
	require.Contains(t, names, module.PoolReadyName)
}

// TestFilteredMetrics: others are neither shown, nor counted, nor read.
func TestFilteredMetrics(t *testing.T) {
	proof.NotRaced(t)
	s := onStage(t)
	run := func(include, exclude []string) (*Target, map[string]float64) {
		target := s.target(t, TargetConfig{
			Modules: []module.Name{module.Basic, module.VCPU, module.Net, module.Datastore}, IncludeMetrics: include, ExcludeMetrics: exclude,
		})
		st := s.drive(t, target)
		st.survey()
		for range 2 {
			require.NoError(t, st.round(t.Context(), st.source))
		}
		require.True(t, collector(target, "performance").Success, collector(target, "performance").Err)
		return target, series(t, textOf(t, target))
	}
	_, all := run(nil, nil)
	some, kept := run([]string{"esxi_vm_*", "esxi_datastore_*"}, []string{"esxi_vm_memory_*", "esxi_vm_cpu_ready_*"})
	for name := range kept {
		family, _, _ := strings.Cut(name, "{")
		require.True(t, some.metrics.keeps(family), name)
	}
	measured := 0
	for name := range all {
		family, _, _ := strings.Cut(name, "{")
		if !some.metrics.keeps(family) {
			continue
		}
		if strings.HasPrefix(family, "esxi_") {
			require.Contains(t, kept, name)
		}
		if is := func(m *esxtop.Metric) bool { return m.PrometheusName(esxtop.Group) == family }; slices.ContainsFunc(esxtop.MetricsOf(esxtop.Group), is) {
			measured++
		}
	}
	require.Equal(t, measured, some.ledger.Stats(some.serverNow()).Series, "what is not shown does not count")
	require.Equal(t, esxtop.ObjectsOf(esxtop.Host, esxtop.Group), some.objects, "vCPUs and ports are not asked for")

	hosts, _ := run([]string{"esxi_host_*"}, nil)
	require.Zero(t, hosts.ledger.Stats(hosts.serverNow()).VMs.Expected, "no VM has to have samples")
	require.NotZero(t, hosts.ledger.Stats(hosts.serverNow()).Hosts.Collected)
	none := s.target(t, TargetConfig{Modules: []module.Name{module.Basic, module.Datastore}, IncludeMetrics: []string{"esxi_datastore_*"}})
	require.False(t, none.measures(), "no counter is needed")
}

// TestPoolsNeedReadyTime, also where that of VMs is not exported.
func TestPoolsNeedReadyTime(t *testing.T) {
	target := idle(t, TargetConfig{Modules: []module.Name{module.Basic, module.Pool}, ExcludeMetrics: []string{"esxi_vm_*"}})
	require.True(t, target.metrics.figures.Has(esxtop.Group, esxtop.Lookup("cpu.ready")))
	require.False(t, target.metrics.figures.Has(esxtop.Group, esxtop.Lookup("cpu.used")))
	r := esxtop.NewRow(esxtop.Group, "1", "a")
	r.Set(esxtop.Lookup("cpu.ready"), 1)
	r.Set(esxtop.Lookup("cpu.used"), 1)
	f := &esxtop.Frame{}
	f.Put(esxtop.Group, []esxtop.Row{r})
	target.metrics.strip(&esxtop.Round{Frames: []*esxtop.Frame{f}})
	_, ready := f.Rows(esxtop.Group)[0].Value(esxtop.Lookup("cpu.ready"))
	_, used := f.Rows(esxtop.Group)[0].Value(esxtop.Lookup("cpu.used"))
	require.True(t, ready)
	require.False(t, used)
}
