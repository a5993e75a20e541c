package trialreport

import (
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report/page/sheet"
)

func TestPages(t *testing.T) {
	for name, one := range samples() {
		page := rendered(t, func(w io.Writer) error { return Page(w, one) })
		for _, never := range []string{"<script", "<img", "<link", "<iframe", "<base", "<form", `<[a-z][^>]* (src|style|on[a-z]+)=`, "javascript:", "@import", `url\(`, `href="[^#]`, "ZgotmplZ", "NaN", "Inf"} {
			require.NotRegexp(t, never, page, "%s: a browser would fetch or run something, or a figure is none", name)
		}
		for _, f := range facts(one, 99) {
			require.Contains(t, html.UnescapeString(page), f.text, "%s: the page has what the terminal has", name)
		}
	}
	golden.Equal(t, "testdata/page.html", []byte(rendered(t, func(w io.Writer) error { return Page(w, samples()["keep"]) })))
}

// TestPolicyAllowsTheStyle: a style with another hash would be none in a browser.
func TestPolicyAllowsTheStyle(t *testing.T) {
	page := rendered(t, func(w io.Writer) error { return Page(w, samples()["keep"]) })
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	require.Len(t, policy, 2)
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)
	require.Len(t, style, 2)
	rules := html.UnescapeString(policy[1])
	require.True(t, strings.HasPrefix(rules, "default-src 'none';"))
	require.Contains(t, rules, "style-src '"+sheet.Hash(style[1])+"'")
	require.Contains(t, rules, "script-src 'none'")
}

// TestThePageHasEveryBlockAndPair compares the page's drawings with the data.
func TestThePageHasEveryBlockAndPair(t *testing.T) {
	for name, one := range samples() {
		if !one.Registration.Design.Switches() {
			continue
		}
		page := rendered(t, func(w io.Writer) error { return Page(w, one) })
		require.Equal(t, one.Result.Used, strings.Count(page, `class="dot on"`), name)
		require.Equal(t, one.Result.Used, strings.Count(page, `class="dot off"`), name)
		cells := strings.Count(page, `<rect class="treated" x="`) + strings.Count(page, `<rect class="untreated" x="`) + strings.Count(page, `<rect class="lost" x="`)
		require.Equal(t, len(one.Blocks)*len(one.Registration.Units), cells, name)
		require.Equal(t, 2*one.Result.Dropped, strings.Count(page, `<rect class="lost" x="`), name)
	}
}

// TestPageOfALot: nobody watches guards for days, and each unit is drawn.
func TestPageOfALot(t *testing.T) {
	text := rendered(t, func(w io.Writer) error { return Page(w, randomised(8)) })
	require.NotContains(t, text, `id="guards"`)
	require.Contains(t, text, "How much each host changed")
	require.Equal(t, 8, strings.Count(text, `class="dot on"`)+strings.Count(text, `class="dot off"`))
	require.Contains(t, text, "filled: drawn, mean "+groupText(randomised(8), true))
	require.Contains(t, text, "--seed 42")
}
