package vperf_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
)

// The rule that CONTRIBUTING shows is a rule that works.
func TestTheRuleInContributingWorks(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, m)
	rule := strings.ReplaceAll(string(m[1]), "\n   ", "\n")
	rule = strings.TrimPrefix(rule, "   ")
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"cpu/clock-low.yaml": {Data: []byte(rule)}}})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{})
	require.NoError(t, err)
	n, err := set.Prove(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, n)
}

// The rule that the README shows works, lacks nothing, and would notice any change.
func TestTheRuleInTheReadmeWorks(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, m)
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"web-vm-size.yaml": {Data: m[1]}}, User: true})
	require.NoError(t, err)
	require.Empty(t, l.Rules()[0].Lacks())
	set, err := l.Select(advice.Selection{})
	require.NoError(t, err)
	n, err := set.Prove(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, n)
	_, survivors, err := set.Mutants(t.Context(), (*advice.Rule).FromUser)
	require.NoError(t, err)
	require.Empty(t, survivors)
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
