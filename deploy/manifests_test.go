package deploy

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/exporter"
)

// TestPort checks that all files use the exporter's default port.
func TestPort(t *testing.T) {
	port := strconv.Itoa(exporter.DefaultPort)
	var found int
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?:vperf[a-z0-9.$-]*|web\.listen-address=|containerPort|port|EXPOSE):? ?:?(\d{5})\b`).FindAllSubmatch(text, -1) {
			found++
			require.Equal(t, port, string(m[1]), "%s: %s", path, m[0])
		}
		return err
	}))
	require.Greater(t, found, 10)
}

// TestManifests checks that the manifests are Kubernetes objects and that the pod has no privileges.
func TestManifests(t *testing.T) {
	kinds := map[string]map[string]any{}
	for _, path := range []string{"kubernetes/vperf.yaml", "kubernetes/prometheus-operator.yaml"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		dec := yaml.NewDecoder(bytes.NewReader(text))
		for {
			var o map[string]any
			err := dec.Decode(&o)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, path)
			require.NotEmpty(t, o["apiVersion"])
			kinds[o["kind"].(string)] = o
		}
	}
	for _, kind := range []string{"Namespace", "ConfigMap", "Deployment", "Service", "NetworkPolicy", "Probe", "ServiceMonitor"} {
		require.Contains(t, kinds, kind)
	}
	pod := at(kinds["Deployment"], "spec", "template", "spec").(map[string]any)
	require.Equal(t, true, at(pod, "securityContext", "runAsNonRoot"))
	container := at(pod, "containers").([]any)[0].(map[string]any)
	require.Equal(t, map[string]any{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": map[string]any{"drop": []any{"ALL"}}}, container["securityContext"])
	require.Equal(t, "/-/healthy", at(container, "livenessProbe", "httpGet", "path"))
	require.Equal(t, "/-/ready", at(container, "readinessProbe", "httpGet", "path"))
	parses(t, at(kinds["ConfigMap"], "data", "config.yaml").(string))
}

func at(v any, path ...string) any {
	for _, key := range path {
		v = v.(map[string]any)[key]
	}
	return v
}

// parses checks that vperf accepts a configuration.
func parses(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	t.Setenv("VPERF_CONFIG", path)
	f, err := config.Load()
	require.NoError(t, err)
	require.NotEmpty(t, f.Exporter.Targets)
}

// TestConfigInThePage checks that vperf accepts the configuration in docs/exporter.md.
func TestConfigInThePage(t *testing.T) {
	text, err := os.ReadFile("../docs/exporter.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```yaml\n(contexts:.*?)```").FindSubmatch(text)
	require.NotNil(t, m)
	parses(t, string(m[1]))
}

// TestConfigOfTheService checks that vperf accepts the configuration for the systemd unit in docs/exporter.md, and that the page, the unit
// and its header name the same files.
func TestConfigOfTheService(t *testing.T) {
	page, err := os.ReadFile("../docs/exporter.md")
	require.NoError(t, err)
	unit, err := os.ReadFile("systemd/vperf-exporter.service")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "### As a systemd service\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n### ")
	m := regexp.MustCompile("(?s)   ```yaml\n(.*?)   ```").FindStringSubmatch(section)
	require.NotNil(t, m)
	parses(t, regexp.MustCompile("(?m)^   ").ReplaceAllString(m[1], ""))
	const seen = "password-file: /run/credentials/vperf-exporter.service/vc01\n"
	require.Contains(t, m[1], seen)
	require.Contains(t, string(unit), seen)
	for _, line := range []string{"LoadCredential=vc01:/etc/vperf/vc01.password", "Environment=VPERF_CONFIG=/etc/vperf/config.yaml"} {
		require.Contains(t, string(unit), "\n"+line+"\n")
	}
	for _, words := range []string{"LoadCredential=vc01:/etc/vperf/vc01.password", "install -m 0644 config.yaml /etc/vperf/config.yaml", "install -m 0600 vc01.password /etc/vperf/vc01.password"} {
		require.Contains(t, section, words)
	}
	require.NotRegexp(t, `/etc/[a-z/]*config\.ya?ml`, strings.ReplaceAll(section, "/etc/vperf/config.yaml", ""))
}

// TestService checks that the unit drops all privileges that the exporter does not need.
func TestService(t *testing.T) {
	text, err := os.ReadFile("systemd/vperf-exporter.service")
	require.NoError(t, err)
	for _, line := range []string{
		"DynamicUser=yes", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes", "PrivateDevices=yes",
		"MemoryDenyWriteExecute=yes", "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX", "SystemCallFilter=@system-service", "SystemCallArchitectures=native",
	} {
		require.Contains(t, string(text), "\n"+line+"\n")
	}
	require.NotRegexp(t, `(?i)environment=.*password=`, string(text))
}

// TestLinks checks that links in the pages about the exporter have a target.
func TestLinks(t *testing.T) {
	for _, page := range []string{"exporter.md", "exporter-scale.md", "moving-from-vmware-exporter.md", "kubernetes.md", "ansible.md", "pipelines.md"} {
		text, err := os.ReadFile("../docs/" + page)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllSubmatch(text, -1) {
			file, anchor, _ := strings.Cut(string(m[1]), "#")
			if strings.HasPrefix(file, "https:") {
				continue
			}
			if file == "" {
				file = page
			}
			_, err := os.Stat(filepath.Join("../docs", file))
			require.NoError(t, err, page)
			if anchor != "" {
				require.Contains(t, anchors(t, file), anchor, page)
			}
		}
	}
}
