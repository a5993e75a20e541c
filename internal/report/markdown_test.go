package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

func markdown(t *testing.T, a report.Audit) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.Details(a).Markdown(&b))
	return b.String()
}

func TestMarkdown(t *testing.T) {
	for name, all := range map[string]bool{"audit.md": false, "audit-all.md": true} {
		t.Run(name, func(t *testing.T) {
			text := markdown(t, audit(t, all))
			golden.Equal(t, "testdata/"+name, []byte(text))
			for _, raw := range []string{"<b>", "<script>", "\x1b", "\u202e", "|'", "| /C", "cmd|"} {
				require.NotContains(t, text, raw)
			}
		})
	}
}

func TestMarkdownNamesAreNoMarkup(t *testing.T) {
	for name, want := range map[string]string{
		"a|b":                   "a&#124;b",
		`a\|b`:                  `a\\&#124;b`,
		"`code`":                "\\`code\\`",
		"<img src=x onerror=1>": "&lt;img src=x onerror=1&gt;",
		"&lt;b&gt;":             "&amp;lt;b&amp;gt;",
		"[x](javascript:1)":     `\[x\](javascript:1)`,
		"![x](y)":               `!\[x\](y)`,
		"VROOM!":                "VROOM!",
		"C & D &amp; E":         "C & D &amp;amp; E",
		"X3460  @ 2.80GHz":      "X3460  @ 2.80GHz",
		"@ @a":                  "@ @&#8203;a",
		"*a* _b_ ~~c~~":         `\*a\* \_b\_ \~\~c\~\~`,
		"two\nlines":            `two\\nlines`,
		"@everyone #1":          "@&#8203;everyone #&#8203;1",
		"https://evil.example":  "https:&#47;&#47;evil.example",
		"www.evil.example":      "www&#46;evil.example",
		"web-01":                "web-01",
	} {
		t.Run(name, func(t *testing.T) {
			a := audit(t, false)
			f := a.Result.Findings[0]
			a.Result.Findings, a.Result.UnreadObjects = a.Result.Findings[:1], []advice.Gap{{Object: f.Object, Reason: name}}
			a.Result.UnreadObjects[0].Object.Name = name
			a.Source, f.Object.Name = name, name
			f.Evidence = []advice.Measured{{Name: "seen", Value: inventory.Known[any](name)}}
			text := markdown(t, a)
			require.Equal(t, 6, strings.Count(text, want), "title, head, object, evidence, object and reason of what was not read")
			require.NotContains(t, text, "|")
		})
	}
}

func TestMarkdownOfNothingIsItsSummary(t *testing.T) {
	require.Equal(t, "# vperf audit of vc.example.com: 0 fail\n\nvc.example.com: 0 hosts, 0 VMs, 0 checks, profile auto, as of 2026-06-10T12:00:00Z\n\n"+
		"**0 fail**, 0 unknown, 0 need manual review, 0 pass, 0 not applicable\n", markdown(t, empty()))
}
