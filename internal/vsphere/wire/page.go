package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"
)

// isPage reports whether res is the body of one of the large answers: a page of properties, of their changes, counter samples, or the
// text of a host's Esxtop service.
func isPage(res soap.HasFault) bool {
	switch res.(type) {
	case *methods.RetrievePropertiesExBody, *methods.ContinueRetrievePropertiesExBody, *methods.WaitForUpdatesExBody,
		*methods.ExecuteSimpleCommandBody, *QueryPerfBody:
		return true
	}
	return false
}

// Page decodes a whole answer into res without govmomi's decoder. If the answer is not in the servers' usual form, it returns
// ErrUnfamiliar and leaves res unchanged.
func Page(answer []byte, res soap.HasFault) error { return newReader().decoder.page(answer, res) }

// page decodes a whole answer into res, which stays unchanged if the answer is unfamiliar.
func (d *decoder) page(b []byte, res soap.HasFault) error {
	switch res := res.(type) {
	case *methods.RetrievePropertiesExBody:
		return decodeResponse(d, b, "RetrievePropertiesExResponse", &res.Res)
	case *methods.ContinueRetrievePropertiesExBody:
		return decodeResponse(d, b, "ContinueRetrievePropertiesExResponse", &res.Res)
	case *methods.WaitForUpdatesExBody:
		return decodeResponse(d, b, "WaitForUpdatesExResponse", &res.Res)
	case *methods.ExecuteSimpleCommandBody:
		return decodeResponse(d, b, "ExecuteSimpleCommandResponse", &res.Res)
	case *QueryPerfBody:
		samples := new(types.QueryPerfResponse)
		if d.room = res.Room; d.room == nil {
			d.room = new(Room)
		}
		defer func() { d.room = nil }() // it belongs to the caller
		if err := d.inEnvelope(b, "QueryPerfResponse", func(t tag) error { return d.samples(samples, t) }); err != nil {
			return err
		}
		res.Res = samples
		return nil
	}
	return ErrUnfamiliar
}

// prolog matches an XML declaration with UTF-8 or no encoding.
var prolog = regexp.MustCompile(`^<\?xml version="1\.0"(?: encoding="(?i:utf-8)")?\?>`)

// decodeResponse decodes the response inside a SOAP envelope.
func decodeResponse[T any](d *decoder, b []byte, name string, into **T) error {
	response := new(T)
	v := reflect.ValueOf(response).Elem()
	if err := d.inEnvelope(b, name, func(t tag) error { return d.value(planOf(v.Type()), v, t) }); err != nil {
		return err
	}
	*into = response
	return nil
}

// inEnvelope finds the response inside a SOAP envelope.
func (d *decoder) inEnvelope(b []byte, response string, decode func(tag) error) error {
	d.scanner, d.depth = scanner{b: b, i: len(prolog.Find(b))}, 0
	defer func() { d.scanner = scanner{} }() // b belongs to the caller
	d.spaces()
	envelope, err := d.open()
	if err != nil {
		return err
	}
	if string(envelope.local) != "Envelope" || !d.isSOAP(envelope) {
		return ErrUnfamiliar
	}
	body, err := d.body(envelope)
	if err != nil {
		return err
	}
	t, more, err := d.child(body)
	if err != nil {
		return err
	}
	if !more || string(t.local) != response {
		return ErrUnfamiliar
	}
	if err := decode(t); err != nil {
		return err
	}
	if d.damage != nil {
		return &AnswerError{Offset: int64(d.damagedAt), What: d.damage.Error(), Err: d.damage}
	}
	return d.ends(body, envelope)
}

// isSOAP reports whether an element declares its own prefix as SOAP's.
func (d *decoder) isSOAP(t tag) bool {
	declares := "xmlns"
	if prefix := t.raw[:len(t.raw)-len(t.local)]; len(prefix) > 0 {
		declares += ":" + string(prefix[:len(prefix)-1])
	}
	var space string // the last declaration applies
	for _, a := range d.attrs {
		if string(a.raw) == declares {
			space = string(a.value)
		}
	}
	return space == "http://schemas.xmlsoap.org/soap/envelope/"
}

// body finds the envelope's body, after its header.
func (d *decoder) body(envelope tag) (tag, error) {
	for {
		t, more, err := d.child(envelope)
		switch {
		case err != nil:
			return t, err
		case more && string(t.local) == "Body":
			return t, nil
		case !more || string(t.local) != "Header":
			return t, ErrUnfamiliar
		}
		if err := d.skip(t, 0); err != nil {
			return t, err
		}
	}
}

// ends reads the end tags of elements that have no more content.
func (d *decoder) ends(tags ...tag) error {
	for _, t := range tags {
		if _, more, err := d.child(t); err != nil || more {
			return ErrUnfamiliar
		}
	}
	return nil
}

// plainly decodes any answer with govmomi's decoder. That decoder can panic on some answers, and loop for ever if a list of bytes
// is truncated; plainly returns errors for both.
func plainly(r io.Reader, res soap.HasFault) error { return newTokens(r).decode(res) }

func (t *tokens) decode(res soap.HasFault) (err error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case t.stuck && errors.Is(t.err, io.EOF):
			err = &xml.SyntaxError{Msg: "unexpected EOF"}
		case t.stuck:
			err = t.err
		default:
			err = fmt.Errorf("its answer cannot be decoded: %v", p)
		}
	}()
	d := xml.NewTokenDecoder(t)
	d.TypeFunc = typeOf
	if err := d.Decode(&soap.Envelope{Body: res}); err != nil {
		return err
	}
	if f := res.Fault(); f != nil {
		return soap.WrapSoapFault(f)
	}
	return nil
}

// mostNested is the limit of elements inside each other. The decoder keeps all of them: without a limit, a compressed answer of
// 70 KB takes gigabytes. Answers of servers are less than 50 deep.
const mostNested = 1_000

// NestedError reports an answer with elements nested deeper than the limit.
type NestedError struct{}

func (NestedError) Error() string {
	return fmt.Sprintf("its answer has more than %d elements inside each other, the limit", mostNested)
}

// tokens panics if it is called again after an error.
type tokens struct {
	from  *xml.Decoder
	depth int
	err   error
	stuck bool
}

func newTokens(r io.Reader) *tokens { return &tokens{from: xml.NewDecoder(r)} }

// Token implements xml.TokenReader.
func (t *tokens) Token() (xml.Token, error) {
	if t.err != nil {
		t.stuck = true
		panic(t.err)
	}
	token, err := t.from.RawToken()
	switch token.(type) {
	case xml.StartElement:
		t.depth++
	case xml.EndElement:
		t.depth--
	}
	if t.depth > mostNested {
		token, err = nil, NestedError{}
	}
	t.err = err
	return token, err
}

// Sizes of answers. A page for vperf has about 5 MB, samples have 1 or 2; one larger than maxPage is decoded while it arrives.
// Buffers up to maxKept are used again, but one above smallKept only for the next page, or while samples fill a quarter of it.
const (
	smallKept = 4 << 20
	maxKept   = 16 << 20
	maxPage   = 64 << 20
)

// reader reads answers one after the other.
type reader struct {
	body    bytes.Buffer
	decoder decoder
}

func newReader() *reader { return &reader{decoder: decoder{types: map[string]*plan{}}} }

// read decodes an answer of about the given size.
func (r *reader) read(from io.Reader, size int64, res soap.HasFault) error {
	r.body.Reset()
	r.body.Grow(int(min(size, maxKept)) + bytes.MinRead)
	_, err := r.body.ReadFrom(io.LimitReader(from, maxPage))
	if err != nil {
		t := newTokens(io.MultiReader(bytes.NewReader(r.body.Bytes()), broken{err}))
		err = t.decode(res)
		return r.decoder.form(r.body.Bytes(), t.from.InputOffset(), err)
	}
	body := r.body.Bytes()
	switch {
	case len(body) == maxPage:
		return plainly(io.MultiReader(bytes.NewReader(body), from), res)
	case isPage(res):
		err = r.decoder.page(body, res)
	default:
		err = plainly(bytes.NewReader(body), res)
	}
	if err == nil || soap.IsSoapFault(err) {
		return err
	}
	return r.decoder.decodeAgain(body, res)
}

// decodeAgain decodes an answer that is not in the usual form, or damaged.
func (d *decoder) decodeAgain(body []byte, res soap.HasFault) error {
	clean, markup := cleaned(body)
	if markup < 0 {
		if err := d.tolerantly(clean, res); !errors.Is(err, ErrUnfamiliar) {
			return err
		}
	}
	t := newTokens(bytes.NewReader(body))
	err := t.decode(res)
	if err != nil && !soap.IsSoapFault(err) && markup < 0 && !bytes.Equal(clean, body) {
		reflect.ValueOf(res).Elem().FieldByName("Res").SetZero() // what the first attempt left
		t = newTokens(bytes.NewReader(clean))
		err = t.decode(res)
	}
	if !damaged(err) || !d.begins(clean) {
		return d.form(body, t.from.InputOffset(), err)
	}
	if markup >= 0 {
		return &AnswerError{Offset: int64(markup), What: "a forbidden character inside a tag", Err: err}
	}
	return &AnswerError{Offset: t.from.InputOffset(), What: wrongIn(err), Err: err}
}

// damaged reports an error of an answer that is not just cut off, nested too deep or of another form.
func damaged(err error) bool {
	_, nested := errors.AsType[NestedError](err)
	_, other := errors.AsType[xml.UnmarshalError](err)
	return err != nil && !soap.IsSoapFault(err) && !nested && !other && !errors.Is(err, io.EOF) && !strings.Contains(wrongIn(err), "unexpected EOF")
}

// wrongIn returns a decoder's error without its line number.
func wrongIn(err error) string {
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		return syntax.Msg
	}
	return err.Error()
}

// begins reports whether an answer begins with SOAP's envelope.
func (d *decoder) begins(b []byte) bool {
	d.scanner = scanner{b: b, i: len(prolog.Find(b))}
	defer func() { d.scanner = scanner{} }()
	d.spaces()
	envelope, err := d.open()
	return err == nil && d.isSOAP(envelope)
}

// broken stands for the rest of an answer after a read error.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
