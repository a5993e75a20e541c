package inventory

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// shape is a type as JSON.
type shape struct {
	itself bool          // it decodes itself, or needs the rules of encoding/json for names
	empty  reflect.Value // of a list: the zero value of its elements
	// Of a struct: the fields, with those of embedded structs, in the order in which they are written.
	fields []shapeField
	byName map[string]int
}

type shapeField struct {
	name  string
	index []int
}

// mostFields limits the fields of a struct that the parser decodes.
const mostFields = 128

var shapes sync.Map // *shape by type

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{byName: map[string]int{}}
	s.itself = !s.describe(t)
	shapes.Store(t, s)
	return s
}

func (s *shape) describe(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return s.add(t, nil) && len(s.fields) <= mostFields
	case reflect.Slice:
		s.empty = reflect.Zero(t.Elem())
	case reflect.Map:
		return !decodesItself(t) && t.Key() == reflect.TypeFor[string]()
	}
	return !decodesItself(t)
}

func decodesItself(t reflect.Type) bool {
	t = reflect.PointerTo(t)
	return t.Implements(reflect.TypeFor[json.Unmarshaler]()) || t.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// add adds the fields of a struct at an index. It returns false for what needs the rules of encoding/json for names.
func (s *shape) add(t reflect.Type, at []int) bool {
	if t.Kind() != reflect.Struct || decodesItself(t) {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		index := slices.Concat(at, []int{i})
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Tag.Get("json") == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			if !s.add(f.Type, index) {
				return false
			}
		default:
			if _, twice := s.byName[name]; twice || name == "" {
				return false
			}
			s.byName[name] = len(s.fields)
			s.fields = append(s.fields, shapeField{name, index})
		}
	}
	return true
}

// find returns the number of a field; next is a guess.
func (s *shape) find(name string, next int) (int, bool) {
	if next < len(s.fields) && s.fields[next].name == name {
		return next, true
	}
	i, ok := s.byName[name]
	return i, ok
}
