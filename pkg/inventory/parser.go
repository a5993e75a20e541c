package inventory

import (
	"bytes"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// parser decodes JSON into facts and structs as encoding/json does, in one pass: encoding/json looks at the text of a device four
// times, because a fact in a list in a fact decodes itself. It decodes only what Save writes. Its methods return false for anything
// else, such as a mistake, and the caller then leaves the text to encoding/json.
type parser struct {
	text   []byte
	at     int
	shared *sharedValues // nil: nothing is shared
}

// sharedValues are values that many objects have.
type sharedValues struct {
	texts   map[string]string
	reasons map[string]*status
}

// mostShared limits each map of shared values: values that are different for each object are not worth a place.
const mostShared = 4096

func newSharedValues() *sharedValues {
	return &sharedValues{texts: map[string]string{}, reasons: map[string]*status{}}
}

// text returns the text of b.
func (s *sharedValues) text(b []byte) string {
	if s == nil {
		return string(b)
	}
	if t, ok := s.texts[string(b)]; ok {
		return t
	}
	t := string(b)
	if len(s.texts) < mostShared {
		s.texts[t] = t
	}
	return t
}

// unread returns the status of an unread fact.
func (s *sharedValues) unread(reason string) *status {
	if s == nil {
		return statusOf(StateUnread, reason)
	}
	if t, ok := s.reasons[reason]; ok {
		return t
	}
	t := statusOf(StateUnread, reason)
	if len(s.reasons) < mostShared {
		s.reasons[reason] = t
	}
	return t
}

// parsed is a value that decodes itself with a parser, such as a fact. If it returns false, it has no defined value.
type parsed interface{ parse(p *parser) bool }

// parse decodes a fact.
func (f *Fact[T]) parse(p *parser) (ok bool) {
	f.status, ok = p.fact(&f.value)
	return ok
}

// fact decodes a fact; value points to the place of a known one.
func (p *parser) fact(value any) (*status, bool) {
	if s, ok := p.missing(); ok {
		return s, true
	}
	return isKnown, p.value(value)
}

// missing decodes an absent or unread fact.
func (p *parser) missing() (s *status, ok bool) {
	start := p.at
	key, ok := "", p.take('{')
	if ok {
		key, ok = p.string(nil)
	}
	ok = ok && p.take(':')
	switch {
	case ok && key == wireAbsent:
		s, ok = isAbsent, p.word("true")
	case ok && key == wireUnread:
		var reason string
		reason, ok = p.string(p.shared)
		s = p.shared.unread(reason)
	default:
		ok = false
	}
	if ok = ok && p.take('}'); !ok {
		p.at = start
	}
	return s, ok
}

// value decodes a value into the place that v points to.
func (p *parser) value(v any) (ok bool) {
	switch v := v.(type) {
	case parsed:
		return v.parse(p)
	case *string:
		*v, ok = p.string(p.shared)
	case *ValueType:
		var s string
		s, ok = p.string(p.shared)
		*v = ValueType(s)
	case *bool:
		*v = p.word("true")
		ok = *v || p.word("false")
	case *int64:
		*v, ok = p.int()
	case *[]string:
		*v = []string{}
		ok = p.list(func() (ok bool) {
			s, ok := p.string(p.shared)
			*v = append(*v, s)
			return ok
		})
	case *map[string]string:
		*v = map[string]string{}
		ok = p.object(func(name string) (ok bool) {
			if _, twice := (*v)[name]; twice {
				return false
			}
			(*v)[name], ok = p.string(p.shared)
			return ok
		})
	default:
		return p.byType(reflect.ValueOf(v).Elem())
	}
	return ok
}

// byType decodes a value by its type. Types that decode themselves are left to encoding/json.
func (p *parser) byType(v reflect.Value) bool {
	s := shapeOf(v.Type())
	switch {
	case s.itself:
	case v.Kind() == reflect.Struct:
		return p.structure(v, s)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return p.value(v.Interface())
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		return p.list(func() bool {
			v.Set(reflect.Append(v, s.empty))
			return p.value(v.Index(v.Len() - 1).Addr().Interface())
		})
	case v.Kind() == reflect.Map:
		return p.mapping(v)
	}
	raw, ok := p.raw()
	return ok && strictly(raw, v.Addr().Interface()) == nil
}

// mapping decodes an object into a map. Each key may occur once.
func (p *parser) mapping(v reflect.Value) bool {
	v.Set(reflect.MakeMap(v.Type()))
	x := reflect.New(v.Type().Elem())
	return p.object(func(name string) bool {
		key := reflect.ValueOf(name)
		x.Elem().SetZero()
		if v.MapIndex(key).IsValid() || !p.value(x.Interface()) {
			return false
		}
		v.SetMapIndex(key, x.Elem())
		return true
	})
}

// structure decodes an object into a struct. Each field may occur once.
func (p *parser) structure(v reflect.Value, s *shape) bool {
	var seen [mostFields]bool
	next := 0 // Save writes the fields in their order
	return p.object(func(name string) bool {
		i, ok := s.find(name, next)
		if !ok || seen[i] {
			return false
		}
		seen[i], next = true, i+1
		return p.value(v.FieldByIndex(s.fields[i].index).Addr().Interface())
	})
}

// object decodes an object; field decodes the value of each of its fields.
func (p *parser) object(field func(name string) bool) bool {
	if !p.take('{') {
		return false
	}
	if p.take('}') {
		return true
	}
	for {
		name, ok := p.string(p.shared)
		if !ok || !p.take(':') || !field(name) {
			return false
		}
		if p.take('}') {
			return true
		}
		if !p.take(',') {
			return false
		}
	}
}

// list decodes a list; element decodes each of its elements.
func (p *parser) list(element func() bool) bool {
	if !p.take('[') {
		return false
	}
	if p.take(']') {
		return true
	}
	for {
		if !element() {
			return false
		}
		if p.take(']') {
			return true
		}
		if !p.take(',') {
			return false
		}
	}
}

// string decodes a text without escapes, of valid UTF-8.
func (p *parser) string(shared *sharedValues) (string, bool) {
	if !p.take('"') {
		return "", false
	}
	length := bytes.IndexByte(p.text[p.at:], '"')
	if length < 0 {
		return "", false
	}
	inner := p.text[p.at : p.at+length]
	if !plain(inner) {
		return "", false
	}
	p.at += length + 1
	return shared.text(inner), true
}

// plain reports whether the text of a JSON string is the string itself.
func plain(text []byte) bool {
	ascii := true
	for _, c := range text {
		if c < ' ' || c == '\\' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.Valid(text)
}

// int decodes a whole number.
func (p *parser) int() (int64, bool) {
	p.space()
	start := p.at
	for p.at < len(p.text) && bytes.IndexByte([]byte("+-.0123456789Ee"), p.text[p.at]) >= 0 {
		p.at++
	}
	digits := p.text[start:p.at]
	n, err := strconv.ParseInt(string(digits), 10, 64)
	return n, err == nil && digits[0] != '+' && (digits[0] != '0' || len(digits) == 1) && !bytes.HasPrefix(digits, []byte("-0"))
}

// word takes a word if it is next.
func (p *parser) word(word string) bool {
	p.space()
	if !bytes.HasPrefix(p.text[p.at:], []byte(word)) {
		return false
	}
	p.at += len(word)
	return true
}

// take takes a character if it is next.
func (p *parser) take(c byte) bool {
	p.space()
	if p.at == len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\n', '\t', '\r':
			p.at++
		default:
			return
		}
	}
}

// ended reports whether the text ends here.
func (p *parser) ended() bool {
	p.space()
	return p.at == len(p.text)
}

// raw returns the text of the next value. It is not valid if the input is not.
func (p *parser) raw() ([]byte, bool) {
	p.space()
	rest := p.text[p.at:]
	length := bytes.IndexAny(rest, ",}] \n\r\t") // of a number or a word
	if len(rest) > 0 && bytes.IndexByte([]byte(`{["`), rest[0]) >= 0 {
		length = extent(rest)
	}
	if length <= 0 {
		return nil, false
	}
	p.at += length
	return rest[:length], true
}

// extent returns the length of the object, list or text that b begins with; 0 if its end is not in b.
func extent(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth <= 0 && i < len(b) {
			return i + 1
		}
	}
	return 0
}
