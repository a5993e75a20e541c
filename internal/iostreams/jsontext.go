package iostreams

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ControlsText reports whether a terminal acts upon r or shows nothing of it, apart from the ends of lines and tabs that a document consists of.
func ControlsText(r rune) bool { return controlsTerminal(r) && r != '\n' && r != '\t' && r != '\r' }

// EscapeControls writes such letters as YAML writes letters that are not printed: \u202e.
func EscapeControls(text string) string {
	return escapeControls(text, func(r rune) string { return fmt.Sprintf(`\U%08x`, r) })
}

// pair is a letter above 16 bits as JSON writes it.
func pair(r rune) string {
	high, low := utf16.EncodeRune(r)
	return fmt.Sprintf(`\u%04x\u%04x`, high, low)
}

func escapeControls(text string, large func(rune) string) string {
	if plain(text) || !strings.ContainsFunc(text, ControlsText) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case ControlsText(r) && r > 0xffff:
			b.WriteString(large(r))
		case ControlsText(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// plain reports whether a text has only printed ASCII, as nearly all text has: Unicode's tables take more time than the
// rest of writing.
func plain[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// JSONWriter escapes the letters of a JSON document that a terminal acts upon. It is the same document for all who read it.
func JSONWriter(w io.Writer) io.Writer { return &jsonWriter{to: w} }

type jsonWriter struct {
	to   io.Writer
	rest []byte // the beginning of a letter
}

// Write implements io.Writer.
func (j *jsonWriter) Write(p []byte) (int, error) {
	if len(j.rest) == 0 && plain(p) {
		return j.to.Write(p)
	}
	text := slices.Concat(j.rest, p)
	whole := len(text)
	for whole > 0 && whole > len(text)-utf8.UTFMax && !utf8.RuneStart(text[whole-1]) {
		whole--
	}
	if whole > 0 && !utf8.FullRune(text[whole-1:]) {
		whole--
	} else {
		whole = len(text)
	}
	j.rest = slices.Clone(text[whole:])
	if _, err := io.WriteString(j.to, escapeControls(string(text[:whole]), pair)); err != nil {
		return 0, err
	}
	return len(p), nil
}
