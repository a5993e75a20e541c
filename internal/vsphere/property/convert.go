package property

import (
	"reflect"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// Text decodes strings and enumerations, which are strings of their own type, for Read.
func Text(v any) (string, bool) {
	if s, ok := v.(string); ok {
		return s, true
	}
	r := reflect.ValueOf(v)
	return r.String(), r.Kind() == reflect.String
}

// Bool decodes a boolean property, for Read.
func Bool(v any) (b, ok bool) {
	b, ok = v.(bool)
	return b, ok
}

// Int decodes a signed integer property of any size, for Read.
func Int(v any) (int64, bool) {
	switch n := v.(type) {
	case int8:
		return int64(n), true
	case int16:
		return int64(n), true
	case int32:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// As decodes a data object, for Read. It arrives as a value over the wire and as a pointer from some simulators.
func As[T any](v any) (T, bool) {
	if p, ok := v.(*T); ok && p != nil {
		return *p, true
	}
	t, ok := v.(T)
	return t, ok
}

// IsA reports whether a value is a data object of type Base or derived from it.
func IsA[Base any](v any) bool {
	t := reflect.TypeOf(v)
	return t != nil && (t.Implements(reflect.TypeFor[Base]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[Base]()))
}

// Ints decodes a list of integers, for Read.
func Ints(v any) ([]int64, bool) {
	list, ok := As[types.ArrayOfInt](v)
	all := make([]int64, len(list.Int))
	for i, n := range list.Int {
		all[i] = int64(n)
	}
	return all, ok
}

// ID decodes a reference to an object and returns the object's id, such as host-12, for Read.
func ID(v any) (string, bool) {
	ref, ok := As[types.ManagedObjectReference](v)
	return ref.Value, ok
}

// IDs decodes a list of references to objects and returns the objects' ids, for Read.
func IDs(v any) ([]string, bool) {
	list, ok := As[types.ArrayOfManagedObjectReference](v)
	all := make([]string, len(list.ManagedObjectReference))
	for i, r := range list.ManagedObjectReference {
		all[i] = r.Value
	}
	return all, ok
}

// Count returns the length of a list of objects, for Read.
func Count(v any) (int64, bool) {
	list, ok := As[types.ArrayOfManagedObjectReference](v)
	return int64(len(list.ManagedObjectReference)), ok
}

// MB converts bytes to MB, for Read.
func MB(v any) (int64, bool) {
	n, ok := Int(v)
	return n >> 20, ok
}

// Reported returns a value that the server may omit; what completes the reason "the server does not report …".
func Reported[T any](v *T, what string) inventory.Fact[T] {
	if v == nil {
		return inventory.Unread[T]("the server does not report " + what)
	}
	return inventory.Known(*v)
}

// ReportedText is Reported for a word, which is empty if it was omitted.
func ReportedText[W ~string](w W, what string) inventory.Fact[string] {
	if w == "" {
		return inventory.Unread[string]("the server does not report " + what)
	}
	return inventory.Known(string(w))
}
