package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Option is one advanced option as its host reports it.
type Option struct {
	Value Value `json:"value" role:"setting"`
	// Default, Min and Max come from the host's own definition; nil if it has none.
	Default *Value `json:"default,omitempty" role:"platform"`
	Min     *int64 `json:"min,omitempty" role:"platform"`
	Max     *int64 `json:"max,omitempty" role:"platform"`
}

// parse decodes the full form.
func (o *Option) parse(p *parser) bool {
	type plain Option // without this method
	return p.value((*plain)(o)) && o.Value.Type != ""
}

// UnmarshalJSON reads the full form, or the bare value as in a rule's examples.
func (o *Option) UnmarshalJSON(b []byte) error {
	type plain Option // without this method
	if b[0] == '{' {
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode((*plain)(o)); err != nil {
			return err
		}
		if o.Value.Type == "" { // a host never reports one, and Load could not read it again
			return errors.New("an option has no value")
		}
		return nil
	}
	*o = Option{}
	return json.Unmarshal(b, &o.Value)
}

// IsDefault reports whether the option has the default its host reports; known is false if it reports none.
func (o Option) IsDefault() (yes, known bool) {
	if o.Default == nil {
		return false, false
	}
	return o.Value.Text == o.Default.Text, true
}
