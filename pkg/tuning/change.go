package tuning

import "github.com/vperf/vperf/pkg/inventory"

// Cause is a rule that asks for a change, and what it says about it.
type Cause struct {
	Rule     string   `json:"rule"`
	Title    string   `json:"title"`
	Severity string   `json:"severity,omitempty"`
	Object   string   `json:"object,omitempty"`  // path of what failed the rule, where it is not the target itself
	Benefit  []string `json:"benefit,omitempty"` // what was measured elsewhere, with its conditions
	Risk     string   `json:"risk,omitempty"`    // the rule's trade-off
	// Restores is the documented default that the change restores, with its source; "" where it restores none.
	Restores string `json:"restores,omitempty"`
}

// Proposal is a change that a rule asks for, before anybody looked.
type Proposal struct {
	Target     Target // its UUID need not be known
	Want       Assignment
	Activation inventory.Activation // the least that the rule asks for
	Cause      Cause
}

// Inverse is what takes a change back.
type Inverse struct {
	Kind inventory.Inverse `json:"kind"`
	// Write is what is written; none for a change that nothing takes back. It can be more than the setting itself: unlocking
	// a memory reservation leaves it full, so that it is set to what it was as well.
	Write []Assignment `json:"write,omitempty"`
	// About says why what is written means the same as what was there, or why nothing does.
	About string `json:"about,omitempty"`
}

// Change is one setting of a step.
type Change struct {
	Address
	Before     inventory.Fact[inventory.Value] `json:"before"` // read live when the plan was made: known or absent
	After      inventory.Fact[inventory.Value] `json:"after"`  // in the wire type that was read
	Activation inventory.Activation            `json:"activation"`
	Inverse    Inverse                         `json:"inverse"`
	Privileges []string                        `json:"privileges,omitempty"` // what writing it needs
	Causes     []Cause                         `json:"causes"`
}
