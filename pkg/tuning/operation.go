package tuning

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

type value = inventory.Fact[inventory.Value]

// operation is the changes of one step that go to the server in one call, in a run or in a rollback.
type operation struct {
	step     int
	target   Target
	rollback bool
	edits    []edit
}

// edit is one change of an operation.
type edit struct {
	Address
	before, after value // from the plan
	inverse       Inverse
	activation    inventory.Activation // as rules and the server require it
	rules         []string

	from           value        // the value expected before the write
	to             []value      // the accepted values after the write, all equivalent
	write          []Assignment // the assignments to send
	extras         []Assignment // rollback only: expected values of the other settings that it writes, as far as known
	beforeRollback Result       // rollback only: the change's result before the rollback
	again          bool         // an earlier intent in the journal has the values and the inverse
}

// needsOff reports whether the server would refuse the operation while the target runs.
func (m *operation) needsOff() bool {
	return slices.ContainsFunc(m.edits, func(t edit) bool { return t.activation == inventory.ActivationPowerOff })
}

// waits returns the activation that a value needs after it is written. A value written to a VM that is off is in force
// when the VM starts.
func waits(a inventory.Activation, target Target, running bool) inventory.Activation {
	switch {
	case a == inventory.ActivationLive, a == inventory.ActivationNextPowerOn, isVM(target) && !running:
		return ""
	}
	return a
}

// addresses lists all settings that an operation concerns.
func (m *operation) addresses() []Address {
	var all []Address
	add := func(a Address) {
		if !slices.ContainsFunc(all, func(b Address) bool { return a.Key() == b.Key() }) {
			all = append(all, a)
		}
	}
	for _, t := range m.edits {
		add(t.Address)
		for _, a := range slices.Concat(t.inverse.Write, t.write) {
			add(a.Address)
		}
	}
	return all
}

// assignments lists the assignments of an operation. If two edits write one setting, the edit of that setting decides.
func (m *operation) assignments() []Assignment {
	var all []Assignment
	for _, own := range []bool{true, false} {
		for _, t := range m.edits {
			for _, a := range t.write {
				sent := slices.ContainsFunc(all, func(b Assignment) bool { return a.Key() == b.Key() })
				if !sent && own == (a.Key() == t.Key()) {
					all = append(all, a)
				}
			}
		}
	}
	return all
}
