package session

import (
	"context"
	"errors"
	"reflect"

	"github.com/vmware/govmomi/vim25/soap"
)

// errNoResult reports an answer in SOAP that has neither a result nor a fault.
var errNoResult = errors.New("its answer has no result")

// withResults refuses answers without a result: govmomi's methods return it as nil, and their callers use it without looking.
type withResults struct{ next soap.RoundTripper }

// RoundTrip implements soap.RoundTripper.
func (w withResults) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	if err := w.next.RoundTrip(ctx, req, res); err != nil {
		return err
	}
	if result := reflect.ValueOf(res).Elem().FieldByName("Res"); result.Kind() == reflect.Pointer && result.IsNil() {
		return errNoResult
	}
	return nil
}
