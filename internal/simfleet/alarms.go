package simfleet

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
)

// firstAlarm is the number in the id of the fleet's first alarm.
const firstAlarm = 901

// addAlarms adds the alarms that are red from the start.
func (b *builder) addAlarms() error {
	for _, e := range b.hostOrder {
		for _, name := range e.Row.Alarms {
			b.raise(e, name, created)
		}
	}
	return nil
}

// raise creates an alarm and turns it red on the host and on all its parents.
func (b *builder) raise(e *esxi.Host, name string, at time.Time) {
	ctx := &simulator.Context{Context: context.Background(), Map: b.ctx.Map}
	manager := ctx.Map.AlarmManager()
	alarm := new(simulator.Alarm)
	ctx.WithLock(manager, func() {
		alarm.Self = types.ManagedObjectReference{Type: "Alarm", Value: fmt.Sprintf("alarm-%d", firstAlarm+len(manager.Returnval))}
		alarm.Info = types.AlarmInfo{
			AlarmSpec: types.AlarmSpec{Name: name, Description: name, Enabled: true, Expression: new(types.OrAlarmExpression)},
			Key:       alarm.Self.Value, Alarm: alarm.Self, Entity: b.model.ServiceContent.RootFolder, LastModifiedTime: at,
		}
		ctx.Map.Put(alarm)
		manager.Returnval = append(manager.Returnval, alarm.Self)
	})
	state := types.AlarmState{
		Key: alarm.Self.Value + "." + e.System.Self.Value, Entity: e.System.Self, Alarm: alarm.Self,
		OverallStatus: types.ManagedEntityStatusRed, Time: at, Acknowledged: new(false),
	}
	for at := new(e.System.Self); at != nil; {
		object := ctx.Map.Get(*at).(mo.Entity)
		ctx.WithLock(object, func() {
			list := append(slices.Clone(object.Entity().TriggeredAlarmState), state)
			ctx.Update(object, []types.PropertyChange{{Name: "triggeredAlarmState", Val: list}})
			at = object.Entity().Parent
		})
	}
}
