package load

import "time"

// SlotSeconds is the length of a slot, SlotMillis in milliseconds.
const (
	SlotSeconds = int64(20)
	SlotMillis  = 1000 * SlotSeconds
)

// SlotEnd is when the sample of a slot is taken.
func SlotEnd(slot int64) time.Time { return time.Unix(slot*SlotSeconds, 0).UTC() }

// SlotStart is when a slot begins; its sample is taken when it ends.
func SlotStart(slot int64) time.Time { return SlotEnd(slot - 1) }

// SlotOf is the slot that a moment lies in; one that begins then is it.
func SlotOf(at time.Time) int64 { return at.Unix()/SlotSeconds + 1 }
