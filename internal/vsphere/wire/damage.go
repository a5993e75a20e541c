package wire

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"
)

// DamageError takes the place of a value that cannot be decoded: of a property, of an option. It is also the fault of a property without a
// value.
type DamageError struct {
	types.MethodFault

	Of     string // the property, the member and the object; "" until the reader of the page has set it
	Member string // where in the property the text is, such as [3].capacityInKB; "" is the property itself
	Text   string // the text
	Want   string // what it should be, or "" for a text with a damaged character
	Name   bool   // the name of the property is damaged, so that nobody knows which one it is
}

// Error returns which value is damaged, and how.
func (d *DamageError) Error() string {
	where := cmp.Or(d.Of, strings.TrimPrefix(d.Member, "."))
	switch {
	case d.Name:
		return fmt.Sprintf("%s: the name of a property, %q, has a damaged character", d.Of, shortened(d.Text))
	case d.Want != "":
		return fmt.Sprintf("%s: %q is not %s", where, shortened(d.Text), d.Want)
	case d.Member != "": // the text of an unknown part may be secret
		return where + " has a damaged character"
	}
	return fmt.Sprintf("%s: %q has a damaged character", where, shortened(d.Text))
}

// mostOfText is how much of a damaged text is shown, in bytes.
const mostOfText = 60

// AnswerError reports an answer that cannot be decoded.
type AnswerError struct {
	Offset int64 // from the start of the answer, in bytes
	What   string
	Form   bool // it is not SOAP, or ends too early; What says where
	Err    error
}

func (e *AnswerError) Error() string {
	if e.Form {
		return e.What
	}
	return fmt.Sprintf("is damaged at byte %d: %s", e.Offset, e.What)
}

// Unwrap returns the decoder's error.
func (e *AnswerError) Unwrap() error { return e.Err }

// Early reports whether err is about an answer that ends before it is complete.
func Early(err error) bool {
	syntax, is := errors.AsType[*xml.SyntaxError](err)
	return errors.Is(err, io.ErrUnexpectedEOF) || is && strings.Contains(syntax.Msg, "unexpected EOF")
}

// form says where an answer that a decoder refuses stops being SOAP; at is how far the decoder came.
func (d *decoder) form(body []byte, at int64, err error) error {
	_, syntax := errors.AsType[*xml.SyntaxError](err)
	_, other := errors.AsType[xml.UnmarshalError](err)
	if len(body) == 0 || !Early(err) && !syntax && !other {
		return err
	}
	text := bytes.TrimLeft(body[len(prolog.Find(body)):], " \t\r\n")
	begins, what := d.begins(body), fmt.Sprintf("is no SOAP from byte %d on", at+1)
	switch {
	case Early(err) && (begins || bytes.IndexByte(text, '>') < 0):
		at = int64(len(body))
		what = fmt.Sprintf("ends at byte %d before it is complete", at)
	case !begins:
		at = int64(len(body) - len(text))
		what = fmt.Sprintf("is no SOAP from byte %d on: %q", at+1, shortened(string(text)))
	}
	return &AnswerError{Offset: at, What: what, Form: true, Err: err}
}

// readable are the elements with texts that only people read: neither vperf nor a rule compares them with anything. A damaged character
// stays in them. A property that is only shown is read with property.Shown.
var readable = map[string]bool{
	"annotation": true, "caption": true, "description": true, "displayName": true, "fullFormattedMessage": true, "fullName": true,
	"label": true, "localizedMessage": true, "message": true, "productUrl": true, "serialNumber": true, "summary": true, "userName": true,
	"vendorName": true, "vendorUrl": true,
}

// Readable returns the text of a property with damaged characters if it is a text for people.
func (d *DamageError) Readable(path string) (text string, ok bool) {
	last := path[strings.LastIndexByte(path, '.')+1:]
	if readable[last] || last == "name" {
		return d.Shown()
	}
	return "", false
}

// Shown returns the text of a property with damaged characters, for a text that is only shown.
func (d *DamageError) Shown() (text string, ok bool) {
	if d.Want == "" && d.Member == "" && !d.Name {
		return d.Text, true
	}
	return "", false
}

// droppable are the elements of lists that are skipped if they are damaged: their readers find out what is missing.
var droppable = map[reflect.Type]bool{
	reflect.TypeFor[types.BasePerfMetricSeries]():     true,
	reflect.TypeFor[types.BasePerfEntityMetricBase](): true,
	reflect.TypeFor[types.PerfCounterInfo]():          true,
}

var (
	typeProperty = reflect.TypeFor[types.DynamicProperty]()
	typeChange   = reflect.TypeFor[types.PropertyChange]()
	typeMissing  = reflect.TypeFor[types.MissingProperty]()
)

// tolerantly decodes an answer with damaged values. A value that cannot be decoded costs the property or the option that it is in, and
// the answer only if it is in neither. answer has no forbidden characters any more.
func (d *decoder) tolerantly(answer []byte, res soap.HasFault) error {
	d.tolerant, d.damage = true, nil
	defer func() { d.tolerant, d.damage = false, nil }()
	if isPage(res) {
		return d.page(answer, res)
	}
	field, ok := reflect.TypeOf(res).Elem().FieldByName("Res")
	if !ok {
		return ErrUnfamiliar
	}
	name, _, _ := strings.Cut(field.Tag.Get("xml"), ",")
	made := reflect.New(field.Type.Elem())
	err := d.inEnvelope(answer, name[strings.LastIndexByte(name, ' ')+1:], func(t tag) error { return d.value(planOf(field.Type.Elem()), made.Elem(), t) })
	if err == nil {
		reflect.ValueOf(res).Elem().FieldByIndex(field.Index).Set(made)
	}
	return err
}

// noteDamage records that the text of an element is damaged. The first damage of a property is the one to report.
func (d *decoder) noteDamage(text []byte, want string) {
	if d.damage == nil {
		d.damage, d.damagedAt = &DamageError{Text: string(text), Want: want}, d.i
	}
}

// essential are the records of which few members matter: a damaged one among the others costs nothing.
var essential = map[reflect.Type][]string{
	reflect.TypeFor[types.UserSession](): {"key"},
	reflect.TypeFor[types.AboutInfo]():   {"vendor", "apiType", "apiVersion", "instanceUuid"},
}

// memberOf adds the name of the member of a record that is damaged. The lists of properties are in records of their own, whose member
// has no name in vSphere's API.
func (d *decoder) memberOf(p *plan, name []byte) {
	if few, some := essential[p.typ]; some && !slices.Contains(few, string(name)) {
		d.damage = nil
	} else if !strings.HasPrefix(p.typ.Name(), "ArrayOf") {
		d.damage.Member = "." + string(name) + d.damage.Member
	}
}

func shortened(text string) string {
	if len(text) <= mostOfText {
		return text
	}
	return strings.ToValidUTF8(text[:mostOfText], "") + "…"
}

// checkText records a damaged character, unless the text is for people. The text of a whole property is passed on: its name decides.
func (d *decoder) checkText(p *plan, element, text []byte) {
	if bytes.Contains(text, []byte(replacement)) && (p.typ != typeString || !readable[string(element)]) {
		d.noteDamage(text, "")
	}
}

// repaired decodes a text that the strict decoder refuses, and records the damage if it has no meaning.
func (d *decoder) repaired(p *plan, v reflect.Value, text []byte) {
	trimmed := bytes.TrimSpace(text)
	switch {
	case p.kind == moment:
		if t, ok := Moment(string(trimmed)); ok {
			v.Set(reflect.ValueOf(t))
			return
		}
	case p.kind == boolean:
		if b, err := strconv.ParseBool(string(trimmed)); err == nil {
			v.SetBool(b)
			return
		}
	case d.scalar(p, v, trimmed) == nil:
		return
	}
	v.SetZero()
	d.noteDamage(text, meaningOf(p))
}

// meaningOf describes the values of a type.
func meaningOf(p *plan) string {
	switch p.kind {
	case boolean:
		return "true or false"
	case moment:
		return "a time"
	case integer, unsigned:
		return "a number of " + strconv.Itoa(p.typ.Bits()) + " bits"
	case octets:
		return "a byte"
	}
	return "a number"
}

// Moment parses a time as servers write it. A time without a zone is UTC.
func Moment(text string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(form, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// objectOfPage is the element with the object that a part of a page is about.
const objectOfPage = "obj"

// assignDamage decides what the damage inside an element costs where it is not inside a value.
func (d *decoder) assignDamage(p *plan, v reflect.Value) {
	switch p.typ {
	case typeProperty:
		v.Addr().Interface().(*types.DynamicProperty).Val = d.nameless()
	case typeChange:
		v.Addr().Interface().(*types.PropertyChange).Val = d.nameless()
	case typeMissing: // the reason does not matter, but which property it is does
		damaged := d.nameless()
		if damaged.Member == ".path" {
			v.Addr().Interface().(*types.MissingProperty).Fault.Fault = damaged
		}
	}
}

// nameless is the damage of a property whose name is damaged.
func (d *decoder) nameless() *DamageError {
	x := d.damage
	x.Name, d.damage = true, nil
	return x
}

// replaceValue puts the damage in the place of a value.
func (d *decoder) replaceValue(v reflect.Value) {
	v.Set(reflect.ValueOf(d.damage))
	d.damage = nil
}
