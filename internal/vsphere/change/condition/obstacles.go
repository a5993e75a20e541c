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

// Properties that show why an object must not be changed.
const (
	pathManagedBy  = "config.managedBy"
	pathDisabled   = "disabledMethod"
	pathFT         = "runtime.faultToleranceState"
	pathQuestion   = "runtime.question"
	PathQuarantine = "runtime.inQuarantineMode"
)

// Gap returns why a fact needed for the decision could not be read, or "".
func Gap[T any](f inventory.Fact[T], what string) string {
	if _, state, reason := f.Get(); state == inventory.StateUnread {
		return what + " could not be read: " + reason
	}
	return ""
}

// isTemplate returns whether the VM is a template, as an obstacle. Every VM has this flag; if it is missing, nothing of the VM's
// configuration is known.
func isTemplate(p *property.Props) string {
	template := property.Read(p, tree.PathTemplate, property.Bool, property.Required)
	if is, _ := template.Value(); is {
		return "it is a template"
	}
	return Gap(template, "whether it is a template")
}

// managedVM returns what manages a VM, if not its users: an extension of vCenter, or vSphere itself, which names the VMs that it
// runs for a cluster.
func managedVM(p *property.Props) string {
	by := property.Read(p, pathManagedBy, property.As[types.ManagedByInfo], property.AbsentIfUnset)
	if m, is := by.Value(); is && (m.ExtensionKey != "" || m.Type != "") {
		return "it is managed by " + session.Plain(m.ExtensionKey) + " (" + session.Plain(m.Type) + ")"
	}
	if vmfacts.IsVCLS(tree.NameOf(p)) {
		return "it is a vCLS virtual machine, which vSphere runs for the cluster"
	}
	return Gap(by, "whether it is managed")
}

// appliance returns the product of a VM that is a software appliance; its vendor defines how to operate it.
func appliance(p *property.Props) string {
	products := property.Read(p, vmfacts.PathProduct, property.As[types.ArrayOfVAppProductInfo], property.AbsentIfUnset)
	list, _ := products.Value()
	for _, product := range list.VAppProductInfo {
		if vmfacts.IsAppliance(product) {
			return "it is an appliance: " + session.Plain(product.Name)
		}
	}
	return Gap(products, "its product information")
}

// locked returns why the server does not allow the VM to be reconfigured, or that a change would affect its Fault Tolerance
// partner or its child VMs.
func locked(p *property.Props) string {
	disabled := property.Read(p, pathDisabled, property.As[types.ArrayOfString], property.DefaultTo(types.ArrayOfString{}))
	list, _ := disabled.Value()
	pair, parent := property.Read(p, pathFT, property.Text, property.AbsentIfUnset), property.Read(p, vmfacts.PathFrozen, property.Bool, property.AbsentIfUnset)
	ft, _ := pair.Value()
	frozen, _ := parent.Value()
	switch {
	case slices.Contains(list.String, "ReconfigVM_Task"):
		return "the server does not allow its reconfiguration (disabledMethod has ReconfigVM_Task)"
	case ft != "" && ft != string(types.VirtualMachineFaultToleranceStateNotConfigured):
		return "it is part of a Fault Tolerance pair (" + session.Plain(ft) + ")"
	case frozen:
		return "it is frozen, as a parent of instant clones"
	}
	return cmp.Or(Gap(disabled, "its disabled methods"), Gap(pair, "whether it is fault tolerant"),
		Gap(parent, "whether it is a parent of instant clones"))
}

// vmState returns the obstacle in the VM's state: a suspended VM would resume with a different configuration, and a VM with a
// pending question accepts no other operation.
func vmState(p *property.Props) string {
	question := property.Read(p, pathQuestion, property.As[types.VirtualMachineQuestionInfo], property.AbsentIfUnset)
	if q, asks := question.Value(); asks {
		return "it is waiting for the answer to a question: " + session.Plain(q.Text)
	}
	power := property.Read(p, tree.PathPower, property.Text, property.Required)
	switch state, known := power.Value(); {
	case state == string(types.VirtualMachinePowerStateSuspended):
		return "it is suspended"
	case known && state != string(types.VirtualMachinePowerStatePoweredOn) && state != string(types.VirtualMachinePowerStatePoweredOff):
		return "its power state is " + session.Plain(state)
	}
	return cmp.Or(Gap(power, "its power state"), Gap(question, "whether it has a pending question"),
		Gap(property.Read(p, tree.PathConnection, property.Text, property.Required), "whether its host can use it"))
}

func pseudoHost(p *property.Props) string {
	h := new(inventory.Host)
	hostfacts.FillKind(p, h)
	if kind, _ := h.Kind.Value(); kind == inventory.HostPseudo {
		model, _ := property.Read(p, hostfacts.PathModel, property.Text, property.Required).Value()
		return "it is not a physical ESXi host (" + session.Plain(model) + ")"
	}
	return Gap(h.Kind, "whether it is a physical host")
}

// HostState returns why a host that responds cannot be changed or take VMs: it is in standby, in quarantine or off. Otherwise it
// returns "".
func HostState(p *property.Props) string {
	sleep, ward := property.Read(p, tree.PathStandby, property.Text, property.AbsentIfUnset), property.Read(p, PathQuarantine, property.Bool, property.AbsentIfUnset)
	standby, _ := sleep.Value()
	quarantine, _ := ward.Value()
	power := property.Read(p, tree.PathPower, property.Text, property.Required)
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
	accessible := property.Read(p, estatefacts.PathAccessible, property.Bool, property.Required)
	maintenance := property.Read(p, estatefacts.PathStoreMaintenance, property.Text, property.AbsentIfUnset)
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
	return Gap(property.Read(p, estatefacts.PathUUID, property.Text, property.Required), "the switch")
}
