package eventlog

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

// Effect is what an event means for a measurement that goes on.
type Effect int

// The effects.
const (
	// Disturbs: the load of a host changed for a reason other than the setting that is measured.
	Disturbs Effect = iota + 1
	// Endangers: a host or VM is in trouble.
	Endangers
)

// effects are the classes of events, by the names that an event filter takes.
var effects = map[string]Effect{
	"VmMigratedEvent": Disturbs, "DrsVmMigratedEvent": Disturbs, "VmRelocatedEvent": Disturbs,
	"VmBeingMigratedEvent": Disturbs, "VmBeingHotMigratedEvent": Disturbs, "VmBeingRelocatedEvent": Disturbs,
	"VmBeingClonedEvent": Disturbs, "VmClonedEvent": Disturbs,
	"VmRestartedOnAlternateHostEvent": Disturbs,
	"DasHostFailedEvent":              Disturbs, "DasHostIsolatedEvent": Disturbs, "VmDasBeingResetEvent": Endangers, "VmDasResetFailedEvent": Endangers,
	"EnteringMaintenanceModeEvent": Disturbs, "EnteredMaintenanceModeEvent": Disturbs, "ExitMaintenanceModeEvent": Disturbs,

	"HostDisconnectedEvent": Endangers, "HostConnectionLostEvent": Endangers, "HostShutdownEvent": Endangers,
	"VmResettingEvent": Endangers, "VmGuestOSCrashedEvent": Endangers,
}

// extended are the events that have an id of text, as hosts send them (vSphere documentation, event ids of VMkernel observations).
var extended = map[string]Effect{
	"esx.problem.net.connectivity.lost": Endangers, "esx.problem.net.redundancy.lost": Endangers, "esx.problem.net.redundancy.degraded": Endangers,
	"esx.problem.storage.connectivity.lost": Endangers, "esx.problem.storage.redundancy.lost": Endangers,
	"esx.problem.storage.redundancy.degraded": Endangers, "esx.problem.vmfs.heartbeat.timedout": Endangers,
	"esx.problem.scsi.device.io.latency.high": Disturbs,
	"com.vmware.vc.ha.VmRestartedByHAEvent":   Disturbs,
	"com.vmware.vc.vm.DstVmMigratedEvent":     Disturbs, "com.vmware.vc.vm.SrcVmMigratedEvent": Disturbs,
}

// Classes whose effect depends on what they say.
const (
	classAlarm = "AlarmStatusChangedEvent"
	classTask  = "TaskEvent"
)

// disturbingTasks are the last parts of the ids of tasks that load a host.
var disturbingTasks = []string{
	"createsnapshot", "createsnapshotex", "removesnapshot", "removeallsnapshots", "reverttocurrentsnapshot", "snapshot.remove", "snapshot.revert",
	"consolidatedisks", "clone", "migrate", "relocate", "executevmotionlro", "entermaintenancemode", "exitmaintenancemode", "rescanallhba", "rescanvmfs",
}

// effectOfTask is the effect of a task that began; 0 is none.
func effectOfTask(t *types.TaskEvent) Effect {
	id := strings.ToLower(t.Info.DescriptionId)
	for _, end := range disturbingTasks {
		if id == end || strings.HasSuffix(id, "."+end) {
			return Disturbs
		}
	}
	return 0
}

// effectOfAlarm is the effect of an alarm that changed: red endangers, yellow disturbs, and an alarm that ends does nothing.
func effectOfAlarm(a *types.AlarmStatusChangedEvent) Effect {
	switch types.ManagedEntityStatus(a.To) {
	case types.ManagedEntityStatusRed:
		return Endangers
	case types.ManagedEntityStatusYellow:
		if types.ManagedEntityStatus(a.From) != types.ManagedEntityStatusRed {
			return Disturbs
		}
	}
	return 0
}
