package wire

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"
)

// ErrUnfamiliar reports an answer that this package leaves to govmomi's decoder: it may be valid or not.
var ErrUnfamiliar = errors.New("an answer of another form")

// scanner reads a whole XML document: elements, attributes, text and entities. It does not accept comments, CDATA, processing
// instructions and document types, which servers do not send. Its results refer to the document's memory.
type scanner struct {
	b     []byte
	i     int
	attrs []attr // of the last start tag
	xsi   []byte // its xsi:type
	level int    // nesting level of elements
	long  int    // the level of the outermost element that declares longXSI; 0: none
}

// tag is a start tag.
type tag struct {
	raw   []byte // the name with its prefix, as in the end tag
	local []byte
	empty bool // <name/>
}

type attr struct{ raw, local, value []byte }

const (
	special  = iota // neither of the others
	nameByte        // in names and in plain text
	textByte        // in plain text
)

// bytesOf classifies bytes; text may contain some of the special ones, too.
var bytesOf = func() (of [256]byte) {
	for c := range of {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', bytes.IndexByte([]byte("_-.:"), byte(c)) >= 0:
			of[c] = nameByte
		case c == '\t', c == '\n', ' ' <= c && c < utf8.RuneSelf && bytes.IndexByte([]byte(`<&]"'`), byte(c)) < 0:
			of[c] = textByte
		}
	}
	return of
}()

// peek returns the next byte, or 0, which no XML contains, at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) spaces() {
	for c := s.peek(); c == ' ' || c == '\n' || c == '\t' || c == '\r'; c = s.peek() {
		s.i++
	}
}

// name reads a name and returns its local part, too.
func (s *scanner) name() (raw, local []byte, err error) {
	from, after := s.i, s.i // a colon
	for ; s.i < len(s.b) && bytesOf[s.b[s.i]] == nameByte; s.i++ {
		if s.b[s.i] != ':' {
			continue
		}
		if after > from {
			return nil, nil, ErrUnfamiliar
		}
		after = s.i + 1
	}
	if s.i == after || !letter(s.b[from]) {
		return nil, nil, ErrUnfamiliar
	}
	return s.b[from:s.i], s.b[after:s.i], nil
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// open reads a start tag.
func (s *scanner) open() (t tag, err error) {
	s.attrs, s.xsi = s.attrs[:0], nil
	if s.peek() != '<' {
		return t, ErrUnfamiliar
	}
	s.i++
	if t.raw, t.local, err = s.name(); err != nil {
		return t, err
	}
	for {
		s.spaces()
		switch s.peek() {
		case '>':
			s.i++
			s.level++
			return t, s.types(s.level)
		case '/':
			s.i++
			if s.peek() != '>' {
				return t, ErrUnfamiliar
			}
			s.i++
			t.empty = true
			return t, s.types(0)
		}
		if err := s.attr(); err != nil {
			return t, err
		}
	}
}

func (s *scanner) attr() error {
	raw, local, quote, err := s.attrName()
	if err != nil {
		return err
	}
	value, err := s.text(quote)
	s.i++
	s.attrs = append(s.attrs, attr{raw, local, value})
	return err
}

// usual is how nearly all attributes begin.
var usual = []byte(`xsi:type="`)

// attrName reads an attribute up to its value, and returns the value's quote.
func (s *scanner) attrName() (raw, local []byte, quote byte, err error) {
	if rest := s.b[s.i:]; bytes.HasPrefix(rest, usual) {
		s.i += len(usual)
		raw = rest[:len("xsi:type")]
		return raw, raw[len("xsi:"):], '"', nil
	}
	raw, local, err = s.name()
	if err != nil {
		return nil, nil, 0, err
	}
	s.spaces()
	if s.peek() != '=' {
		return nil, nil, 0, ErrUnfamiliar
	}
	s.i++
	s.spaces()
	quote = s.peek()
	if quote != '"' && quote != '\'' {
		return nil, nil, 0, ErrUnfamiliar
	}
	s.i++
	return raw, local, quote, nil
}

const (
	instance = "http://www.w3.org/2001/XMLSchema-instance"
	longXSI  = "_XMLSchema-instance" // the name that Go's encoder uses
)

// types looks for xsi:type. It knows two name space prefixes: xsi always has its usual meaning, and the long one applies below a
// tag that declares it. A document that uses them in another way is unfamiliar. The tag is at the given level, or empty at level
// 0.
func (s *scanner) types(level int) error {
	var long []byte
	declared := s.long > 0
	for _, a := range s.attrs {
		switch {
		case string(a.raw) == "xsi:type":
			s.xsi = first(s.xsi, a.value)
		case string(a.raw) == longXSI+":type":
			long = first(long, a.value)
		case bytes.HasPrefix(a.raw, []byte("xmlns:")):
			ours := string(a.local) == "xsi" || string(a.local) == longXSI
			if ours != (string(a.value) == instance) {
				return ErrUnfamiliar
			}
			declared = declared || string(a.local) == longXSI
		}
	}
	if declared && s.long == 0 {
		s.long = level
	}
	if long == nil {
		return nil
	}
	if !declared || s.xsi != nil {
		return ErrUnfamiliar
	}
	s.xsi = long
	return nil
}

// first returns the value of an attribute that may occur twice.
func first(seen, value []byte) []byte {
	if seen != nil {
		return seen
	}
	return value
}

// isType reports xsi:type, under either name.
func (a attr) isType() bool {
	return string(a.raw) == "xsi:type" || string(a.raw) == longXSI+":type"
}

// text reads up to end, which is < or an attribute's quote.
func (s *scanner) text(end byte) ([]byte, error) {
	from := s.i
	entities, foreign := false, false
	for ; s.i < len(s.b); s.i++ {
		c := s.b[s.i]
		if bytesOf[c] != special {
			continue
		}
		switch {
		case c == end:
			return finish(s.b[from:s.i], entities, foreign)
		case c == '&':
			entities = true
		case c >= utf8.RuneSelf:
			foreign = true
		case c == '"', c == '\'', c == ']' && (end != '<' || !bytes.HasPrefix(s.b[s.i:], []byte("]]>"))):
		default:
			return nil, ErrUnfamiliar
		}
	}
	return nil, ErrUnfamiliar
}

// finish validates the scanned text and resolves entities.
func finish(text []byte, entities, foreign bool) ([]byte, error) {
	if foreign && !characters(text) {
		return nil, ErrUnfamiliar
	}
	if entities {
		return unescape(text)
	}
	return text, nil
}

func characters(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 || r == 0xFFFE || r == 0xFFFF {
			return false
		}
		text = text[size:]
	}
	return true
}

func unescape(text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for {
		before, rest, found := bytes.Cut(text, []byte("&"))
		out = append(out, before...)
		if !found {
			return out, nil
		}
		name, after, ended := bytes.Cut(rest, []byte(";"))
		r, ok := entity(string(name))
		if !ended || !ok {
			return nil, ErrUnfamiliar
		}
		out, text = utf8.AppendRune(out, r), after
	}
}

func entity(name string) (rune, bool) {
	switch name {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	r := rune(n)
	return r, err == nil && n <= utf8.MaxRune && utf8.ValidRune(r) && r != 0xFFFE && r != 0xFFFF &&
		(r >= ' ' || r == '\t' || r == '\n' || r == '\r')
}

// leaf reads an element that contains only text.
func (s *scanner) leaf(t tag) ([]byte, error) {
	if t.empty {
		return nil, nil
	}
	text, err := s.text('<')
	if err != nil {
		return nil, err
	}
	return text, s.end(t)
}

// end reads the end tag of t.
func (s *scanner) end(t tag) error {
	n := len("</") + len(t.raw)
	rest := s.b[s.i:]
	if len(rest) <= n || rest[0] != '<' || rest[1] != '/' || rest[n] != '>' || !bytes.Equal(rest[2:n], t.raw) {
		return ErrUnfamiliar
	}
	s.i += n + 1
	if s.level == s.long {
		s.long = 0
	}
	s.level--
	return nil
}

// child reads the next start tag inside parent; more is false at parent's end.
func (s *scanner) child(parent tag) (t tag, more bool, err error) {
	if parent.empty {
		return t, false, nil
	}
	if s.peek() != '<' {
		if _, err := s.text('<'); err != nil {
			return t, false, err
		}
	}
	if s.i+1 < len(s.b) && s.b[s.i+1] == '/' {
		return t, false, s.end(parent)
	}
	t, err = s.open()
	return t, true, err
}

// skip reads past an element, which must still be well-formed.
func (s *scanner) skip(t tag, depth int) error {
	if depth > maxDepth {
		return ErrUnfamiliar
	}
	for {
		c, more, err := s.child(t)
		if err != nil || !more {
			return err
		}
		if err := s.skip(c, depth+1); err != nil {
			return err
		}
	}
}

// maxDepth exceeds the nesting in answers of servers.
const maxDepth = 200
