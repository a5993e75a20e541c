package property

import (
	"reflect"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/mo"
)

// declared remembers the answers of mandatory by the type of object and the path.
var declared sync.Map

// mandatory reports whether the API declares that a property of an object is always set: then it was withheld. A list may be empty, and is
// then omitted.
func mandatory(of ref, path string) bool {
	key := of.Type + " " + path
	known, found := declared.Load(key)
	if !found {
		known, _ = declared.LoadOrStore(key, isDeclaredMandatory(of, path))
	}
	is, _ := known.(bool)
	return is
}

func isDeclaredMandatory(of ref, path string) bool {
	object, ok := mo.Value(of)
	if !ok {
		return false
	}
	t := reflect.TypeOf(object)
	for i, part := range strings.Split(path, ".") {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return false
		}
		f, ok := t.FieldByName(strings.ToUpper(part[:1]) + part[1:])
		optional := f.Type != nil && (f.Type.Kind() == reflect.Pointer || f.Type.Kind() == reflect.Slice) || strings.HasSuffix(f.Tag.Get("json"), ",omitempty")
		if !ok || optional && (i > 0 || !guarded(part)) { // of a guarded part, something is set
			return false
		}
		t = f.Type
	}
	return true
}
