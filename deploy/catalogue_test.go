package deploy

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/rules"
)

// TestCatalogue compares every metric name, label and threshold of rules and dashboards with the catalogue of metrics and with
// the families of the exporter. Each difference names its file and line.
func TestCatalogue(t *testing.T) {
	known := recorded(t)
	queries := slices.Concat(ruleQueries(t), panelQueries(t), variableQueries(t), testSeries(t))
	var differences []string
	for _, q := range queries {
		differences = append(differences, unknownNames(q, known)...)
		differences = append(differences, unknownLabels(q, known)...)
	}
	var alerts []rule
	for file := range alertFiles {
		for _, r := range alertsOf(t, file) {
			differences = append(differences, alertDifferences(file, r)...)
			alerts = append(alerts, r)
		}
	}
	for _, b := range boards(t) {
		for _, p := range b.Panels {
			differences = append(differences, stepDifferences(b, p, alerts)...)
		}
	}
	for _, d := range differences {
		t.Error(d)
	}
}

var chooses = regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)

// variableQueries returns the queries of the dashboard variables: the values of a label.
func variableQueries(t *testing.T) (list []query) {
	t.Helper()
	for _, b := range boards(t) {
		for _, v := range b.Templating.List {
			if v.Type == "query" {
				m := chooses.FindStringSubmatch(v.Definition.s)
				require.NotNil(t, m, place(b.file, v.Definition.line))
				line := v.Definition.line
				list = append(list, query{b.file, "$" + v.Name, text{line, m[1]}, []text{{line, "{{" + m[2] + "}}"}}})
			}
		}
	}
	return list
}

// testSeries returns the input series of the promtool tests.
func testSeries(t *testing.T) (list []query) {
	t.Helper()
	for _, file := range []string{"prometheus/rules/vperf.test.yml", "prometheus/rules/vperf.kubernetes.test.yml", "compat/vmware_exporter.test.yml"} {
		var f struct {
			Tests []struct {
				Name   string
				Series []struct{ Series text } `yaml:"input_series"`
			}
		}
		read(t, file, &f)
		for _, test := range f.Tests {
			for _, s := range test.Series {
				list = append(list, query{file: file, where: test.Name, expr: s.Series})
			}
		}
	}
	require.Greater(t, len(list), 100)
	return list
}

// unknownNames reports metrics that neither the exporter nor a rule provides.
func unknownNames(q query, known families) (list []string) {
	names := metricsIn(q.expr.s)
	if len(names) == 0 {
		list = append(list, fmt.Sprintf("%s: %s has no metric", q.at(0), q.where))
	}
	for _, name := range names {
		if known[name] == nil {
			list = append(list, fmt.Sprintf("%s: %s uses %s, which neither the exporter nor a rule provides", q.at(strings.Index(q.expr.s, name)), q.where, name))
		}
	}
	return list
}

var (
	aggregated = regexp.MustCompile(`^(?:topk\(10, )?(?:sum|min|max|count) by \(([^)]*)\)`)
	shown      = regexp.MustCompile(`\{\{ *(?:\$labels\.)?([a-z_]+)\b`)
)

// unknownLabels reports labels that the metrics of a query do not have, and labels in legends or annotations that its result does not have.
func unknownLabels(q query, known families) (list []string) {
	used, _ := labelsIn(q.expr.s)
	all := known.of(q.expr.s)
	for _, u := range used {
		switch {
		case u.metric == "" && !slices.Contains(all, u.label):
			list = append(list, fmt.Sprintf("%s: %s groups by %s, a label that none of its metrics has", q.at(u.offset), q.where, u.label))
		case u.metric != "" && known[u.metric] != nil && !known[u.metric][u.label]:
			list = append(list, fmt.Sprintf("%s: %s selects by %s, a label that %s does not have", q.at(u.offset), q.where, u.label, u.metric))
		}
	}
	if m := aggregated.FindStringSubmatch(q.expr.s); m != nil {
		all = word.FindAllString(m[1], -1)
	}
	for _, words := range q.shows {
		for _, m := range shown.FindAllStringSubmatch(words.s, -1) {
			if !slices.Contains(all, m[1]) {
				list = append(list, fmt.Sprintf("%s: %s shows %s, a label that its result does not have", place(q.file, words.line), q.where, m[1]))
			}
		}
	}
	return list
}

// judged maps alerts and recorded series to the metric of the catalogue whose threshold they use.
var judged = map[string]string{
	"EsxiVMReady": "cpu.readyPerVCPU", // it judges contention, with both limits of ready time

	"vm:esxi_cpu_used_per_vcpu:ratio_rate5m":              "cpu.usedPerVCPU",
	"vm:esxi_cpu_ready_per_vcpu:ratio_rate5m":             "cpu.readyPerVCPU",
	"vm:esxi_cpu_costop_per_vcpu:ratio_rate5m":            "cpu.costopPerVCPU",
	"vm:esxi_cpu_limited_per_vcpu:ratio_rate5m":           "cpu.maxLimitedPerVCPU",
	"vm:esxi_cpu_swap_wait_per_vcpu:ratio_rate5m":         "cpu.swapWaitPerVCPU",
	"vm:esxi_cpu_contention_per_vcpu:ratio_rate5m":        "cpu.contentionPerVCPU",
	"kube_node:esxi_cpu_contention_per_vcpu:ratio_rate5m": "cpu.readyPerVCPU", // as EsxiVMReady
	"kube_node:esxi_cpu_costop_per_vcpu:ratio_rate5m":     "cpu.costopPerVCPU",
	"kube_node:esxi_cpu_swap_wait_per_vcpu:ratio_rate5m":  "cpu.swapWaitPerVCPU",
	"host:esxi_cpu_util:ratio_avg5m":                      "pcpu.utilAvg",
	"cluster:esxi_cpu_util:ratio_avg5m":                   "pcpu.utilAvg",
	"device:esxi_guest_latency_seconds:avg5m":             "disk.guestLatency",
	"device:esxi_driver_latency_seconds:avg5m":            "disk.deviceLatency",
	"device:esxi_kernel_latency_seconds:avg5m":            "disk.kernelLatency",
	"device:esxi_queue_latency_seconds:avg5m":             "disk.queueLatency",
	"shared_device:esxi_driver_latency_seconds:avg5m":     "disk.deviceLatency",
	"vnic:esxi_receive_dropped:ratio_rate5m":              "net.droppedRx",
	"vnic:esxi_transmit_dropped:ratio_rate5m":             "net.droppedTx",
	"pnic:esxi_receive_dropped:ratio_rate5m":              "net.droppedRx",
	"pnic:esxi_transmit_dropped:ratio_rate5m":             "net.droppedTx",
}

// judgedBy returns the metric whose threshold applies to an alert, or else to the first metric of an expression. It returns nil if there is none.
func judgedBy(alert, expr string) *esxtop.Metric {
	names := metricsIn(expr)
	if len(names) == 0 {
		return nil
	}
	m := measured()[names[0]].Metric
	for _, name := range []string{names[0], alert} {
		if judged[name] != "" {
			m = esxtop.Lookup(judged[name])
		}
	}
	if m == nil || m.Threshold == nil {
		return nil
	}
	return m
}

// number formats a limit without floating-point noise.
func number(v float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// limits returns the thresholds of a metric in its exported unit. critical is "" if there is none.
func limits(m *esxtop.Metric) (warning, critical string) {
	if m.Threshold.Critical != 0 {
		critical = number(m.Threshold.Critical * m.Prometheus.Scale)
	}
	return number(m.Threshold.Warn * m.Prometheus.Scale), critical
}

// compared matches an alert that compares a value with a limit, optionally only while another value has a minimum.
var compared = regexp.MustCompile(`^(.+) ([<>]) ([0-9.]+)(?:\nand (.+) >= ([0-9.]+))?$`)

// alertDifferences reports differences between an alert and its threshold in the catalogue.
func alertDifferences(file string, r rule) (list []string) {
	m := judgedBy(r.Alert, r.Expr.s)
	if m == nil {
		return nil
	}
	q := r.query(file)
	differs := func(offset int, format string, args ...any) {
		list = append(list, fmt.Sprintf("%s: %s ", q.at(offset), q.where)+fmt.Sprintf(format, args...))
	}
	part := compared.FindStringSubmatchIndex(r.Expr.s)
	if part == nil {
		differs(0, "is not a comparison with the threshold of %s", m.ID)
		return list
	}
	sub := func(i int) string { return r.Expr.s[part[2*i]:part[2*i+1]] }
	warning, critical := limits(m)
	want, than := map[string]string{"warning": warning, "critical": critical}[r.Labels["severity"]], ">"
	if m.Threshold.Below {
		than = "<"
	}
	if sub(3) != want || sub(2) != than {
		differs(part[6], "compares with %s %s; the threshold of %s in pkg/esxtop is %s %s", sub(2), sub(3), m.ID, than, want)
	}
	needs := esxtop.Lookup(m.Threshold.Needs)
	switch {
	case needs == nil && part[8] >= 0:
		differs(part[8], "waits for a value that the threshold of %s does not need", m.ID)
	case needs == nil:
	case part[8] < 0:
		if !slices.ContainsFunc(metricsIn(sub(1)), func(name string) bool { return measured()[name].Metric == needs }) {
			differs(0, "is missing the condition of the threshold of %s: %s of at least %s", m.ID, needs.ID, number(m.Threshold.AtLeast*needs.Prometheus.Scale))
		}
	case measured()[metricsIn(sub(4))[0]].Metric != needs || sub(5) != number(m.Threshold.AtLeast*needs.Prometheus.Scale):
		differs(part[8], "waits for %s >= %s; the threshold of %s needs %s of at least %s", sub(4), sub(5), m.ID, needs.ID, number(m.Threshold.AtLeast*needs.Prometheus.Scale))
	}
	return list
}

// ownSteps maps panels with their own colour limits to the reason.
var ownSteps = map[string]string{
	"fleet.json: Targets down (A)":       "more than 0 is a problem",
	"fleet.json: Maximum sample age (A)": "VperfSamplesStale fires at the second",
	"host.json: Sensors not green (A)":   "more than 0 is a problem",
	"findings.json: Critical (A)":        "more than 0 is a problem",
	"findings.json: High (A)":            "more than 0 is a problem",
	"findings.json: Medium (A)":          "more than 0 is a problem",
	"findings.json: Unknown (A)":         "more than 0 is a problem",
	"storage.json: Provisioned (A)":      "1 is the capacity of the datastore",
}

// stepDifferences reports differences between the colours of a panel and the threshold of its first metric, or else of its alert.
func stepDifferences(b board, p panel, alerts []rule) (list []string) {
	queries := b.queries(p)
	if len(queries) == 0 || ownSteps[queries[0].where] != "" {
		return nil
	}
	q := queries[0]
	have, line := stepsOf(p), q.expr.line
	if steps := p.FieldConfig.Defaults.Thresholds.Steps; len(steps) > 1 {
		line = steps[1].Value.line
	}
	m := judgedBy("", q.expr.s)
	if have == "green" && (m == nil || len(queries) > 1) {
		return nil // several values in a panel need not have one limit
	}
	want, whose := "green", "nobody"
	if m != nil {
		warning, critical := limits(m)
		want, whose = colours(warning, critical, m.Threshold.Below), m.ID+" in pkg/esxtop"
	} else if warning, critical := alertLimits(alerts, metricsIn(q.expr.s)[0]); warning != "" {
		want, whose = colours(warning, critical, false), "its alert"
	}
	if have != want {
		list = append(list, fmt.Sprintf("%s: %s has the steps %s; the threshold of %s makes them %s", place(b.file, line), q.where, have, whose, want))
	}
	return list
}

// stepsOf returns the colours of a panel from the lowest value up: "green 0.05 yellow 0.1 red".
func stepsOf(p panel) string {
	var parts []string
	for _, s := range p.FieldConfig.Defaults.Thresholds.Steps {
		if s.Value != nil {
			parts = append(parts, s.Value.s)
		}
		parts = append(parts, s.Color)
	}
	return strings.Join(parts, " ")
}

// colours returns the colour steps for limits. below means that low values are bad.
func colours(warning, critical string, below bool) string {
	switch {
	case below && critical == "":
		return "yellow " + warning + " green"
	case below:
		return "red " + critical + " yellow " + warning + " green"
	case critical == "":
		return "green " + warning + " yellow"
	}
	return "green " + warning + " yellow " + critical + " red"
}

// alertLimits returns the limits with which alerts compare a series.
func alertLimits(alerts []rule, name string) (warning, critical string) {
	for _, r := range alerts {
		part := compared.FindStringSubmatch(r.Expr.s)
		if part == nil || metricsIn(r.Expr.s)[0] != name {
			continue
		}
		if r.Labels["severity"] == "critical" {
			critical = part[3]
		} else {
			warning = part[3]
		}
	}
	return warning, critical
}

// TestDifferencesHaveTheirLine checks that a changed threshold, name or label is reported with the line to correct.
func TestDifferencesHaveTheirLine(t *testing.T) {
	r := rule{Alert: "X", Expr: text{7, "avg_over_time(esxi_vdisk_read_latency_seconds[5m]) > 0.03\nand rate(esxi_vdisk_reads_total[5m]) >= 10"}, Labels: map[string]string{"severity": "warning"}}
	require.Equal(t, []string{"deploy/a.yml:7: X warning compares with > 0.03; the threshold of vdisk.readLatency in pkg/esxtop is > 0.01"}, alertDifferences("a.yml", r))
	r.Expr.s = strings.ReplaceAll(strings.ReplaceAll(r.Expr.s, "0.03", "0.01"), ">= 10", ">= 5")
	require.Contains(t, alertDifferences("a.yml", r)[0], "deploy/a.yml:8: X warning waits for rate(esxi_vdisk_reads_total[5m]) >= 5")
	r.Expr.s, _, _ = strings.Cut(r.Expr.s, "\n")
	require.Contains(t, alertDifferences("a.yml", r)[0], "deploy/a.yml:7: X warning is missing the condition of the threshold of vdisk.readLatency")

	p := panel{Title: "Slow", Targets: []target{{Expr: text{20, "esxi_vdisk_read_latency_seconds{}"}}}}
	p.FieldConfig.Defaults.Thresholds.Steps = []step{{"green", nil}, {"yellow", &text{30, "0.02"}}}
	require.Equal(t, []string{"deploy/b.json:30: b.json: Slow (A) has the steps green 0.02 yellow; the threshold of vdisk.readLatency in pkg/esxtop makes them green 0.01 yellow 0.02 red"},
		stepDifferences(board{file: "b.json"}, p, nil))
	p.FieldConfig.Defaults.Thresholds.Steps = p.FieldConfig.Defaults.Thresholds.Steps[:1]
	require.Contains(t, stepDifferences(board{file: "b.json"}, p, nil)[0], "deploy/b.json:20: ")

	q := query{"c.yml", "Y", text{3, "sum by (vm, nic) (\n  a{disk=\"x\"} + b)"}, []text{{9, "{{vm}} {{ $labels.disk }}"}}}
	known := families{"a": {"vm": true}}
	require.Equal(t, []string{"deploy/c.yml:4: Y uses b, which neither the exporter nor a rule provides"}, unknownNames(query{q.file, q.where, text{3, "sum(\n a + b)"}, nil}, known)[:1])
	require.Equal(t, []string{
		"deploy/c.yml:4: Y selects by disk, a label that a does not have", "deploy/c.yml:3: Y groups by nic, a label that none of its metrics has",
		"deploy/c.yml:9: Y shows disk, a label that its result does not have",
	}, unknownLabels(q, known))
}

func TestColours(t *testing.T) {
	require.Equal(t, "green 0.05 yellow 0.1 red", colours("0.05", "0.1", false))
	require.Equal(t, "red 0.5 yellow 0.8 green", colours("0.8", "0.5", true))
	require.Equal(t, "yellow 0.8 green", colours("0.8", "", true))
}

// unalerted maps metrics of the catalogue with a threshold but without an alert to the reason.
var unalerted = map[string]string{
	"cpu.ready": "cpu.readyPerVCPU", "cpu.costop": "cpu.costopPerVCPU", "cpu.maxLimited": "cpu.maxLimitedPerVCPU", "cpu.swapWait": "cpu.swapWaitPerVCPU",
	"cpu.contentionPerVCPU": "EsxiVMReady is about contention, with both limits of ready time", "cpu.latency": "cpu.latencyPerVCPU",
	"cpu.usedPerVCPU": "a busy VM is not a problem by itself", "cpu.latencyPerVCPU": "the sum of ready, co-stop, power saving and shared cores, which have their own alerts",
	"cpu.system": "shown in dashboards; other alerts cover the causes", "cpu.overlap": "as cpu.system", "cpu.timers": "as cpu.system",
	"cpu.vmWait": "slow disks and swap have their own alerts", "cpu.vmWaitPerVCPU": "as cpu.vmWait", "cpu.memLatency": "swap and decompression have their own alerts",
	"host.load1": "pcpu.utilAvg", "host.load5": "pcpu.utilAvg", "host.load15": "pcpu.utilAvg",
	"mem.overcommit1": "configured memory is not used memory; mem.state has an alert", "mem.overcommit5": "as mem.overcommit1", "mem.overcommit15": "as mem.overcommit1",
	"mem.hostSwapWrite": "mem.hostSwapRead: only reads slow down VMs", "mem.swapOut": "mem.swapIn", "mem.swapped": "mem.swapIn", "mem.cacheUsed": "mem.decompress",
	"mem.compress": "mem.decompress", "disk.guestLatency": "its parts have their own alerts", "disk.queued": "disk.queueLatency", "disk.failedCommands": "not exported",
	"numa.migrationsDelta": "not exported",
}

// TestThresholdsAreAlerts checks that each threshold has an alert per limit, or a reason for having none.
func TestThresholdsAreAlerts(t *testing.T) {
	severities := map[string][]string{}
	for _, r := range rulesOf(t, alertsFile) {
		if m := judgedBy(r.Alert, r.Expr.s); m != nil {
			severities[m.ID] = append(severities[m.ID], r.Labels["severity"])
		}
	}
	for _, m := range esxtop.Catalogue() {
		if m.Threshold == nil {
			continue
		}
		require.NotEqual(t, len(severities[m.ID]) > 0, unalerted[m.ID] != "", "%s has a threshold: it needs an alert in deploy/%s or a reason", m.ID, alertsFile)
		if _, critical := limits(m); len(severities[m.ID]) > 0 {
			require.Contains(t, severities[m.ID], "warning", m.ID)
			require.Equal(t, critical != "", slices.Contains(severities[m.ID], "critical"), "%s: deploy/%s needs an alert for each limit", m.ID, alertsFile)
		}
	}
}

// TestSnapshotAge checks that the alert and the audit rule use the same snapshot age.
func TestSnapshotAge(t *testing.T) {
	b, err := fs.ReadFile(rules.FS, "storage/snapshots.yaml")
	require.NoError(t, err)
	m := regexp.MustCompile(`maxAge: \{value: (\w+),`).FindSubmatch(b)
	require.NotNil(t, m)
	age, err := time.ParseDuration(string(m[1]))
	require.NoError(t, err)
	for _, r := range rulesOf(t, alertsFile) {
		if r.Alert == "EsxiVMSnapshotOld" {
			require.Equal(t, fmt.Sprintf("time() - esxi_vm_snapshot_oldest_timestamp_seconds > %.0f", age.Seconds()), r.Expr.s, place(alertsFile, r.Expr.line))
			return
		}
	}
	require.Fail(t, "no alert about old snapshots")
}
