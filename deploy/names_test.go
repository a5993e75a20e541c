package deploy

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/rules"
)

var (
	quoted   = regexp.MustCompile(`"[^"]*"|\[[^]]*\]`)
	listOf   = regexp.MustCompile(`\b(by|without|on|ignoring|group_left|group_right|label_values)\s*\(([^()]*)\)`)
	word     = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*`)
	matcher  = regexp.MustCompile(`\{[^}]*\}`)
	language = strings.Fields("sum max min avg count topk rate increase by without on ignoring group_left group_right and or unless label_replace " +
		"avg_over_time max_over_time time clamp_min vector bool")
)

// metricsIn are the names of metrics that an expression asks for.
func metricsIn(expr string) []string {
	expr = matcher.ReplaceAllString(quoted.ReplaceAllString(expr, ""), "")
	expr = listOf.ReplaceAllString(expr, "$1")
	var names []string
	for _, w := range word.FindAllString(expr, -1) {
		if !slices.Contains(language, w) && !regexp.MustCompile(`^e\d+$`).MatchString(w) {
			names = append(names, w)
		}
	}
	return names
}

func TestMetricsIn(t *testing.T) {
	require.Equal(t, []string{"a:b:c", "up", "esxi_x_total"}, metricsIn(
		`sum by (job, vm) (a:b:c{host=~"$host",x="{{y}}"}) / on (moid) group_left (z) up > 1e6 and rate(esxi_x_total{a="b"}[$__rate_interval]) * 2`))
}

// known are all metrics of the exporter.
func known() map[string]bool {
	all := map[string]bool{}
	for name := range told {
		all[name] = true
	}
	for _, m := range esxtop.Catalogue() {
		for _, o := range m.Objects {
			all[m.PrometheusName(o)] = true
		}
	}
	delete(all, "")
	return all
}

// committed are the groups of a file of rules.
func committed(t *testing.T, path string) []group {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var f struct{ Groups []group }
	require.NoError(t, yaml.Unmarshal(text, &f))
	require.NotEmpty(t, f.Groups, path)
	return f.Groups
}

var ruleFiles = []string{"prometheus/rules/vperf.recording.yml", "prometheus/rules/vperf.alerts.yml", "compat/vmware_exporter.rules.yml"}

// Every metric that a rule or a panel asks for is one that the exporter has, or one that is recorded.
func TestMetricsExist(t *testing.T) {
	there := known()
	asked := map[string]string{}
	for _, path := range ruleFiles {
		for _, g := range committed(t, path) {
			for _, r := range g.Rules {
				there[r.Record] = true
				asked[path+": "+r.Record+r.Alert+r.Labels["severity"]] = r.Expr
			}
		}
	}
	for _, d := range Dashboards() {
		maps.Copy(asked, d.Queries())
	}
	for where, expr := range asked {
		names := metricsIn(expr)
		require.NotEmpty(t, names, where)
		for _, name := range names {
			require.True(t, there[name], "%s asks for %s, which nobody has", where, name)
		}
	}
}

// What is told beside the catalogue is not in it: a name has one meaning.
func TestToldIsNotMeasured(t *testing.T) {
	for _, m := range esxtop.Catalogue() {
		for _, o := range m.Objects {
			require.NotContains(t, told, m.PrometheusName(o))
		}
	}
}

// A rule that records for alerts stands before what uses it, so that both see the same round.
func TestRecordedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range ruleFiles {
		for _, g := range committed(t, path) {
			for _, r := range g.Rules {
				if r.Record != "" {
					require.False(t, seen[r.Record], "%s is recorded twice", r.Record)
					seen[r.Record] = true
				}
			}
		}
	}
}

// Each alert has a page that is there, words, a severity, and a check that it fires and one that it does not.
func TestAlertsAreWhole(t *testing.T) {
	for _, g := range alerts() {
		for _, a := range g.alerts {
			t.Run(a.name, func(t *testing.T) {
				require.NotEmpty(t, a.summary)
				require.NotEmpty(t, a.text)
				require.NotEmpty(t, a.after)
				page, anchor, _ := strings.Cut(a.page, "#")
				require.True(t, page == "best-practices.md" && anchor == "" || slices.Contains(anchors(t, page), anchor), "no heading %s in %s", anchor, page)
				fires := func(c check) bool { return len(c.want) > 0 }
				require.True(t, slices.ContainsFunc(a.checks, fires), "nothing proves that it fires")
				require.True(t, slices.ContainsFunc(a.checks, func(c check) bool { return !fires(c) }), "nothing proves that it is quiet")
				for _, r := range a.rules() {
					require.Contains(t, []string{"info", "warning", "critical"}, r.Labels["severity"])
				}
			})
		}
	}
}

// anchors are the headings of a page of docs/ as links name them.
func anchors(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", page))
	require.NoError(t, err)
	var list []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(text), -1) {
		name := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, strings.ReplaceAll(name, " ", "-"))
	}
	return list
}

// unalerted are metrics of the catalogue that have a threshold and no alert, and why.
var unalerted = map[string]string{
	"cpu.ready": "cpu.readyPerVCPU", "cpu.costop": "cpu.costopPerVCPU", "cpu.maxLimited": "cpu.maxLimitedPerVCPU", "cpu.swapWait": "cpu.swapWaitPerVCPU",
	"cpu.contentionPerVCPU": "EsxiVMReady is about contention, with both limits of ready time", "cpu.latency": "cpu.latencyPerVCPU",
	"cpu.usedPerVCPU": "a busy VM is no trouble by itself", "cpu.latencyPerVCPU": "the sum of ready, co-stop, power saving and shared cores, which have their own",
	"cpu.system": "dashboards show it; what to do is another alert's", "cpu.overlap": "as cpu.system", "cpu.timers": "as cpu.system",
	"cpu.vmWait": "slow disks and swap have their own", "cpu.vmWaitPerVCPU": "as cpu.vmWait", "cpu.memLatency": "swap and decompression have their own",
	"host.load1": "pcpu.utilAvg", "host.load5": "pcpu.utilAvg", "host.load15": "pcpu.utilAvg",
	"mem.overcommit1": "promised is not used: mem.state tells", "mem.overcommit5": "as mem.overcommit1", "mem.overcommit15": "as mem.overcommit1",
	"mem.hostSwapWrite": "mem.hostSwapRead: what is never read again does no harm", "mem.swapOut": "mem.swapIn", "mem.swapped": "mem.swapIn", "mem.cacheUsed": "mem.decompress",
	"mem.compress": "mem.decompress", "disk.guestLatency": "its parts have their own", "disk.queued": "disk.queueLatency", "disk.failedCommands": "not exported",
	"numa.migrationsDelta": "not exported",
}

// The limits of the catalogue are held against by an alert, or it is said why not.
func TestThresholdsAreAlerts(t *testing.T) {
	alerted := map[string]bool{}
	for _, g := range alerts() {
		for _, a := range g.alerts {
			if a.value != "" {
				alerted[a.of.id] = true
			}
		}
	}
	for _, m := range esxtop.Catalogue() {
		if m.Threshold != nil {
			require.NotEqual(t, alerted[m.ID], unalerted[m.ID] != "", "%s has a threshold: it wants an alert or a reason", m.ID)
		}
	}
}

// The age of snapshots is that of the rule.
func TestSnapshotAge(t *testing.T) {
	text, err := fs.ReadFile(rules.FS, "storage/snapshots.yaml")
	require.NoError(t, err)
	m := regexp.MustCompile(`maxAge: \{value: (\w+),`).FindSubmatch(text)
	require.NotNil(t, m)
	age, err := time.ParseDuration(string(m[1]))
	require.NoError(t, err)
	require.Equal(t, SnapshotAge*time.Second, age)
}
