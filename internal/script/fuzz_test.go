package script

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

var hostileTexts = []string{
	"", "plain", "it's", "'", "''", `\'`, "$(id)", "`id`", "a\nb", "a\r\nb", "\r", "\v\f\x85\u2028\u2029", "\u2018\u2019\u201a\u201b", "\x1b[31m", "\xff\xfe", "𝒳", "-n", "%s",
	"' + [char]39 + '", "#>", "!!", "~", "*", "a\\", "\u202e", "' ; exit 7 ; '",
}

// FuzzQuotedForShells: a word that is quoted reads back as itself, for sh and for PowerShell.
func FuzzQuotedForShells(f *testing.F) {
	for _, s := range hostileTexts {
		f.Add(s)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("there is no sh")
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.Contains(s, "\x00") { // which no word of a shell can have
			out, err := exec.CommandContext(t.Context(), sh, "-c", "printf %s "+quoted(s)).Output()
			require.NoError(t, err)
			require.Equal(t, s, string(out))
		}
		require.Equal(t, string([]rune(s)), psRead(t, psQuoted(s)), "but for bytes that are no text")
	})
}

// psRead reads texts in single quotes and codes, added up, as PowerShell does. Anything else fails the test.
func psRead(t *testing.T, text string) string {
	t.Helper()
	if inner, ok := strings.CutPrefix(text, "("); ok {
		text = strings.TrimSuffix(inner, ")")
		require.Len(t, inner, len(text)+1, "an open bracket")
	}
	var units []uint16
	for {
		if code, ok := strings.CutPrefix(text, "[char]"); ok {
			end := strings.IndexFunc(code, func(r rune) bool { return r < '0' || r > '9' })
			require.Positive(t, end)
			n, err := strconv.ParseUint(code[:end], 10, 16)
			require.NoError(t, err)
			units, text = append(units, uint16(n)), code[end:]
		} else {
			require.True(t, strings.HasPrefix(text, "'"), "no text begins: %q", text)
			text = text[1:]
			for {
				end := strings.IndexByte(text, '\'')
				require.GreaterOrEqual(t, end, 0, "a quote is open")
				units = append(units, utf16.Encode([]rune(text[:end]))...)
				if text = text[end+1:]; !strings.HasPrefix(text, "'") {
					break
				}
				units, text = append(units, '\''), text[1:]
			}
		}
		if text == "" {
			return string(utf16.Decode(units))
		}
		rest, ok := strings.CutPrefix(text, " + ")
		require.True(t, ok, "what follows is no text any more: %q", text)
		text = rest
	}
}

// FuzzComments: untrusted text cannot end the comment that contains it.
func FuzzComments(f *testing.F) {
	for _, s := range hostileTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, line := range []string{oneLine(s), psLine(s)} {
			require.NotContains(t, line, "\n")
			require.NotContains(t, line, "\r")
			require.NotContains(t, line, "\x00")
		}
		for _, r := range psLine(s) {
			require.True(t, r >= ' ' && r <= '~', "%q", r)
		}
	})
}
