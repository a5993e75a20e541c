package guard

import (
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Check returns the fault that a vCenter would return for a call that is unsafe in the simulator, and nil for all others. It has
// to run before the simulator takes any lock: the simulator does not validate arguments. An invalid reference or number makes it
// panic, which leaves an object locked for ever or ends the process; some calls use files and containers of the local machine.
func Check(ctx *simulator.Context, method *simulator.Method) types.BaseMethodFault {
	if fault := refusedMethod(method); fault != nil {
		return fault
	}
	if fault := inspect(ctx, method); fault != nil {
		return fault
	}
	return guardBody(ctx, method)
}

// notOffered lists methods that would change the local machine, or that crash the simulator.
var notOffered = map[string]bool{
	"AddHost_Task":             true, // ends the process for releases that the simulator does not know
	"AddStandaloneHost_Task":   true,
	"CreateLocalDatastore":     true, // gives the fleet access to any local directory
	"CreateNasDatastore":       true,
	"CreateVmfsDatastore":      true,
	"InstallServerCertificate": true,
	"UploadOvfFile":            true,
}

// notOfferedTypes lists managers that run commands on the local machine.
var notOfferedTypes = map[string]bool{
	"GuestAliasManager":    true,
	"GuestAuthManager":     true,
	"GuestFileManager":     true,
	"GuestProcessManager":  true,
	"HttpNfcLease":         true,
	"VmCertificateManager": true,
}

// destroys lists methods that remove an object with its children. The simulator leaves the children without a parent, and crashes
// on the next call for one; so only objects without children may be removed.
var (
	destroys    = map[string]bool{"Destroy_Task": true, "UnregisterAndDestroy_Task": true}
	destroyable = map[string]bool{"VirtualMachine": true, "ResourcePool": true}
)

// otherLogins lists login methods that the simulator does not check.
var otherLogins = map[string]bool{
	"ImpersonateUser":             true,
	"LoginByToken":                true,
	"LoginBySSPI":                 true,
	"LoginExtensionByCertificate": true,
	"LoginExtensionBySubjectName": true,
}

func refusedMethod(method *simulator.Method) types.BaseMethodFault {
	switch {
	case otherLogins[method.Name]:
		return &types.InvalidLogin{}
	case notOffered[method.Name], notOfferedTypes[method.This.Type]:
		return &types.NotSupported{}
	case destroys[method.Name] && !destroyable[method.This.Type]:
		return &types.NotSupported{}
	case method.This.Type == world.OwnType:
		return &types.ManagedObjectNotFound{Obj: method.This}
	}
	return nil
}

// guardBody checks arguments that are specific to single methods.
func guardBody(ctx *simulator.Context, method *simulator.Method) types.BaseMethodFault {
	switch req := method.Body.(type) {
	case *types.QueryPerf:
		return guardPerf(req)
	case *types.PostEvent:
		return guardEvent(ctx, req)
	case *types.UpdateOptions:
		return guardSettings(req)
	case *types.RegisterVM_Task:
		in := &inspector{ctx: ctx}
		in.path(req.Path)
		return in.fault
	case *types.WaitForUpdatesEx:
		boundWait(req)
	}
	return nil
}

// guardPerf refuses implausible numbers.
func guardPerf(req *types.QueryPerf) types.BaseMethodFault {
	for i := range req.QuerySpec {
		if q := &req.QuerySpec[i]; q.IntervalId < -1 || q.MaxSample < 0 {
			return &types.InvalidArgument{InvalidProperty: "querySpec"}
		}
	}
	return nil
}

// guardEvent refuses events without an existing object: the alarm manager does not check that the object exists.
func guardEvent(ctx *simulator.Context, req *types.PostEvent) types.BaseMethodFault {
	if req.EventToPost == nil {
		return &types.InvalidArgument{InvalidProperty: "eventToPost"}
	}
	event, ok := req.EventToPost.(*types.EventEx)
	if !ok {
		return nil
	}
	about := types.ManagedObjectReference{Type: event.ObjectType, Value: event.ObjectId}
	if _, ok := ctx.Map.Get(about).(mo.Entity); !ok {
		return &types.InvalidArgument{InvalidProperty: "eventToPost.objectId"}
	}
	return nil
}

// SessionTimeout is the key of the vCenter setting that ends idle sessions. Its value is a duration as text, such as 30m.
const SessionTimeout = "config.vmacore.soap.sessionTimeout"

// guardSettings protects the vCenter's own settings; hosts have the fleet's own managers.
func guardSettings(req *types.UpdateOptions) types.BaseMethodFault {
	for _, c := range req.ChangedValue {
		if c == nil || c.GetOptionValue() == nil {
			return &types.InvalidArgument{InvalidProperty: "changedValue"}
		}
		v := c.GetOptionValue()
		switch {
		case strings.HasPrefix(v.Key, "vcsim."):
			return &types.InvalidName{Name: v.Key}
		case v.Key == SessionTimeout && !isDuration(v.Value):
			return &types.InvalidArgument{InvalidProperty: v.Key}
		}
	}
	return nil
}

func isDuration(value any) bool {
	text, ok := value.(string)
	if !ok {
		return false
	}
	d, err := time.ParseDuration(text)
	return err == nil && d > 0
}

// maxWait is the maximum wait for updates. A client without a limit asks again anyway; an abandoned wait would otherwise never
// end.
const maxWait = 600

func boundWait(req *types.WaitForUpdatesEx) {
	if req.Options == nil {
		req.Options = &types.WaitOptions{}
	}
	if s := req.Options.MaxWaitSeconds; s == nil || *s > maxWait {
		req.Options.MaxWaitSeconds = types.NewInt32(maxWait)
	}
}
