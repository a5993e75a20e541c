package wire

import (
	"hash/maphash"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// decoder decodes documents one after the other. Its results never refer to the document's memory.
type decoder struct {
	scanner
	depth   int
	types   map[string]*plan // by xsi:type
	strings [1024]string     // recently seen
	lengths []int            // of the last lists, by the ids of their plans
	texts   arena            // values of samples
	room    *Room            // for the series of samples

	tolerant  bool         // damaged values do not end decoding
	damage    *DamageError // in the element that is decoded
	damagedAt int          // where it ends in the document
}

// value decodes the element that starts with t.
func (d *decoder) value(p *plan, v reflect.Value, t tag) error {
	if d.depth == maxDepth {
		return ErrUnfamiliar
	}
	d.depth++
	before := d.damage
	d.damage = nil
	err := d.known(p, v, t)
	if before != nil { // the first one is reported
		d.damage = before
	}
	d.depth--
	return err
}

func (d *decoder) known(p *plan, v reflect.Value, t tag) error {
	switch p.kind {
	case record:
		return d.record(p, v, t)
	case pointer:
		if v.IsNil() {
			v.Set(reflect.New(p.elem.typ))
		}
		return d.value(p.elem, v.Elem(), t)
	case list:
		n := v.Len()
		v.Grow(d.elements(p, n))
		v.SetLen(n + 1)
		err := d.value(p.elem, v.Index(n), t)
		if d.damage != nil && droppable[p.elem.typ] {
			d.damage = nil
			v.SetLen(n)
		}
		if d.damage != nil {
			d.damage.Member = "[" + strconv.Itoa(n) + "]" + d.damage.Member
		}
		return err
	case dynamic:
		err := d.dynamic(v, t)
		if d.damage != nil && v.NumMethod() == 0 {
			d.replaceValue(v)
		}
		return err
	case unfamiliar:
		return ErrUnfamiliar
	}
	text, err := d.leaf(t)
	if err != nil {
		return err
	}
	err = d.scalar(p, v, text)
	switch {
	case d.tolerant && err != nil:
		d.repaired(p, v, text)
		return nil //nolint:nilerr // repaired records the damage
	case d.tolerant:
		d.checkText(p, t.local, text)
	}
	return err
}

func (d *decoder) scalar(p *plan, v reflect.Value, s []byte) error {
	switch p.kind {
	case text:
		v.SetString(d.string(s))
		return nil
	case boolean:
		b, ok := truth(s)
		v.SetBool(b)
		return familiar(ok)
	case integer:
		n, ok := whole(s, p.typ.Bits())
		v.SetInt(n)
		return familiar(ok)
	case unsigned:
		n, ok := natural(s, p.typ.Bits())
		v.SetUint(n)
		return familiar(ok)
	case float:
		f, err := strconv.ParseFloat(string(s), p.typ.Bits())
		v.SetFloat(f)
		return familiar(err == nil)
	case moment:
		return familiar(v.Addr().Interface().(*time.Time).UnmarshalText(s) == nil)
	case octets:
		return addOctet(v.Addr().Interface().(*types.ByteSlice), s)
	case blob:
		v.SetBytes(append([]byte{}, s...))
		return nil
	}
	return ErrUnfamiliar
}

func familiar(ok bool) error {
	if ok {
		return nil
	}
	return ErrUnfamiliar
}

func truth(s []byte) (value, ok bool) {
	switch string(s) {
	case "true", "1":
		return true, true
	case "false", "0", "":
		return false, true
	}
	return false, false
}

// whole parses a signed number with the given number of bits; empty text is 0.
func whole(s []byte, bits int) (int64, bool) {
	if len(s) == 0 {
		return 0, true
	}
	n, err := strconv.ParseInt(string(s), 10, bits)
	return n, err == nil
}

// natural parses an unsigned number with the given number of bits; some servers send a negative number, which is converted by its
// bits.
func natural(s []byte, bits int) (uint64, bool) {
	if len(s) == 0 || s[0] == '-' {
		n, ok := whole(s, bits)
		return uint64(n), ok
	}
	n, err := strconv.ParseUint(string(s), 10, bits)
	return n, err == nil
}

// addOctet accepts signed bytes, as servers write them, and unsigned ones.
func addOctet(to *types.ByteSlice, s []byte) error {
	if len(s) == 0 {
		return nil
	}
	n, ok := whole(s, 16)
	if !ok || n > math.MaxUint8 {
		return ErrUnfamiliar
	}
	*to = append(*to, byte(n))
	return nil
}

func (d *decoder) record(p *plan, v reflect.Value, t tag) error {
	for i := range p.attrs {
		for _, a := range d.attrs {
			if string(a.local) == p.attrs[i].name && !a.isType() {
				v.FieldByIndex(p.attrs[i].index).SetString(d.string(a.value))
			}
		}
	}
	if p.text != nil {
		text, err := d.leaf(t)
		if err == nil {
			v.FieldByIndex(p.text.index).SetString(d.string(text))
			if d.tolerant && string(t.local) != objectOfPage {
				d.checkText(p.text.plan, t.local, text)
			}
		}
		return err
	}
	for at := 0; ; {
		c, more, err := d.child(t)
		if err != nil {
			return err
		}
		if !more {
			d.remember(p, v)
			if d.damage != nil {
				d.assignDamage(p, v)
			}
			return nil
		}
		if i := p.find(c.local, at); i < 0 {
			err = d.skip(c, d.depth)
		} else {
			at = i
			before := d.damage
			if err = d.value(p.fields[i].plan, v.FieldByIndex(p.fields[i].index), c); d.damage != before {
				d.memberOf(p, c.local)
			}
		}
		if err != nil {
			return err
		}
	}
}

// remember keeps the lengths of the lists of a record.
func (d *decoder) remember(p *plan, v reflect.Value) {
	for _, f := range p.lists {
		n := v.FieldByIndex(f.index).Len()
		if n == 0 {
			continue
		}
		if short := f.plan.id + 1 - len(d.lengths); short > 0 {
			d.lengths = append(d.lengths, make([]int, short)...)
		}
		d.lengths[f.plan.id] = n
	}
}

// elements returns for how many more elements a list of so many needs memory: a new list for as many as the last complete one of
// its type had, because objects are alike. A length is used once, so that a hostile answer takes at most twice the memory.
func (d *decoder) elements(p *plan, has int) int {
	if has > 0 || p.id >= len(d.lengths) {
		return 1
	}
	n := max(1, d.lengths[p.id])
	d.lengths[p.id] = 0
	return n
}

// dynamic decodes into an interface. As in govmomi an unknown type results in nil.
func (d *decoder) dynamic(v reflect.Value, t tag) error {
	if !v.IsNil() {
		return ErrUnfamiliar // the element occurred twice
	}
	name := d.xsi
	if len(name) == 0 {
		name = []byte(v.Type().Name())
	}
	p := d.typeNamed(name)
	if p == nil {
		return d.skip(t, d.depth)
	}
	if into, ok := reflect.TypeAssert[*types.AnyType](v.Addr()); ok && simple(p.typ) && !d.tolerant {
		text, err := d.leaf(t)
		if err != nil {
			return err
		}
		return d.simple(p.typ, into, text)
	}
	made := reflect.New(p.typ)
	if err := d.value(p, made.Elem(), t); err != nil {
		return err
	}
	switch of := v.Type(); {
	case of.NumMethod() == 0, p.typ.NumMethod() > 0 && p.typ.Implements(of):
		v.Set(made.Elem())
	case p.ptr.Implements(of):
		v.Set(made)
	default:
		return ErrUnfamiliar
	}
	return nil
}

var (
	typeString = reflect.TypeFor[string]()
	typeBool   = reflect.TypeFor[bool]()
	typeInt32  = reflect.TypeFor[int32]()
	typeInt64  = reflect.TypeFor[int64]()
)

// basic maps the type names of XML Schema.
var basic = map[string]reflect.Type{
	"string": typeString, "boolean": typeBool, "int": typeInt32, "long": typeInt64,
	"byte": reflect.TypeFor[int8](), "short": reflect.TypeFor[int16](),
	"unsignedByte": reflect.TypeFor[uint8](), "unsignedShort": reflect.TypeFor[uint16](),
	"unsignedInt": reflect.TypeFor[uint32](), "unsignedLong": reflect.TypeFor[uint64](),
	"float": reflect.TypeFor[float32](), "double": reflect.TypeFor[float64](),
	"dateTime": typeMoment, "base64Binary": reflect.TypeFor[[]byte](),
}

// typeNamed looks up a type as govmomi does: XML Schema's types, then vSphere's. It returns nil for an unknown type.
func (d *decoder) typeNamed(name []byte) *plan {
	if p, ok := d.types[string(name)]; ok {
		return p
	}
	typ, ok := basic[trimSchema(string(name))]
	if !ok {
		typ, ok = typeOf(string(name))
	}
	if !ok {
		return nil // not cached: the number of such names is unlimited
	}
	p := planOf(typ)
	d.types[string(name)] = p
	return p
}

var typeOf = types.TypeFunc()

func trimSchema(name string) string {
	if rest, ok := strings.CutPrefix(name, "xs:"); ok {
		return rest
	}
	return strings.TrimPrefix(name, "xsd:")
}

// simple reports the types of most properties, which are decoded without creating a value by reflection.
func simple(typ reflect.Type) bool {
	return typ == typeString || typ == typeBool || typ == typeInt32 || typ == typeInt64
}

func (d *decoder) simple(typ reflect.Type, into *types.AnyType, s []byte) error {
	ok := true
	switch typ {
	case typeString:
		*into = d.string(s)
	case typeBool:
		*into, ok = truth(s)
	case typeInt32:
		n, fits := whole(s, 32)
		*into, ok = int32(n), fits
	case typeInt64:
		*into, ok = whole(s, 64)
	}
	return familiar(ok)
}

// longest is the maximum length of texts in the cache of recent strings.
const longest = 64

var seed = maphash.MakeSeed()

// string returns s as a string. A page repeats names, types and values many times; the same string is returned for them.
func (d *decoder) string(s []byte) string {
	if len(s) == 0 || len(s) > longest {
		return string(s)
	}
	slot := &d.strings[maphash.Bytes(seed, s)%uint64(len(d.strings))]
	if *slot != string(s) {
		*slot = string(s)
	}
	return *slot
}
