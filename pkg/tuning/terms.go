package tuning

import "time"

// Terms are what the user agreed to, and who that is.
type Terms struct {
	User    string // who runs vperf, on which machine, and the account at the server
	Version string // of vperf
	Reason  string
	Ticket  string
	// Window is the time of day in which steps may begin; nil is any time.
	Window *Window
	// PowerCycle allows VMs to be shut down and started, HostReboot allows maintenance mode and restarts of hosts.
	PowerCycle, HostReboot bool
	// OverrideOwner allows writes that their owner will take back, AcceptIrreversible those that nothing takes back.
	OverrideOwner, AcceptIrreversible bool
	// Hints say what the user can do about what the terms do not allow.
	Hints Hints
	// RollbackOnError takes everything back when a step fails; otherwise the run stops and leaves what is done.
	RollbackOnError bool
	// Batch is how many objects are changed between two looks at their hosts' health, after the first, which is looked at
	// alone; 0 is 5.
	Batch int
	// Tell is told of everything that happens, as it happens; nil tells nobody.
	Tell func(Progress)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Hints are added to reasons, for who uses the package to say how its user allows more; empty ones are left out.
type Hints struct{ PowerCycle, OverrideOwner, AcceptIrreversible string }

// Window is a part of every day, such as 22:00-04:00, in the clock of who runs vperf.
type Window struct{ From, To time.Duration } // since midnight; From after To goes over midnight

// Progress is something that has just happened or begins to.
type Progress struct {
	Step   int    // 0: of no step
	Target Target // zero: of none
	Text   string // for people; holds text that others chose
}
