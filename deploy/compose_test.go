package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const demoPrometheus = "compose/prometheus.yml"

// TestCompose checks that the images have a version, that the mounted folders and configured files exist, and that no port is open to
// other machines.
func TestCompose(t *testing.T) {
	var c struct {
		Services map[string]struct {
			Image       string
			Build       struct{ Context, Dockerfile string }
			Command     []string
			Ports       []string
			Volumes     []string
			NetworkMode string `yaml:"network_mode"`
			Environment map[string]string
		}
	}
	read(t, "compose/compose.yaml", &c)
	require.Len(t, c.Services, 3)
	vperf, prometheus, grafana := c.Services["vperf"], c.Services["prometheus"], c.Services["grafana"]
	require.FileExists(t, filepath.Join("compose", vperf.Build.Context, vperf.Build.Dockerfile))
	require.Equal(t, []string{"exporter", "--demo"}, vperf.Command)
	for _, port := range vperf.Ports {
		require.Regexp(t, `^127\.0\.0\.1:(10048|9090|3000):`, port)
	}
	require.Len(t, vperf.Ports, 3)
	require.Regexp(t, `^docker\.io/prom/prometheus:v\d+\.\d+\.\d+$`, prometheus.Image)
	require.Regexp(t, `^docker\.io/grafana/grafana:\d+\.\d+\.\d+$`, grafana.Image)
	for _, s := range []struct {
		mode    string
		volumes []string
	}{{prometheus.NetworkMode, prometheus.Volumes}, {grafana.NetworkMode, grafana.Volumes}} {
		require.Equal(t, "service:vperf", s.mode, "the configuration files use localhost")
		require.Equal(t, []string{"../../deploy:/vperf/deploy:ro"}, s.volumes)
	}
	for _, path := range []string{
		strings.TrimPrefix(prometheus.Command[0], "--config.file="), grafana.Environment["GF_PATHS_PROVISIONING"],
		grafana.Environment["VPERF_DASHBOARDS"], grafana.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"],
	} {
		inDeploy, found := strings.CutPrefix(path, "/vperf/deploy/")
		require.True(t, found, path)
		_, err := os.Stat(inDeploy)
		require.NoError(t, err)
	}
}

// TestGrafanaProvisioning checks the data source and the path of the dashboards.
func TestGrafanaProvisioning(t *testing.T) {
	var data struct {
		Datasources []struct {
			Type, URL string
			IsDefault bool `yaml:"isDefault"`
			JSONData  struct {
				TimeInterval string `yaml:"timeInterval"`
			} `yaml:"jsonData"`
		}
	}
	read(t, "compose/grafana/datasources/prometheus.yml", &data)
	require.Len(t, data.Datasources, 1)
	d := data.Datasources[0]
	require.Equal(t, "prometheus", d.Type)
	require.Equal(t, "http://localhost:9090", d.URL)
	require.True(t, d.IsDefault)
	var config struct {
		Global struct {
			Interval string `yaml:"scrape_interval"`
		}
		RuleFiles []string `yaml:"rule_files"`
	}
	read(t, demoPrometheus, &config)
	require.Equal(t, config.Global.Interval, d.JSONData.TimeInterval, "$__rate_interval needs the scrape interval")
	require.Equal(t, []string{"../" + recordingFile, "../" + alertsFile}, config.RuleFiles)

	var dashboards struct {
		Providers []struct {
			Type    string
			Options struct{ Path string }
		}
	}
	read(t, "compose/grafana/dashboards/vperf.yml", &dashboards)
	require.Len(t, dashboards.Providers, 1)
	require.Equal(t, "file", dashboards.Providers[0].Type)
	require.Equal(t, "$VPERF_DASHBOARDS", dashboards.Providers[0].Options.Path)
}

// demoCommands returns the commands that start the demo without containers, from docs/exporter.md: exporter, Prometheus and Grafana.
func demoCommands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../docs/exporter.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "### Without containers\n")
	require.True(t, found)
	m := regexp.MustCompile("(?s)```sh elsewhere\n(.*?)```").FindStringSubmatch(after)
	require.NotNil(t, m)
	list := strings.Split(strings.TrimSpace(strings.ReplaceAll(m[1], "\\\n", "")), "\n")
	require.Len(t, list, 3, "three commands, one per terminal")
	return list
}

// TestDemoCommands runs the commands of docs/exporter.md as typed, in the root of a copy of the repository, on free ports. Prometheus is
// the real one; Grafana is checked as far as its files go.
func TestDemoCommands(t *testing.T) {
	t.Parallel()
	tool(t, "prometheus")
	commands := demoCommands(t)
	require.Equal(t, "vperf exporter --demo", commands[0])
	root := demoRoot(t)

	exporter, server := freePort(t), freePort(t)
	replaceIn(t, filepath.Join(root, "deploy", demoPrometheus), map[string]string{
		"localhost:10048": exporter, ": 20s": ": 2s", ": 15s": ": 2s",
	})
	typed := func(command string, env ...string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), "sh", "-c", "exec "+command)
		c.Dir = root
		c.Env = append(os.Environ(), append(env, asVperf+"=1", "PATH="+root+":"+os.Getenv("PATH"), "HOME="+t.TempDir())...)
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return c
	}
	start(t, exporter, typed(commands[0], "VPERF_WEB_LISTEN_ADDRESS="+exporter))
	require.Contains(t, commands[1], "--web.listen-address=localhost:9090")
	start(t, server, typed(strings.Replace(commands[1], "localhost:9090", server, 1)))
	a := api{"http://" + server}
	waitFor(t, "the demo in Prometheus", func() error { return demoIsScraped(a) })

	for _, word := range []string{"grafana server", "GF_PATHS_PROVISIONING=$PWD/deploy/compose/grafana ", "VPERF_DASHBOARDS=$PWD/deploy/grafana "} {
		require.Contains(t, commands[2], word)
	}
}

// demoRoot returns a folder with the files of deploy and a program vperf.
func demoRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(root, "deploy"), os.DirFS(".")))
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(root, "vperf")))
	return root
}

func replaceIn(t *testing.T, path string, words map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for old, replacement := range words {
		require.Contains(t, string(text), old)
		text = bytes.ReplaceAll(text, []byte(old), []byte(replacement))
	}
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

// demoIsScraped reports whether all three jobs are up, the rules work, and the fleet dashboard has data.
func demoIsScraped(a api) error {
	for _, expr := range []string{
		`up{job="vperf",instance="demo"} == 1`, `up{job="vperf-findings"} == 1`, `up{job="vperf-exporter"} == 1`, "vperf_finding", "esxi_vm_vcpus",
		"host:esxi_cpu_util:ratio_avg5m", "datastore:esxi_used:ratio",
	} {
		if list, err := a.query(expr); err != nil || len(list) == 0 {
			return errors.Join(err, fmt.Errorf("no data for %s", expr))
		}
	}
	rules, err := a.rules()
	for _, r := range rules {
		if r.Health != "ok" {
			err = errors.Join(err, fmt.Errorf("rule %s is %s: %s", r.Name, r.Health, r.LastError))
		}
	}
	return err
}
