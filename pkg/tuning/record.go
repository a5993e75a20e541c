package tuning

import (
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// RecordKind is what a record of a journal tells.
type RecordKind string

// The kinds of records. A run goes from RecordRunBegin to RecordRunEnd; going back appends from RecordRollbackBegin to
// another RecordRunEnd.
const (
	RecordRunBegin       RecordKind = "run-begin"
	RecordIntent         RecordKind = "intent"       // durable before the write
	RecordAcknowledged   RecordKind = "acknowledged" // the server said yes
	RecordVerified       RecordKind = "verified"     // read back; the entries say whether it is in force or pending
	RecordFailed         RecordKind = "failed"
	RecordSkipped        RecordKind = "skipped"
	RecordActionBegin    RecordKind = "action-begin" // durable before a VM or a host is touched otherwise than by a write
	RecordActionDone     RecordKind = "action-done"
	RecordWarned         RecordKind = "warned" // something went wrong that changes nothing
	RecordRollbackBegin  RecordKind = "rollback-begin"
	RecordRollbackIntent RecordKind = "rollback-intent"
	RecordRollbackDone   RecordKind = "rollback-done"
	RecordRecovered      RecordKind = "recovered" // what a look at the server told about an intent without an outcome
	RecordProven         RecordKind = "proven"
	RecordRunEnd         RecordKind = "run-end"
)

// recordKinds are all of them. What another kind would mean for a change cannot be guessed.
var recordKinds = []RecordKind{
	RecordRunBegin, RecordIntent, RecordAcknowledged, RecordVerified, RecordFailed, RecordSkipped, RecordActionBegin, RecordActionDone,
	RecordWarned, RecordRollbackBegin, RecordRollbackIntent, RecordRollbackDone, RecordRecovered, RecordProven, RecordRunEnd,
}

// Action is what is done to a VM or a host beside writing settings.
type Action string

// The actions. After the first of each pair the run owes the second.
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
	Seq      int        `json:"seq"` // from 1
	Time     time.Time  `json:"time"`
	Kind     RecordKind `json:"kind"`
	Begin    *Begin     `json:"begin,omitempty"` // of RecordRunBegin and RecordRollbackBegin
	Step     int        `json:"step,omitempty"`
	Target   *Target    `json:"target,omitempty"`
	Changes  []Entry    `json:"changes,omitempty"`
	Extras   []Extra    `json:"extras,omitempty"` // what going back would write beside the changes, as it is now
	Action   Action     `json:"action,omitempty"`
	Booted   time.Time  `json:"booted,omitzero"`   // when the target was started, as of then
	Running  bool       `json:"running,omitempty"` // whether it ran
	Failed   bool       `json:"failed,omitempty"`  // of RecordActionDone: it was not done, and the target is as before
	Result   string     `json:"result,omitempty"`  // of RecordRunEnd, in a word
	Text     string     `json:"text,omitempty"`
	Previous string     `json:"previous,omitempty"` // SHA-256 of the line before this one
}

// Begin is who began a run, or to go back, and why.
type Begin struct {
	Server  Server `json:"server"`
	User    string `json:"user"`
	Version string `json:"version"`
	Reason  string `json:"reason,omitempty"`
	Ticket  string `json:"ticket,omitempty"`
	Digest  string `json:"digest,omitempty"` // the plan's
	File    string `json:"file,omitempty"`   // SHA-256 of plan.json
}

// Entry is one change in a record.
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

// Extra is a value that going back from one change writes beside the change's own setting.
type Extra struct {
	Of string `json:"of"` // the change's address
	Assignment
}

// asOf is how a target was when it was written to.
type asOf struct {
	seq     int // of the record
	written time.Time
	booted  time.Time
	running bool
}

func (r *Record) asOf() asOf {
	return asOf{seq: r.Seq, written: r.Time, booted: r.Booted, running: r.Running}
}
