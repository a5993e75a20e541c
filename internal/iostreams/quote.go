package iostreams

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Quoted is a word as a POSIX shell reads it back.
func Quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./_-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Shown is a word for a terminal that bash and zsh read back. Letters that a terminal acts upon, and bytes that are not UTF-8, are
// written by their bytes, which are the same in every locale: $'a\x0ab'.
func Shown(s string) string {
	if isSafe(s) {
		return Quoted(s)
	}
	var out strings.Builder
	out.WriteString("$'")
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 || controlsTerminal(r) || strings.ContainsRune(`'\!`, r) {
			for _, b := range []byte(s[:size]) {
				fmt.Fprintf(&out, `\x%02x`, b)
			}
		} else {
			out.WriteString(s[:size])
		}
		s = s[size:]
	}
	return out.String() + "'"
}
