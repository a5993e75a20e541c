package wire

import (
	"bytes"
	"unicode/utf8"
)

// replacement is U+FFFD, which takes the place of what XML does not allow.
const replacement = "\uFFFD"

// cleaned returns an answer in which U+FFFD replaces every byte that is not UTF-8 and every control character that XML forbids, raw or
// as a character reference; one without any is returned as it is. markup is the offset of the first one inside a tag, or -1.
func cleaned(b []byte) (out []byte, markup int) {
	from, inTag := 0, false
	markup = -1
	for i := 0; i < len(b); {
		size, allowed := character(b[i:])
		if allowed {
			inTag = b[i] == '<' || inTag && b[i] != '>'
			i += size
			continue
		}
		if inTag && markup < 0 {
			markup = i
		}
		out = append(append(out, b[from:i]...), replacement...)
		i += size
		from = i
	}
	if from == 0 {
		return b, -1
	}
	return append(out, b[from:]...), markup
}

// longestReference is the length of the longest character reference.
const longestReference = len("&#x0010FFFF;")

// character returns the length of the character that b begins with, and whether an answer may contain it. References are characters.
func character(b []byte) (size int, allowed bool) {
	switch c := b[0]; {
	case c >= utf8.RuneSelf:
		r, size := utf8.DecodeRune(b)
		return size, (r != utf8.RuneError || size > 1) && r != 0xFFFE && r != 0xFFFF
	case c == '&':
		end := bytes.IndexByte(b[:min(len(b), longestReference)], ';')
		if end < 0 {
			return 1, false
		}
		if _, known := entity(string(b[1:end])); known {
			return end + 1, true
		}
		if b[1] == '#' {
			return end + 1, false
		}
		return 1, false
	default:
		return 1, c >= ' ' || c == '\t' || c == '\n' || c == '\r'
	}
}
