package doc

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEscaped: no renderer takes a name for more than text.
func TestEscaped(t *testing.T) {
	for name, want := range map[string]string{
		"web-01":                      "web-01",
		"@alice":                      "@&#8203;alice",
		"X3460  @ 2.80GHz":            "X3460  @ 2.80GHz",
		"a@b.example":                 "a@&#8203;b.example",
		"#1":                          "#&#8203;1",
		"[x](javascript:1)":           `\[x\](javascript:1)`,
		"![x](y)":                     `!\[x\](y)`,
		"<https://evil.example>":      "&lt;https:&#47;&#47;evil.example&gt;",
		"ftp://evil.example":          "ftp:&#47;&#47;evil.example",
		"www.evil.example":            "www&#46;evil.example",
		"WWW.evil.example":            "WWW&#46;evil.example",
		"$x$ $$y$$ $`z`$":             "\\$x\\$ \\$\\$y\\$\\$ \\$\\`z\\`\\$",
		"<img src=x onerror=1>":       "&lt;img src=x onerror=1&gt;",
		"&lt;b&gt; &#64;":             "&amp;lt;b&amp;gt; &amp;#&#8203;64;",
		"a|b":                         "a&#124;b",
		"`code`":                      "\\`code\\`",
		"*a* _b_ ~~c~~":               `\*a\* \_b\_ \~\~c\~\~`,
		"two\nlines\r\n\u2028x":       `two\\nlines\\r\\n\\u2028x`,
		"vm\u202egpj":                 `vm\\u202egpj`,
		"a\u200bb\u200dc\u2060\ufeff": `a\\u200bb\\u200dc\\u2060\\ufeff`,
		"\u00adsoft":                  `\\u00adsoft`,
		"\\":                          `\\`,
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, want, Escaped(name)) })
	}
	require.Equal(t, "``` a`b``c ```", Code("a`b``c"))
	require.Equal(t, "`a\\u200bb`", Code("a\u200bb"))
}

// FuzzEscaped: nothing that starts markup remains.
func FuzzEscaped(f *testing.F) {
	for _, seed := range []string{"@a #1", "$x$|`y`", "www.x <b> [a](b)", "\u200b\u202e\n- x"} {
		f.Add(seed)
	}
	escaped := regexp.MustCompile(`\\.|&(amp|lt|gt|#8203|#124|#47|#46);`)
	f.Fuzz(func(t *testing.T, s string) {
		rest := escaped.ReplaceAllString(Escaped(s), " ")
		if strings.ContainsAny(rest, "\\`*_[]~$<>|\n\r\u200b\u202e") || regexp.MustCompile(`@\w|#\d|://|www\.`).MatchString(rest) {
			t.Errorf("%q became %q", s, Escaped(s))
		}
	})
}
