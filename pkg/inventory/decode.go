package inventory

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"unique"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// strict refuses unknown fields. Names have to match exactly, and each name may occur once in an object.
var strict = json.RejectUnknownMembers(true)

// fromText decodes for encoding/json. It makes no difference for a value whether encoding/json is above it or not.
func fromText(b []byte, v json.UnmarshalerFrom) error {
	return plainly(json.Unmarshal(b, v, strict))
}

// UnmarshalJSON reads the output of MarshalJSON. It refuses null, which would be a fourth state.
func (f *Fact[T]) UnmarshalJSON(b []byte) error { return fromText(b, f) }

// UnmarshalJSONFrom is UnmarshalJSON in the middle of a text, which is read only once.
func (f *Fact[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var read Fact[T]
	var err error
	if read.status, err = factFrom(d, &read.value); err == nil {
		*f = read
	}
	return err
}

// factFrom decodes a fact; value points to the place of a known one.
func factFrom(d *jsontext.Decoder, value any) (*status, error) {
	switch d.PeekKind() {
	case jsontext.KindNull:
		return nil, fmt.Errorf("null is not a fact: write the value, {%q: true} or {%q: \"reason\"}", wireAbsent, wireUnread)
	case jsontext.KindBeginObject:
		object, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if s := missingFrom(object); s != nil {
			return s, nil
		}
		return isKnown, within(d, json.Unmarshal(object, value, d.Options()))
	}
	return isKnown, json.UnmarshalDecode(d, value)
}

// missingFrom decodes an absent or unread fact. For all other objects it returns nil.
func missingFrom(object jsontext.Value) *status {
	if !bytes.HasPrefix(bytes.TrimLeft(object[1:], " \t\r\n"), []byte(`"$`)) {
		return nil
	}
	var w struct {
		Absent bool    `json:"$absent"`
		Unread *string `json:"$unread"`
	}
	switch err := json.Unmarshal(object, &w, strict); {
	case err != nil:
		return nil
	case w.Absent:
		return isAbsent
	case w.Unread != nil:
		return &status{reason: unique.Make(*w.Unread).Value()}
	}
	return nil
}

// within adds the place of the value that d has just read to a mistake in this value.
func within(d *jsontext.Decoder, err error) error {
	if mistake, ok := errors.AsType[*json.SemanticError](err); ok {
		mistake.JSONPointer = d.StackPointer() + mistake.JSONPointer
	}
	return err
}

// plainly describes a mistake in JSON: where it is, and what. The library's own text names types of Go.
func plainly(err error) error {
	mistake, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	place, what := mistake.JSONPointer, mistake.Err
	switch {
	case errors.Is(mistake, json.ErrUnknownName):
		what = fmt.Errorf("unknown field %q", place.LastToken())
		place = place.Parent()
	case mistake.JSONValue != nil:
		what = fmt.Errorf("%s is not %s", mistake.JSONValue, wanted(mistake.GoType))
	case what == nil && mistake.JSONKind != jsontext.KindInvalid:
		what = fmt.Errorf("have %s, want %s", have(mistake.JSONKind), wanted(mistake.GoType))
	case what == nil:
		what = fmt.Errorf("want %s", wanted(mistake.GoType))
	}
	if place == "" {
		return what
	}
	return fmt.Errorf("%s: %w", place, what)
}

// have describes JSON by its kind.
func have(k jsontext.Kind) string {
	switch k {
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "a list"
	}
	return k.String()
}

// wanted describes the JSON of a type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}
