package session

import (
	"errors"
	"reflect"
	"strings"
	"unicode"

	"github.com/vmware/govmomi/vim25/types"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// FaultOf returns the vSphere fault inside an error, or nil.
func FaultOf(err error) types.BaseMethodFault {
	if own, ok := errors.AsType[*ServerError](err); ok {
		f, _ := own.Fault.(types.BaseMethodFault)
		return f
	}
	var f interface{ Fault() types.BaseMethodFault }
	if errors.As(err, &f) {
		return f.Fault()
	}
	return nil
}

// faultText returns the server's own text of a fault.
func faultText(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": ") // govmomi writes "ServerFaultCode: text"
	return Plain(text)
}

// IsFault reports whether f is of type T.
func IsFault[T any](f types.BaseMethodFault) bool {
	_, ok := f.(T)
	return ok
}

// NotAuthenticated reports whether a fault says that the session is not logged in, or no longer.
func NotAuthenticated(f types.BaseMethodFault) bool { return IsFault[*types.NotAuthenticated](f) }

// FaultWords returns a short description of a fault; text is the server's own explanation, possibly empty.
func FaultWords(f types.BaseMethodFault, text string) string {
	if d, ok := f.(*soapwire.DamageError); ok {
		return Plain(d.Error())
	}
	if p, ok := f.(types.BaseNoPermission); ok {
		if name, _ := missingPrivilege(p.GetNoPermission()); name != "" {
			return "no permission (privilege " + name + ")"
		}
		return "no permission"
	}
	words := meaning(f)
	if text = Plain(text); text != "" && !strings.EqualFold(strings.TrimSuffix(text, "."), words) {
		return words + ": " + text
	}
	return words
}

// meaning explains a fault that prevents a change; other faults are described by their type.
func meaning(f types.BaseMethodFault) string {
	switch f := f.(type) {
	case *types.RestrictedVersion:
		return "the host's licence does not allow changes through the API (for example the free licence)"
	case *types.InvalidArgument:
		return "the server does not accept this value" + inBrackets(f.InvalidProperty)
	case *types.InvalidName:
		return "the host has no object of this name" + inBrackets(f.Name)
	case *types.ConcurrentAccess:
		return "somebody else changed the object at the same time; try again"
	case *types.TaskInProgress:
		return "another task is running on the object; wait until it finishes"
	case *types.HostNotReachable, *types.HostCommunication:
		return "the connection to the host was lost"
	case *types.InvalidPowerState:
		return "this is not possible while it is " + powerWords(f.ExistingState)
	}
	switch f.(type) {
	case types.BaseInsufficientResourcesFault:
		return "there are not enough resources" + inBrackets(typeWords(f))
	case types.BaseHostConfigFault:
		return "the host reported a failure" + inBrackets(typeWords(f))
	case types.BaseInvalidState:
		return "the object's state does not allow it" + inBrackets(typeWords(f))
	}
	return typeWords(f)
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + Plain(s) + ")"
}

// powerWords turns poweredOn into "powered on".
func powerWords(state types.VirtualMachinePowerState) string {
	switch state {
	case types.VirtualMachinePowerStatePoweredOn:
		return "powered on"
	case types.VirtualMachinePowerStatePoweredOff:
		return "powered off"
	case types.VirtualMachinePowerStateSuspended:
		return "suspended"
	}
	return "in this power state"
}

// missingPrivilege reads both the old and the new form of the fault.
func missingPrivilege(f *types.NoPermission) (privilege, object string) {
	if f.Object != nil {
		object = f.Object.String()
	}
	if f.PrivilegeId != "" {
		return Plain(f.PrivilegeId), object
	}
	var names []string
	for _, m := range f.MissingPrivileges {
		names = append(names, m.PrivilegeIds...)
		object = m.Entity.String()
	}
	return Plain(strings.Join(names, ", ")), object
}

// typeWords turns SystemError into "system error".
func typeWords(f types.BaseMethodFault) string {
	if f == nil {
		return "unknown fault"
	}
	t := reflect.TypeOf(f)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return SplitName(strings.TrimSuffix(t.Name(), "Fault"))
}

// SplitName turns NotFound into "not found".
func SplitName(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
