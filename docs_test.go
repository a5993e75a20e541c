package vperf_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// The rules that the README and the page on advice show work, lack nothing, and would notice any change.
func TestTheRulesInTheDocsWork(t *testing.T) {
	for _, page := range []string{"README.md", "docs/advice.md"} {
		t.Run(page, func(t *testing.T) { provesShownRule(t, page) })
	}
}

func provesShownRule(t *testing.T, page string) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, m)
	l, err := advice.Load(advice.Source{FS: rules.FS}, advice.Source{FS: fstest.MapFS{"shown.yaml": {Data: m[1]}}, User: true})
	require.NoError(t, err)
	own := slices.DeleteFunc(l.Rules(), func(r *advice.Rule) bool { return !r.FromUser() })
	require.Len(t, own, 1)
	require.Empty(t, own[0].Lacks())
	set, err := l.Select(advice.Selection{Rules: []string{own[0].ID}})
	require.NoError(t, err)
	n, err := set.Prove(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, 3)
	_, survivors, err := set.Mutants(t.Context(), (*advice.Rule).FromUser)
	require.NoError(t, err)
	require.Empty(t, survivors)
}

// The waivers and the profiles that the README shows are read as they stand.
func TestTheFilesInTheReadmeWork(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	require.Len(t, shown, 3, "a rule, profiles and waivers")
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(append([]byte("\n"), shown[1][1]...), []byte("\n   "), []byte("\n")), 0o600))
	t.Setenv("VPERF_CONFIG", path)
	profiles, err := config.Profiles()
	require.NoError(t, err)
	require.Len(t, profiles, 3)

	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	require.NoError(t, l.Waivers("2026-06-10").Parse("README.md", shown[2][1]))
}

// Every file that the README and the other pages link to is there.
func TestLinksBetweenPages(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(m[1])
			require.NoError(t, err, "%s links to %s", page, m[1])
		}
	}
}
