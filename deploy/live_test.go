package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/cli"
	"github.com/vperf/vperf/internal/proof"
)

// asVperf is the environment variable that makes the test binary run as vperf.
const asVperf = "DEPLOY_TEST_AS_VPERF"

func TestMain(m *testing.M) {
	if os.Getenv(asVperf) != "" {
		os.Exit(cli.Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// demoConfig enables all modules and the Esxtop service of all hosts.
const demoConfig = `exporter:
  modules: [basic, disk, net, vcpu, numa, datastore, cluster, snapshot, hardware, firmware, vsan, tags, pool, gpu, esxtop, audit, findings]
  esxtop-hosts: ["*"]
`

// TestProveLive scrapes the demo fleet with a real Prometheus and prometheus.yml. All targets must be up, and every query, rule and alert
// must return data.
func TestProveLive(t *testing.T) {
	t.Parallel()
	if !proof.Everything(t) {
		t.Skip("skipped: takes half a minute; make prove runs it")
	}
	program := tool(t, "prometheus")
	exporter := freePort(t)
	start(t, exporter, vperf(t, exporter))
	server := freePort(t)
	start(t, server, exec.CommandContext(t.Context(), program, "--config.file="+liveConfig(t, exporter), "--storage.tsdb.path="+t.TempDir(), "--web.listen-address="+server, "--log.level=warn"))
	api := api{"http://" + server}
	waitFor(t, "rules that need two samples", api.evaluated)
	promtoolMetrics(t, "http://"+exporter+"/probe?target=demo")
	promtoolMetrics(t, "http://"+exporter+"/metrics")

	t.Run("targets", func(t *testing.T) { liveTargets(t, api) })
	t.Run("discovery", func(t *testing.T) { liveDiscovery(t, api) })
	t.Run("kubernetes", func(t *testing.T) { liveKubernetes(t, api) })
	t.Run("rules", func(t *testing.T) { liveRules(t, api) })
	t.Run("panels", func(t *testing.T) { livePanels(t, api) })
	t.Run("metrics", func(t *testing.T) { liveMetrics(t, api) })
}

func vperf(t *testing.T, address string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte(demoConfig), 0o600))
	c := exec.CommandContext(t.Context(), os.Args[0], "exporter", "--demo", "--web.listen-address", address, "--log.level", "warn")
	c.Env = append(os.Environ(), asVperf+"=1", "VPERF_CONFIG="+config)
	c.Dir = dir
	return c
}

// start runs a server until the test ends. It returns when the server is ready.
func start(t *testing.T, address string, c *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Wait() // the test's context has ended it
		if t.Failed() {
			t.Logf("output of %s:\n%s", c.Args[0], said.Bytes()[:min(said.Len(), 4000)])
		}
	})
	waitFor(t, address+" to be ready", func() error {
		_, err := get("http://" + address + "/-/ready")
		return err
	})
}

// liveConfig returns prometheus.yml with local addresses and short intervals.
func liveConfig(t *testing.T, exporter string) string {
	t.Helper()
	text, err := os.ReadFile("prometheus/prometheus.yml")
	require.NoError(t, err)
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	for _, r := range []struct{ pattern, by string }{
		{`vperf\.example\.com:10048`, exporter},
		{`\[vc01\]`, "[demo]"},
		{`target=vc01`, "target=demo"},
		{`(scrape_interval|evaluation_interval): \w+`, "$1: 8s"},
		{`scrape_timeout: \w+`, "scrape_timeout: 8s"}, // pages are slow on a busy machine
		{`- rules/`, "- " + here + "/prometheus/rules/"},
		{`- targets: \[kube-state-metrics\.example\.com:8080\]\n\s+labels: \{cluster: shop\}`, kubeTargets(t)},
		{`# - \.\./compat/`, "- " + here + "/compat/"},
		// The demo hosts have neither IPMI nor SNMP. The test contacts no other machine.
		{`(ipmi|snmp)-exporter\.example\.com:\d+`, "127.0.0.1:9"},
	} {
		changed := regexp.MustCompile(r.pattern).ReplaceAllString(string(text), r.by)
		require.NotEqual(t, string(text), changed, "nothing matches %s", r.pattern)
		text = []byte(changed)
	}
	path := filepath.Join(t.TempDir(), "prometheus.yml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func promtoolMetrics(t *testing.T, page string) {
	t.Helper()
	text, err := get(page)
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), tool(t, "promtool"), "check", "metrics")
	c.Stdin = bytes.NewReader(text)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "promtool check metrics of %s:\n%s", page, out)
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

// patience limits waiting. A busy machine can be slow.
const patience = 10 * time.Minute

func waitFor(t *testing.T, what string, done func() error) {
	t.Helper()
	var err error
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(500 * time.Millisecond) {
		if err = done(); err == nil {
			return
		}
	}
	require.NoError(t, err, "waited %s for %s", patience, what)
}

func get(address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, body)
	}
	return body, err
}

// api is the HTTP API of Prometheus.
type api struct{ base string }

func (a api) ask(path string, into any) error {
	body, err := get(a.base + path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, &struct{ Data any }{into})
}

// query returns the labels of the series in the result of an instant query.
func (a api) query(expr string) ([]map[string]string, error) {
	var data struct {
		Result []struct{ Metric map[string]string }
	}
	err := a.ask("/api/v1/query?query="+url.QueryEscape(expr), &data)
	list := make([]map[string]string, len(data.Result))
	for i, r := range data.Result {
		list[i] = r.Metric
	}
	return list, err
}

type liveRule struct{ Name, Query, Health, LastError, LastEvaluation, Type string }

func (a api) rules() (list []liveRule, err error) {
	var data struct{ Groups []struct{ Rules []liveRule } }
	err = a.ask("/api/v1/rules", &data)
	for _, g := range data.Groups {
		list = append(list, g.Rules...)
	}
	return list, err
}

// evaluated reports an error until rules that need two samples have results.
func (a api) evaluated() error {
	for _, name := range []string{"vperf_rule_findings", "esxi_vm_numa_locality_ratio", "target:vperf_samples_missed:ratio_rate15m", "vnic:esxi_receive_dropped:ratio_rate5m", "shared_device:esxi_driver_latency_seconds:avg5m", "vmware_vm_disk_maxTotalLatency_latest", "esxi_nfs_aborts_total", "esxi_pcpu_frequency_ratio", "kube_node:esxi_cpu_costop_per_vcpu:ratio_rate5m"} {
		if list, err := a.query(name); err != nil || len(list) == 0 {
			return errors.Join(err, fmt.Errorf("no %s yet", name))
		}
	}
	return nil
}

func liveTargets(t *testing.T, a api) {
	waitFor(t, "targets", func() error { return a.allUp(t) })
}

// allUp reports an error unless all targets of the three vperf jobs are up.
func (a api) allUp(t *testing.T) error {
	t.Helper()
	var data struct {
		ActiveTargets []struct {
			Labels            map[string]string
			Health, LastError string
		}
	}
	if err := a.ask("/api/v1/targets?state=active", &data); err != nil {
		return err
	}
	jobs := map[string]string{}
	for _, target := range data.ActiveTargets {
		if job := target.Labels["job"]; strings.HasPrefix(job, "vperf") {
			if target.Health != "up" {
				return fmt.Errorf("%s is %s: %s", job, target.Health, target.LastError)
			}
			jobs[job] = target.Labels["instance"]
		}
	}
	require.Len(t, jobs, 3)
	require.Equal(t, "demo", jobs["vperf"])
	return nil
}

// liveDiscovery checks that service discovery returns the demo hosts with vCenter's labels, except those in maintenance.
func liveDiscovery(t *testing.T, a api) {
	var data struct {
		ActiveTargets []struct{ Labels, DiscoveredLabels map[string]string }
	}
	require.NoError(t, a.ask("/api/v1/targets", &data))
	var hosts int
	for _, target := range data.ActiveTargets {
		if target.Labels["job"] == "ipmi" {
			hosts++
			require.NotEqual(t, "true", target.DiscoveredLabels["__meta_vsphere_maintenance"])
			require.NotEmpty(t, target.DiscoveredLabels["__meta_vsphere_moid"])
			require.Equal(t, target.DiscoveredLabels["__meta_vsphere_host"], target.Labels["instance"])
		}
	}
	require.Greater(t, hosts, 10)
}

func liveRules(t *testing.T, a api) {
	list, err := a.rules()
	require.NoError(t, err)
	var want int
	for _, path := range ruleFiles {
		want += len(rulesOf(t, path))
	}
	require.Len(t, list, want)
	var asked []query
	for _, r := range list {
		require.Equal(t, "ok", r.Health, "%s: %s", r.Name, r.LastError)
		if r.Type == "recording" {
			asked = append(asked, named(r.Name))
		}
	}
	a.answers(t, asked)
}

func livePanels(t *testing.T, a api) {
	asked := panelQueries(t)
	for i := range asked {
		asked[i].expr.s = chosen(asked[i].expr.s)
	}
	a.answers(t, asked)
}

// liveMetrics checks that every metric used in a query exists, and that the metrics in missing do not.
func liveMetrics(t *testing.T, a api) {
	names := exporterMetrics(t)
	for _, q := range ruleQueries(t) {
		names = append(names, metricsIn(q.expr.s)...)
	}
	slices.Sort(names)
	var asked []query
	for _, name := range slices.Compact(names) {
		asked = append(asked, named(name))
	}
	a.answers(t, asked)
	for name := range missing {
		list, err := a.query(name)
		require.NoError(t, err)
		require.Empty(t, list, "%s exists: remove it from missing", name)
	}
}

// named returns a query for one metric.
func named(name string) query { return query{where: name, expr: text{s: name}} }

// missing maps metrics that the demo fleet does not have to the reason.
var missing = map[string]string{
	"esxi_nfs_read_latency_seconds":  "the demo fleet's NFS volumes have no latency",
	"esxi_nfs_write_latency_seconds": "the demo fleet's NFS volumes have no latency",

	"vperf_push_samples_total":                  noReceiver,
	"vperf_push_dropped_samples_total":          noReceiver,
	"vperf_push_requests_total":                 noReceiver,
	"vperf_push_queued_samples":                 noReceiver,
	"vperf_push_buffer_bytes":                   noReceiver,
	"vperf_push_buffer_limit_bytes":             noReceiver,
	"vperf_push_last_success_timestamp_seconds": noReceiver,
}

const noReceiver = "the exporter of this test does not push; that of TestProvePush does"

// quiet lists panels that show data only if there is a problem.
var quiet = []string{
	"fleet.json: Incomplete collectors (A)",
	"findings.json: Rules with unknown results (A)",
}

// mayBeEmpty reports whether a query can have no result: it shows problems, or the demo fleet does not have its metric.
func mayBeEmpty(q query) bool {
	return slices.Contains(quiet, q.where) || slices.ContainsFunc(metricsIn(q.expr.s), func(name string) bool { return missing[name] != "" })
}

// chosen returns a query with all values of all variables selected.
func chosen(expr string) string {
	return regexp.MustCompile(`\$(job|instance|host|vm|cluster|exporter_job)\b`).ReplaceAllString(strings.ReplaceAll(expr, "$__rate_interval", "1m"), ".+")
}

// answers waits until all queries have data, except those that can be empty. A scrape that times out on a busy machine marks all series as
// stale; the next scrape restores them.
func (a api) answers(t *testing.T, asked []query) {
	t.Helper()
	waitFor(t, "data", func() error {
		if empty := a.empty(asked); len(empty) > 0 {
			return errors.New(strings.Join(empty, "\n"))
		}
		return nil
	})
}

// empty returns the queries that have no data and must have some, and legends with an unknown label.
func (a api) empty(asked []query) []string {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var empty []string
	gate := make(chan struct{}, 4)
	for _, q := range asked {
		wg.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			list, err := a.query(q.expr.s)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				empty = append(empty, q.where+": "+err.Error())
			case len(list) == 0 && !mayBeEmpty(q):
				empty = append(empty, q.where+" has no data: "+q.expr.s)
			case len(list) > 0:
				empty = append(empty, unshown(q, list)...)
			}
		})
	}
	wg.Wait()
	slices.Sort(empty)
	return empty
}

// unshown returns the labels in a legend that no series of the result has.
func unshown(q query, list []map[string]string) (lacking []string) {
	for _, words := range q.shows {
		for _, m := range shown.FindAllStringSubmatch(words.s, -1) {
			if !slices.ContainsFunc(list, func(labels map[string]string) bool { return labels[m[1]] != "" }) {
				lacking = append(lacking, q.where+" shows "+m[1]+", a label that no series has")
			}
		}
	}
	return lacking
}
