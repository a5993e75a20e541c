package simfleet

import "reflect"

// overlay is a struct with those fields of another that were sent: in vSphere what a spec leaves out stays as it is.
func overlay[T any](have, sent T) T {
	to, from := reflect.ValueOf(&have).Elem(), reflect.ValueOf(sent)
	for i := range from.NumField() {
		if f := from.Field(i); !f.IsZero() {
			to.Field(i).Set(f)
		}
	}
	return have
}
