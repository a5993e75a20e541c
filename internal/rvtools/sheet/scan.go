package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// scanner reads the tags of the XML that spreadsheets contain. It supports what programs write there: no DTD, no CDATA sections. A
// full XML decoder takes ten times as long.
type scanner struct {
	in    *bufio.Reader
	text  []byte // the text before the tag, escaped
	tag   []byte // the tag without its brackets
	name  []byte // the local name of the tag
	close bool   // it is an end tag
	empty bool   // it is <tag/>
}

func newScanner(in io.Reader) *scanner { return &scanner{in: bufio.NewReaderSize(in, 64<<10)} }

var errNoXML = errors.New("its XML is damaged")

// next reads the next tag and the text before it.
func (s *scanner) next() error {
	s.text = s.text[:0]
	for {
		if err := s.until('<', &s.text); err != nil {
			return err
		}
		s.tag = s.tag[:0]
		if err := s.until('>', &s.tag); err != nil {
			return unexpectedEnd(err)
		}
		skip, err := s.isSkipped()
		if err != nil {
			return err
		}
		if !skip {
			return s.split()
		}
	}
}

// until appends what comes before a byte.
func (s *scanner) until(end byte, to *[]byte) error {
	for {
		part, err := s.in.ReadSlice(end)
		if err == nil {
			part = part[:len(part)-1]
		}
		if len(*to)+len(part) > maxText {
			return fmt.Errorf("%w: a text is longer than a cell can be", errNoXML)
		}
		*to = append(*to, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// isSkipped reports whether the tag is a comment or a processing instruction, after it has read all of it.
func (s *scanner) isSkipped() (bool, error) {
	switch {
	case bytes.HasPrefix(s.tag, []byte("!--")):
		for !bytes.HasSuffix(s.tag, []byte("--")) || len(s.tag) < len("!----") {
			s.tag = append(s.tag, '>')
			if err := s.until('>', &s.tag); err != nil {
				return false, unexpectedEnd(err)
			}
		}
		return true, nil
	case bytes.HasPrefix(s.tag, []byte("?")):
		return true, nil
	case bytes.HasPrefix(s.tag, []byte("!")):
		return false, fmt.Errorf("%w: it has a document type or a CDATA section, which spreadsheets do not write", errNoXML)
	}
	return false, nil
}

// split finds the local name of the tag.
func (s *scanner) split() error {
	tag := s.tag
	if s.close = bytes.HasPrefix(tag, []byte("/")); s.close {
		tag = tag[1:]
	}
	if s.empty = bytes.HasSuffix(tag, []byte("/")); s.empty {
		tag = tag[:len(tag)-1]
	}
	from := 0
	for i, b := range tag {
		if isBlank(b) {
			tag = tag[:i]
			break
		}
		if b == ':' {
			from = i + 1
		}
	}
	tag = tag[from:]
	if s.name = tag; len(tag) == 0 {
		return fmt.Errorf("%w: a tag has no name", errNoXML)
	}
	return nil
}

// starts reports whether the tag begins an element, and ends whether it ends one.
func (s *scanner) starts(name string) bool { return !s.close && string(s.name) == name }
func (s *scanner) ends(name string) bool   { return (s.close || s.empty) && string(s.name) == name }

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// attribute returns the value of an attribute without a namespace, or nil.
func (s *scanner) attribute(name string) []byte {
	rest := s.tag
	for {
		equals := bytes.IndexByte(rest, '=')
		if equals < 0 {
			return nil
		}
		key := rest[:equals]
		for len(key) > 0 && isBlank(key[len(key)-1]) {
			key = key[:len(key)-1]
		}
		for i, b := range slices.Backward(key) {
			if isBlank(b) {
				key = key[i+1:]
				break
			}
		}
		for rest = rest[equals+1:]; len(rest) > 0 && isBlank(rest[0]); {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
			return nil
		}
		end := bytes.IndexByte(rest[1:], rest[0])
		if end < 0 {
			return nil
		}
		if string(key) == name {
			return rest[1 : 1+end]
		}
		rest = rest[end+2:]
	}
}

var entities = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

// appendText appends text with its escapes resolved. Carriage returns of line ends are dropped.
func appendText(to, text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return append(to, text...)
	}
	for len(text) > 0 {
		i := bytes.IndexAny(text, "&\r")
		if i < 0 {
			return append(to, text...)
		}
		to = append(to, text[:i]...)
		if text[i] == '\r' {
			text = text[i+1:]
			continue
		}
		text = text[i:]
		end := bytes.IndexByte(text[:min(len(text), 12)], ';')
		known, ok := "", false
		if end > 0 {
			known, ok = entity(string(text[1:end]))
		}
		if !ok { // not an escape: keep it as it is
			to, text = append(to, '&'), text[1:]
			continue
		}
		to, text = append(to, known...), text[end+1:]
	}
	return to
}

func entity(name string) (string, bool) {
	if known, ok := entities[name]; ok {
		return known, true
	}
	if len(name) < 2 || name[0] != '#' {
		return "", false
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return "", false
	}
	return string(rune(n)), true
}

// appendExcel is appendText, with Excel's own escape of characters that XML cannot have: _x000D_.
func appendExcel(to, text []byte) []byte {
	from := len(to)
	to = appendText(to, text)
	if !bytes.Contains(to[from:], []byte("_x")) {
		return to
	}
	plain := bytes.Clone(to[from:])
	to = to[:from]
	for len(plain) > 0 {
		if len(plain) >= 7 && plain[0] == '_' && plain[1] == 'x' && plain[6] == '_' {
			if n, err := strconv.ParseUint(string(plain[2:6]), 16, 16); err == nil && utf8.ValidRune(rune(n)) {
				to, plain = utf8.AppendRune(to, rune(n)), plain[7:]
				continue
			}
		}
		to, plain = append(to, plain[0]), plain[1:]
	}
	return to
}
