package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/vperf/vperf/internal/iostreams"
)

// jsonStream writes one JSON object field by field, and its lists item by item: those of a large fleet need more memory as text.
type jsonStream struct {
	w       *bufio.Writer
	piece   bytes.Buffer
	encoder *json.Encoder // writes to piece
	started bool          // the object has a field
	err     error
}

func newJSONStream(w io.Writer) *jsonStream {
	j := &jsonStream{w: bufio.NewWriterSize(iostreams.JSONWriter(w), jsonBuffer)}
	j.encoder = json.NewEncoder(&j.piece)
	j.encoder.SetEscapeHTML(false)
	return j
}

const jsonBuffer = 64 << 10

// value writes a value whose lines but the first are indented by depth. Objects and lists inside of levels others are on one line.
func (j *jsonStream) value(v any, depth, levels int) {
	j.piece.Reset()
	if err := j.encoder.Encode(v); err != nil && j.err == nil {
		j.err = err
	}
	layout(j.w, bytes.TrimRight(j.piece.Bytes(), "\n"), depth, levels)
}

// next starts a field and writes the comma after the previous one.
func (j *jsonStream) next() {
	if j.started {
		j.w.WriteByte(',')
	} else {
		j.w.WriteByte('{')
	}
	j.started = true
	j.w.WriteString("\n  ")
}

// field adds a field.
func (j *jsonStream) field(name string, v any) {
	j.next()
	fmt.Fprintf(j.w, "%q: ", name)
	j.value(v, 1, 1)
}

// listJSON adds a field with a list of items, whose outer levels have lines of their own.
func listJSON[T any](j *jsonStream, name string, levels int, all []T) {
	formedJSON(j, name, levels, slices.Values(all), func(x T) T { return x })
}

// formedJSON does the same with items that are brought into their JSON form one by one.
func formedJSON[T, J any](j *jsonStream, name string, levels int, all iter.Seq[T], form func(T) J) {
	j.next()
	fmt.Fprintf(j.w, "%q: [", name)
	n := 0
	for x := range all {
		if n > 0 {
			j.w.WriteByte(',')
		}
		n++
		j.w.WriteString("\n    ")
		j.value(form(x), 2, levels)
	}
	if n > 0 {
		j.w.WriteString("\n  ")
	}
	j.w.WriteByte(']')
}

func (j *jsonStream) end() error {
	j.w.WriteString("\n}\n")
	if err := j.w.Flush(); err != nil {
		return err
	}
	return j.err
}

// layout writes compact JSON with a line for each item of the outer levels. What is deeper stays on the line of its parent, and so
// does a row of a list of objects, which begins with its object.
func layout(w *bufio.Writer, value []byte, depth, levels int) {
	level, row := 0, 0 // row is the level of the open row; 0: there is none
	line := func(inside int) {
		if inside <= levels && row == 0 {
			w.WriteByte('\n')
			for range depth + level {
				w.WriteString("  ")
			}
		}
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == '"' {
			end := endOfText(value, i)
			w.Write(value[i:end])
			i = end - 1
			continue
		}
		if c == '}' || c == ']' {
			level--
			line(level + 1)
		}
		w.WriteByte(c)
		switch c {
		case '{', '[':
			if next := value[i+1]; next == '}' || next == ']' {
				w.WriteByte(next)
				i++
				continue
			}
			level++
			if row == 0 && bytes.HasPrefix(value[i:], []byte(`{"object":{`)) {
				row = level
			}
			line(level)
		case '}', ']':
			if level < row {
				row = 0
			}
		case ',':
			line(level)
		case ':':
			if level <= levels && row == 0 {
				w.WriteByte(' ')
			}
		}
	}
}

// endOfText returns where the JSON string ends that begins at i.
func endOfText(value []byte, i int) int {
	for i++; value[i] != '"'; i++ {
		if value[i] == '\\' {
			i++
		}
	}
	return i + 1
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
