package doctor

import (
	"slices"
	"time"
)

// Schema is the version of a report as JSON. Within it fields may be added, never renamed or removed.
const Schema = "vperf.doctor/v1"

// Status is the outcome of a check.
type Status string

// The outcomes, from harmless to bad.
const (
	Absent  Status = "absent"  // there is nothing to check, such as clusters on an ESXi host
	OK      Status = "ok"      // checked, and as it should be
	Warning Status = "warning" // vperf works, with a limit that the text names
	Unknown Status = "unknown" // it could not be checked
	Fail    Status = "fail"    // it does not work
)

var bySeverity = []Status{Absent, OK, Warning, Unknown, Fail}

// worse returns the worse of two outcomes.
func worse(a, b Status) Status {
	if slices.Index(bySeverity, a) > slices.Index(bySeverity, b) {
		return a
	}
	return b
}

// Works reports whether the outcome stands in no command's way.
func (s Status) Works() bool { return s != Unknown && s != Fail }

// Result is the outcome of one check.
type Result struct {
	ID     string   `json:"id"`
	Status Status   `json:"status"`
	Text   string   `json:"text"`            // what was found, as one sentence
	Cause  string   `json:"cause,omitempty"` // why it is so, if that is not in the text
	Try    []string `json:"try,omitempty"`   // what to do, or a line to type
	// BlockedBy is the id of the check because of which this one was not made.
	BlockedBy string `json:"blockedBy,omitempty"`
}

// Command is the outcome for one command, or for one kind of change.
type Command struct {
	Result

	Missing []Missing `json:"missing,omitempty"`
}

// Missing is a privilege that the account does not have.
type Missing struct {
	Privilege string   `json:"privilege"`
	For       []string `json:"for"`               // settings, or what a command does with it
	Objects   []string `json:"objects,omitempty"` // paths of objects without it; none: all
	Of        int      `json:"of"`                // number of objects that were checked
}

// Grant is a permission that would give an account what is missing.
type Grant struct {
	Role       string   `json:"role"`
	BuiltIn    bool     `json:"builtIn,omitempty"` // the role exists on every server
	Changes    bool     `json:"changes,omitempty"` // with it the account may change settings
	Privileges []string `json:"privileges"`
	Principal  string   `json:"principal"`
	Path       string   `json:"path"`
}

// Value is a setting of the connection, with its origin.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// Server is everything about one server.
type Server struct {
	Name     string    `json:"name"`
	Context  string    `json:"context,omitempty"`
	Status   Status    `json:"status"`
	Config   []Value   `json:"config,omitempty"`
	Checks   []Result  `json:"checks"`
	Commands []Command `json:"commands"`
	Grants   []Grant   `json:"grants,omitempty"`
}

// Report is the outcome of all checks.
type Report struct {
	Schema  string    `json:"schema"`
	Time    time.Time `json:"time"`
	Status  Status    `json:"status"`
	Machine []Result  `json:"machine"`
	Servers []Server  `json:"servers"`
}

// NewReport summarizes the outcomes.
func NewReport(at time.Time, machine []Result, servers []Server) Report {
	r := Report{
		Schema: Schema, Time: at.UTC().Truncate(time.Second), Status: OK, Machine: append([]Result{}, machine...), Servers: append([]Server{}, servers...),
	}
	for _, m := range machine {
		r.Status = worse(r.Status, m.Status)
	}
	for _, s := range servers {
		r.Status = worse(r.Status, s.Status)
	}
	return r
}
