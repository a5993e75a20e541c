package advice

import (
	"slices"

	"cel.dev/cel-go/common/types"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
)

// The relevant power states of a VM, as in the API, and the reasons to skip a VM that is not running.
const (
	poweredOn       = "poweredOn"
	suspended       = "suspended"
	reasonOff       = "powered off"
	reasonSuspended = "suspended"
	reasonTemplate  = "template"
)

// skips returns why the rule skips a VM that is not running, or "". lack is set if the facts needed for that are
// unread.
func (r *compiled) skips(vm *inventory.VM, include []VMState) (reason string, unknown *types.Unknown) {
	if vm == nil || len(r.passes) == 0 {
		return "", nil
	}
	power, state, _ := vm.PowerState.Get()
	off, templates := r.judges(VMOff, include), r.judges(VMTemplate, include)
	if off && templates || power == poweredOn || state != inventory.StateKnown && len(vm.Live) > 0 {
		return "", nil
	}
	return whySkipped(vm, off, templates)
}

// whySkipped returns why a rule skips a VM that is not known to run. off and templates are true if the rule evaluates
// such VMs.
func whySkipped(vm *inventory.VM, off, templates bool) (reason string, unknown *types.Unknown) {
	power, state, why := vm.PowerState.Get()
	template, templateState, whyTemplate := vm.Template.Get()
	switch {
	case template && !templates:
		return reasonTemplate, nil
	case template:
		return "", nil
	case state != inventory.StateKnown:
		return "", expr.Unread(vm, "VM.powerState", why)
	case templateState == inventory.StateUnread && off != templates: // the outcome depends on it
		return "", expr.Unread(vm, "VM.template", whyTemplate)
	case off:
		return "", nil
	case power == suspended:
		return reasonSuspended, nil
	}
	return reasonOff, nil
}

// judges reports whether the rule evaluates VMs in a state in which they do not run.
func (r *compiled) judges(s VMState, include []VMState) bool {
	return !slices.Contains(r.passes, s) || slices.Contains(include, s)
}

// vmOf returns the VM that an object is or is a device of, or nil.
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

// judged reports whether the rule was evaluated against the object and did not skip it.
func (r *Result) judged(rule *compiled, o inventory.Object) bool {
	skip, unknown := rule.skips(vmOf(o), r.include)
	_, aside := r.setAside[place{rule.Rule, o}]
	return skip == "" && unknown == nil && !aside
}
