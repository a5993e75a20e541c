package report

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// How many recommendations and warnings the founding articles hold.
const (
	recommended = 46
	warned      = 24
)

// Nothing of the founding articles is dropped: every entry has its number, its words, its articles, and either rules or
// the reason why there is none.
func TestFoundingIsComplete(t *testing.T) {
	f, err := readFounding()
	require.NoError(t, err)
	require.Len(t, f.Recommendations, recommended)
	require.Len(t, f.Warnings, warned)
	known := map[string]bool{}
	for _, a := range f.Articles {
		require.NotEqual(t, a.Title == "", a.Subject == "", "%s has a title, or a subject where the title is not known", a.Name)
		require.False(t, known[a.Name], a.Name)
		known[a.Name] = true
	}
	cited := map[string]bool{}
	for _, list := range [][]FoundingEntry{f.Recommendations, f.Warnings} {
		for i, e := range list {
			require.Equal(t, i+1, e.Number)
			require.NotEmpty(t, e.Text, "%d", e.Number)
			require.NotEmpty(t, e.Articles, "%d: %s", e.Number, e.Text)
			require.True(t, len(e.Rules) > 0 || e.Reason != "", "%d has neither rules nor a reason: %s", e.Number, e.Text)
			for _, a := range e.Articles {
				require.True(t, known[a], "%d cites %s, which is no article", e.Number, a)
				cited[a] = true
			}
		}
	}
	for _, r := range f.Results {
		require.True(t, known[r.Article], "%s is no article", r.Article)
		require.NotEmpty(t, r.Rules, r.Result)
		require.NotEmpty(t, r.When, r.Result)
		cited[r.Article] = true
	}
	require.Len(t, cited, len(known), "an article that nothing cites")
}

// Every rule that the founding chapter and the introductions name is in the library.
func TestFoundingRulesExist(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	f, err := readFounding()
	require.NoError(t, err)
	var named []string
	for _, list := range [][]FoundingEntry{f.Recommendations, f.Warnings} {
		for _, e := range list {
			named = append(named, e.Rules...)
		}
	}
	for _, r := range f.Results {
		named = append(named, r.Rules...)
	}
	texts, err := guideTexts.ReadDir("guide")
	require.NoError(t, err)
	for _, d := range texts {
		b, err := guideTexts.ReadFile("guide/" + d.Name())
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`\[([^\]]+)\]\(#[^)]+\)`).FindAllSubmatch(b, -1) {
			named = append(named, string(m[1]))
		}
	}
	slices.Sort(named)
	missing := slices.DeleteFunc(slices.Compact(named), func(id string) bool { return slices.Contains(l.IDs(), id) })
	require.Empty(t, missing, "named in internal/report/guide and not in the library")
}
