package wire

import (
	"io"

	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"
)

// QueryPerfBody is the request and the answer of QueryPerf. The request is text, since it names the same counters for each of a
// thousand VMs: the caller writes them once.
type QueryPerfBody struct {
	Req    *QueryPerf               `xml:"-"`
	Room   *Room                    `xml:"-"` // of a request: for the series of its answer; nil: they have memory of their own
	Res    *types.QueryPerfResponse `xml:"QueryPerfResponse,omitempty"`
	Fault_ *soap.Fault              `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"` //nolint:revive // as in govmomi
}

// QueryPerf is the request: the XML inside its element, in pieces that are sent one after the other.
type QueryPerf struct{ Text []string }

// Fault implements soap.HasFault.
func (b *QueryPerfBody) Fault() *soap.Fault { return b.Fault_ }

const (
	beforeQueryPerf = xml.Header + `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><QueryPerf xmlns="urn:vim25">`
	afterQueryPerf  = `</QueryPerf></Body></Envelope>`
)

// envelope returns the request and its length, without copying its megabytes.
func (q *QueryPerf) envelope() (io.Reader, int64) {
	n := int64(len(beforeQueryPerf) + len(afterQueryPerf))
	for _, s := range q.Text {
		n += int64(len(s))
	}
	return &pieces{list: append(append([]string{beforeQueryPerf}, q.Text...), afterQueryPerf)}, n
}

// pieces reads texts one after the other.
type pieces struct {
	list []string
	read int // bytes read of the first text
}

// Read implements io.Reader.
func (p *pieces) Read(b []byte) (n int, err error) {
	for n < len(b) && len(p.list) > 0 {
		k := copy(b[n:], p.list[0][p.read:])
		n, p.read = n+k, p.read+k
		if p.read == len(p.list[0]) {
			p.list, p.read = p.list[1:], 0
		}
	}
	if n == 0 && len(p.list) == 0 {
		return 0, io.EOF
	}
	return n, nil
}
