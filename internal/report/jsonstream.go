package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
) // jsonStream writes one indented JSON object piece by piece, as an encoder would write it whole.
type jsonStream struct {
	w       *bufio.Writer
	piece   bytes.Buffer
	started bool
	err     error
}

func newJSONStream(w io.Writer) *jsonStream { return &jsonStream{w: bufio.NewWriter(w)} }

// encode returns v as text; each line but the first starts with prefix.
func (j *jsonStream) encode(v any, prefix string) []byte {
	j.piece.Reset()
	e := json.NewEncoder(&j.piece)
	e.SetIndent(prefix, "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && j.err == nil {
		j.err = err
	}
	return escapeControls(bytes.TrimRight(j.piece.Bytes(), "\n"))
}

// escapeControls escapes the characters that control a terminal; JSON strings keep their meaning. The encoder does not escape those
// beyond ASCII. They occur only in strings.
func escapeControls(text []byte) []byte {
	if !bytes.ContainsFunc(text, controlsTerminal) {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/8)
	for _, r := range string(text) {
		if controlsTerminal(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

func controlsTerminal(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// next starts a field and writes the comma after the previous one.
func (j *jsonStream) next() {
	if j.started {
		j.w.WriteString(",\n")
	} else {
		j.w.WriteString("{\n")
	}
	j.started = true
}

// fields adds the fields of a struct.
func (j *jsonStream) fields(of any) {
	text := bytes.TrimSuffix(bytes.TrimPrefix(j.encode(of, ""), []byte("{\n")), []byte("\n}"))
	if string(text) == "{}" {
		return
	}
	j.next()
	j.w.Write(text)
}

// list adds a field with a list of n items.
func (j *jsonStream) list(name string, n int, at func(int) any) {
	j.next()
	j.w.WriteString(`  "` + name + `": [`)
	for i := range n {
		if i > 0 {
			j.w.WriteByte(',')
		}
		j.w.WriteString("\n    ")
		j.w.Write(j.encode(at(i), "    "))
	}
	if n > 0 {
		j.w.WriteString("\n  ")
	}
	j.w.WriteByte(']')
}

// listJSON adds a field with a list of items, each in its JSON form.
func listJSON[T, J any](j *jsonStream, name string, all []T, form func(T) J) {
	j.list(name, len(all), func(i int) any { return form(all[i]) })
}

func (j *jsonStream) end() error {
	j.w.WriteString("\n}\n")
	if err := j.w.Flush(); err != nil {
		return err
	}
	return j.err
}

func writeJSON(w io.Writer, what string, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	return nil
}

// WriteDocument writes a value as an indented JSON document. It escapes characters that control a terminal, because names come from
// servers. The argument what names the document in an error.
func WriteDocument(w io.Writer, what string, v any) error {
	var text bytes.Buffer
	if err := writeJSON(&text, what, v); err != nil {
		return err
	}
	if _, err := w.Write(escapeControls(text.Bytes())); err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	return nil
}
