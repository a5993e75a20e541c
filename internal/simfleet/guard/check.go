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

// Check refuses calls that would reach beyond the fleet: files, containers and accounts of the local machine, and the fleet's own
// objects. It runs before the simulator takes any lock. Other calls with invalid arguments may make the simulator panic, which
// PanicGuard and Tasks survive.
func Check(method *simulator.Method) types.BaseMethodFault {
	switch {
	case method.Name == "Login":
		return nil // a password may contain anything
	case otherLogins[method.Name]:
		return &types.InvalidLogin{}
	case notOffered[method.Name], notOfferedTypes[method.This.Type]:
		return &types.NotSupported{}
	case destroys[method.Name] && !destroyable[method.This.Type]:
		return &types.NotSupported{}
	case method.This.Type == world.OwnType:
		return &types.ManagedObjectNotFound{Obj: method.This}
	}
	return arguments(reflect.ValueOf(method.Body), "")
}

// govmomi v0.56.0 simulator: these methods open local files and directories, or end the process.
var notOffered = map[string]bool{
	"AddHost_Task":             true, // ends the process for releases that the simulator does not know
	"AddStandaloneHost_Task":   true,
	"CreateLocalDatastore":     true, // gives the fleet access to any local directory
	"CreateNasDatastore":       true,
	"CreateVmfsDatastore":      true,
	"InstallServerCertificate": true,
	"UploadOvfFile":            true,
}

// govmomi v0.56.0 simulator: these managers run commands on the local machine, or open its files.
var notOfferedTypes = map[string]bool{
	"GuestAliasManager":    true,
	"GuestAuthManager":     true,
	"GuestFileManager":     true,
	"GuestProcessManager":  true,
	"HttpNfcLease":         true,
	"VmCertificateManager": true,
}

// govmomi v0.56.0 simulator: a removed object leaves its children without a parent, and the next call for one of them ends the
// process; so only objects without children may be removed.
var (
	destroys    = map[string]bool{"Destroy_Task": true, "UnregisterAndDestroy_Task": true}
	destroyable = map[string]bool{"VirtualMachine": true, "ResourcePool": true}
)

// govmomi v0.56.0 simulator: these logins are not checked.
var otherLogins = map[string]bool{
	"ImpersonateUser":             true,
	"LoginByToken":                true,
	"LoginBySSPI":                 true,
	"LoginExtensionByCertificate": true,
	"LoginExtensionBySubjectName": true,
}

// govmomi v0.56.0 simulator: keys that begin with these are commands. RUN runs a container, SET writes any property, and vcsim.home is
// the directory of new datastores.
var commandPrefixes = []string{"RUN.", "SET.", "VCSIM."}

// parentPath matches a parent directory in a path, also as the first part of "[datastore] ../file".
var parentPath = regexp.MustCompile(`(^|[/\\\] ])\.\.([/\\]|$)`)

// arguments refuses keys that are commands, paths that leave a datastore, and references to the fleet's own objects, anywhere in a request.
func arguments(v reflect.Value, field string) types.BaseMethodFault {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return arguments(v.Elem(), field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if fault := arguments(v.Index(i), field); fault != nil {
				return fault
			}
		}
	case reflect.Struct:
		switch arg := v.Interface().(type) {
		case types.ManagedObjectReference:
			if arg.Type == world.OwnType {
				return &types.ManagedObjectNotFound{Obj: arg}
			}
		case types.OptionValue:
			if slices.ContainsFunc(commandPrefixes, func(p string) bool { return strings.HasPrefix(strings.ToUpper(arg.Key), p) }) {
				return &types.InvalidName{Name: arg.Key}
			}
		}
		for f, value := range v.Fields() {
			if f.IsExported() {
				if fault := arguments(value, f.Name); fault != nil {
					return fault
				}
			}
		}
	case reflect.String:
		if parentPath.MatchString(v.String()) {
			return &types.InvalidArgument{InvalidProperty: strings.ToLower(field)}
		}
	default: // numbers are harmless
	}
	return nil
}
