package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
)

func TestYAMLKeepsOrderAndTypes(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.YAML(&b, strings.NewReader(`{"z": 1, "a": ["no", "1", true, null, "two\nlines", 1.50], "m": {}, "e": []}`)))
	require.Equal(t, "z: 1\na:\n  - \"no\"\n  - \"1\"\n  - true\n  - null\n  - |-\n    two\n    lines\n  - 1.50\nm: {}\ne: []\n", b.String())
	require.Error(t, report.YAML(&b, strings.NewReader(`{"z": `)))
}

// TestYAMLOfAnAudit checks that YAML and JSON hold the same values, including hostile names.
func TestYAMLOfAnAudit(t *testing.T) {
	var plain, asYAML bytes.Buffer
	require.NoError(t, report.JSON(&plain, audit(t, true)))
	require.NoError(t, report.YAML(&asYAML, bytes.NewReader(plain.Bytes())))
	var fromYAML any
	require.NoError(t, yaml.Unmarshal(asYAML.Bytes(), &fromYAML))
	again, err := json.Marshal(fromYAML)
	require.NoError(t, err)
	require.JSONEq(t, plain.String(), string(again))
}

// What turns the text of a terminal around is escaped, in keys too, and is the same text when it is read.
func TestYAMLDoesNotDriveTheTerminal(t *testing.T) {
	want := map[string]any{"a\u202eb": "x\u2066y\u2028z\u0085\x1b[2J\r\nend", "plain": strings.Repeat("long words ", 40) + "\u200f"}
	document, err := json.Marshal(want)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.YAML(&b, bytes.NewReader(document)))
	for _, raw := range []string{"\u202e", "\u2066", "\u2028", "\u0085", "\u200f", "\x1b", "\r"} {
		require.NotContains(t, b.String(), raw, "%q", raw)
	}
	var got map[string]any
	require.NoError(t, yaml.Unmarshal(b.Bytes(), &got))
	require.Equal(t, want, got)
}

// Every letter that JSON escapes, as one unit or as a pair, is the same in YAML: as a value, in a key, and after a backslash.
func TestYAMLHasEveryLetterThatJSONEscapes(t *testing.T) {
	want := map[string]any{"typed": `\ud83d\ude00 \\udb40\udc41`}
	pairs := 0
	for r := range rune(unicode.MaxRune + 1) {
		if !iostreams.ControlsText(r) {
			continue
		}
		if r > 0xffff {
			pairs++
		}
		name := fmt.Sprintf("%c %x", r, r)
		want[name] = []any{string(r), `\` + string(r) + `\`, name + string(r)}
	}
	require.Greater(t, pairs, 100)
	var document, b bytes.Buffer
	e := json.NewEncoder(iostreams.JSONWriter(&document))
	require.NoError(t, e.Encode(want))
	for _, text := range []string{document.String(), strings.ReplaceAll(document.String(), `\udb40\udc41`, `\uDB40\uDC41`)} {
		b.Reset()
		require.NoError(t, report.YAML(&b, strings.NewReader(text)))
		require.NotContains(t, b.String(), "\U000e0041")
		var got map[string]any
		require.NoError(t, yaml.Unmarshal(b.Bytes(), &got))
		require.Equal(t, want, got)
	}
}
