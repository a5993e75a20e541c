package guard

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// inspector walks through a request of any kind and checks each reference, option and text in it.
type inspector struct {
	ctx     *simulator.Context
	fault   types.BaseMethodFault // the first one found
	lenient bool                  // objects to read need not exist
}

var (
	referenceType = reflect.TypeFor[types.ManagedObjectReference]()
	optionType    = reflect.TypeFor[types.OptionValue]()
	changeType    = reflect.TypeFor[types.VirtualDeviceConfigSpec]()
)

func inspect(ctx *simulator.Context, method *simulator.Method) types.BaseMethodFault {
	if method.Name == "Login" {
		return nil // a password may contain anything
	}
	in := &inspector{ctx: ctx}
	body := reflect.ValueOf(method.Body)
	if body.Kind() != reflect.Pointer || body.IsNil() {
		return nil
	}
	in.lenient = bearsMissing(method.Body)
	in.fields(body.Elem(), true)
	return in.fault
}

// bearsMissing reports requests that may name missing objects.
func bearsMissing(request any) bool {
	req, ok := request.(*types.RetrievePropertiesEx)
	return ok && !slices.ContainsFunc(req.SpecSet, func(s types.PropertyFilterSpec) bool {
		return s.ReportMissingObjectsInResults == nil || !*s.ReportMissingObjectsInResults
	})
}

func (in *inspector) value(v reflect.Value, field string, optional bool) {
	if in.fault != nil {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			in.value(v.Elem(), field, true)
		}
	case reflect.Slice:
		for i := range v.Len() {
			in.value(v.Index(i), field, false)
		}
	case reflect.Struct:
		in.structure(v, field, optional)
	case reflect.String:
		in.text(field, v.String())
	default: // guardBody checks numbers
	}
}

func (in *inspector) structure(v reflect.Value, field string, optional bool) {
	switch v.Type() {
	case referenceType:
		in.reference(field, v.Interface().(types.ManagedObjectReference), optional)
		return
	case optionType:
		in.option(v.Interface().(types.OptionValue))
	case changeType:
		in.device(v.Interface().(types.VirtualDeviceConfigSpec))
	}
	in.fields(v, false)
}

// fields checks the fields of a struct; the simulator itself checks the object that the whole request is for.
func (in *inspector) fields(v reflect.Value, request bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.IsExported() && (!request || f.Name != "This") {
			in.value(v.Field(i), f.Name, false)
		}
	}
}

// kindsOf lists the types that some fields may refer to. The simulator does not check the type of their objects.
var kindsOf = map[string][]string{
	"Datastore": {"Datastore", "StoragePod"},
	"Folder":    {"Folder"},
	"Host":      {"HostSystem"},
	"Network":   {"Network", "DistributedVirtualPortgroup", "OpaqueNetwork"},
	"Pool":      {"ResourcePool", "VirtualApp"},
	"Snapshot":  {"VirtualMachineSnapshot"},
	"Vm":        {"VirtualMachine"},
}

// reference refuses missing objects. An optional reference may be empty.
func (in *inspector) reference(field string, ref types.ManagedObjectReference, optional bool) {
	if optional && ref.Value == "" {
		return
	}
	if kinds := kindsOf[field]; kinds != nil && !slices.Contains(kinds, ref.Type) {
		in.fault = &types.InvalidArgument{InvalidProperty: strings.ToLower(field)}
		return
	}
	if ref.Type != world.OwnType && in.lenient && field == "Obj" {
		return
	}
	if ref.Type == world.OwnType || !in.exists(ref) {
		in.fault = &types.ManagedObjectNotFound{Obj: ref}
	}
}

func (in *inspector) exists(ref types.ManagedObjectReference) bool {
	if in.ctx.Map.Get(ref) != nil {
		return true
	}
	return in.ctx.Session != nil && in.ctx.Session.Registry.Get(ref) != nil
}

// commandPrefixes are prefixes of keys that the simulator treats as commands: one runs a container, the other writes any
// property.
var commandPrefixes = []string{"RUN.", "SET."}

func (in *inspector) option(o types.OptionValue) {
	key := strings.ToUpper(o.Key)
	for _, prefix := range commandPrefixes {
		if strings.HasPrefix(key, prefix) {
			in.fault = &types.InvalidName{Name: o.Key}
		}
	}
}

// parentPath matches a parent directory in a path, also as the first part of "[datastore] ../file".
var parentPath = regexp.MustCompile(`(^|[/\\\] ])\.\.([/\\]|$)`)

func (in *inspector) text(field, s string) {
	if pathFields[field] {
		in.path(s)
	}
	if parentPath.MatchString(s) {
		in.fault = &types.InvalidArgument{InvalidProperty: strings.ToLower(field)}
	}
}
