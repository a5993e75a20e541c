package guard

import (
	"path"
	"reflect"
	"strings"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// managedObject returns the object of package mo in one of the simulator's objects, which embed it as their first field.
func managedObject(object mo.Reference) (v reflect.Value, ok bool) {
	if wrapped, is := object.(interface{ Get() mo.Reference }); is {
		object = wrapped.Get()
	}
	v = reflect.Indirect(reflect.ValueOf(object))
	for v.Kind() == reflect.Struct {
		if path.Base(v.Type().PkgPath()) == "mo" {
			return v, true
		}
		if v.NumField() == 0 {
			break
		}
		v = reflect.Indirect(v.Field(0))
	}
	return v, false
}

// isA reports whether an object is of a type or, as a cluster is a ComputeResource, extends it.
func isA(object reflect.Value, ref types.ManagedObjectReference, kind string) bool {
	if kind == ref.Type || kind == object.Type().Name() {
		return true
	}
	f, ok := object.Type().FieldByName(kind)
	return ok && f.Anonymous
}

// propertyValue returns a copy of the property at a path such as config.hardware.numCPU, or nil for an unset one. It does not find
// paths with keys, below lists, or unknown ones.
func propertyValue(v reflect.Value, at string) (value any, found bool) {
	for name := range strings.SplitSeq(at, ".") {
		if v.Kind() == reflect.Interface && !v.IsNil() {
			v = v.Elem()
		}
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			return nil, true
		}
		if v.Kind() != reflect.Struct || name == "" {
			return nil, false
		}
		if v = v.FieldByName(strings.ToUpper(name[:1]) + name[1:]); !v.IsValid() {
			return nil, false
		}
		if v.Kind() == reflect.Pointer && v.IsNil() || v.Kind() == reflect.String && v.Len() == 0 {
			return nil, true
		}
	}
	return copied(reflect.Indirect(v))
}

// copied returns a copy of a value in the type that it has in an answer: of lists, that is ArrayOf…. It does not find a list without
// such a type.
func copied(v reflect.Value) (value any, found bool) {
	c := clone(v)
	if v.Kind() == reflect.Interface && v.IsNil() {
		return nil, true
	}
	if v.Kind() != reflect.Slice {
		return c.Interface(), true
	}
	switch list := c.Interface().(type) {
	case []string:
		return &types.ArrayOfString{String: list}, true
	case []uint8:
		return &types.ArrayOfByte{Byte: list}, true
	case types.ByteSlice:
		return &types.ArrayOfByte{Byte: list}, true
	case []int16:
		return &types.ArrayOfShort{Short: list}, true
	case []int32:
		return &types.ArrayOfInt{Int: list}, true
	case []int64:
		return &types.ArrayOfLong{Long: list}, true
	}
	kind := strings.TrimPrefix(v.Type().Elem().Name(), "Base")
	array, found := types.TypeFunc()("ArrayOf" + kind)
	if !found {
		return nil, false
	}
	out := reflect.New(array)
	out.Elem().FieldByName(kind).Set(c)
	return out.Interface(), true
}
