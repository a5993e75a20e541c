package iostreams

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize makes untrusted text safe for a terminal. A user who may name a VM
// could otherwise move the cursor, recolour a finding or reverse its letters.
// Control characters are shown as escapes (`\x1b`, `\n`, `\u202e`), and so is
// each byte that is not UTF-8; all other text is unchanged.
func Sanitize(s string) string {
	if isSafe(s) {
		return s
	}
	var out strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, s[0])
		case controlsTerminal(r):
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			out.WriteString(s[:size])
		}
		s = s[size:]
	}
	return out.String()
}

func isSafe(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, controlsTerminal) }

// controlsTerminal reports whether a terminal acts upon r: C0 and C1 control characters,
// everything that changes the direction of writing, line and paragraph separators.
func controlsTerminal(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// Printable makes what servers and files put into an error safe for a terminal, line by line.
func Printable(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i, l := range lines {
		lines[i] = Sanitize(l)
	}
	return strings.Join(lines, "\n")
}
