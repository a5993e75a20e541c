package expr

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"github.com/vperf/vperf/pkg/inventory"
)

// ErrAbsent marks a fact that the release or device does not have; a rule that reads it is not applicable.
var ErrAbsent = errors.New("does not exist here")

// absentError is the error for an absent fact. It is written out only where it is shown: a fleet has many.
type absentError struct {
	fact string
	of   any
}

// Error names the fact and its object.
func (e absentError) Error() string { return e.fact + " of " + labelOf(e.of) + " " + ErrAbsent.Error() }

// Is makes errors.Is match ErrAbsent.
func (absentError) Is(target error) bool { return target == ErrAbsent }

// FactTypes are the structs whose fields expressions can read.
var FactTypes = []reflect.Type{
	reflect.TypeFor[inventory.VCenter](), reflect.TypeFor[inventory.Cluster](), reflect.TypeFor[inventory.Pool](),
	reflect.TypeFor[inventory.Host](), reflect.TypeFor[inventory.PNIC](), reflect.TypeFor[inventory.NUMANode](),
	reflect.TypeFor[inventory.VMKNIC](), reflect.TypeFor[inventory.Switch](), reflect.TypeFor[inventory.VDisk](),
	reflect.TypeFor[inventory.VM](), reflect.TypeFor[inventory.VNIC](), reflect.TypeFor[inventory.SnapshotPoint](),
	reflect.TypeFor[inventory.Version](), reflect.TypeFor[inventory.LUN](), reflect.TypeFor[inventory.HBA](),
	reflect.TypeFor[inventory.Datastore](), reflect.TypeFor[inventory.Portgroup](), reflect.TypeFor[inventory.TrafficClass](),
	reflect.TypeFor[inventory.DiskGroup](), reflect.TypeFor[inventory.PCIDevice](), reflect.TypeFor[inventory.StatsInterval](),
	reflect.TypeFor[inventory.ContentLibrary](), reflect.TypeFor[inventory.MemoryTier](), reflect.TypeFor[inventory.GraphicsDevice](), reflect.TypeFor[inventory.Sensor](), reflect.TypeFor[inventory.Series](),
}

// nativeTypes makes pointers to fact structs valid CEL values.
func nativeTypes() cel.EnvOption {
	args := []any{ext.ParseStructTag("json")}
	for _, t := range FactTypes {
		args = append(args, t)
	}
	return ext.NativeTypes(args...)
}

// field is one field of a fact struct in expressions.
type field struct {
	name string
	cel  *types.FieldType
}

// provider gives expressions the fields of fact structs. A Fact[T] has the type of T; reading it yields the value, a
// CEL unknown that names the fact, or an error for an absent fact. Fields without a CEL type are hidden.
type provider struct {
	types.Provider
	fields map[string][]field // by CEL type name
}

func factProvider(e *cel.Env) (*cel.Env, error) {
	p := &provider{e.CELTypeProvider(), map[string][]field{}}
	for _, t := range FactTypes {
		for _, sf := range reflect.VisibleFields(t) {
			if f, ok := newField(t, sf); ok {
				p.fields[t.String()] = append(p.fields[t.String()], f)
			}
		}
	}
	return cel.CustomTypeProvider(p)(e)
}

// FindStructFieldNames lists a fact struct's fields.
func (p *provider) FindStructFieldNames(typeName string) ([]string, bool) {
	fields, ok := p.fields[typeName]
	if !ok {
		return p.Provider.FindStructFieldNames(typeName)
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names, true
}

// FindStructFieldType finds one field of a fact struct.
func (p *provider) FindStructFieldType(typeName, name string) (*types.FieldType, bool) {
	fields, ok := p.fields[typeName]
	if !ok {
		return p.Provider.FindStructFieldType(typeName, name)
	}
	for _, f := range fields {
		if f.name == name {
			return f.cel, true
		}
	}
	return nil, false
}

// hiddenFields are about the reading of an object, not its state: rules must not use them.
var hiddenFields = map[string]bool{"unread": true, "noTime": true}

func newField(t reflect.Type, sf reflect.StructField) (field, bool) {
	name := FieldName(sf)
	if name == "" || hiddenFields[name] || !sf.IsExported() || sf.Anonymous {
		return field{}, false
	}
	inner, isFact := FactValue(sf.Type)
	ct, ok := celType(inner)
	if !ok {
		return field{}, false
	}
	read := func(v reflect.Value) (any, error) {
		f := v.FieldByIndex(sf.Index)
		if why := lostList(v, f); why != "" {
			return Unread(v.Addr().Interface(), t.Name()+"."+name, why), nil
		}
		if !isFact {
			if at, is := reflect.TypeAssert[time.Time](f); is && at.IsZero() {
				return Unread(v.Addr().Interface(), t.Name()+"."+name, "the time could not be read"), nil
			}
			return f.Interface(), nil
		}
		return readFact(v.Addr().Interface(), t.Name()+"."+name, f.Addr().Interface().(inventory.Reader))
	}
	return field{name, &types.FieldType{
		Type:  ct,
		IsSet: func(any) bool { return true }, // has() is not in the environment
		GetFrom: func(obj any) (any, error) {
			if u, ok := obj.(*types.Unknown); ok {
				return u, nil
			}
			return read(reflect.Indirect(reflect.ValueOf(obj)))
		},
	}}, true
}

// lostList returns why nobody knows that an empty list of an endpoint is empty: some list of it could not be read; otherwise "".
func lostList(o, field reflect.Value) string {
	v, is := reflect.TypeAssert[*inventory.VCenter](o.Addr())
	if !is || field.Kind() != reflect.Slice || field.Len() > 0 {
		return ""
	}
	return v.Unread
}

// FieldName returns the name of a struct's field in expressions, or "".
func FieldName(sf reflect.StructField) string {
	tag := sf.Tag.Get("cel")
	if tag == "" {
		tag = sf.Tag.Get("json")
	}
	name, _, _ := strings.Cut(tag, ",")
	if name == "-" {
		return ""
	}
	return name
}

// FactReader is the interface that all facts implement.
var FactReader = reflect.TypeFor[inventory.Reader]()

// FactValue returns T for a Fact[T], and the type itself for any other type.
func FactValue(t reflect.Type) (inner reflect.Type, isFact bool) {
	if !reflect.PointerTo(t).Implements(FactReader) {
		return t, false
	}
	return reflect.New(t).Interface().(inventory.Reader).ValueType(), true
}

// readFact converts a fact to a CEL value, unknown or error.
func readFact(obj any, name string, r inventory.Reader) (any, error) {
	v, state, reason := r.Raw()
	switch state {
	case inventory.StateKnown:
		return v, nil
	case inventory.StateAbsent:
		return nil, absentError{name, obj}
	}
	return Unread(obj, name, reason), nil
}

func celType(t reflect.Type) (*cel.Type, bool) {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return cel.DurationType, true
	case reflect.TypeFor[time.Time]():
		return cel.TimestampType, true
	}
	switch t.Kind() {
	case reflect.Pointer:
		return celType(t.Elem())
	case reflect.Slice:
		elem, ok := celType(t.Elem())
		return cel.ListType(elem), ok
	case reflect.Struct:
		if slices.Contains(FactTypes, t) {
			return cel.ObjectType(t.String()), true
		}
	case reflect.Bool:
		return cel.BoolType, true
	case reflect.String:
		return cel.StringType, true
	case reflect.Int, reflect.Int32, reflect.Int64:
		return cel.IntType, true
	case reflect.Float64:
		return cel.DoubleType, true
	}
	return nil, false
}
