package vspheretest

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// RequestName returns the SOAP method of a request, such as RetrievePropertiesEx, or REST.
func RequestName(r *http.Request, body []byte) string {
	if !strings.HasSuffix(r.URL.Path, "/sdk") {
		return "REST"
	}
	_, inner, _ := bytes.Cut(body, []byte("Body>"))
	method, _, _ := bytes.Cut(bytes.TrimPrefix(inner, []byte("<")), []byte(" "))
	return string(method)
}

// Faulty returns a fault as the SOAP client returns it.
func Faulty(f types.AnyType) error {
	fault := &soap.Fault{Code: "ServerFaultCode", String: "said the server"}
	fault.Detail.Fault = f
	return soap.WrapSoapFault(fault)
}

// CallsOf returns the number of calls that work makes, by method.
func CallsOf(s *session.Session, work func()) map[string]int {
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

// Sum returns the number of calls of all methods together.
func Sum(calls map[string]int) int {
	n := 0
	for _, c := range calls {
		n += c
	}
	return n
}

// AwaitTask waits until a task has succeeded.
func AwaitTask(ctx context.Context, s *session.Session, task ref) error {
	return object.NewTask(s.Client(), task).WaitEx(ctx)
}

// MethodOf returns RetrievePropertiesEx for *methods.RetrievePropertiesExBody.
func MethodOf(req soap.HasFault) string {
	return strings.TrimSuffix(reflect.TypeOf(req).Elem().Name(), "Body")
}
