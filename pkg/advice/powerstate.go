package advice

import (
	"slices"

	"cel.dev/cel-go/common/types"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
)

// The power states of a VM that decide, in the API's words, and why a rule skips a VM that does not run.
const (
	poweredOn       = "poweredOn"
	suspended       = "suspended"
	reasonOff       = "powered off"
	reasonSuspended = "suspended"
	reasonTemplate  = "template"
)

// powerNeeds are the facts that say whether a VM runs.
var powerNeeds = []string{"VM.powerState", "VM.template"}

// skips returns why the rule skips a VM that does not run, or "". The unknown is set where the facts that decide were not
// read.
func (r *compiled) skips(vm *inventory.VM, include []VMState) (reason string, lack *types.Unknown) {
	if vm == nil || len(r.passes) == 0 {
		return "", nil
	}
	judges := func(s VMState) bool { return !slices.Contains(r.passes, s) || slices.Contains(include, s) }
	power, powerState, whyPower := vm.PowerState.Get()
	template, templateState, whyTemplate := vm.Template.Get()
	switch {
	case judges(VMOff) && judges(VMTemplate), power == poweredOn, powerState != inventory.StateKnown && len(vm.Live) > 0:
		return "", nil
	case template:
		if judges(VMTemplate) {
			return "", nil
		}
		return reasonTemplate, nil
	case powerState != inventory.StateKnown:
		return "", expr.Unread(vm, "VM.powerState", whyPower)
	case (judges(VMOff) || judges(VMTemplate)) && templateState == inventory.StateUnread:
		return "", expr.Unread(vm, "VM.template", whyTemplate)
	case judges(VMOff):
		return "", nil
	case power == suspended:
		return reasonSuspended, nil
	}
	return reasonOff, nil
}

// vmOf is the VM that an object is or is a device of, or nil.
func vmOf(o inventory.Object) *inventory.VM {
	switch x := o.(type) {
	case *inventory.VM:
		return x
	case *inventory.VNIC:
		return x.VM()
	case *inventory.VDisk:
		return x.VM()
	}
	return nil
}

// judged reports whether the rule was evaluated against the object: it skips VMs that do not run.
func (r *Result) judged(rule *compiled, o inventory.Object) bool {
	skip, lack := rule.skips(vmOf(o), r.include)
	return skip == "" && lack == nil && !r.aside[place{rule.Rule, o}]
}
