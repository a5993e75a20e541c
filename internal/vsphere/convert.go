package vsphere

import (
	"reflect"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// asText reads strings and enumerations, which are strings of their own type.
func asText(v any) (string, bool) {
	if s, ok := v.(string); ok {
		return s, true
	}
	r := reflect.ValueOf(v)
	return r.String(), r.Kind() == reflect.String
}

func asBool(v any) (b, ok bool) {
	b, ok = v.(bool)
	return b, ok
}

func asInt(v any) (int64, bool) {
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

// asIs reads a data object, which arrives as a value over the wire and as a pointer from some servers' stand-ins.
func asIs[T any](v any) (T, bool) {
	if p, ok := v.(*T); ok && p != nil {
		return *p, true
	}
	t, ok := v.(T)
	return t, ok
}

// isA reports a value of a family of data objects, as asIs reads one of them.
func isA[Base any](v any) bool {
	t := reflect.TypeOf(v)
	return t != nil && (t.Implements(reflect.TypeFor[Base]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[Base]()))
}

func asInts(v any) ([]int64, bool) {
	list, ok := asIs[types.ArrayOfInt](v)
	all := make([]int64, len(list.Int))
	for i, n := range list.Int {
		all[i] = int64(n)
	}
	return all, ok
}

func asID(v any) (string, bool) {
	ref, ok := asIs[types.ManagedObjectReference](v)
	return ref.Value, ok
}

func asIDs(v any) ([]string, bool) {
	list, ok := asIs[types.ArrayOfManagedObjectReference](v)
	all := make([]string, len(list.ManagedObjectReference))
	for i, r := range list.ManagedObjectReference {
		all[i] = r.Value
	}
	return all, ok
}

// asCount counts the objects of a list.
func asCount(v any) (int64, bool) {
	list, ok := asIs[types.ArrayOfManagedObjectReference](v)
	return int64(len(list.ManagedObjectReference)), ok
}

// asMB takes bytes.
func asMB(v any) (int64, bool) {
	n, ok := asInt(v)
	return n >> 20, ok
}

// stated is a value that the server may leave out; what is the rest of "the server does not say …".
func stated[T any](v *T, what string) inventory.Fact[T] {
	if v == nil {
		return inventory.Unread[T]("the server does not say " + what)
	}
	return inventory.Known(*v)
}

// statedWord is stated of a word, which is empty where it was left out.
func statedWord[W ~string](w W, what string) inventory.Fact[string] {
	if w == "" {
		return inventory.Unread[string]("the server does not say " + what)
	}
	return inventory.Known(string(w))
}
