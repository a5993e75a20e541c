package vperf_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/rules"
)

// TestTheRulesInTheDocsWork checks the rules in the docs: they compile, have all parts, and their examples detect any change.
func TestTheRulesInTheDocsWork(t *testing.T) {
	for _, page := range []string{"docs/writing-rules.md", "docs/advice.md"} {
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
	require.Empty(t, ruletool.Missing(own[0]))
	set, err := l.Select(advice.Selection{Rules: []string{own[0].ID}})
	require.NoError(t, err)
	n, err := ruletool.RunExamples(t.Context(), set)
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, 3)
	_, survivors, err := ruletool.Mutants(t.Context(), set, (*advice.Rule).FromUser)
	require.NoError(t, err)
	require.Empty(t, survivors)
}

// TestTheFilesInTheDocsWork reads the profiles and the waivers in the page on auditing.
func TestTheFilesInTheDocsWork(t *testing.T) {
	const page = "docs/auditing.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	require.Len(t, shown, 2, "profiles and waivers")
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(append([]byte("\n"), shown[0][1]...), []byte("\n   "), []byte("\n")), 0o600))
	t.Setenv("VPERF_CONFIG", path)
	profiles, err := config.Profiles()
	require.NoError(t, err)
	require.Len(t, profiles, 3)

	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	require.NoError(t, l.Waivers("2026-06-10").Parse(page, shown[1][1]))
}

// TestLinksBetweenPages checks that every link between pages leads to a file or a heading.
func TestLinksBetweenPages(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md") {
		text, err := os.ReadFile(filepath.Clean(page))
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), m[1])
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to %s", page, m[1])
			if m[2] != "" && filepath.Ext(target) == ".md" {
				require.Contains(t, anchors(t, target), m[2], "%s links to %s", page, m[0])
			}
		}
	}
}

// anchors returns the anchors of a page's headings, as GitHub generates them.
func anchors(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(page))
	require.NoError(t, err)
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$|<a (?:id|name)="([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		if m[2] != "" {
			all = append(all, "#"+m[2])
			continue
		}
		all = append(all, "#"+strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}

// TestTheDocsNameTheGoVersion compares the Go version in the docs with go.mod.
func TestTheDocsNameTheGoVersion(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(mod)[1]
	for _, page := range []string{"README.md", "docs/install.md"} {
		text, err := os.ReadFile(filepath.Clean(page))
		require.NoError(t, err)
		require.Contains(t, string(text), "Go "+string(version)+" or newer", page)
	}
}

// TestFaultsAreProven checks that each row of the manual tables in the page on faults names tests that exist.
func TestFaultsAreProven(t *testing.T) {
	page, err := os.ReadFile("docs/faults.md")
	require.NoError(t, err)
	_, manual, found := strings.Cut(string(page), "\n## Damaged answers, files and journals\n")
	require.True(t, found)
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	require.NoError(t, filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(filepath.Clean(path))
		for _, m := range declared.FindAllSubmatch(text, -1) {
			tests[string(m[1])] = true
		}
		return err
	}))
	rows := 0
	for line := range strings.SplitSeq(manual, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.Contains(line, "---") || strings.TrimSpace(cells[3]) == "test" {
			continue
		}
		rows++
		named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(cells[3], -1)
		require.NotEmpty(t, named, line)
		for _, m := range named {
			require.True(t, tests[m[1]], "%s is no test: %s", m[1], line)
		}
	}
	require.Greater(t, rows, 30)
}
