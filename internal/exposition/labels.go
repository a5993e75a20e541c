package exposition

import (
	"slices"
	"strings"
)

// Labels are the labels of a series as they are written: {host="esx01",moid="host-12"}. They are made once for an object and
// used for all its series.
type Labels string

// NewLabels are labels in the order of their names, from names and values in turn. A label without a value is left out: to
// Prometheus it is none. Values are other people's words: they are escaped, and what is no UTF-8 is replaced. So are letters
// that a name may not have, for names that are made of other people's words; of two labels with one name the first counts,
// since a page with both is lost as a whole.
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

// labelName is a name with _ for what no name may have.
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

// appendEscaped appends words with \ before what would end them or their line. Quotes end those of labels alone.
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
