package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// The committed guide is what the rules, the introductions and the reading tables say now.
func TestGuideIsCurrent(t *testing.T) {
	golden.Equal(t, "../../docs/best-practices.md", theGuide(t))
}

// Every link inside the guide has its heading, and no heading is there twice: findings link to #rule-id.
func TestGuideLinks(t *testing.T) {
	page := string(theGuide(t))
	headings := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		slug := strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")
		require.False(t, headings[slug], "heading %s is there twice", m[1])
		headings[slug] = true
	}
	for _, id := range library(t).IDs() {
		require.Contains(t, page, "\n### "+id+"\n")
		require.Contains(t, page, "\n| ["+id+"](#"+id+") |")
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(page, -1) {
		require.True(t, headings[m[1]], "no heading for #%s", m[1])
	}
}

// Every introduction is of a category, long enough to teach, and short enough to be read.
func TestIntroductions(t *testing.T) {
	notChapters := []string{"top", "reading", "founding"}
	texts, err := filepath.Glob("guide/*.md")
	require.NoError(t, err)
	var names []string
	for _, path := range texts {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		names = append(names, name)
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Regexp(t, `\A# \S.*\n\n\S`, string(b), "%s begins with its heading", path)
		if name != "top" && name != "founding" && name != "reading" {
			require.GreaterOrEqual(t, strings.Count(string(b), "\n"), 10, path)
			require.LessOrEqual(t, strings.Count(string(b), "\n"), 45, path)
		}
	}
	for _, c := range advice.Categories() {
		notChapters = append(notChapters, string(c))
	}
	require.ElementsMatch(t, notChapters, names)
}

func library(t *testing.T) *advice.Library {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	return l
}

func theGuide(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.Guide(&b, library(t), read.Origins()))
	return b.Bytes()
}

// guideFacts puts what the facts' own comments say beside where they are read from.
