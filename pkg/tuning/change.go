package tuning

import "github.com/vperf/vperf/pkg/inventory"

// Cause is a rule that asks for a change, with the rule's explanation.
type Cause struct {
	Rule     string   `json:"rule"`
	Title    string   `json:"title"`
	Severity string   `json:"severity,omitempty"`
	Object   string   `json:"object,omitempty"`  // path of the object that fails the rule, if it is not the target itself
	Benefit  []string `json:"benefit,omitempty"` // published measurements, with their conditions
	Risk     string   `json:"risk,omitempty"`    // the rule's trade-off
	// Restores is the documented default that the change restores, with its source; "" if it restores none.
	Restores string `json:"restores,omitempty"`
}

// Proposal is a change that a rule asks for, before it is checked against the server.
type Proposal struct {
	Target     Target // its UUID may be empty
	Want       Assignment
	Activation inventory.Activation // the minimum that the rule asks for
	Cause      Cause
}

// Inverse is how to undo a change.
type Inverse struct {
	Kind inventory.Inverse `json:"kind"`
	// Write lists the assignments that undo the change; it is empty if the change cannot be undone. It can contain more
	// than the setting itself: unlocking a memory reservation leaves it at its full size, so the old reservation is
	// written too.
	Write []Assignment `json:"write,omitempty"`
	// About explains why the written values are equivalent to the original ones, or why the change cannot be undone.
	About string `json:"about,omitempty"`
}

// Change is one setting of a step.
type Change struct {
	Address
	Before     inventory.Fact[inventory.Value] `json:"before"` // read live when the plan was made: known or absent
	After      inventory.Fact[inventory.Value] `json:"after"`  // has the wire type of the value that was read
	Activation inventory.Activation            `json:"activation"`
	Inverse    Inverse                         `json:"inverse"`
	Privileges []string                        `json:"privileges,omitempty"` // privileges that the write needs
	Causes     []Cause                         `json:"causes"`
}
