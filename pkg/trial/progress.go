package trial

import "time"

// ProgressKind says what happened.
type ProgressKind string

// Kinds of progress.
const (
	BlockBegan   ProgressKind = "block-began"   // the units are switched and read back
	SampleTaken  ProgressKind = "sample-taken"  // a round was read
	BlockDone    ProgressKind = "block-done"    // also again for an earlier block, if a late event drops it
	GuardTripped ProgressKind = "guard-tripped" // the trial ends
)

// Progress is reported to the caller of [Run] while the trial runs.
type Progress struct {
	Kind   ProgressKind
	Time   time.Time // by the clock of the samples
	Block  *Block    // the current one, or the one that is done
	Result *Result   // after each pair; nil otherwise
	Guards []GuardReading
	Trip   *Trip
}
