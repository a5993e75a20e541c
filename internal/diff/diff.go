// Package diff compares two snapshots, or the findings of two audits: what changed on which object, from what to what. It
// reads only what it is given: no server, no file, no clock.
//
// A fact that is unread on one side could not be compared; it is neither changed nor the same. Which facts are compared
// follows from their roles in pkg/inventory. Objects are matched by endpoint and managed object id, never by name.
package diff

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// Diff is the difference between an old and a new state.
type Diff struct {
	Old, New Side
	// FindingsOnly is true if one side is an audit result, which has no facts.
	FindingsOnly bool

	Changes  []Change
	Came     []Object
	Went     []Object
	Renamed  []Renamed
	Findings Findings
	Counters []Counter
	// Uncompared are the facts and objects that could not be compared, with the reason.
	Uncompared []Uncompared
	// Notes are remarks about the comparison as a whole.
	Notes []string
}

// Side describes one side of a comparison.
type Side struct {
	Name    string    `json:"name"`   // the file, the server, or the kept snapshot
	Kind    string    `json:"kind"`   // snapshot, audit result or live server
	Source  string    `json:"source"` // where its facts were read
	TakenAt time.Time `json:"takenAt"`
	// LiveFrom and LiveTo are the period of its counters; zero if it has none.
	LiveFrom time.Time `json:"liveFrom,omitzero"`
	LiveTo   time.Time `json:"liveTo,omitzero"`
}

// Kind is a kind of change.
type Kind string

// The kinds of change.
const (
	Changed       Kind = "changed"        // another value
	BecameAbsent  Kind = "became-absent"  // the object does not have the property any more
	BecamePresent Kind = "became-present" // the object did not have the property before
	Added         Kind = "added"          // a device, a key or another element of a list is new
	Removed       Kind = "removed"
	Moved         Kind = "moved" // to another host, cluster, pool or datastore
)

// Change is one difference of one object that both sides have.
type Change struct {
	// Object is the object, or the device, as the new side names it; of a removed device, its owner.
	Object inventory.Ref
	// Address identifies what changed within both sides: endpoint, object and field.
	Address string
	Kind    Kind
	Role    inventory.Role
	// Fact is the name of the fact, such as Host.powerPolicy.
	Fact string
	// Part is the part of the object that has the fact, such as a port group; "" if it is the object itself.
	Part string
	// Key is the key in a set of settings, such as an option's; "" for other facts.
	Key      string
	From, To inventory.Fact[any]
	// FromNames and ToNames are the names of the objects, if the values are their ids.
	FromNames, ToNames []string
	Note               string
	// Run is the run of vperf that made the change; nil if none is known.
	Run *Run
	// Events are those of the server about the object between the two states, oldest first.
	Events []Event

	owner   inventory.Ref    // the managed object
	now     inventory.Object // of the new side; nil if it has no setting
	devices []string         // names of the device in a journal
}

// Owner is the managed object that has the changed fact or device.
func (c *Change) Owner() inventory.Ref { return c.owner }

// Object is an object that only one side has.
type Object struct {
	inventory.Ref `json:"object"`

	Host string `json:"host,omitempty"` // the name of its host, for a VM
	Note string `json:"note,omitempty"`
	// Events are those of the server about the object between the two states.
	Events []Event `json:"events,omitempty"`
}

// Renamed is an object with a new name.
type Renamed struct {
	Object inventory.Ref `json:"object"` // as the new side names it
	From   string        `json:"from"`
	To     string        `json:"to"`
}

// The sides of a comparison.
const (
	OldSide  = "old"
	NewSide  = "new"
	BothSide = "both"
)

// Uncompared is something that could not be compared: facts of an object, or the whole object if Facts is empty.
type Uncompared struct {
	Object inventory.Ref `json:"object"`
	Facts  []string      `json:"facts"` // such as Host.powerPolicy, each once
	Side   string        `json:"side"`  // where it was not read: old, new or both
	Reason string        `json:"reason"`
}

// Empty reports whether nothing changed. Facts that could not be compared are no change.
func (d *Diff) Empty() bool {
	return len(d.Changes)+len(d.Came)+len(d.Went)+len(d.Renamed)+len(d.Findings.New)+len(d.Findings.Gone) == 0
}

// sort orders everything by object.
func (d *Diff) sort() {
	slices.SortStableFunc(d.Changes, func(a, b Change) int {
		return cmp.Or(roleRank(a.Role)-roleRank(b.Role), a.owner.Compare(b.owner), strings.Compare(a.Address, b.Address))
	})
	byRef := func(a, b Object) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), a.Compare(b.Ref))
	}
	slices.SortStableFunc(d.Came, byRef)
	slices.SortStableFunc(d.Went, byRef)
	slices.SortStableFunc(d.Renamed, func(a, b Renamed) int { return a.Object.Compare(b.Object) })
	slices.SortStableFunc(d.Uncompared, func(a, b Uncompared) int {
		return cmp.Or(a.Object.Compare(b.Object), strings.Compare(a.Side, b.Side), strings.Compare(a.Reason, b.Reason))
	})
}

func roleRank(r inventory.Role) int { return slices.Index(inventory.Roles(), r) }
