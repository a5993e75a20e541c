package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/vperf/vperf/internal/iostreams"
)

// jsonStream writes one indented JSON object piece by piece, as an encoder would write it whole.
type jsonStream struct {
	w       *bufio.Writer
	piece   bytes.Buffer
	encoder *json.Encoder // writes to piece
	text    []byte        // the piece, indented
	prefix  string        // of the lines of the open object
	started bool          // the open object has a field
	err     error
}

func newJSONStream(w io.Writer) *jsonStream {
	j := &jsonStream{w: bufio.NewWriterSize(iostreams.JSONWriter(w), jsonBuffer)}
	j.encoder = json.NewEncoder(&j.piece)
	j.encoder.SetEscapeHTML(false)
	return j
}

const jsonBuffer = 64 << 10

// encode returns v as text; each line but the first starts with prefix.
func (j *jsonStream) encode(v any, prefix string) []byte {
	j.piece.Reset()
	err := j.encoder.Encode(v)
	if err == nil {
		j.text, err = appendIndented(j.text[:0], j.piece.Bytes(), prefix)
	}
	if err != nil && j.err == nil {
		j.err = err
	}
	return bytes.TrimRight(j.text, "\n")
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
	text := j.encode(of, j.prefix)
	if string(text) == "{}" {
		return
	}
	j.next()
	j.w.Write(bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("{\n")), []byte("\n"+j.prefix+"}")))
}

// list adds a field with a list of n items.
func (j *jsonStream) list(name string, n int, at func(int) any) {
	prefix := j.prefix + "    "
	j.items(name, n, func(i int) { j.w.Write(j.encode(at(i), prefix)) })
}

// objects adds a field with a list of n objects, whose fields write adds.
func (j *jsonStream) objects(name string, n int, write func(int)) {
	outer := j.prefix
	j.items(name, n, func(i int) {
		j.prefix, j.started = outer+"    ", false
		write(i)
		j.w.WriteString("\n" + j.prefix + "}")
		j.prefix, j.started = outer, true
	})
}

func (j *jsonStream) items(name string, n int, write func(int)) {
	j.next()
	j.w.WriteString(j.prefix + `  "` + name + `": [`)
	for i := range n {
		if i > 0 {
			j.w.WriteByte(',')
		}
		j.w.WriteString("\n    " + j.prefix)
		write(i)
	}
	if n > 0 {
		j.w.WriteString("\n  " + j.prefix)
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
	return writeJSON(iostreams.JSONWriter(w), what, v)
}

// appendIndented appends a compact JSON value with line ends and indents, as json.Indent does, in less time. Each line but the first
// starts with prefix.
func appendIndented(out, value []byte, prefix string) ([]byte, error) {
	return jsontext.AppendFormat(out, value, jsontext.WithIndentPrefix(prefix), jsontext.WithIndent("  "), jsontext.PreserveRawStrings(true),
		jsontext.AllowDuplicateNames(true)) // an encoder writes none, so they need no check
}
