package exposition

import (
	"iter"
	"slices"
	"strings"
)

// Labels are the formatted labels of a series: {host="esx01",moid="host-12"}. They are created once for an object and
// used for all its series.
type Labels string

// NewLabels formats labels, given as alternating names and values, sorted by name. It omits labels with an empty value,
// which for Prometheus do not exist. Values are untrusted texts: they are escaped, and invalid UTF-8 is replaced.
// Invalid characters in names are replaced too, for names made of untrusted texts. Of two labels with the same name the
// first one counts, since Prometheus rejects a page with both.
func NewLabels(pairs ...string) Labels {
	type label struct{ name, value string }
	var few [8]label
	list := few[:0]
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list = append(list, label{labelName(pairs[i]), pairs[i+1]})
		}
	}
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b label) int { return strings.Compare(a.name, b.name) })
	list = slices.CompactFunc(list, func(a, b label) bool { return a.name == b.name })
	var b []byte
	for i, l := range list {
		b = append(b, "{,"[min(i, 1)])
		b = append(append(b, l.name...), '=', '"')
		b = append(appendEscaped(b, l.value, true), '"')
	}
	return Labels(append(b, '}'))
}

// All returns the names and values, in the order of the names.
func (l Labels) All() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		rest := string(l)
		for len(rest) > len(`{a=""`) {
			name, after, _ := strings.Cut(rest[1:], `="`) // after { or ,
			end := closingQuote(after)
			if !yield(name, unescaped(after[:end])) {
				return
			}
			rest = after[end+1:]
		}
	}
}

// Get returns the value of a label, or "".
func (l Labels) Get(name string) string {
	for n, value := range l.All() {
		if n == name {
			return value
		}
	}
	return ""
}

// closingQuote returns the position of the quote that ends an escaped value.
func closingQuote(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(s)
}

var unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\"`, `"`)

func unescaped(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return unescaper.Replace(s)
}

// labelName returns a name with _ instead of invalid characters.
func labelName(name string) string {
	first := true
	return strings.Map(func(r rune) rune {
		valid := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' && !first
		first = false
		if !valid {
			return '_'
		}
		return r
	}, name)
}

// appendEscaped appends a text and escapes characters that would end it or its line. Quotes are escaped only in labels.
func appendEscaped(b []byte, words string, quotes bool) []byte {
	words = strings.ToValidUTF8(words, "\uFFFD")
	for i := range len(words) {
		switch c := words[i]; {
		case c == '\\':
			b = append(b, `\\`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '"' && quotes:
			b = append(b, `\"`...)
		default:
			b = append(b, c)
		}
	}
	return b
}
