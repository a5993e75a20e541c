package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
)

// runVersion runs a command as if this were a release, with a release page of its own.
func runVersion(t *testing.T, version, latest string, args ...string) (string, error) {
	t.Helper()
	page := httptest.NewServer(http.RedirectHandler("/releases/tag/"+latest, http.StatusFound))
	t.Cleanup(page.Close)
	was := Version
	Version = version
	t.Cleanup(func() { Version = was })
	var out bytes.Buffer
	f := NewFactory(&iostreams.IO{Out: &out, Err: &bytes.Buffer{}})
	f.ReleasePage = page.URL
	root := newRoot(f)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

func TestVersionCheck(t *testing.T) {
	t.Setenv("VPERF_CONFIG", filepath.Join(t.TempDir(), "none.yaml"))
	for _, c := range []struct{ name, version, latest, says string }{
		{"newest", "v0.1.0", "v0.1.0", "This is the latest release."},
		{"older", "v0.1.0", "v0.2.0", "A newer release is available: v0.2.0, "},
		{"newer than the page", "v0.3.0", "v0.2.0", "This is the latest release."},
		{"no release", "v0.1.1-0.20261124185518-a7933874c8b1", "v0.1.0", "This build is not a release. The latest release is v0.1.0: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := runVersion(t, c.version, c.latest, "version", "--check")
			require.NoError(t, err)
			require.Contains(t, out, "vperf "+c.version+" (")
			require.Contains(t, out, c.says)
		})
	}
}

func TestVersionCheckAsJSON(t *testing.T) {
	t.Setenv("VPERF_CONFIG", filepath.Join(t.TempDir(), "none.yaml"))
	out, err := runVersion(t, "v0.1.0", "v0.2.0", "version", "--check", "-o", "json")
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, "v0.1.0", got["version"])
	require.Equal(t, "v0.2.0", got["latest"])
	require.Equal(t, true, got["outdated"])
}

// TestVersionAsksOnlyWhenTyped: neither a variable nor the plain command contacts the release page.
func TestVersionAsksOnlyWhenTyped(t *testing.T) {
	t.Setenv("VPERF_CONFIG", filepath.Join(t.TempDir(), "none.yaml"))
	out, err := runVersion(t, "v0.1.0", "not a version", "version")
	require.NoError(t, err)
	require.NotContains(t, out, "release")
	t.Setenv("VPERF_VERSION_CHECK", "true")
	_, err = runVersion(t, "v0.1.0", "not a version", "version")
	require.ErrorContains(t, err, "--check")
}

func TestVersionOfABuild(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-11-24T18:55:18Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	info.Main.Version = "v0.1.1-0.2026"
	built := versionInfo{Go: "go1.26.8", Platform: "linux/amd64"}
	built.fill(info)
	require.Equal(t, "vperf v0.1.1-0.2026 (commit 0123456789ab with changes of 2026-11-24, go1.26.8, linux/amd64)", built.String())
	released := versionInfo{Version: "v0.1.0", Revision: "fedcba9876543210", Date: "2026-11-25T08:00:00Z", Go: "go1.26.8", Platform: "linux/amd64"}
	released.fill(info)
	require.Equal(t, "vperf v0.1.0 (commit fedcba987654 of 2026-11-25, go1.26.8, linux/amd64)", released.String())
	require.Equal(t, "vperf (devel) (go1.26.8, linux/amd64)", versionInfo{Version: "(devel)", Go: "go1.26.8", Platform: "linux/amd64"}.String())
}

// TestManPages: every command has a page, and the same build writes the same pages at any time.
func TestManPages(t *testing.T) {
	t.Setenv("VPERF_CONFIG", filepath.Join(t.TempDir(), "none.yaml"))
	dir := t.TempDir()
	_, err := runVersion(t, "v0.1.0", "v0.1.0", "man", dir)
	require.NoError(t, err)
	for _, page := range []string{"vperf.1", "vperf-audit.1", "vperf-history-list.1", "vperf-completion-bash.1", "vperf-man.1"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		require.NoError(t, err)
		require.Contains(t, string(text), `"1" "" "vperf v0.1.0" "vperf manual"`, page)
		require.NotContains(t, string(text), "Auto generated", page)
	}
	require.NoFileExists(t, filepath.Join(dir, "vperf-demo-server.1"), "hidden")
	t.Setenv("SOURCE_DATE_EPOCH", "1795546518")
	page, err := runVersion(t, "v0.1.0", "v0.1.0", "man")
	require.NoError(t, err)
	require.Contains(t, page, `.TH "VPERF" "1" "Nov 2026"`)
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	_, err = runVersion(t, "v0.1.0", "v0.1.0", "man")
	require.ErrorContains(t, err, `SOURCE_DATE_EPOCH is "yesterday"`)
}
