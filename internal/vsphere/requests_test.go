package vsphere

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

func requestName(r *http.Request, body []byte) string {
	if !strings.HasSuffix(r.URL.Path, "/sdk") {
		return "REST"
	}
	_, inner, _ := bytes.Cut(body, []byte("Body>"))
	method, _, _ := bytes.Cut(bytes.TrimPrefix(inner, []byte("<")), []byte(" "))
	return string(method)
}

// faulty is a fault as it comes off the wire.
func faulty(f types.AnyType) error {
	fault := &soap.Fault{Code: "ServerFaultCode", String: "said the server"}
	fault.Detail.Fault = f
	return soap.WrapSoapFault(fault)
}

// spent are the calls that a piece of work takes, by method.
func spent(s *Session, work func()) map[string]int {
	before := s.Calls()
	work()
	after := s.Calls()
	for method := range after {
		if after[method] -= before[method]; after[method] == 0 {
			delete(after, method)
		}
	}
	return after
}

func sum(calls map[string]int) int {
	n := 0
	for _, c := range calls {
		n += c
	}
	return n
}

// awaitTask waits until a task has ended well.
func awaitTask(ctx context.Context, s *Session, task ref) error {
	return object.NewTask(s.Client(), task).WaitEx(ctx)
}

// methodOf is RetrievePropertiesEx for *methods.RetrievePropertiesExBody.
func methodOf(req soap.HasFault) string {
	return strings.TrimSuffix(reflect.TypeOf(req).Elem().Name(), "Body")
}
