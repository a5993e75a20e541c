package change

import (
	"fmt"
	"math"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// memoryLock is the setting that ties the memory reservation to the memory size.
func memoryLock() vmSetting {
	s := trueOrFalse("config.memoryReservationLockedToMax", func(e *vmEdit, on bool) { e.spec.MemoryReservationLockedToMax = &on })
	s.check, s.invert = memoryFits, unlocked
	return s
}

// unlocked returns the inverse of the memory lock. Removing the lock leaves a full reservation behind, so that lock and
// reservation are restored together.
func unlocked(n *vmState, a tuning.Address, before inventory.Fact[inventory.Value]) tuning.Inverse {
	v, _ := before.Value()
	reservation, ok := n.MemoryReservationMB.Value()
	switch locked, _ := v.Bool(); {
	case locked:
		return exactInverse(a, before) // which fills the reservation again
	case !ok:
		return tuning.Inverse{Kind: inventory.InverseNone, About: "the memory reservation, which the lock sets, could not be read"}
	}
	back := equivalentInverse(a, v, "unlocking leaves all memory reserved, so the reservation goes back to %d MB as well", reservation)
	back.Write = append(back.Write, tuning.Assignment{
		Address: tuning.Address{Setting: kindMemoryReservation}, Value: inventory.Known(inventory.LongValue(reservation)),
	})
	return back
}

// locked reports whether the memory reservation will follow the memory size.
func (e *vmEdit) locked() bool {
	return next(e.spec.MemoryReservationLockedToMax, known(e.now.MemoryReservationLocked, false))
}

// memoryReservation returns the VM's memory reservation after the change, in MB.
func (e *vmEdit) memoryReservation() int64 {
	return next(e.memorySent().reservation, known(e.now.MemoryReservationMB, 0))
}

// sentAllocation holds the parts of an allocation that change.
type sentAllocation struct{ reservation, limit *int64 }

func (e *vmEdit) memorySent() sentAllocation {
	if a := e.spec.MemoryAllocation; a != nil {
		return sentAllocation{a.Reservation, a.Limit}
	}
	return sentAllocation{}
}

func (e *vmEdit) cpuSent() sentAllocation {
	if a := e.spec.CpuAllocation; a != nil {
		return sentAllocation{a.Reservation, a.Limit}
	}
	return sentAllocation{}
}

func cpuFits(e *vmEdit) string {
	is := e.cpuSent()
	return withinLimit("CPU", "MHz", next(is.reservation, known(e.now.CPUReservationMHz, 0)), next(is.limit, known(e.now.CPULimitMHz, inventory.NoLimit)))
}

func memoryFits(e *vmEdit) string {
	is, size := e.memorySent(), known(e.now.MemoryMB, math.MaxInt64)
	reservation := e.memoryReservation()
	switch {
	case e.locked() && is.reservation != nil && *is.reservation != size:
		return fmt.Sprintf("the memory reservation is locked to the memory size of %d MB: set %s to false first", size, kindMemoryLock)
	case e.locked():
		reservation = size
	case is.reservation != nil && *is.reservation > size:
		return fmt.Sprintf("%d MB is more than the VM's memory of %d MB", *is.reservation, size)
	}
	return withinLimit("memory", "MB", reservation, next(is.limit, known(e.now.MemoryLimitMB, inventory.NoLimit)))
}

// withinLimit refuses a reservation above the limit.
func withinLimit(what, unit string, reservation, limit int64) string {
	if limit == inventory.NoLimit || reservation <= limit {
		return ""
	}
	return fmt.Sprintf("the %s reservation of %d %s would be above the limit of %d %[3]s", what, reservation, unit, limit)
}
