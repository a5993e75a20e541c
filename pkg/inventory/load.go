package inventory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Load reads a snapshot that Save wrote. It refuses input that is truncated, of another kind, or from a newer vperf. It
// refuses unknown fields too, since an unknown fact could change an outcome. It keeps no more text than one object's.
func Load(r io.Reader) (*Snapshot, error) {
	in := &counter{from: r}
	l := loader{in: in, json: jsontext.NewDecoder(in, strict), snapshot: new(Snapshot)}
	if err := l.load(); err != nil {
		return nil, l.explain(err)
	}
	if err := l.snapshot.complete(); err != nil {
		return nil, err
	}
	l.snapshot.Link()
	return l.snapshot, nil
}

// counter counts the bytes that were read, and keeps the error of reading.
type counter struct {
	from  io.Reader
	bytes int64
	err   error
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.bytes += int64(n)
	c.err = err
	return n, err
}

// loader reads a snapshot field by field, because its schema decides what a mistake in the rest means.
type loader struct {
	in       *counter
	json     *jsontext.Decoder
	snapshot *Snapshot
	unknown  error // the first unknown field
}

func (l *loader) load() error {
	if err := l.fields(); err != nil {
		return err
	}
	if err := checkSchema(l.snapshot.Schema); err != nil {
		return err
	}
	if l.unknown != nil {
		return l.unknown
	}
	_, err := l.json.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil, errors.As(err, new(*jsontext.SyntacticError)):
		return fmt.Errorf("%w: more text after its end", ErrNotSnapshot)
	}
	return err
}

func (l *loader) fields() error {
	t, err := l.json.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != jsontext.KindBeginObject {
		return fmt.Errorf("%w: it is not an object", ErrNotSnapshot)
	}
	for {
		t, err := l.json.ReadToken()
		if err != nil || t.Kind() == jsontext.KindEndObject {
			return err
		}
		if err := l.field(t.String()); err != nil {
			return err
		}
	}
}

// field reads one field of the snapshot.
func (l *loader) field(name string) error {
	switch name {
	case "schema":
		if err := json.UnmarshalDecode(l.json, &l.snapshot.Schema); err != nil {
			return err
		}
		return checkSchema(l.snapshot.Schema)
	case "source":
		return json.UnmarshalDecode(l.json, &l.snapshot.Source)
	case "vcenters":
		return json.UnmarshalDecode(l.json, &l.snapshot.VCenters)
	}
	if l.unknown == nil {
		l.unknown = fmt.Errorf("unknown field %q", name)
	}
	return l.json.SkipValue()
}

// explain tells an input that is not a snapshot from a snapshot with a mistake: it is not a snapshot if it is cut off, is not JSON, or has
// a mistake before its schema.
func (l *loader) explain(err error) error {
	if failed := l.in.err; failed != nil && errors.Is(err, failed) {
		err = failed // without the library's words
	}
	syntax, broken := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, ErrNotSnapshot):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), broken && l.cutOff(syntax.ByteOffset):
		return fmt.Errorf("%w: the file ends in the middle (after %d bytes); save it again", ErrNotSnapshot, l.in.bytes)
	case broken, l.snapshot.Schema == "" && errors.As(err, new(*json.SemanticError)):
		return fmt.Errorf("%w: %w", ErrNotSnapshot, plainly(err))
	}
	return fmt.Errorf("reading snapshot: %w", plainly(err))
}

// cutOff reports whether a mistake is at the very end of the input: a file that was cut off in a text, to which an editor has
// added the end of the line.
func (l *loader) cutOff(mistake int64) bool {
	if n, err := l.in.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return false
	}
	rest, skip := l.json.UnreadBuffer(), mistake-l.json.InputOffset()
	return skip >= 0 && skip <= int64(len(rest)) && len(bytes.TrimSpace(rest[skip:])) == 0
}

// checkSchema refuses input of another kind or version.
func checkSchema(schema string) error {
	switch {
	case schema == SnapshotSchema:
		return nil
	case strings.HasPrefix(schema, "vperf.snapshot/"):
		return fmt.Errorf("%w of this version: it is %s, this vperf reads %s; use the vperf that wrote it, or a newer one", ErrNotSnapshot, schema, SnapshotSchema)
	}
	return &SchemaError{Not: ErrNotSnapshot, Have: schema, Want: SnapshotSchema}
}
