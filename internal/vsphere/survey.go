package vsphere

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const (
	pathHostUUID = "hardware.systemInfo.uuid"
	pathBooted   = "runtime.bootTime"
	pathTasks    = "recentTask"
	pathOwner    = "owner"
)

// survey is one look at targets. Every object is found by its id alone: a server uses none twice, and says itself of which
// type an object is.
type survey struct {
	*estate
	objects map[string]*props // of the targets that are there
	tasks   map[string]string // on them, that are not over: words for one of each object's
	fields  fields
	user    inventory.Fact[string] // as the server calls who is logged in
	parents map[string]ref         // of hosts
	names   map[string]string      // of clusters

	vcenter    ownVM
	tags       inventory.Fact[map[ref][]string]
	privileges map[ref]inventory.Fact[[]string]
	owners     owners
}

// Survey implements tuning.Settings. Beside pages and tags, which vCenter gives out by the thousand, only clusters add
// calls: each says for itself whether a configuration profile owns it.
func (s *settings) Survey(ctx context.Context, targets []tuning.Target) ([]tuning.Condition, error) {
	v := &survey{estate: s.estate, objects: map[string]*props{}, tasks: map[string]string{}, parents: map[string]ref{}, names: map[string]string{}}
	for _, look := range []func(context.Context, []tuning.Target) error{
		v.readObjects, v.readClusters, v.readOwnVM, v.readPrivileges, v.readMarks, v.readOwners,
	} {
		if err := look(ctx, targets); err != nil {
			return nil, fmt.Errorf("looking at what is to be changed: %w", err)
		}
	}
	out := make([]tuning.Condition, len(targets))
	for i, t := range targets {
		out[i] = v.condition(t)
	}
	return out, nil
}

// surveyed is what is asked of each type of object.
var surveyed = []types.PropertySpec{
	{Type: typeHost, PathSet: []string{
		pathName, pathParent, pathAttributes, pathHostUUID, pathVendor, pathModel, pathConnection, pathPower, pathStandby, pathQuarantine,
		pathMaintenance, pathBooted, pathVersion, pathStateless, pathManager,
	}},
	{Type: typeVM, PathSet: []string{
		pathName, pathAttributes, pathInstance, pathBIOS, pathTemplate, pathManagedBy, pathProduct, pathDisabled, pathFT, pathFrozen,
		pathConnection, pathQuestion, pathPower, pathBooted, pathVMHost, pathGuestName, pathGuestIP,
		pathGuestState,
	}},
	{Type: typeCluster, PathSet: []string{pathName, pathAttributes}},
	{Type: "ResourcePool", PathSet: []string{pathName, pathAttributes, pathOwner}},
	{Type: typeSwitch, PathSet: []string{pathName, pathAttributes, pathUUID}},
	{Type: typeDatastore, PathSet: []string{pathName, pathAttributes, pathAccessible, pathUpkeep}},
	{Type: "Task", PathSet: taskPaths},
	{Type: "CustomFieldsManager", PathSet: []string{pathFields}},
	{Type: "SessionManager", PathSet: []string{pathUser}},
}

// readObjects asks for the targets, for the tasks on them and for what it takes to understand them.
func (v *survey) readObjects(ctx context.Context, targets []tuning.Target) error {
	content := v.Client().ServiceContent
	var from []types.ObjectSpec
	for _, t := range targets {
		for _, of := range kinds[t.Kind] {
			from = append(from, types.ObjectSpec{
				Obj: ref{Type: of, Value: t.ID}, SelectSet: []types.BaseSelectionSpec{along(queried(of), pathTasks)},
			})
		}
	}
	for _, beside := range []*ref{content.CustomFieldsManager, content.SessionManager} {
		if beside != nil {
			from = append(from, types.ObjectSpec{Obj: *beside})
		}
	}
	if content.TaskManager != nil { // it knows of tasks that an object does not list as its own
		from = append(from, types.ObjectSpec{
			Obj: *content.TaskManager, Skip: new(true), SelectSet: []types.BaseSelectionSpec{along("TaskManager", pathTasks)},
		})
	}
	found, err := v.estate.objects(ctx, "their state", from, surveyed...)
	if err != nil {
		return err
	}
	v.fields = inventory.Unread[map[string]string]("the server shows no names of custom attributes")
	v.user = inventory.Unread[string]("the server does not say who is logged in")
	for _, p := range found {
		switch p.ref.Type {
		case "CustomFieldsManager":
			v.fields = read(p, pathFields, asFields, means(map[string]string{}))
		case "SessionManager":
			v.user = read(p, pathUser, asText, must)
		case "Task":
			v.addTask(p)
		default:
			v.objects[p.ref.Value] = p
		}
	}
	return nil
}

// readClusters finds the clusters of hosts, and of those that VMs run on.
func (v *survey) readClusters(ctx context.Context, _ []tuning.Target) error {
	hosts := map[ref]bool{}
	for _, p := range v.objects {
		switch on, is := read(p, pathVMHost, asIs[ref], must).Value(); {
		case p.ref.Type == typeHost:
			hosts[p.ref] = true
		case p.ref.Type == typeVM && is:
			hosts[on] = true
		case isCluster(p.ref):
			v.names[p.ref.Value] = nameOf(p)
		}
	}
	var from []types.ObjectSpec
	for h := range hosts {
		from = append(from, types.ObjectSpec{Obj: h, SelectSet: []types.BaseSelectionSpec{along(typeHost, pathParent)}})
	}
	found, err := v.estate.objects(ctx, "their clusters", from,
		types.PropertySpec{Type: typeHost, PathSet: []string{pathParent}}, types.PropertySpec{Type: typeCluster, PathSet: []string{pathName}})
	for _, p := range found {
		if isCluster(p.ref) {
			v.names[p.ref.Value] = nameOf(p)
		} else if parent, ok := read(p, pathParent, asIs[ref], must).Value(); ok {
			v.parents[p.ref.Value] = parent
		}
	}
	return err
}

// condition puts together what was seen of one target.
func (v *survey) condition(t tuning.Target) tuning.Condition {
	c := tuning.Condition{Target: t, Privileges: inventory.Unread[[]string]("the object is not there")}
	p := v.objects[t.ID]
	if p == nil || !slices.Contains(kinds[t.Kind], p.ref.Type) {
		c.Gone = v.Host() + " has no " + string(t.Kind) + " " + plain(t.ID)
		return c
	}
	c.Target.Name = nameOf(p)
	c.Privileges = v.privileges[p.ref]
	c.Busy = v.tasks[t.ID]
	c.Untouchable = v.untouchable(p)
	c.Host, c.Cluster = v.place(p)
	v.own(&c, p)
	c.Doubts = append(c.Doubts, v.doubts(p)...)
	power, _ := read(p, pathPower, asText, must).Value()
	switch p.ref.Type {
	case typeHost:
		c.Target.UUID, _ = read(p, pathHostUUID, asText, must).Value()
		c.Running = hostDown(p) == "" && power == string(types.HostSystemPowerStatePoweredOn)
		c.Maintenance, _ = read(p, pathMaintenance, asBool, must).Value()
		c.Booted, _ = read(p, pathBooted, asTime, must).Value()
	case typeVM:
		c.Target.UUID, _ = read(p, pathInstance, asText, must).Value()
		c.Running = power == string(types.VirtualMachinePowerStatePoweredOn)
		c.Busy = cmp.Or(c.Busy, leaving(p))
		c.Booted, _ = read(p, pathBooted, asTime, must).Value()
	}
	return c
}

// leaving says that a guest is on its way down, which no task tells of.
func leaving(p *props) string {
	switch state, _ := read(p, pathGuestState, asText, must).Value(); types.VirtualMachineGuestState(state) {
	case types.VirtualMachineGuestStateShuttingDown:
		return "its guest is shutting down"
	case types.VirtualMachineGuestStateResetting:
		return "its guest is restarting"
	}
	return ""
}

// place is the host and the cluster around an object; those of a pool and a cluster itself are known without a host.
func (v *survey) place(p *props) (host, cluster string) {
	switch {
	case p.ref.Type == typeHost:
		host = p.ref.Value
	case p.ref.Type == typeVM:
		host, _ = read(p, pathVMHost, asID, must).Value()
	case isCluster(p.ref):
		return "", p.ref.Value
	case isPool(p.ref):
		if owner, ok := read(p, pathOwner, asIs[ref], must).Value(); ok && isCluster(owner) {
			return "", owner.Value
		}
	}
	if parent := v.parents[host]; isCluster(parent) {
		cluster = parent.Value
	}
	return host, cluster
}

func asTime(v any) (time.Time, bool) {
	t, ok := v.(time.Time)
	return t.UTC(), ok
}
