package trial

import "math/rand/v2"

// Pair is two blocks of the schedule, one with the change and one without, for each unit.
type Pair struct {
	First []bool `json:"first"` // by unit: the pair's first block has the change
}

// Treated returns which units have the change in a block of the pair; half is 0 or 1.
func (p Pair) Treated(half int) []bool {
	out := make([]bool, len(p.First))
	for i, first := range p.First {
		out[i] = first == (half == 0)
	}
	return out
}

// Streams of random numbers that follow from one seed.
const (
	coinStream  = iota + 1 // coins of the schedule
	flipStream             // draws of the sign-flip test
	lotStream              // units of a randomised design
	powerStream            // simulated power
)

// NewSchedule throws a coin for each pair and unit. The same seed gives the same schedule, and a longer schedule
// begins as a shorter one does.
func NewSchedule(seed uint64, pairs, units int) []Pair {
	coin := rand.New(rand.NewPCG(seed, coinStream))
	list := make([]Pair, pairs)
	for i := range list {
		list[i].First = make([]bool, units)
		for u := range units {
			list[i].First[u] = coin.Uint64()&1 == 1
		}
	}
	return list
}

// DrawLot draws the units of a randomised design that get the change: half of them, rounded down.
func DrawLot(seed uint64, units int) []bool {
	lot := make([]bool, units)
	for _, u := range rand.New(rand.NewPCG(seed, lotStream)).Perm(units)[:units/2] {
		lot[u] = true
	}
	return lot
}
