package guard

import (
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Check returns the fault a vCenter would raise for a call that the simulator cannot be trusted with, and nil for all others. It has
// to run before the simulator takes any lock: the simulator does not check what it gets. A wrong reference or number makes it
// panic, which leaves an object locked for good or ends the process; some calls use files and containers of the machine it runs on.
func Check(ctx *simulator.Context, method *simulator.Method) types.BaseMethodFault {
	if fault := refusedMethod(method); fault != nil {
		return fault
	}
	if fault := inspect(ctx, method); fault != nil {
		return fault
	}
	return guardBody(ctx, method)
}

// notOffered lists methods that would change the machine around the fleet, or that the simulator does not survive.
var notOffered = map[string]bool{
	"AddHost_Task":             true, // ends the process over releases that the simulator does not know
	"AddStandaloneHost_Task":   true,
	"CreateLocalDatastore":     true, // lends any directory of the machine to the fleet
	"CreateNasDatastore":       true,
	"CreateVmfsDatastore":      true,
	"InstallServerCertificate": true,
	"UploadOvfFile":            true,
}

// notOfferedTypes lists managers that work by running commands on the machine.
var notOfferedTypes = map[string]bool{
	"GuestAliasManager":    true,
	"GuestAuthManager":     true,
	"GuestFileManager":     true,
	"GuestProcessManager":  true,
	"HttpNfcLease":         true,
	"VmCertificateManager": true,
}

// destroys lists methods that remove an object with all that is in it. The simulator leaves what was in it behind
// without a parent, and does not survive the next call for that; so only what holds nothing may go.
var (
	destroys    = map[string]bool{"Destroy_Task": true, "UnregisterAndDestroy_Task": true}
	destroyable = map[string]bool{"VirtualMachine": true, "ResourcePool": true}
)

// otherLogins lists ways in that the simulator does not check.
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

// guardBody looks at single methods whose arguments can be wrong in a way of their own.
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

// guardPerf refuses numbers that mean nothing.
func guardPerf(req *types.QueryPerf) types.BaseMethodFault {
	for i := range req.QuerySpec {
		if q := &req.QuerySpec[i]; q.IntervalId < -1 || q.MaxSample < 0 {
			return &types.InvalidArgument{InvalidProperty: "querySpec"}
		}
	}
	return nil
}

// guardEvent refuses events about nothing: the alarm manager looks the object up without asking whether it is there.
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

// guardSettings protects the vCenter's own settings; hosts have managers of ours.
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

// maxWait bounds a wait for updates. A client that named no bound asks again by itself; one that went away in the
// middle would otherwise leave the wait behind for ever.
const maxWait = 600

func boundWait(req *types.WaitForUpdatesEx) {
	if req.Options == nil {
		req.Options = &types.WaitOptions{}
	}
	if s := req.Options.MaxWaitSeconds; s == nil || *s > maxWait {
		req.Options.MaxWaitSeconds = types.NewInt32(maxWait)
	}
}
