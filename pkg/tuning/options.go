package tuning

import "time"

// Options are the user's approvals and limits for a run, and the user's identity.
type Options struct {
	User    string // the user and machine that run vperf, and the account at the server
	Version string // of vperf
	Reason  string
	Ticket  string
	// Window is the time of day in which steps may begin; nil is any time.
	Window *Window
	// PowerCycle allows VMs to be shut down and started, HostReboot allows maintenance mode and restarts of hosts.
	PowerCycle, HostReboot bool
	// OverrideOwner allows writes that their owner will revert, AcceptIrreversible those that cannot be undone.
	OverrideOwner, AcceptIrreversible bool
	// Hints are texts about how to allow the changes that Options forbid.
	Hints Hints
	// RollbackOnError undoes the whole run if a step fails; otherwise the run stops and keeps its changes.
	RollbackOnError bool
	// Batch is how many objects are changed between two checks of their hosts' health; 0 means 5. The first object is a
	// batch of its own.
	Batch int
	// OnProgress receives every event of the run as it happens; it may be nil.
	OnProgress func(Progress)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Hints are appended to refusals, so that the caller can say how its user allows more; empty ones are omitted.
type Hints struct{ PowerCycle, OverrideOwner, AcceptIrreversible string }

// Window is a part of every day, such as 22:00-04:00, in the local time of vperf.
type Window struct{ From, To time.Duration } // since midnight; a window with From after To includes midnight

// Progress is an event that has just happened or is beginning.
type Progress struct {
	Step   int    // 0: no step
	Target Target // zero: no target
	Text   string // for display; contains untrusted text
}
