package world

import "reflect"

// Overlay is a struct with those fields of another that were sent: in vSphere what a spec leaves out stays as it is.
func Overlay[T any](have, sent T) T {
	to, from := reflect.ValueOf(&have).Elem(), reflect.ValueOf(sent)
	for i := range from.NumField() {
		if f := from.Field(i); !f.IsZero() {
			to.Field(i).Set(f)
		}
	}
	return have
}

// Deref is what a pointer points at, or the zero value.
func Deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
