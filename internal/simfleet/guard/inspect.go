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

// inspector walks through a request of any kind and looks at each reference, option and text in it.
type inspector struct {
	ctx     *simulator.Context
	fault   types.BaseMethodFault // the first that was found
	lenient bool                  // objects to read need not be there
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

// bearsMissing is a request to read what there is of some objects.
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
	default: // numbers are the business of guardBody
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

// fields goes through a struct; the simulator itself looks up the object that a whole request is for.
func (in *inspector) fields(v reflect.Value, request bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.IsExported() && (!request || f.Name != "This") {
			in.value(v.Field(i), f.Name, false)
		}
	}
}

// kindsOf says what some fields may refer to. The simulator takes their objects for what it expects.
var kindsOf = map[string][]string{
	"Datastore": {"Datastore", "StoragePod"},
	"Folder":    {"Folder"},
	"Host":      {"HostSystem"},
	"Network":   {"Network", "DistributedVirtualPortgroup", "OpaqueNetwork"},
	"Pool":      {"ResourcePool", "VirtualApp"},
	"Snapshot":  {"VirtualMachineSnapshot"},
	"Vm":        {"VirtualMachine"},
}

// reference refuses what is not there. An optional reference may be blank.
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

// commandPrefixes start keys that are commands to the simulator: one runs a container, the other writes any property.
var commandPrefixes = []string{"RUN.", "SET."}

func (in *inspector) option(o types.OptionValue) {
	key := strings.ToUpper(o.Key)
	for _, prefix := range commandPrefixes {
		if strings.HasPrefix(key, prefix) {
			in.fault = &types.InvalidName{Name: o.Key}
		}
	}
}

// parentPath finds a step up in a path, the first part of "[datastore] ../file" as well.
var parentPath = regexp.MustCompile(`(^|[/\\\] ])\.\.([/\\]|$)`)

func (in *inspector) text(field, s string) {
	if pathFields[field] {
		in.path(s)
	}
	if parentPath.MatchString(s) {
		in.fault = &types.InvalidArgument{InvalidProperty: strings.ToLower(field)}
	}
}
