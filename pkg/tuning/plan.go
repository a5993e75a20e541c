package tuning

import (
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// PlanSchema identifies the format of a saved plan.
const PlanSchema = "vperf.plan/v1"

// Plan is a list of changes to make. It is immutable: if it no longer matches the server, make a new plan.
type Plan struct {
	Schema  string    `json:"schema"`
	Made    time.Time `json:"made"` // when the before-values were read
	Server  Server    `json:"server"`
	Steps   []Step    `json:"steps"`
	Skipped []Skipped `json:"left,omitempty"` // changes that rules ask for and the plan skips
	// Digest is the SHA-256 of everything else in the plan, to detect manual edits.
	Digest string `json:"digest"`
}

// Step is the changes to one target that go in one call.
type Step struct {
	ID      int      `json:"id"` // from 1, in the order they are made
	Target  Target   `json:"target"`
	Changes []Change `json:"changes"`
	// Activation is the strictest one of its changes.
	Activation inventory.Activation `json:"activation"`
	// Deferred says why the step cannot be written yet: the target must be off, and is running. "" if it can be
	// written.
	Deferred string `json:"deferred,omitempty"`
	// Owner manages these settings for the target; Place is where to make the change instead. Both are "" if there is
	// no owner.
	Owner string `json:"owner,omitempty"`
	Place string `json:"place,omitempty"`
	// Host and Cluster are the ids of the target's host and cluster, for limits on how much is changed at once.
	Host    string `json:"host,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	// Notes list caveats, such as that privileges or the owner of the settings could not be checked.
	Notes []string `json:"notes,omitempty"`
}

// Skipped is a change that the plan skips, and why.
type Skipped struct {
	Target  Target   `json:"target"`
	Address Address  `json:"address"`
	Rules   []string `json:"rules"`
	Why     string   `json:"why"`
	// Refused is true if policy forbids the change, and false if there is nothing to change.
	Refused bool `json:"refused,omitempty"`
}
