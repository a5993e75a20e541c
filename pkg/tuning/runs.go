package tuning

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// Runs is the folder of all runs. Each run has its own folder with its plan and journal.
type Runs struct{ disk disk }

const (
	planFile    = "plan.json"
	journalFile = "journal.jsonl"
	endFile     = "journal.end"
	asideFile   = "set-aside.json"
)

// OpenRuns opens the folder, and creates it if necessary.
func OpenRuns(dir string) (*Runs, error) {
	d, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	return &Runs{disk: d}, nil
}

// List returns all runs, newest first. If a run cannot be read, its Broken says why.
func (r *Runs) List() ([]*Run, error) {
	names, err := r.disk.folders()
	if err != nil {
		return nil, fmt.Errorf("reading the folder of runs: %w", err)
	}
	var all []*Run
	for _, name := range slices.Backward(names) {
		if runName.MatchString(name) {
			all = append(all, r.load(name))
		}
	}
	return all, nil
}

// Get returns the run with the given id.
func (r *Runs) Get(id string) (*Run, error) {
	names, err := r.disk.folders()
	if err != nil {
		return nil, fmt.Errorf("reading the folder of runs: %w", err)
	}
	if !runName.MatchString(id) || !slices.Contains(names, id) {
		return nil, &UnknownRunError{id}
	}
	return r.load(id), nil
}

// Last returns the newest run on a server that wrote anything, or may have: a damaged or unreadable run that is not set aside. It returns nil
// if there is none. In place of a run that restored the values of another one it returns that one, because to undo the newest change a second
// time must not make it again.
func (r *Runs) Last(server Server) (*Run, error) {
	all, err := r.of(server)
	for _, run := range all {
		switch {
		case run.wrote() && run.Restores != "":
			if i := slices.IndexFunc(all, func(o *Run) bool { return o.ID == run.Restores }); i >= 0 {
				return all[i], nil
			}
			return run, nil
		case run.wrote() || run.breakage != nil && !run.Unbegun && !run.Aside:
			return run, nil
		}
	}
	return nil, err
}

// InProgress returns a LockedError if a run on the server that changes settings for the rule is in progress.
func (r *Runs) InProgress(server Server, rule string) error {
	all, err := r.of(server)
	if err != nil {
		return err
	}
	for _, run := range all {
		if !run.Open() || !run.has(func(c *Result) bool { return slices.Contains(c.Rules, rule) }) {
			continue
		}
		l := r.locks("a look at its lock", &Options{})
		if err := l.take(ofRun(run.ID)); err != nil {
			return err
		}
		l.releaseAll() // it was interrupted
	}
	return nil
}

// of returns the runs on a server, newest first.
func (r *Runs) of(server Server) ([]*Run, error) {
	all, err := r.List()
	return slices.DeleteFunc(all, func(run *Run) bool { return run.Server.UUID != server.UUID }), err
}

// Waiting is a written value that is not in force yet.
type Waiting struct {
	Target Target `json:"target"`
	Address
	After      inventory.Fact[inventory.Value] `json:"after"`
	Activation inventory.Activation            `json:"activation"`
	Since      time.Time                       `json:"since"`
	Booted     time.Time                       `json:"booted,omitzero"` // the target's start time when it was written to, by the server's clock
	Rules      []string                        `json:"rules,omitempty"`
	Run        string                          `json:"run"`
	Undone     bool                            `json:"undone,omitempty"` // After is the value before the run
}

// Pending returns the written values on a server that are not in force yet, according to the journals; reading the
// server again may show that they are. If several runs wrote a setting, the newest one counts.
func (r *Runs) Pending(server Server) ([]Waiting, error) {
	all, err := r.of(server)
	var waiting []Waiting
	seen := map[string]bool{}
	for _, run := range all {
		for _, c := range run.Results {
			key := c.Target.Key() + " " + c.Key()
			if seen[key] || !c.wrote() {
				continue
			}
			seen[key] = true
			if c.Waits != "" && !c.open() {
				waiting = append(waiting, Waiting{
					Target: c.Target, Address: c.Address, After: c.Now, Activation: c.Waits, Since: c.Since, Booted: c.asOf.booted,
					Rules: c.Rules, Run: run.ID, Undone: c.State == StateUndone,
				})
			}
		}
	}
	return waiting, err
}

// Run is the content of a run's journal.
type Run struct {
	ID string `json:"id"`
	Begin
	Began time.Time `json:"began,omitzero"`
	Ended time.Time `json:"ended,omitzero"`
	// Result is one word for how the run last ended, and Why a sentence; both are "" if it did not end.
	Result   string   `json:"result,omitempty"`
	Why      string   `json:"why,omitempty"`
	Results  []Result `json:"results,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Broken says what is wrong with the run's files; "" if they are intact.
	Broken string `json:"broken,omitempty"`
	// Damaged is true if the files are not as vperf wrote them, so Results may be incomplete: see [Compare]. A run that was
	// interrupted is not damaged. Aside is true if the user, or a rollback that left nothing of it, has set the run aside.
	Damaged bool     `json:"damaged,omitempty"`
	Aside   bool     `json:"aside,omitempty"`
	Unbegun bool     `json:"unbegun,omitempty"` // it has no records: it was interrupted before it changed anything
	Plan    *Plan    `json:"-"`                 // nil if plan.json cannot be read, or is not the one that was applied
	Records []Record `json:"-"`

	pendingActions []pendingAction
	// notes counts the records of a trial. kept is true if the trial ended with its changes in force on purpose,
	// rolledBack if the user rolled the run back.
	notes                         int
	kept, rollingBack, rolledBack bool
	breakage                      error // of the journal
	lost                          bool  // records are
	interrupted                   bool  // a recovery ended it
	ending                        ending
	size                          int64
	last                          string
}

// pendingAction is an action that the run still has to make: start a VM that it shut down, end a maintenance mode.
type pendingAction struct {
	action Action
	target Target
}

// Open reports whether a run was interrupted: it did not end, or only the server can tell the result of a change. A trial
// is open as well while it still has to restore a value. A damaged run cannot be completed, so it is not open, nor is an ended one that a
// newer vperf wrote.
func (r *Run) Open() bool {
	return len(r.Records) > 0 && !r.Damaged && (r.breakage == nil || r.ending.result == "") && (r.Result == "" || len(r.pendingActions) > 0 || r.has((*Result).open) || r.mustRestore() && r.has((*Result).isApplied))
}

// Trial reports whether the run belongs to a trial, which switches its changes on and off; see [OpenSwitching].
func (r *Run) Trial() bool { return r.notes > 0 }

// Notes returns the notes of a trial in their order; the first one is its registration.
func (r *Run) Notes() []json.RawMessage {
	var all []json.RawMessage
	for _, record := range r.Records {
		if record.Kind == RecordTrial {
			all = append(all, record.Trial)
		}
	}
	return all
}

// mustRestore reports whether the run must not leave a change in force: it is a trial whose changes were not kept on
// purpose. After a rollback, the user decides.
func (r *Run) mustRestore() bool { return r.Trial() && !r.kept && !r.rolledBack }

func (r *Run) wrote() bool { return r.has((*Result).wrote) }

func (r *Run) has(is func(*Result) bool) bool {
	return slices.ContainsFunc(r.Results, func(c Result) bool { return is(&c) })
}

var runName = regexp.MustCompile(`^\d{8}-\d{6}\.\d{3}-[0-9a-f]{4}$`)

// runTime is the layout of the time in a run's id.
const runTime = "20060102-150405.000"

// newID returns an id that sorts after those of all runs, because the order of runs decides what a rollback undoes and which value counts.
// It is the time, unless the clock was set back: then it is a millisecond after the newest run. A random part distinguishes runs that begin
// at the same moment in two processes.
func (r *Runs) newID(now time.Time) (string, error) {
	names, err := r.disk.folders()
	if err != nil {
		return "", fmt.Errorf("reading the folder of runs: %w", err)
	}
	at := now.UTC().Truncate(time.Millisecond)
	for _, name := range names {
		if !runName.MatchString(name) {
			continue
		}
		if begun, err := time.Parse(runTime, name[:len(runTime)]); err == nil && !at.After(begun) {
			at = begun.Add(time.Millisecond)
		}
	}
	var tail [2]byte
	_, _ = rand.Read(tail[:]) // never fails
	id := at.Format(runTime) + "-" + hex.EncodeToString(tail[:])
	if !runName.MatchString(id) {
		return "", fmt.Errorf("the newest run %s is of the last moment that an id can name: move its folder away", names[len(names)-1])
	}
	return id, nil
}

// load reads a run as far as possible.
func (r *Runs) load(id string) *Run {
	run := &Run{ID: id}
	end, err := r.disk.read(path.Join(id, endFile)) // before the journal, which may be growing
	if err == nil {
		run.ending = lastEnding(end)
	}
	records := r.loadJournal(run)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		run.breakage = cmp.Or(run.breakage, fmt.Errorf("run %s: reading %s: %w", id, endFile, err))
	}
	var file string
	if len(records) > 0 && records[0].Begin != nil {
		file = records[0].Begin.File
	}
	plan, err := r.loadPlan(id, file)
	if plan != nil {
		run.Server = plan.Server
	}
	if err == nil {
		run.Plan = plan
	} else if run.breakage == nil {
		_, unread := errors.AsType[*fs.PathError](err)
		run.breakage, run.Damaged = fmt.Errorf("run %s: reading plan.json: %w", id, err), !unread || errors.Is(err, fs.ErrNotExist)
	}
	run.begin(records)
	if run.breakage != nil {
		run.Broken = run.breakage.Error()
		_, err := r.disk.read(path.Join(id, asideFile))
		run.Aside = err == nil
	}
	return run
}

// loadPlan reads the plan of a run. It must have the hash that the journal names or, if that record is lost, its own digest. If it has
// not, loadPlan returns it with the error.
func (r *Runs) loadPlan(id, hash string) (*Plan, error) {
	content, err := r.disk.read(path.Join(id, planFile))
	var plan *Plan
	if err == nil {
		err = json.Unmarshal(content, &plan)
	}
	if err != nil || plan == nil {
		return nil, cmp.Or(err, errors.New("it is empty"))
	}
	digest := plan.Digest
	if hash == "" {
		digest, err = digestOf(content)
	}
	if err == nil && (digest != plan.Digest || hash != "" && hash != hashOf(content)) {
		err = errors.New("it was changed after it was written")
	}
	return plan, err
}

// loadJournal reads a run's journal as far as possible.
func (r *Runs) loadJournal(run *Run) []Record {
	content, err := r.disk.read(path.Join(run.ID, journalFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		run.breakage = fmt.Errorf("run %s: reading the journal: %w", run.ID, err)
		return nil
	}
	p, err := parse(run.ID, content)
	if err == nil {
		err = p.check(run.ID, run.ending)
	}
	if err == nil && p.outgrows(run.ending) { // or the run is in progress: read its end anew
		end, unread := r.disk.read(path.Join(run.ID, endFile))
		if (unread == nil || errors.Is(unread, fs.ErrNotExist)) && p.outgrows(lastEnding(end)) {
			err = &BrokenError{run.ID, len(p.records), "may not be its last: " + endFile + " has lost lines, so records may be lost too", false, len(p.records)}
		}
	}
	run.lost = !p.proves() && !p.ended()
	if broken, is := errors.AsType[*BrokenError](err); is {
		run.breakage, run.Damaged, run.lost = err, !broken.newer, true
		p.records = p.records[:min(broken.believed, len(p.records))]
		if run.ending.records == 0 {
			run.ending = endingOf(content)
		}
	}
	if err == nil && len(p.records) == 0 {
		run.breakage, run.Unbegun = fmt.Errorf("run %s has no records: it was interrupted before it began", run.ID), true
	}
	run.size, run.last = p.size, p.last
	return p.records
}
