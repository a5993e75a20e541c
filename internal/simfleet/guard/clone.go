package guard

import (
	"reflect"
	"sync"
	"time"
)

// clone returns a deep copy of a value of the vSphere API. The simulator copies by encoding and decoding XML, which would take
// half of its time.
func clone(v reflect.Value) reflect.Value {
	s := shapeOf(v.Type())
	if s.flat {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	s.separate(out)
	return out
}

// shape is what clone knows of a type.
type shape struct {
	flat bool  // a copy of a value shares nothing with it
	deep []int // fields of a struct that are not flat
}

// separate replaces all that v shares with the value that it was copied from.
func (s *shape) separate(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			to := reflect.New(v.Type().Elem())
			to.Elem().Set(clone(v.Elem()))
			v.Set(to)
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(clone(v.Elem()))
		}
	case reflect.Slice:
		separateItems(v)
	case reflect.Struct:
		for _, i := range s.deep {
			f := v.Field(i)
			shapeOf(f.Type()).separate(f)
		}
	}
}

func separateItems(v reflect.Value) {
	if v.IsNil() {
		return
	}
	own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(own, v)
	if s := shapeOf(v.Type().Elem()); !s.flat {
		for i := range own.Len() {
			s.separate(own.Index(i))
		}
	}
	v.Set(own)
}

// shapes keeps shapes by type.
var shapes sync.Map

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := &shape{}
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice:
	case reflect.Struct:
		s.deep = deepFields(t)
		s.flat = len(s.deep) == 0
	default: // the API has no maps
		s.flat = true
	}
	shapes.Store(t, s)
	return s
}

func deepFields(t reflect.Type) (deep []int) {
	if t == reflect.TypeFor[time.Time]() {
		return nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && !shapeOf(f.Type).flat {
			deep = append(deep, i)
		}
	}
	return deep
}
