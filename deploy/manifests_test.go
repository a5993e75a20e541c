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

// Wherever the exporter's port stands it is the one that it listens at.
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

// The manifests are objects of Kubernetes, and the pod may nothing.
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

// parses sees that vperf reads a config as it stands.
func parses(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	t.Setenv("VPERF_CONFIG", path)
	f, err := config.Load()
	require.NoError(t, err)
	require.NotEmpty(t, f.Exporter.Targets)
}

// The config that the page shows is read as it stands.
func TestConfigInThePage(t *testing.T) {
	text, err := os.ReadFile("../docs/exporter.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```yaml\n(contexts:.*?)```").FindSubmatch(text)
	require.NotNil(t, m)
	parses(t, string(m[1]))
}

// The service may nothing that it does not need.
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

// Links from the pages about the exporter lead to files that are there.
func TestLinks(t *testing.T) {
	for _, page := range []string{"exporter.md", "exporter-scale.md", "moving-from-vmware-exporter.md"} {
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
