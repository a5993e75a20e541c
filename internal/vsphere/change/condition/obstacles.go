package condition

import (
	"cmp"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties that keep an object from being changed.
const (
	pathManagedBy  = "config.managedBy"
	pathDisabled   = "disabledMethod"
	pathFT         = "runtime.faultToleranceState"
	pathQuestion   = "runtime.question"
	PathStandby    = "runtime.standbyMode"
	PathQuarantine = "runtime.inQuarantineMode"
)

// Gap is why a fact that decides could not be read, or "".
func Gap[T any](f inventory.Fact[T], what string) string {
	if _, state, reason := f.Get(); state == inventory.StateUnread {
		return what + " could not be read: " + reason
	}
	return ""
}

// isTemplate looks at the flag that every VM has: where it is missing nothing of the VM's configuration is known.
func isTemplate(p *property.Props) string {
	template := property.Read(p, tree.PathTemplate, property.Bool, property.Must)
	if is, _ := template.Value(); is {
		return "it is a template"
	}
	return Gap(template, "whether it is a template")
}

// managedVM is a VM that somebody else looks after: an extension of vCenter, or vSphere itself, which names the VMs that it
// runs for a cluster.
func managedVM(p *property.Props) string {
	by := property.Read(p, pathManagedBy, property.As[types.ManagedByInfo], property.None)
	if m, is := by.Value(); is && (m.ExtensionKey != "" || m.Type != "") {
		return "it is managed by " + session.Plain(m.ExtensionKey) + " (" + session.Plain(m.Type) + ")"
	}
	if vmfacts.IsVCLS(tree.NameOf(p)) {
		return "it is a vCLS virtual machine, which vSphere runs for the cluster"
	}
	return Gap(by, "whether it is managed")
}

// appliance is a VM that came with its software, whose maker says how it is run.
func appliance(p *property.Props) string {
	products := property.Read(p, vmfacts.PathProduct, property.As[types.ArrayOfVAppProductInfo], property.None)
	list, _ := products.Value()
	for _, product := range list.VAppProductInfo {
		if vmfacts.IsAppliance(product) {
			return "it is an appliance: " + session.Plain(product.Name)
		}
	}
	return Gap(products, "what product it is")
}

// locked is a VM that the server itself keeps from being reconfigured, or whose twin or children would be hit.
func locked(p *property.Props) string {
	disabled := property.Read(p, pathDisabled, property.As[types.ArrayOfString], property.Means(types.ArrayOfString{}))
	list, _ := disabled.Value()
	pair, parent := property.Read(p, pathFT, property.Text, property.None), property.Read(p, vmfacts.PathFrozen, property.Bool, property.None)
	ft, _ := pair.Value()
	frozen, _ := parent.Value()
	switch {
	case slices.Contains(list.String, "ReconfigVM_Task"):
		return "the server does not let it be reconfigured (disabledMethod has ReconfigVM_Task)"
	case ft != "" && ft != string(types.VirtualMachineFaultToleranceStateNotConfigured):
		return "it is one of a pair of Fault Tolerance (" + session.Plain(ft) + ")"
	case frozen:
		return "it is frozen, as a parent of instant clones"
	}
	return cmp.Or(Gap(disabled, "what the server lets be done with it"), Gap(pair, "whether it is fault tolerant"),
		Gap(parent, "whether it is a parent of instant clones"))
}

// vmState: a suspended VM would wake up in another one, and one that asks something does nothing else.
func vmState(p *property.Props) string {
	question := property.Read(p, pathQuestion, property.As[types.VirtualMachineQuestionInfo], property.None)
	if q, asks := question.Value(); asks {
		return "it waits for the answer to a question: " + session.Plain(q.Text)
	}
	power := property.Read(p, tree.PathPower, property.Text, property.Must)
	switch state, known := power.Value(); {
	case state == string(types.VirtualMachinePowerStateSuspended):
		return "it is suspended"
	case known && state != string(types.VirtualMachinePowerStatePoweredOn) && state != string(types.VirtualMachinePowerStatePoweredOff):
		return "its power state is " + session.Plain(state)
	}
	return cmp.Or(Gap(power, "its power state"), Gap(question, "whether it asks something"),
		Gap(property.Read(p, tree.PathConnection, property.Text, property.Must), "whether its host can use it"))
}

func pseudoHost(p *property.Props) string {
	h := new(inventory.Host)
	hostfacts.FillKind(p, h)
	if kind, _ := h.Kind.Value(); kind == inventory.HostPseudo {
		model, _ := property.Read(p, hostfacts.PathModel, property.Text, property.Must).Value()
		return "it is no ESXi host, it only looks like one (" + session.Plain(model) + ")"
	}
	return Gap(h.Kind, "what kind of host it is")
}

// HostState is why a host that answers cannot be changed or take VMs: it is in standby, in quarantine or off; else "".
func HostState(p *property.Props) string {
	sleep, ward := property.Read(p, PathStandby, property.Text, property.None), property.Read(p, PathQuarantine, property.Bool, property.None)
	standby, _ := sleep.Value()
	quarantine, _ := ward.Value()
	power := property.Read(p, tree.PathPower, property.Text, property.Must)
	state, known := power.Value()
	switch {
	case standby != "" && standby != string(types.HostStandbyModeNone), state == string(types.HostSystemPowerStateStandBy):
		return "it is in standby"
	case quarantine:
		return "it is in quarantine"
	case known && state != string(types.HostSystemPowerStatePoweredOn):
		return "its power state is " + session.Plain(state)
	}
	return cmp.Or(Gap(power, "its power state"), Gap(sleep, "whether it is in standby"), Gap(ward, "whether it is in quarantine"))
}

func storeState(p *property.Props) string {
	accessible := property.Read(p, estatefacts.PathAccessible, property.Bool, property.Must)
	maintenance := property.Read(p, estatefacts.PathUpkeep, property.Text, property.None)
	upkeep, _ := maintenance.Value()
	is, known := accessible.Value()
	switch {
	case known && !is:
		return "no host reaches the datastore"
	case upkeep != "" && upkeep != string(types.DatastoreSummaryMaintenanceModeStateNormal):
		return "the datastore is in maintenance (" + session.Plain(upkeep) + ")"
	}
	return cmp.Or(Gap(accessible, "whether a host reaches the datastore"), Gap(maintenance, "whether the datastore is in maintenance"))
}

func switchState(p *property.Props) string {
	return Gap(property.Read(p, estatefacts.PathUUID, property.Text, property.Must), "the switch")
}
