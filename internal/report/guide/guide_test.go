package guide_test

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report/guide"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

const docs = "../../../docs/"

// TestGuideIsCurrent checks that the committed pages match the rules, the introductions and the fact descriptions, and that
// there are no other pages.
func TestGuideIsCurrent(t *testing.T) {
	var paths []string
	for _, p := range pages(t) {
		golden.Equal(t, docs+p.Path, p.Text)
		paths = append(paths, docs+p.Path)
	}
	there, err := filepath.Glob(docs + "rules/*")
	require.NoError(t, err)
	for _, path := range append(there, docs+guide.Front) {
		if !slices.Contains(paths, path) && golden.Updating() {
			require.NoError(t, os.Remove(path))
			continue
		}
		require.True(t, slices.Contains(paths, path), "%s: no category has this page: remove it", path)
	}
}

var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// slugs returns the headings of a page as links name them, and fails on duplicates.
func slugs(t *testing.T, page []byte) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, m := range heading.FindAllSubmatch(page, -1) {
		slug := strings.ReplaceAll(strings.ToLower(string(m[1])), " ", "-")
		require.False(t, all[slug], "heading %s is there twice", m[1])
		all[slug] = true
	}
	return all
}

// TestPagesLinks checks that every link has a heading on its page or another page: findings link to rules/CATEGORY.md#RULE.
func TestPagesLinks(t *testing.T) {
	all := map[string]map[string]bool{}
	for _, p := range pages(t) {
		all[p.Path] = slugs(t, p.Text)
	}
	var index string
	links := 0
	for _, p := range pages(t) {
		for _, m := range regexp.MustCompile(`\]\(([a-z./-]*)#([^)]*)\)`).FindAllSubmatch(p.Text, -1) {
			to := p.Path
			if len(m[1]) > 0 {
				to = path.Join(path.Dir(p.Path), string(m[1]))
			}
			require.True(t, all[to][string(m[2])], "%s: no heading %s in %s", p.Path, m[2], to)
			links++
		}
		if p.Path == guide.Front {
			index = string(p.Text)
		}
	}
	require.Greater(t, links, 1000)
	for _, r := range library(t).Rules() {
		page := wording.GuidePage(r.Category)
		require.True(t, all[page][r.ID], "%s is not in %s", r.ID, page)
		require.Contains(t, index, "\n| ["+r.ID+"]("+page+"#"+r.ID+") |")
	}
}

// TestPagesAreShort checks that code hosts can render each page.
func TestPagesAreShort(t *testing.T) {
	for _, p := range pages(t) {
		require.Less(t, len(p.Text), 200<<10, p.Path)
	}
}

// TestOneFile checks that the guide as a single file contains the targets of all its links.
func TestOneFile(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, guide.Write(&b, library(t), read.Origins()))
	headings := slugs(t, b.Bytes())
	for _, id := range library(t).IDs() {
		require.Contains(t, b.String(), "\n### "+id+"\n")
		require.Contains(t, b.String(), "\n| ["+id+"](#"+id+") |")
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(b.String(), -1) {
		require.True(t, headings[m[1]], "no heading for #%s", m[1])
	}
}

// TestIntroductions checks that every introduction belongs to a category, is long enough to teach and short enough to read.
func TestIntroductions(t *testing.T) {
	notChapters := []string{"top", "reading", "founding"}
	texts, err := filepath.Glob("*.md")
	require.NoError(t, err)
	var names []string
	for _, path := range texts {
		name := strings.TrimSuffix(path, ".md")
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

// made caches the pages, because compiling all rules takes a second.
var made = sync.OnceValues(func() ([]guide.Page, error) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	if err != nil {
		return nil, err
	}
	return guide.Pages(l, read.Origins())
})

func pages(t *testing.T) []guide.Page {
	t.Helper()
	all, err := made()
	require.NoError(t, err)
	return all
}
