package wire

import (
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// QueryPerfBody asks for samples. The request is text, since it names the same counters for each of a thousand VMs:
// whoever asks writes them once.
type QueryPerfBody struct {
	Req    *QueryPerf               `xml:"urn:vim25 QueryPerf,omitempty"`
	Res    *types.QueryPerfResponse `xml:"QueryPerfResponse,omitempty"`
	Fault_ *soap.Fault              `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"` //nolint:revive // as in govmomi
}

// QueryPerf is the request: XML without the element around it.
type QueryPerf struct {
	Inner string `xml:",innerxml"`
}

// Fault implements soap.HasFault.
func (b *QueryPerfBody) Fault() *soap.Fault { return b.Fault_ }
