package guide

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// The number of recommendations and warnings in the founding articles.
const (
	recommended = 54
	warned      = 25
)

// TestFoundingIsComplete checks that every entry of the founding articles has its number, its text, its articles, and either
// rules or a reason for having none.
func TestFoundingIsComplete(t *testing.T) {
	f, err := readFounding()
	require.NoError(t, err)
	require.Len(t, f.Recommendations, recommended)
	require.Len(t, f.Warnings, warned)
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	known, cited, figures := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, a := range l.Articles() {
		require.False(t, known[a.Name], a.Name)
		known[a.Name], cited[a.Name] = true, len(a.Figures) > 0
		for _, x := range a.Figures {
			figures[a.ID+"/"+x.ID] = true
		}
	}
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
			for _, id := range e.Figures {
				require.True(t, figures[id], "%d: no article has the figure %s", e.Number, id)
			}
			require.NotRegexp(t, measured, e.Text, "%d: a figure belongs in rules/sources", e.Number)
		}
	}
	for name, is := range cited {
		require.True(t, is, "%s has no figure, and nothing cites it", name)
	}
}

// measured matches a measured value.
var measured = regexp.MustCompile(`\d ?(%|percent|microseconds|ms|KB|GB)( |\.|,|;|$)`)

// TestFoundingListsEveryFigure checks that the chapter lists each figure with its article and the rules that quote it.
func TestFoundingListsEveryFigure(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, Write(&b, l, nil))
	rows := strings.Split(b.String(), "\n")
	for _, a := range l.Articles() {
		for _, f := range a.Figures {
			start := "| " + a.Name + " | " + prose(f.Says) + " | " + prose(f.When) + " | "
			require.True(t, slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, start) }), start)
		}
	}
	require.Empty(t, regexp.MustCompile(`\{\{[a-z0-9-]+/[^}]*\}\}`).FindString(b.String()), "a figure that no article has")
	require.Contains(t, b.String(), "the best documented one,\nthe score with ESXi's Balanced policy differed by less than 1 % from")
}

// TestFoundingRulesExist checks that every rule in the founding chapter and the introductions is in the library.
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
	files, err := texts.ReadDir(".")
	require.NoError(t, err)
	for _, d := range files {
		b, err := texts.ReadFile(d.Name())
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`\[([^\]]+)\]\(#[^)]+\)`).FindAllSubmatch(b, -1) {
			named = append(named, string(m[1]))
		}
	}
	slices.Sort(named)
	missing := slices.DeleteFunc(slices.Compact(named), func(id string) bool { return slices.Contains(l.IDs(), id) })
	require.Empty(t, missing, "named in internal/report/guide and not in the library")
}
