package inventory

// Design is the design of experiment that a setting allows.
type Design string

// Designs, from the strongest to none.
const (
	DesignSwitchback     Design = "switchback"      // the setting is live and settles within minutes
	DesignSlowSwitchback Design = "slow-switchback" // the setting is live and settles slowly: blocks of 30 minutes or more
	DesignRandomised     Design = "randomised"      // hosts or VMs are drawn by lot, and compared over whole days
	DesignNone           Design = "none"            // a trial cannot measure it
	DesignBeforeAfter    Design = "before-after"    // of a change in the journal, never of a setting
)

// Switches reports whether the design switches the setting on and off.
func (d Design) Switches() bool { return d == DesignSwitchback || d == DesignSlowSwitchback }
