package tuning

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

type value = inventory.Fact[inventory.Value]

// move is changes of one step that go to the server in one call, forth or back.
type move struct {
	step   int
	target Target
	back   bool
	turns  []turn
}

// turn is one change of a move.
type turn struct {
	Address
	before, after value // as the plan has them
	inverse       Inverse
	activation    inventory.Activation // as rules and the server ask for it
	rules         []string

	from   value        // what must be there
	to     []value      // what may be there afterwards, all with one meaning
	write  []Assignment // what is sent
	extras []Assignment // going back: what must be there beside from, as far as it is known
	held   Result       // going back: what it was
}

// needsOff says whether the server would refuse the move as long as the target runs.
func (m *move) needsOff() bool {
	return slices.ContainsFunc(m.turns, func(t turn) bool { return t.activation == inventory.ActivationPowerOff })
}

// waits is what a value waits for once it is written. What is written to a VM that is off is in force when it starts.
func waits(a inventory.Activation, target Target, running bool) inventory.Activation {
	switch {
	case a == inventory.ActivationLive, a == inventory.ActivationNextPowerOn, isVM(target) && !running:
		return ""
	}
	return a
}

// addresses are all settings that a move concerns.
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

// assignments are what a move sends. Where two turns write one setting, the turn of that setting decides.
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
