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
	l := loader{json: json.NewDecoder(in), snapshot: new(Snapshot), shared: newSharedValues()}
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
	json     *json.Decoder
	snapshot *Snapshot
	unknown  error // the first unknown field
	text     json.RawMessage
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
			return each(l, &v.Clusters, one[Cluster](l))
		case "pools":
			return each(l, &v.Pools, one[Pool](l))
		case "hosts":
			return each(l, &v.Hosts, one[Host](l))
		case "vms":
			return each(l, &v.VMs, one[VM](l))
		case "switches":
			return each(l, &v.Switches, one[Switch](l))
		case "datastores":
			return each(l, &v.Datastores, one[Datastore](l))
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

// one reads an object as a whole.
func one[T any](l *loader) func() (*T, error) {
	return func() (*T, error) {
		if err := l.json.Decode(&l.text); err != nil {
			return nil, err
		}
		x := new(T)
		p := parser{text: l.text, shared: l.shared}
		if p.value(x) && p.ended() {
			return x, nil
		}
		x = nil
		err := strictly(l.text, &x)
		return x, err
	}
}

// each reads a list one element after another.
func each[T any](l *loader, to *[]*T, read func() (*T, error)) error {
	t, err := l.json.Token()
	switch {
	case err != nil:
		return err
	case t == nil: // null is a list without elements
		*to = nil
		return nil
	case t != json.Delim('['):
		return fmt.Errorf("%w: after %d bytes there is no list", ErrNotSnapshot, l.json.InputOffset())
	}
	*to = []*T{}
	for l.json.More() {
		x, err := read()
		if err != nil {
			return err
		}
		*to = append(*to, x)
	}
	_, err = l.json.Token()
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
