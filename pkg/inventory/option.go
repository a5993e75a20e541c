package inventory

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Option is one advanced option as its host reports it.
type Option struct {
	Value Value `json:"value" role:"setting"`
	// Default, Min and Max come from the host's own definition; nil if it has none.
	Default *Value `json:"default,omitempty" role:"platform"`
	Min     *int64 `json:"min,omitempty" role:"platform"`
	Max     *int64 `json:"max,omitempty" role:"platform"`
	// Unread is why the value could not be read; "" means that it was.
	Unread string `json:"unread,omitempty" role:"derived"`
}

// UnmarshalJSON reads the full form, or the bare value as in a rule's examples.
func (o *Option) UnmarshalJSON(b []byte) error { return fromText(b, o) }

// UnmarshalJSONFrom is UnmarshalJSON in the middle of a text.
func (o *Option) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*o = Option{}
	if d.PeekKind() != jsontext.KindBeginObject {
		return json.UnmarshalDecode(d, &o.Value)
	}
	type plain Option // without this method
	if err := json.UnmarshalDecode(d, (*plain)(o)); err != nil {
		return err
	}
	if o.Value.Type == "" && o.Unread == "" { // a host never reports one, and Load could not read it again
		return errors.New("an option has no value")
	}
	return nil
}

// IsDefault reports whether the option has the default its host reports; known is false if it reports none.
func (o Option) IsDefault() (yes, known bool) {
	if o.Default == nil || o.Unread != "" {
		return false, false
	}
	return o.Value.Text == o.Default.Text, true
}
