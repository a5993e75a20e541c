package iostreams

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestSanitize(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "esx-01.example.com", "esx-01.example.com"},
		{"other scripts", "Bücherei 図書館 🖥", "Bücherei 図書館 🖥"},
		{"backslash is text", `DOMAIN\user`, `DOMAIN\user`},
		{"a real replacement character is text", "a\ufffdb", "a\ufffdb"},
		{"escape", "vm\x1b[2Jgone", `vm\x1b[2Jgone`},
		{"newline, return, tab", "a\nb\rc\td", `a\nb\rc\td`},
		{"nul, bell, backspace, delete", "\x00\a\b\x7f", `\x00\a\b\x7f`},
		{"one-character CSI", "\u009b31m", `\u009b31m`},
		{"one-byte CSI is not UTF-8", "\x9b31m", `\x9b31m`},
		{"bidi override", "vm\u202egpj.exe", `vm\u202egpj.exe`},
		{"bidi isolate", "\u2066x\u2069", `\u2066x\u2069`},
		{"bidi mark", "\u200f", `\u200f`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"cut rune", "ü"[:1] + "x", `\xc3x`},
		{"surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, Sanitize(tc.in)) })
	}
}

// TestSanitizeEveryDangerousRune holds the promise rune by rune, independent of
// the tables that the code uses.
func TestSanitizeEveryDangerousRune(t *testing.T) {
	for r := range rune(0x2100) {
		if isDangerous(r) {
			require.NotContains(t, Sanitize("a"+string(r)+"b"), string(r), "%U", r)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{"esx-01", "\x1b]0;title\x07", "\u202e\u2069", "\x9b", "ü\xc3", "\xff\xfe", "a\nb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		safe := Sanitize(s)
		if !utf8.ValidString(safe) || strings.ContainsFunc(safe, isDangerous) {
			t.Errorf("%q became %q", s, safe)
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			require.Equal(t, s, safe, "what can be printed stays as it is")
		}
		require.Equal(t, safe, Sanitize(safe), "what is safe is not escaped again")
	})
}

func isDangerous(r rune) bool {
	return r < 0x20 || r >= 0x7f && r <= 0x9f ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
