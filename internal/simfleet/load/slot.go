package load

import "time"

// SlotSeconds is the length of a slot, SlotMillis in milliseconds.
const (
	SlotSeconds = int64(20)
	SlotMillis  = 1000 * SlotSeconds
)

// SlotEnd returns the end of a slot, when its sample is taken.
func SlotEnd(slot int64) time.Time { return time.Unix(slot*SlotSeconds, 0).UTC() }

// SlotStart returns the start of a slot; its sample is taken at its end.
func SlotStart(slot int64) time.Time { return SlotEnd(slot - 1) }

// SlotOf returns the slot of a time; a slot includes its start.
func SlotOf(at time.Time) int64 { return at.Unix()/SlotSeconds + 1 }
