package vsphere

import (
	"errors"
	"reflect"
	"strings"
	"unicode"

	"github.com/vmware/govmomi/vim25/types"
)

// faultOf is the vSphere fault inside an error, or nil.
func faultOf(err error) types.BaseMethodFault {
	if own, ok := errors.AsType[*serverError](err); ok {
		f, _ := own.fault.(types.BaseMethodFault)
		return f
	}
	var f interface{ Fault() types.BaseMethodFault }
	if errors.As(err, &f) {
		return f.Fault()
	}
	return nil
}

// faultText is what the server itself says about a fault.
func faultText(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": ") // govmomi writes "ServerFaultCode: text"
	return plain(text)
}

// isFault reports whether f is of type T.
func isFault[T any](f types.BaseMethodFault) bool {
	_, ok := f.(T)
	return ok
}

func notAuthenticated(f types.BaseMethodFault) bool { return isFault[*types.NotAuthenticated](f) }

// faultWords says in a few words what a fault means; text is the server's own explanation, possibly none.
func faultWords(f types.BaseMethodFault, text string) string {
	if p, ok := f.(types.BaseNoPermission); ok {
		if name, _ := missingPrivilege(p.GetNoPermission()); name != "" {
			return "no permission (privilege " + name + ")"
		}
		return "no permission"
	}
	words := typeWords(f)
	if text = plain(text); text != "" && !strings.EqualFold(strings.TrimSuffix(text, "."), words) {
		return words + ": " + text
	}
	return words
}

// missingPrivilege reads both forms that servers of different age fill.
func missingPrivilege(f *types.NoPermission) (privilege, object string) {
	if f.Object != nil {
		object = f.Object.String()
	}
	if f.PrivilegeId != "" {
		return plain(f.PrivilegeId), object
	}
	var names []string
	for _, m := range f.MissingPrivileges {
		names = append(names, m.PrivilegeIds...)
		object = m.Entity.String()
	}
	return plain(strings.Join(names, ", ")), object
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
	var b strings.Builder
	for i, r := range strings.TrimSuffix(t.Name(), "Fault") {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
