package inventory

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ValueType is the wire type of a setting. vSphere refuses a write whose type differs from that of the option it
// reports.
type ValueType string

// The wire types of host options and of the other settings.
const (
	TypeBool   ValueType = "bool"
	TypeInt    ValueType = "int"  // 32 bit
	TypeLong   ValueType = "long" // 64 bit; about seven of ten host options
	TypeString ValueType = "string"
)

func (t ValueType) valid() bool {
	return t == TypeBool || t == TypeInt || t == TypeLong || t == TypeString
}

// Value is a setting's value with its wire type: hosts distinguish a long 0 from an int 0.
type Value struct {
	Type ValueType `json:"type"`
	Text string    `json:"text"`
}

// BoolValue is a boolean setting.
func BoolValue(b bool) Value { return Value{TypeBool, strconv.FormatBool(b)} }

// IntValue is a 32-bit integer setting.
func IntValue(n int32) Value { return Value{TypeInt, strconv.FormatInt(int64(n), 10)} }

// LongValue is a 64-bit integer setting.
func LongValue(n int64) Value { return Value{TypeLong, strconv.FormatInt(n, 10)} }

// StringValue is a text setting.
func StringValue(s string) Value { return Value{TypeString, s} }

// Int returns an integer setting of either width.
func (v Value) Int() (int64, bool) {
	if v.Type != TypeInt && v.Type != TypeLong {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	return n, err == nil
}

// Bool returns a boolean setting.
func (v Value) Bool() (value, ok bool) {
	if v.Type != TypeBool {
		return false, false
	}
	b, err := strconv.ParseBool(v.Text)
	return b, err == nil
}

// Native returns the value as Go's bool, int64 or string.
func (v Value) Native() any {
	if n, ok := v.Int(); ok {
		return n
	}
	if b, ok := v.Bool(); ok {
		return b
	}
	return v.Text
}

// String returns the value as text.
func (v Value) String() string { return v.Text }

// UnmarshalJSON reads the full form, or a bare scalar as in a rule's examples: a number is a long.
func (v *Value) UnmarshalJSON(b []byte) error { return fromText(b, v) }

// UnmarshalJSONFrom is UnmarshalJSON in the middle of a text.
func (v *Value) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	switch d.PeekKind() {
	case jsontext.KindTrue, jsontext.KindFalse, jsontext.KindString, jsontext.KindNumber:
		t, err := d.ReadToken()
		if err != nil {
			return err
		}
		*v, err = scalar(t)
		return err
	}
	type plain Value // without this method
	*v = Value{}
	if err := json.UnmarshalDecode(d, (*plain)(v)); err != nil {
		return err
	}
	if !v.Type.valid() {
		return fmt.Errorf("value type %q: want bool, int, long or string", v.Type)
	}
	return nil
}

func scalar(t jsontext.Token) (Value, error) {
	switch t.Kind() {
	case jsontext.KindString:
		return StringValue(t.String()), nil
	case jsontext.KindNumber:
		n, err := strconv.ParseInt(t.String(), 10, 64)
		if err != nil {
			return Value{}, fmt.Errorf("value %s: want a whole number of 64 bits", t)
		}
		return LongValue(n), nil
	}
	return BoolValue(t.Bool()), nil
}
