package condition

import (
	"cmp"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// taskPaths are what is asked of a task to tell whether it is in the way, and whose it is.
var taskPaths = []string{"info.state", "info.entity", "info.name", "info.descriptionId", "info.reason", "info.queueTime", "info.startTime"}

// addTask notes a task that is running or waiting to.
func (v *survey) addTask(p *property.Props) {
	on, ok := property.Read(p, "info.entity", property.As[ref], property.Must).Value()
	if words := taskWords(p); ok && words != "" {
		v.tasks[on.Value] = words
	}
}

// taskWords say which task is not over, of whom and since when; "" for one that is.
func taskWords(p *property.Props) string {
	state, _ := property.Read(p, "info.state", property.Text, property.Must).Value()
	what := "is running"
	switch types.TaskInfoState(state) {
	case types.TaskInfoStateRunning:
	case types.TaskInfoStateQueued:
		what = "waits to run"
	default:
		return ""
	}
	name, _ := property.Read(p, "info.name", property.Text, property.Must).Value()
	id, _ := property.Read(p, "info.descriptionId", property.Text, property.Must).Value()
	words := "task " + session.Plain(cmp.Or(id, name, p.Ref.Value)) + starter(p) + " " + what
	since, ok := property.Read(p, "info.startTime", asTime, property.Must).Value()
	if !ok {
		since, ok = property.Read(p, "info.queueTime", asTime, property.Must).Value()
	}
	if ok && !since.IsZero() {
		words += " since " + since.Format(time.RFC3339)
	}
	return words
}

// starter is who began a task, as far as the server says.
func starter(p *property.Props) string {
	switch r := p.Values["info.reason"].(type) {
	case types.TaskReasonUser:
		return " of " + session.Plain(r.UserName)
	case *types.TaskReasonUser:
		return " of " + session.Plain(r.UserName)
	case types.TaskReasonSchedule, *types.TaskReasonSchedule:
		return " of a schedule"
	case types.TaskReasonAlarm, *types.TaskReasonAlarm:
		return " of an alarm"
	}
	return ""
}
