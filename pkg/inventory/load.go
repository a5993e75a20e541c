package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Load reads a snapshot that Save wrote. It refuses input that is truncated, of another kind, or from a newer vperf. It
// refuses unknown fields too, since an unknown fact could change an outcome. It keeps no more text than one object's.
func Load(r io.Reader) (*Snapshot, error) {
	in := &counter{from: r}
	l := loader{in: in, from: in, json: json.NewDecoder(in), snapshot: new(Snapshot), shared: newSharedValues()}
	l.json.DisallowUnknownFields()
	if err := l.load(); err != nil {
		return nil, l.explain(err, in)
	}
	if err := l.snapshot.complete(); err != nil {
		return nil, err
	}
	l.snapshot.Link()
	return l.snapshot, nil
}

// counter counts the bytes that were read.
type counter struct {
	from  io.Reader
	bytes int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.bytes += int64(n)
	return n, err
}

// loader reads a snapshot object by object.
type loader struct {
	in       *counter
	from     io.Reader // of json
	json     *json.Decoder
	start    int64 // where the text of json starts in the input
	snapshot *Snapshot
	unknown  error // the first unknown field
	shared   *sharedValues
}

func (l *loader) load() error {
	if err := l.object("a snapshot", l.field); err != nil {
		return err
	}
	if err := checkSchema(l.snapshot.Schema); err != nil {
		return err
	}
	if l.unknown != nil {
		return l.unknown
	}
	_, err := l.json.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil, errors.As(err, new(*json.SyntaxError)):
		return fmt.Errorf("%w: more text after its end", ErrNotSnapshot)
	}
	return err
}

// explain adds what is wrong with the input. A mistake counts only in a snapshot of this version: until its schema is
// read, the input is of another kind.
func (l *loader) explain(err error, in *counter) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, ErrNotSnapshot):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) && l.cutOff(in):
		return fmt.Errorf("%w: the file ends in the middle (after %d bytes); save it again", ErrNotSnapshot, in.bytes)
	case errors.As(err, &syntax), l.snapshot.Schema == "" && errors.As(err, new(*json.UnmarshalTypeError)):
		return fmt.Errorf("%w: %w", ErrNotSnapshot, err)
	}
	return fmt.Errorf("reading snapshot: %w", err)
}

// cutOff reports whether a mistake is at the very end of the input: a file that was cut off in a text, to which an editor has
// added the end of the line.
func (l *loader) cutOff(in io.Reader) bool {
	if n, err := in.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return false
	}
	rest, err := io.ReadAll(io.LimitReader(l.json.Buffered(), mostOfObject)) // from the value with the mistake
	var syntax *json.SyntaxError
	return err == nil && errors.As(json.Unmarshal(rest, new(json.RawMessage)), &syntax) && syntax.Offset >= int64(len(rest))
}

// mostOfObject limits the text that is looked at again after a mistake.
const mostOfObject = 64 << 20

// object reads an object; field reads the value of each of its fields.
func (l *loader) object(what string, field func(name string) error) error {
	t, err := l.json.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return fmt.Errorf("%w: %s is no object", ErrNotSnapshot, what)
	}
	for l.json.More() {
		name, err := l.json.Token()
		if err != nil {
			return err
		}
		if err := field(fmt.Sprint(name)); err != nil {
			return err
		}
	}
	_, err = l.json.Token()
	return err
}

// field reads one field of the snapshot.
func (l *loader) field(name string) error {
	switch name {
	case "schema":
		if err := l.json.Decode(&l.snapshot.Schema); err != nil {
			return err
		}
		return checkSchema(l.snapshot.Schema)
	case "source":
		return l.json.Decode(&l.snapshot.Source)
	case "vcenters":
		if some, err := l.list(); err != nil || !some {
			l.snapshot.VCenters = nil
			return err
		}
		l.snapshot.VCenters = []*VCenter{}
		return each(l, &l.snapshot.VCenters, l.vcenter)
	}
	if l.unknown == nil {
		l.unknown = fmt.Errorf("json: unknown field %q", name)
	}
	return l.json.Decode(new(json.RawMessage))
}

// vcenter reads one endpoint: the objects of its lists one by one, and the other fields together.
func (l *loader) vcenter() (*VCenter, error) {
	v := new(VCenter)
	rest := bytes.NewBufferString("{")
	err := l.object("an endpoint", func(name string) error {
		switch name {
		case "clusters":
			return objects(l, &v.Clusters)
		case "pools":
			return objects(l, &v.Pools)
		case "hosts":
			return objects(l, &v.Hosts)
		case "vms":
			return objects(l, &v.VMs)
		case "switches":
			return objects(l, &v.Switches)
		case "datastores":
			return objects(l, &v.Datastores)
		}
		return l.keep(rest, name)
	})
	if err != nil {
		return nil, err
	}
	rest.WriteByte('}')
	return v, strictly(rest.Bytes(), v)
}

// keep appends a field to an object.
func (l *loader) keep(object *bytes.Buffer, name string) error {
	var value json.RawMessage
	if err := l.json.Decode(&value); err != nil {
		return err
	}
	key, err := json.Marshal(name)
	if err != nil {
		return err
	}
	if object.Len() > 1 {
		object.WriteByte(',')
	}
	object.Write(key)
	object.WriteByte(':')
	object.Write(value)
	return nil
}

// objects reads a list of objects. It leaves what is not usual to each, with all that follows.
func objects[T any](l *loader, to *[]*T) error {
	if some, err := l.list(); err != nil || !some {
		*to = nil
		return err
	}
	*to = []*T{}
	e := elements{from: io.MultiReader(l.json.Buffered(), l.from)}
	for text, length := e.next(); text != nil; text, length = e.next() {
		x := new(T)
		if p := (parser{text: text, shared: l.shared}); !p.value(x) || !p.ended() {
			x = new(T)
			if strictly(text, x) != nil {
				break
			}
		}
		*to = append(*to, x)
		e.take(length)
	}
	if err := l.proceed(&e); err != nil {
		return err
	}
	return each(l, to, func() (x *T, err error) {
		err = l.json.Decode(&x)
		return x, err
	})
}

// proceed continues with a new decoder for what was not taken. Like the one before, it is inside a list in an object in a list in an
// object: head puts it there.
func (l *loader) proceed(e *elements) error {
	head, depth := `{"":[{"":[`, 6
	if e.taken > 0 {
		head, depth = head+"0", depth+1
	}
	l.start += l.json.InputOffset()
	l.from = io.MultiReader(strings.NewReader(head), e.rest())
	l.json = json.NewDecoder(l.from)
	l.json.DisallowUnknownFields()
	l.start += e.passed - int64(len(head))
	for range depth {
		if _, err := l.json.Token(); err != nil {
			return err
		}
	}
	return nil
}

// list begins a list; it returns false for null, which is a list without elements.
func (l *loader) list() (some bool, err error) {
	t, err := l.json.Token()
	switch {
	case err != nil:
		return false, err
	case t == nil:
		return false, nil
	case t != json.Delim('['):
		return false, fmt.Errorf("%w: after %d bytes there is no list", ErrNotSnapshot, l.start+l.json.InputOffset())
	}
	return true, nil
}

// each reads the rest of a list one element after another.
func each[T any](l *loader, to *[]*T, read func() (*T, error)) error {
	for l.json.More() {
		x, err := read()
		if err != nil {
			return err
		}
		*to = append(*to, x)
	}
	_, err := l.json.Token()
	return err
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
