package tuning

import (
	"encoding/json"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// RecordKind is the kind of a journal record.
type RecordKind string

// The kinds of records. A run goes from RecordRunBegin to RecordRunEnd; a rollback appends records from
// RecordRollbackBegin to another RecordRunEnd.
const (
	RecordRunBegin       RecordKind = "run-begin"
	RecordIntent         RecordKind = "intent"       // durable before the write
	RecordAcknowledged   RecordKind = "acknowledged" // the server accepted the write
	RecordVerified       RecordKind = "verified"     // read back; the entries say whether it is in force or pending
	RecordFailed         RecordKind = "failed"
	RecordSkipped        RecordKind = "skipped"
	RecordActionBegin    RecordKind = "action-begin" // durable before an action on a VM or host other than a write
	RecordActionDone     RecordKind = "action-done"
	RecordWarned         RecordKind = "warned" // a fault that does not affect the changes
	RecordRollbackBegin  RecordKind = "rollback-begin"
	RecordRollbackIntent RecordKind = "rollback-intent"
	RecordRollbackDone   RecordKind = "rollback-done"
	RecordRecovered      RecordKind = "recovered" // recovery's finding about an intent without a result
	RecordProven         RecordKind = "proven"
	RecordTrial          RecordKind = "trial" // a note of a trial; the first one makes the run a trial, see [OpenSwitching]
	RecordRunEnd         RecordKind = "run-end"
)

// recordKinds lists all of them. parse refuses other kinds, because their meaning for a change is unknown.
var recordKinds = []RecordKind{
	RecordRunBegin, RecordIntent, RecordAcknowledged, RecordVerified, RecordFailed, RecordSkipped, RecordActionBegin, RecordActionDone,
	RecordWarned, RecordRollbackBegin, RecordRollbackIntent, RecordRollbackDone, RecordRecovered, RecordProven, RecordTrial,
	RecordRunEnd,
}

// Action is an operation on a VM or host other than writing settings.
type Action string

// The actions. After the first one of a pair, the run has to do the second.
const (
	ActionShutDown         Action = "shut-down"
	ActionPowerOn          Action = "power-on"
	ActionEnterMaintenance Action = "enter-maintenance"
	ActionExitMaintenance  Action = "exit-maintenance"
	ActionReboot           Action = "reboot"
	ActionSave             Action = "save"
)

// Record is one line of a journal.
type Record struct {
	Seq     int        `json:"seq"` // from 1
	Time    time.Time  `json:"time"`
	Kind    RecordKind `json:"kind"`
	Begin   *Begin     `json:"begin,omitempty"` // of RecordRunBegin and RecordRollbackBegin
	Step    int        `json:"step,omitempty"`
	Target  *Target    `json:"target,omitempty"`
	Changes []Entry    `json:"changes,omitempty"`
	Extras  []Extra    `json:"extras,omitempty"` // current values of the other settings that a rollback would write
	Action  Action     `json:"action,omitempty"`
	Booted  time.Time  `json:"booted,omitzero"`   // start time of the target when the record was written
	Running bool       `json:"running,omitempty"` // whether the target was running
	Failed  bool       `json:"failed,omitempty"`  // of RecordActionDone: the action failed, and the target is as before
	Result  string     `json:"result,omitempty"`  // of RecordRunEnd: one word
	Text    string     `json:"text,omitempty"`
	End     bool       `json:"end,omitempty"` // of RecordRunBegin: the run has a journal.end
	// Trial is the content of a RecordTrial, which this package does not interpret.
	Trial    json.RawMessage `json:"trial,omitempty"`
	Previous string          `json:"previous,omitempty"` // SHA-256 of the line before this one
}

// Begin identifies the user who began a run or a rollback, with the reason.
type Begin struct {
	Server  Server `json:"server"`
	User    string `json:"user"`
	Version string `json:"version"`
	Reason  string `json:"reason,omitempty"`
	Ticket  string `json:"ticket,omitempty"`
	Digest  string `json:"digest,omitempty"` // the plan's
	File    string `json:"file,omitempty"`   // SHA-256 of plan.json
	// Restores is the id of the run whose values this one restores, because the journal of that run does not tell them.
	Restores string `json:"restores,omitempty"`
}

// Entry is one change in a record. Before, After and Inverse are in the first intent of a change; a trial, which writes a
// change many times, does not repeat them.
type Entry struct {
	Address
	Before  inventory.Fact[inventory.Value] `json:"before,omitzero"`
	After   inventory.Fact[inventory.Value] `json:"after,omitzero"`
	Inverse *Inverse                        `json:"inverse,omitempty"`
	Now     inventory.Fact[inventory.Value] `json:"now,omitzero"` // as read
	State   State                           `json:"state"`
	Waits   inventory.Activation            `json:"waits,omitempty"`
	Why     string                          `json:"why,omitempty"`
}

// Extra is a value that the rollback of a change writes in addition to the change's own setting.
type Extra struct {
	Of string `json:"of"` // the change's address
	Assignment
}

// asOf is the state of a target when it was written to.
type asOf struct {
	seq     int // of the record
	written time.Time
	booted  time.Time
	running bool
}

func (r *Record) asOf() asOf {
	return asOf{seq: r.Seq, written: r.Time, booted: r.Booted, running: r.Running}
}
