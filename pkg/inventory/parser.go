package inventory

import (
	"bytes"
	"encoding/json"
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

// parsed is a fact. *Fact[T] implements it.
type parsed interface{ parse(p *parser) bool }

// parse decodes a fact; if it returns false, the fact has no defined value.
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

// byType decodes a struct or a list of pointers to structs, and leaves other types to encoding/json.
func (p *parser) byType(v reflect.Value) bool {
	if s := shapeOf(v.Type()); s != nil {
		return p.structure(v, s)
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Pointer {
		if s := shapeOf(v.Type().Elem().Elem()); s != nil {
			return p.structures(v, s)
		}
	}
	raw, ok := p.raw()
	return ok && strictly(raw, v.Addr().Interface()) == nil
}

func (p *parser) structures(v reflect.Value, s *shape) bool {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	return p.list(func() bool {
		x := reflect.New(v.Type().Elem().Elem())
		v.Set(reflect.Append(v, x))
		return p.structure(x.Elem(), s)
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
	d := json.NewDecoder(bytes.NewReader(p.text[p.at:]))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return nil, false
	}
	p.at += int(d.InputOffset())
	return raw, true
}
