package world

import "reflect"

// Overlay returns have with the fields that are set in sent: in vSphere fields that are not sent keep their values.
func Overlay[T any](have, sent T) T {
	to, from := reflect.ValueOf(&have).Elem(), reflect.ValueOf(sent)
	for i := range from.NumField() {
		if f := from.Field(i); !f.IsZero() {
			to.Field(i).Set(f)
		}
	}
	return have
}

// Deref returns the value of a pointer, or the zero value for nil.
func Deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
