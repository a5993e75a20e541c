package session

import (
	"errors"
	"reflect"
	"strings"
)

// FaultName returns the name of the fault that a server refused a call with, such as NoPermission or InvalidName. It is empty for
// an error that is no refusal, such as a lost connection.
func FaultName(err error) string {
	if _, ok := errors.AsType[*PermissionError](err); ok {
		return "NoPermission"
	}
	if Expired(err) {
		return "NotAuthenticated"
	}
	f := FaultOf(err)
	if f == nil {
		if _, ok := errors.AsType[*ServerError](err); ok {
			return "Fault" // in a form that govmomi does not know
		}
		return ""
	}
	t := reflect.TypeOf(f)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.TrimSuffix(t.Name(), "Fault")
}
