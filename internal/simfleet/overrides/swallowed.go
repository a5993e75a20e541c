package overrides

import (
	"reflect"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	"github.com/vperf/vperf/internal/simfleet/esxcli"
)

// Swallow is the name of the method that answers calls without executing them.
const Swallow = "Swallowed"

// Swallowed answers any call as if it had been executed. For a method that starts a task it starts a task that succeeds.
func (o *Service) Swallowed(ctx *simulator.Context, request any) soap.HasFault {
	v := reflect.Indirect(reflect.ValueOf(request))
	if answer, own := esxcli.Done(request); own {
		return answer
	}
	res := &swallowed{method: v.Type().Name()}
	if name, is := taskOf(res.method); is {
		object := mo.SimpleCommand{Self: v.FieldByName("This").Interface().(types.ManagedObjectReference)}
		task := simulator.CreateTask(object, name, func(*simulator.Task) (types.AnyType, types.BaseMethodFault) { return nil, nil })
		res.task = new(task.Run(ctx))
	}
	return &swallowedBody{Res: res}
}

type swallowedBody struct{ Res *swallowed }

// Fault always returns nil.
func (*swallowedBody) Fault() *soap.Fault { return nil }

// swallowed is the answer of a method that returns a task, or nothing.
type swallowed struct {
	method string
	task   *types.ManagedObjectReference
}

// MarshalXML encodes the answer under the method's name.
func (s *swallowed) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	start.Name.Local = s.method + "Response"
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	if s.task != nil {
		if err := e.EncodeElement(s.task, xml.StartElement{Name: xml.Name{Local: "returnval"}}); err != nil {
			return err
		}
	}
	return e.EncodeToken(start.End())
}
