package wire

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"
)

// plan defines how values of a type are decoded; there is one plan per type.
type plan struct {
	id     int // from 0 in the order of creation
	typ    reflect.Type
	ptr    reflect.Type // *typ
	kind   kind
	elem   *plan   // of pointers and lists
	fields []field // of structs, by element
	attrs  []field // of structs, by attribute
	text   *field  // of structs, for the element's own text
	lists  []field // of structs, those of fields that are lists
}

// field is a field of a struct or of an embedded struct.
type field struct {
	name  string
	index []int
	plan  *plan
}

type kind int

const (
	unfamiliar kind = iota
	text            // strings and enumerations
	boolean
	integer
	unsigned
	float
	moment  // time.Time
	octets  // one byte per element
	blob    // []byte, unencoded
	pointer // allocated if the element occurs
	list    // one value per element
	record
	dynamic // an interface: the element names its type
)

var plans = struct {
	sync.Mutex
	of map[reflect.Type]*plan
}{of: map[reflect.Type]*plan{}}

func planOf(typ reflect.Type) *plan {
	plans.Lock()
	defer plans.Unlock()
	return build(typ)
}

var (
	typeMoment      = reflect.TypeFor[time.Time]()
	typeOctets      = reflect.TypeFor[types.ByteSlice]()
	unmarshaler     = reflect.TypeFor[xml.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[interface{ UnmarshalText([]byte) error }]()
)

// build creates the plan of a type and of all types in it. Types can be recursive, so a plan is registered before it is complete.
func build(typ reflect.Type) *plan {
	if p, ok := plans.of[typ]; ok {
		return p
	}
	p := &plan{id: len(plans.of), typ: typ, ptr: reflect.PointerTo(typ)}
	plans.of[typ] = p
	switch {
	case typ == typeMoment:
		p.kind = moment
	case typ == typeOctets:
		p.kind = octets
	case typ.Kind() == reflect.Pointer:
		p.kind, p.elem = pointer, build(typ.Elem())
	case typ.Kind() == reflect.Interface:
		p.kind = dynamic
	case p.ptr.Implements(unmarshaler), p.ptr.Implements(textUnmarshaler):
	case typ.Kind() == reflect.Struct:
		if p.addFields(typ, nil) {
			p.kind = record
		}
		for _, f := range p.fields {
			if f.plan.typ.Kind() == reflect.Slice {
				p.lists = append(p.lists, f)
			}
		}
	case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Uint8:
		p.kind = blob
	case typ.Kind() == reflect.Slice:
		p.kind, p.elem = list, build(typ.Elem())
	default:
		p.kind = scalars[typ.Kind()]
	}
	return p
}

var scalars = map[reflect.Kind]kind{
	reflect.String: text, reflect.Bool: boolean,
	reflect.Int: integer, reflect.Int8: integer, reflect.Int16: integer, reflect.Int32: integer, reflect.Int64: integer,
	reflect.Uint: unsigned, reflect.Uint8: unsigned, reflect.Uint16: unsigned, reflect.Uint32: unsigned, reflect.Uint64: unsigned,
	reflect.Float32: float, reflect.Float64: float,
}

// addFields reports whether it understood all fields of typ, which is embedded at the index.
func (p *plan) addFields(typ reflect.Type, index []int) bool {
	for i := range typ.NumField() {
		f := typ.Field(i)
		at := append(slices.Clone(index), i)
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			if !p.addFields(f.Type, at) {
				return false
			}
		case f.Anonymous || f.Name == "XMLName":
			return false
		case f.IsExported() && f.Tag.Get("xml") != "-":
			if !p.addField(f, at) {
				return false
			}
		}
	}
	return p.text == nil || len(p.fields) == 0
}

func (p *plan) addField(f reflect.StructField, index []int) bool {
	name, flags, _ := strings.Cut(f.Tag.Get("xml"), ",")
	if strings.ContainsAny(name, " >") {
		return false
	}
	into := field{name: name, index: index, plan: build(f.Type)}
	if name == "" {
		into.name = f.Name
	}
	switch flags {
	case "", "omitempty", "typeattr", "omitempty,typeattr":
		return add(&p.fields, into)
	case "attr", "attr,omitempty":
		return f.Type.Kind() == reflect.String && into.plan.kind == text && add(&p.attrs, into)
	case "chardata":
		p.text = &into
		return into.plan.kind == text
	}
	return false
}

// add keeps, of two fields with the same name, the less deeply embedded one, as Go does. Two of the same depth are unfamiliar.
func add(fields *[]field, f field) bool {
	i := slices.IndexFunc(*fields, func(old field) bool { return old.name == f.name })
	switch {
	case i < 0:
		*fields = append(*fields, f)
	case len((*fields)[i].index) == len(f.index):
		return false
	case len((*fields)[i].index) > len(f.index):
		(*fields)[i] = f
	}
	return true
}

// find returns the field of an element. Elements come in the order of the fields, so the search starts at the previous one.
func (p *plan) find(name []byte, from int) int {
	for i := from; i < len(p.fields); i++ {
		if p.fields[i].name == string(name) {
			return i
		}
	}
	for i := range min(from, len(p.fields)) {
		if p.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}
