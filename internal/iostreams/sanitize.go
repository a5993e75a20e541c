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

// controlsTerminal reports whether a terminal acts upon r, or shows nothing of it: C0 and C1 control characters, line and
// paragraph separators, everything that changes the direction of writing, and invisible characters, with which one name
// looks like another, or text is hidden from people.
func controlsTerminal(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Printable makes what servers and files put into an error safe for a terminal, line by line.
func Printable(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for i, l := range lines {
		lines[i] = Sanitize(l)
	}
	return strings.Join(lines, "\n")
}
