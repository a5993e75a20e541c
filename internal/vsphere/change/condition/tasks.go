package condition

import (
	"cmp"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// taskPaths are the properties of a task that show whether it blocks a change, and who started it.
var taskPaths = []string{"info.state", "info.entity", "info.name", "info.descriptionId", "info.reason", "info.queueTime", "info.startTime"}

// addTask stores a task that is running or queued.
func (v *survey) addTask(p *property.Props) {
	on, ok := property.Read(p, "info.entity", property.As[ref], property.Required).Value()
	if words := taskWords(p); ok && words != "" {
		v.tasks[on.Value] = words
	}
}

// taskWords describes an unfinished task: its name, who started it and when. It returns "" for a finished task.
func taskWords(p *property.Props) string {
	state, _ := property.Read(p, "info.state", property.Text, property.Required).Value()
	what := "is running"
	switch types.TaskInfoState(state) {
	case types.TaskInfoStateRunning:
	case types.TaskInfoStateQueued:
		what = "waits to run"
	default:
		return ""
	}
	name, _ := property.Read(p, "info.name", property.Text, property.Required).Value()
	id, _ := property.Read(p, "info.descriptionId", property.Text, property.Required).Value()
	words := "task " + session.Plain(cmp.Or(id, name, p.Ref.Value)) + starter(p) + " " + what
	since, ok := property.Read(p, "info.startTime", asTime, property.Required).Value()
	if !ok {
		since, ok = property.Read(p, "info.queueTime", asTime, property.Required).Value()
	}
	if ok && !since.IsZero() {
		words += " since " + since.Format(time.RFC3339)
	}
	return words
}

// starter returns who started a task, as far as the server reports it.
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
