package vsphere

import (
	"cmp"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// taskPaths are what is asked of a task to tell whether it is in the way, and whose it is.
var taskPaths = []string{"info.state", "info.entity", "info.name", "info.descriptionId", "info.reason", "info.queueTime", "info.startTime"}

// addTask notes a task that is running or waiting to.
func (v *survey) addTask(p *props) {
	on, ok := read(p, "info.entity", asIs[ref], must).Value()
	if words := taskWords(p); ok && words != "" {
		v.tasks[on.Value] = words
	}
}

// taskWords say which task is not over, of whom and since when; "" for one that is.
func taskWords(p *props) string {
	state, _ := read(p, "info.state", asText, must).Value()
	what := "is running"
	switch types.TaskInfoState(state) {
	case types.TaskInfoStateRunning:
	case types.TaskInfoStateQueued:
		what = "waits to run"
	default:
		return ""
	}
	name, _ := read(p, "info.name", asText, must).Value()
	id, _ := read(p, "info.descriptionId", asText, must).Value()
	words := "task " + plain(cmp.Or(id, name, p.ref.Value)) + starter(p) + " " + what
	since, ok := read(p, "info.startTime", asTime, must).Value()
	if !ok {
		since, ok = read(p, "info.queueTime", asTime, must).Value()
	}
	if ok && !since.IsZero() {
		words += " since " + since.Format(time.RFC3339)
	}
	return words
}

// starter is who began a task, as far as the server says.
func starter(p *props) string {
	switch r := p.values["info.reason"].(type) {
	case types.TaskReasonUser:
		return " of " + plain(r.UserName)
	case *types.TaskReasonUser:
		return " of " + plain(r.UserName)
	case types.TaskReasonSchedule, *types.TaskReasonSchedule:
		return " of a schedule"
	case types.TaskReasonAlarm, *types.TaskReasonAlarm:
		return " of an alarm"
	}
	return ""
}
