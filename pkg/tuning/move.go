package tuning

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

type value = inventory.Fact[inventory.Value]

// move is the changes of one step that go to the server in one call, in a run or in a rollback.
type move struct {
	step   int
	target Target
	back   bool
	turns  []turn
}

// turn is one change of a move.
type turn struct {
	Address
	before, after value // from the plan
	inverse       Inverse
	activation    inventory.Activation // as rules and the server require it
	rules         []string

	from   value        // the value expected before the write
	to     []value      // the accepted values after the write, all equivalent
	write  []Assignment // the assignments to send
	extras []Assignment // rollback only: expected values of the other settings that it writes, as far as known
	held   Result       // rollback only: the change's result before the rollback
	again  bool         // an earlier intent in the journal has the values and the inverse
}

// needsOff reports whether the server would refuse the move while the target runs.
func (m *move) needsOff() bool {
	return slices.ContainsFunc(m.turns, func(t turn) bool { return t.activation == inventory.ActivationPowerOff })
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

// addresses lists all settings that a move concerns.
func (m *move) addresses() []Address {
	var all []Address
	add := func(a Address) {
		if !slices.ContainsFunc(all, func(b Address) bool { return a.Key() == b.Key() }) {
			all = append(all, a)
		}
	}
	for _, t := range m.turns {
		add(t.Address)
		for _, a := range slices.Concat(t.inverse.Write, t.write) {
			add(a.Address)
		}
	}
	return all
}

// assignments lists the assignments of a move. If two turns write one setting, the turn of that setting decides.
func (m *move) assignments() []Assignment {
	var all []Assignment
	for _, own := range []bool{true, false} {
		for _, t := range m.turns {
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
