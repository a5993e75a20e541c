package eventlog

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// Subject is what an event says about its object.
type Subject int

// The subjects.
const (
	Configured Subject = iota + 1 // its settings
	Placed                        // its host, pool or datastores
	Operated                      // its power, snapshots or connection
	Existence                     // it was created, registered or removed
)

// Entry is an event about one managed object.
type Entry struct {
	When    time.Time // by the server's clock
	Subject Subject
	User    string // "" if the server names none; untrusted
	Object  string // the managed object id
	Class   string // such as VmReconfiguredEvent
	Text    string // as the server words it; untrusted
}

// subjects are the classes of events about changes, by the names that an event filter takes.
var subjects = map[string]Subject{
	"VmReconfiguredEvent": Configured, "VmRenamedEvent": Configured, "VmResourceReallocatedEvent": Configured, "VmUpgradeCompleteEvent": Configured,
	"ClusterReconfiguredEvent": Configured, "ResourcePoolReconfiguredEvent": Configured, "DvsReconfiguredEvent": Configured,
	"DVPortgroupReconfiguredEvent": Configured, "DatastoreRenamedEvent": Configured, "DvsRenamedEvent": Configured, "CustomFieldValueChangedEvent": Configured,

	"VmMigratedEvent": Placed, "DrsVmMigratedEvent": Placed, "VmRelocatedEvent": Placed, "VmResourcePoolMovedEvent": Placed,
	"VmRestartedOnAlternateHostEvent": Placed, "ResourcePoolMovedEvent": Placed,

	"VmPoweredOnEvent": Operated, "VmPoweredOffEvent": Operated, "VmSuspendedEvent": Operated, "DrsVmPoweredOnEvent": Operated,

	"VmCreatedEvent": Existence, "VmRegisteredEvent": Existence, "VmRemovedEvent": Existence, "VmClonedEvent": Existence, "VmDeployedEvent": Existence,
	"HostAddedEvent": Existence, "HostRemovedEvent": Existence, "ResourcePoolCreatedEvent": Existence, "ResourcePoolDestroyedEvent": Existence,
}

// taskWords are parts of the last part of a task's id, and what such a task is about. The first that matches decides.
var taskWords = []struct {
	part  string
	about Subject
}{
	{"snapshot", Operated},
	{"migrate", Placed}, {"relocate", Placed}, {"vmotion", Placed}, {"moveinto", Placed},
	{"config", Configured}, {"update", Configured}, {"rename", Configured}, {"upgrade", Configured}, {"set", Configured}, {"apply", Configured},
	{"power", Operated}, {"suspend", Operated}, {"consolidate", Operated}, {"maintenance", Operated}, {"connect", Operated},
	{"create", Existence}, {"clone", Existence}, {"register", Existence}, {"destroy", Existence}, {"addhost", Existence}, {"addstandalone", Existence},
}

// subjectOfTask returns what a task is about, by its id, such as VirtualMachine.reconfigure; 0 is nothing that matters. A reset
// changes no setting.
func subjectOfTask(id string) Subject {
	id = strings.ToLower(id)
	name := id[strings.LastIndexByte(id, '.')+1:]
	for _, w := range taskWords {
		if strings.Contains(name, w.part) && name != "reset" || w.part == "snapshot" && strings.Contains(id, w.part) {
			return w.about
		}
	}
	return 0
}

// Limits of one reading: a busy server logs thousands of events a day, and each page is a call.
const (
	eventsPerPage = 1000
	mostPages     = 20
)

// Changes returns the events of a period about changes of objects, oldest first. If whole is false there were more, and only the first
// ones were read.
func Changes(ctx context.Context, s *session.Session, from, to time.Time) (all []Entry, whole bool, err error) {
	manager := s.Client().ServiceContent.EventManager
	if manager == nil {
		return nil, false, fmt.Errorf("reading events: %s keeps none", s.Host())
	}
	created, err := methods.CreateCollectorForEvents(ctx, s, &types.CreateCollectorForEvents{This: *manager, Filter: types.EventFilterSpec{
		Time: &types.EventFilterSpecByTime{BeginTime: new(from), EndTime: new(to)}, EventTypeId: changeFilter(),
	}})
	if err != nil {
		return nil, false, fmt.Errorf("reading events of %s: %w", s.Host(), err)
	}
	collector := created.Returnval
	defer func() { // a collector that is left ends with its session
		cleanup, cancel := s.CleanupContext(ctx)
		defer cancel()
		_, _ = methods.DestroyCollector(cleanup, s, &types.DestroyCollector{This: collector})
	}()
	if _, err = methods.RewindCollector(ctx, s, &types.RewindCollector{This: collector}); err != nil {
		return nil, false, fmt.Errorf("reading events of %s: %w", s.Host(), err)
	}
	for range mostPages {
		page, err := methods.ReadNextEvents(ctx, s, &types.ReadNextEvents{This: collector, MaxCount: eventsPerPage})
		if err != nil {
			return nil, false, fmt.Errorf("reading events of %s: %w", s.Host(), err)
		}
		if len(page.Returnval) == 0 {
			whole = true
			break
		}
		for _, e := range page.Returnval {
			if entry, matters := entryOf(e); matters {
				all = append(all, entry)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return a.When.Compare(b.When) })
	return all, whole, nil
}

func changeFilter() []string {
	ids := []string{classTask}
	for id := range subjects {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func entryOf(event types.BaseEvent) (Entry, bool) {
	e := event.GetEvent()
	entry := Entry{When: e.CreatedTime, User: session.Plain(e.UserName), Class: reflect.TypeOf(event).Elem().Name(), Text: session.Plain(e.FullFormattedMessage)}
	entry.Subject = subjects[entry.Class]
	if task, ok := event.(*types.TaskEvent); ok {
		entry.Subject = subjectOfTask(task.Info.DescriptionId)
		if task.Info.Entity != nil {
			entry.Object = task.Info.Entity.Value
		}
		if by, ok := task.Info.Reason.(*types.TaskReasonUser); ok {
			entry.User = session.Plain(by.UserName)
		}
	}
	if entry.Object == "" {
		entry.Object = objectOf(e)
	}
	return entry, entry.Subject != 0 && entry.Object != ""
}

// objectOf returns the id of the most specific object that an event is about.
func objectOf(e *types.Event) string {
	switch {
	case e.Vm != nil:
		return e.Vm.Vm.Value
	case e.Ds != nil:
		return e.Ds.Datastore.Value
	case e.Dvs != nil:
		return e.Dvs.Dvs.Value
	case e.Host != nil:
		return e.Host.Host.Value
	case e.ComputeResource != nil:
		return e.ComputeResource.ComputeResource.Value
	}
	return ""
}
