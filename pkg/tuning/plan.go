package tuning

import (
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// PlanSchema names the form of a saved plan.
const PlanSchema = "vperf.plan/v1"

// Plan is what would be changed. It is not altered once it is made: what does not fit any more is planned anew.
type Plan struct {
	Schema string    `json:"schema"`
	Made   time.Time `json:"made"` // when the before-values were read
	Server Server    `json:"server"`
	Steps  []Step    `json:"steps"`
	Left   []Left    `json:"left,omitempty"` // what rules ask for and the plan leaves alone
	// Digest is the SHA-256 of all the rest, so that a plan that was edited by hand is found out.
	Digest string `json:"digest"`
}

// Step is changes to one target that go in one call.
type Step struct {
	ID      int      `json:"id"` // from 1, in the order they are made
	Target  Target   `json:"target"`
	Changes []Change `json:"changes"`
	// Activation is the strictest of its changes.
	Activation inventory.Activation `json:"activation"`
	// Deferred says why nothing is written yet: the target must be off, and runs. "" is that it can be written.
	Deferred string `json:"deferred,omitempty"`
	// Owner sets these settings for the target; Place is where the change belongs. Both are "" where nobody does.
	Owner string `json:"owner,omitempty"`
	Place string `json:"place,omitempty"`
	// Host and Cluster are the ids of where the target is, for who must not do too much at once.
	Host    string `json:"host,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	// Notes say what else is worth knowing, such as that privileges could not be checked, or whether somebody owns the settings.
	Notes []string `json:"notes,omitempty"`
}

// Left is a change that is not made, and why.
type Left struct {
	Target  Target   `json:"target"`
	Address Address  `json:"address"`
	Rules   []string `json:"rules"`
	Why     string   `json:"why"`
	// Refused says that policy keeps it from being made, other than that there is nothing to do.
	Refused bool `json:"refused,omitempty"`
}
