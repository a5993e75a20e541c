package mcp

import (
	"context"
	"time"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Reading is what the tools can do: each function reads, and none changes anything. A tool whose function is nil is not offered. The
// functions that contact a server are called one at a time.
type Reading struct {
	// Source describes what is read, such as the address of the server.
	Source string

	// Library returns the rules.
	Library func() (*advice.Library, error)
	// Explain returns everything about a rule as text, with what trials measured on this machine's servers.
	Explain func(rule string) (string, error)
	// Guide returns the section of the guide about a rule, as Markdown.
	Guide func(rule string) (string, error)
	// Runs lists the runs in the journals of this machine, newest first.
	Runs func() ([]Run, error)
	// Run returns one run with its changes, by its id or the unique beginning of one.
	Run func(id string) (*Run, error)
	// Snapshots lists the snapshots that can be compared, newest first.
	Snapshots func(ctx context.Context) ([]Snapshot, error)

	// Audit checks everything against the rules.
	Audit func(ctx context.Context) (*audit.Audit, error)
	// Advise measures counters and works out advice.
	Advise func(ctx context.Context) (*view.View, error)
	// Sample reads one sample of the counters of hosts; no names are all hosts.
	Sample func(ctx context.Context, hosts []string, objects esxtop.Objects) (*Sample, error)
	// Diff compares two of the snapshots by their ids; no new id is the current state.
	Diff func(ctx context.Context, from, to string) (*diff.Diff, error)
	// Doctor checks the connections.
	Doctor func(ctx context.Context) (*doctor.Report, error)
	// PlanTrial returns what a trial could measure, as Markdown. It makes no trial.
	PlanTrial func(ctx context.Context, ask TrialAsk) (string, error)
}

// Snapshot is a state that was saved before.
type Snapshot struct {
	ID      string    `json:"id"`
	Server  string    `json:"server"`
	TakenAt time.Time `json:"takenAt,omitzero"`
}

// Sample is one sample of the counters of hosts.
type Sample struct {
	Frames   []*esxtop.Frame
	Troubles []string // hosts without a frame, with the reasons
	Origin   string   // the source of the counters
	Note     string   // what the source does not provide
}

// TrialAsk selects a trial.
type TrialAsk struct {
	Rule      string
	Hosts     []string
	Outcome   string // "" is the rule's first
	MinEffect string // such as 5%; "" is the default
}

// Run is a run of vperf apply, rollback or trial: the form of the schema vperf.run/v1, without details of the journal.
type Run struct {
	ID       string         `json:"id"`
	Server   RunServer      `json:"server"`
	User     string         `json:"user"`
	Reason   string         `json:"reason,omitempty"`
	Ticket   string         `json:"ticket,omitempty"`
	Began    string         `json:"began,omitempty"`
	Ended    string         `json:"ended,omitempty"`
	Result   string         `json:"result"`
	Open     bool           `json:"open,omitempty"`
	Trial    bool           `json:"trial,omitempty"`
	Rules    []string       `json:"rules"`
	States   map[string]int `json:"states"`
	Pending  int            `json:"pending,omitempty"`
	Broken   string         `json:"broken,omitempty"`
	Results  []RunChange    `json:"results,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
}

// RunServer is the server of a run.
type RunServer struct {
	Name    string `json:"name"`
	Product string `json:"product,omitempty"`
	Sandbox bool   `json:"sandbox,omitempty"`
}

// RunChange is one change of a run and its state.
type RunChange struct {
	Target  RunTarget `json:"target"`
	Setting string    `json:"setting"`
	Device  string    `json:"device,omitempty"`
	Label   string    `json:"label,omitempty"`
	Before  any       `json:"before"`
	After   any       `json:"after"`
	State   string    `json:"state"`
	Waits   string    `json:"waits,omitempty"`
	Why     string    `json:"why,omitempty"`
	Rules   []string  `json:"rules,omitempty"`
}

// RunTarget is the object that was changed.
type RunTarget struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	ID   string `json:"id"`
}
