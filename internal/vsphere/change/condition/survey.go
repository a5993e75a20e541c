package condition

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Survey checks targets before a change and refuses those whose names match a protected pattern. Besides pages and tags, which
// vCenter returns by the thousand, only clusters add calls: each is asked whether a configuration profile owns it.
func Survey(ctx context.Context, s *session.Session, protected []NamePattern, targets []tuning.Target) ([]tuning.Condition, error) {
	v := &survey{Session: s, protected: protected, objects: map[string]*property.Props{}, tasks: map[string]string{}, parents: map[string]ref{}, names: map[string]string{}}
	for _, read := range []func(context.Context, []tuning.Target) error{
		v.readObjects, v.readClusters, v.readOwnVM, v.readPrivileges, v.readMarks, v.readOwners,
	} {
		if err := read(ctx, targets); err != nil {
			return nil, fmt.Errorf("checking the objects to change: %w", err)
		}
	}
	out := make([]tuning.Condition, len(targets))
	for i, t := range targets {
		out[i] = v.condition(t)
	}
	return out, nil
}

// surveyed lists the properties to read by type of object.
var surveyed = []types.PropertySpec{
	{Type: property.TypeHost, PathSet: []string{
		tree.PathName, tree.PathParent, tagging.PathAttributes, PathHostUUID, hostfacts.PathVendor, hostfacts.PathModel, tree.PathConnection, tree.PathPower, tree.PathStandby, PathQuarantine,
		tree.PathMaintenance, PathBooted, tree.PathVersion, pathStateless, pathManager,
	}},
	{Type: property.TypeVM, PathSet: []string{
		tree.PathName, tagging.PathAttributes, tree.PathInstance, tree.PathBIOS, tree.PathTemplate, pathManagedBy, vmfacts.PathProduct, pathDisabled, pathFT, vmfacts.PathFrozen,
		tree.PathConnection, pathQuestion, tree.PathPower, PathBooted, tree.PathVMHost, pathGuestName, pathGuestIP,
		pathGuestState,
	}},
	{Type: property.TypeCluster, PathSet: []string{tree.PathName, tagging.PathAttributes}},
	{Type: "ResourcePool", PathSet: []string{tree.PathName, tagging.PathAttributes, pathOwner}},
	{Type: property.TypeSwitch, PathSet: []string{tree.PathName, tagging.PathAttributes, estatefacts.PathUUID}},
	{Type: property.TypeDatastore, PathSet: []string{tree.PathName, tagging.PathAttributes, estatefacts.PathAccessible, estatefacts.PathStoreMaintenance}},
	{Type: "Task", PathSet: taskPaths},
	{Type: "CustomFieldsManager", PathSet: []string{tagging.PathFields}},
	{Type: "SessionManager", PathSet: []string{pathUser}},
}

// readObjects reads the targets, the tasks on them and the objects needed to interpret them.
func (v *survey) readObjects(ctx context.Context, targets []tuning.Target) error {
	found, err := property.Objects(ctx, v.Session, "their state", objectSpecs(v.Client().ServiceContent, targets), surveyed...)
	if err != nil {
		return err
	}
	v.fields = inventory.Unread[map[string]string]("the server does not list the names of custom attributes")
	v.user = inventory.Unread[string]("the server does not report the logged-in user")
	for _, p := range found {
		switch p.Ref.Type {
		case "CustomFieldsManager":
			v.fields = property.Read(p, tagging.PathFields, tagging.FieldNames, property.DefaultTo(map[string]string{}))
		case "SessionManager":
			v.user = property.Read(p, pathUser, property.Text, property.Required)
		case "Task":
			v.addTask(p)
		default:
			v.objects[p.Ref.Value] = p
		}
	}
	return nil
}

// objectSpecs selects the targets, the tasks on them, and the managers of custom attributes and sessions.
func objectSpecs(content types.ServiceContent, targets []tuning.Target) []types.ObjectSpec {
	var from []types.ObjectSpec
	for _, t := range targets {
		for _, of := range Types[t.Kind] {
			from = append(from, types.ObjectSpec{
				Obj: ref{Type: of, Value: t.ID}, SelectSet: []types.BaseSelectionSpec{property.Traverse(property.QueryType(of), pathTasks)},
			})
		}
	}
	for _, manager := range []*ref{content.CustomFieldsManager, content.SessionManager} {
		if manager != nil {
			from = append(from, types.ObjectSpec{Obj: *manager})
		}
	}
	if content.TaskManager != nil { // the task manager knows of tasks that an object does not list as its own
		from = append(from, types.ObjectSpec{
			Obj: *content.TaskManager, Skip: new(true), SelectSet: []types.BaseSelectionSpec{property.Traverse("TaskManager", pathTasks)},
		})
	}
	return from
}

// readClusters finds the clusters of hosts, and of the hosts that VMs run on.
func (v *survey) readClusters(ctx context.Context, _ []tuning.Target) error {
	hosts := map[ref]bool{}
	for _, p := range v.objects {
		switch on, is := property.Read(p, tree.PathVMHost, property.As[ref], property.Required).Value(); {
		case p.Ref.Type == property.TypeHost:
			hosts[p.Ref] = true
		case p.Ref.Type == property.TypeVM && is:
			hosts[on] = true
		case property.IsCluster(p.Ref):
			v.names[p.Ref.Value] = tree.NameOf(p)
		}
	}
	var from []types.ObjectSpec
	for h := range hosts {
		from = append(from, types.ObjectSpec{Obj: h, SelectSet: []types.BaseSelectionSpec{property.Traverse(property.TypeHost, tree.PathParent)}})
	}
	found, err := property.Objects(ctx, v.Session, "their clusters", from,
		types.PropertySpec{Type: property.TypeHost, PathSet: []string{tree.PathParent}}, types.PropertySpec{Type: property.TypeCluster, PathSet: []string{tree.PathName}})
	for _, p := range found {
		if property.IsCluster(p.Ref) {
			v.names[p.Ref.Value] = tree.NameOf(p)
		} else if parent, ok := property.Read(p, tree.PathParent, property.As[ref], property.Required).Value(); ok {
			v.parents[p.Ref.Value] = parent
		}
	}
	return err
}

// condition combines the facts read of one target.
func (v *survey) condition(t tuning.Target) tuning.Condition {
	c := tuning.Condition{Target: t, Privileges: inventory.Unread[[]string]("the object does not exist")}
	p := v.objects[t.ID]
	if p == nil || !slices.Contains(Types[t.Kind], p.Ref.Type) {
		c.Gone = v.Host() + " has no " + string(t.Kind) + " " + session.Plain(t.ID)
		return c
	}
	c.Target.Name = tree.NameOf(p)
	c.Privileges = v.privileges[p.Ref]
	c.Busy = v.tasks[t.ID]
	c.Untouchable = v.untouchable(p)
	c.Host, c.Cluster = v.place(p)
	v.own(&c, p)
	c.Doubts = append(c.Doubts, v.doubts(p)...)
	power, _ := property.Read(p, tree.PathPower, property.Text, property.Required).Value()
	switch p.Ref.Type {
	case property.TypeHost:
		c.Target.UUID, _ = property.Read(p, PathHostUUID, property.Text, property.Required).Value()
		c.Running = tree.HostUnreadReason(p) == "" && power == string(types.HostSystemPowerStatePoweredOn)
		c.Maintenance, _ = property.Read(p, tree.PathMaintenance, property.Bool, property.Required).Value()
		c.Booted = Booted(p)
	case property.TypeVM:
		c.Target.UUID, _ = property.Read(p, tree.PathInstance, property.Text, property.Required).Value()
		c.Running = power == string(types.VirtualMachinePowerStatePoweredOn)
		c.Busy = cmp.Or(c.Busy, leaving(p))
		c.Booted = Booted(p)
	}
	return c
}

const pathGuestState = "guest.guestState"

// leaving returns that a guest is shutting down, which no task shows, or "".
func leaving(p *property.Props) string {
	switch state, _ := property.Read(p, pathGuestState, property.Text, property.Required).Value(); types.VirtualMachineGuestState(state) {
	case types.VirtualMachineGuestStateShuttingDown:
		return "its guest is shutting down"
	case types.VirtualMachineGuestStateResetting:
		return "its guest is restarting"
	}
	return ""
}

// readOwnVM asks the vCenter which VM it runs in. A standalone host does not run in a VM that it could know of.
func (v *survey) readOwnVM(ctx context.Context, targets []tuning.Target) error {
	if !slices.ContainsFunc(targets, func(t tuning.Target) bool { return t.Kind == inventory.ScopeVM }) {
		return nil
	}
	var err error
	v.vcenter, err = FindOwnVM(ctx, v.Session)
	return err
}
