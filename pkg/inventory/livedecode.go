package inventory

import (
	"slices"
	"unique"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnmarshalJSON reads the output of MarshalJSON.
func (l *Live) UnmarshalJSON(b []byte) error { return fromText(b, l) }

// UnmarshalJSONFrom is UnmarshalJSON in the middle of a text.
func (l *Live) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*l = nil
	if d.PeekKind() != jsontext.KindBeginObject {
		return json.UnmarshalDecode(d, new(map[string]Series)) // null, or a mistake
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	const usual = 32
	names, series := make([]string, 0, usual), make([]Series, 0, usual)
	for d.PeekKind() != jsontext.KindEndObject {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		names, series = append(names, unique.Make(name.String()).Value()), append(series, Series{})
		if err := json.UnmarshalDecode(d, &series[len(series)-1]); err != nil {
			return err
		}
	}
	*l = together(names, slices.Clone(series))
	_, err := d.ReadToken()
	return err
}

// together returns counters whose series are next to each other in memory.
func together(names []string, series []Series) Live {
	l := make(Live, len(names))
	for i, name := range names {
		l[i] = LiveCounter{name, &series[i]}
	}
	l.sort()
	return l
}
